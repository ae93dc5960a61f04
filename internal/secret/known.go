package secret

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// The names of secrets without an anchor.
const (
	knownName   = "known"
	discordName = "discord-token"
)

// minKnown is the length of the shortest known value that is searched, in bytes.
const minKnown = 8

// formsOf returns the texts to search for known values: themselves and their forms in JSON, URLs and base64.
// Texts that occur in markers are excluded.
func formsOf(known []string) []string {
	var forms []string
	for _, k := range known {
		for line := range strings.Lines(k) {
			line = strings.TrimSpace(line)
			if len(line) < minKnown {
				continue
			}
			forms = append(forms, line, jsonForm(line, true), jsonForm(line, false), url.QueryEscape(line), url.PathEscape(line))
			forms = append(forms, base64Forms(line)...)
		}
	}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	return slices.DeleteFunc(forms, isInMarker)
}

// jsonForm returns a value's form in a JSON string. html escapes HTML characters, as some encoders do.
func jsonForm(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// base64Forms returns the forms of a value inside a longer base64 text, for each of the three alignments to groups
// of three bytes. Characters at the ends that also depend on adjacent bytes are excluded.
func base64Forms(s string) []string {
	var forms []string
	for skip := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", skip) + s))
		text = text[[]int{0, 2, 3}[skip]:]
		if (skip+len(s))%3 != 0 {
			text = text[:len(text)-1]
		}
		forms = append(forms, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return forms
}

// isInMarker reports whether a text occurs in a marker, so that searching for it would damage markers.
func isInMarker(s string) bool {
	for _, shape := range shapes() {
		if strings.Contains(marker(shape.name), s) {
			return true
		}
	}
	return strings.Contains(marker(knownName), s) || strings.Contains(marker(discordName), s)
}

// StatedSecrets returns the secrets that a person states in sentences. Later text of the same conversation can repeat
// them alone, where no shape matches: see [ReplaceWords].
func (r *Redactor) StatedSecrets(text string) []string {
	values := slices.Concat(plainPasswords(text), cardNumbers(text))
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
