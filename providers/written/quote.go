package written

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/providers"
)

// isQuoted reports whether any of the calls occurs in text that the model was given: a tool's result, piped input
// or the user's own words. A model that repeats such a text does not call a tool. Differences in blanks,
// quotes, escapes and form are ignored.
func isQuoted(messages []providers.Message, calls []call) bool {
	for _, text := range foreignTexts(messages) {
		squeezed := squeeze(text)
		for _, c := range calls {
			if containsCall(squeezed, c) {
				return true
			}
		}
	}
	return false
}

// foreignTexts returns the texts of a conversation that the model did not write.
func foreignTexts(messages []providers.Message) []string {
	var texts []string
	for _, m := range messages {
		for _, b := range m.Content {
			switch {
			case b.Type == providers.BlockToolResult:
				texts = append(texts, b.Content)
			case b.Type == providers.BlockText && m.Role == providers.RoleUser:
				texts = append(texts, b.Text)
			}
		}
	}
	return texts
}

// maxDistance is the maximum distance between a call's name and its values in a squeezed text, in addition to their
// own lengths.
const maxDistance = 120

// containsCall reports whether a squeezed text contains a call: the tool's name in one of its spellings and every
// value of the input near it.
func containsCall(squeezed string, c call) bool {
	values := leafValues(c.input)
	span := maxDistance
	for _, v := range values {
		span += len(v)
	}
	for _, name := range spellings(c.name) {
		for at := 0; ; {
			i := strings.Index(squeezed[at:], name)
			if i < 0 {
				break
			}
			at += i
			near := squeezed[max(0, at-span):min(len(squeezed), at+len(name)+span)]
			if containsAll(near, values) {
				return true
			}
			at += len(name)
		}
	}
	return false
}

// spellings returns the ways in which a call's name occurs in a squeezed text. The bare name is not one of
// them, because a user can say "use check_disk on /".
func spellings(name string) []string {
	all := []string{name}
	if name == "run_command" {
		all = append(all, "run_cmd")
	}
	var spelt []string
	for _, n := range all {
		n = squeeze(n)
		spelt = append(spelt, "tool:"+n, "name:"+n, "tool_name:"+n, "function:"+n, "function="+n, "name="+n)
	}
	return spelt
}

func containsAll(s string, values []string) bool {
	for _, v := range values {
		if !strings.Contains(s, v) {
			return false
		}
	}
	return true
}

// leafValues returns the squeezed texts and numbers of a JSON value.
func leafValues(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	var found []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = append(found, squeeze(v))
		case json.Number:
			found = append(found, squeeze(v.String()))
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
	return found
}

// squeeze reduces a text to the part that does not change when it is quoted: lower-case letters, digits and
// signs, without blanks, quotes, backslashes and invisible characters.
func squeeze(s string) string {
	// JSON can escape any letter.
	if strings.Contains(s, `\u`) {
		s = unescape(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), unicode.Is(unicode.Cf, r), strings.ContainsRune("\"'\\`", r):
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// unescape replaces \uXXXX with the letter.
func unescape(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, `\u`)
		if i < 0 || i+6 > len(s) {
			return b.String() + s
		}
		var letter string
		b.WriteString(s[:i])
		if json.Unmarshal([]byte(`"`+s[i:i+6]+`"`), &letter) == nil {
			b.WriteString(letter)
		} else {
			b.WriteString(s[i : i+6])
		}
		s = s[i+6:]
	}
}
