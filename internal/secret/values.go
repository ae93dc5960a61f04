package secret

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// StatedSecrets returns the secrets that a person states in sentences. Later text of the same conversation can repeat
// them alone, where no shape matches: see [ReplaceWords].
func (r *Redactor) StatedSecrets(text string) []string {
	values := plainPasswords(text)
	for _, told := range statements() {
		for _, m := range told.findAll(text) {
			if value := statedValue(text, m); value != "" && !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
	}
	return values
}

// statedValue returns the secret of a matching sentence, or "".
func statedValue(text string, m []int) string {
	value := strings.TrimRight(text[m[2]:m[3]], `.,;!?)]}"'`)
	if !isStatedPassword(value) || quantityPattern().MatchString(text[m[2]+len(value):]) {
		return ""
	}
	return value
}

// ReplaceWords returns text with a marker in place of the values that occur in it as words.
func ReplaceWords(text string, values []string) string {
	for _, v := range values {
		text = replaceWord(text, v)
	}
	return text
}

func replaceWord(text, value string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, value)
		if at < 0 || value == "" {
			return out.String() + text
		}
		end := at + len(value)
		if at > 0 && isWord(text[at-1]) && isWord(value[0]) || end < len(text) && isWord(text[end]) && isWord(value[len(value)-1]) {
			out.WriteString(text[:end])
		} else {
			out.WriteString(text[:at] + marker("password"))
		}
		text = text[end:]
	}
}

// CleanJSON returns a JSON value with all texts and names cleaned. The text of a field whose name indicates a
// secret is cleaned together with its name. Data that is not JSON is cleaned as text.
func CleanJSON(data []byte, clean func(string) string) []byte {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil || dec.More() {
		return []byte(clean(string(data)))
	}
	changed := false
	value = cleanValue(value, func(s string) string {
		c := clean(s)
		changed = changed || c != s
		return c
	})
	if !changed {
		return data
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return data
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

func cleanValue(value any, clean func(string) string) any {
	switch v := value.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i], clean)
		}
	case map[string]any:
		cleaned := make(map[string]any, len(v))
		for name, inner := range v {
			if text, ok := inner.(string); ok && isNamedSecret(name, text) {
				inner = clean(name + "=" + text)
				inner = strings.TrimPrefix(inner.(string), name+"=")
			} else {
				inner = cleanValue(inner, clean)
			}
			cleaned[clean(name)] = inner
		}
		return cleaned
	}
	return value
}

// isNamedSecret reports whether a field's name indicates that its text is a secret.
func isNamedSecret(name, text string) bool {
	w := secretKindOf(name)
	return w != notSecret && !strings.ContainsAny(text, " \t\n") && credential(text, w, true)
}
