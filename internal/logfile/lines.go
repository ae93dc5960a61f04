package logfile

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Lines returns a writer that formats each event as one line: local time, level, message, then its fields by name, an
// error first, as name=value, quoted if they contain blanks or unprintable characters. An event comes in one write, as
// zerolog encodes it.
//
//	2026-02-20T18:15:32.104+09:00 INF tool call channel=cli class=SAFE task=t1 tool=check_disk
func Lines(to io.Writer) io.Writer { return lineWriter{to} }

type lineWriter struct{ to io.Writer }

// Write writes an event. One that it cannot read is written unchanged.
func (w lineWriter) Write(event []byte) (int, error) {
	line, ok := appendLine(make([]byte, 0, 256), event)
	if !ok {
		line = event
	}
	if _, err := w.to.Write(line); err != nil {
		return 0, err
	}
	return len(event), nil
}

// field is a field of an event. A value that is not a string has its text in JSON.
type field struct {
	name, value string
	isText      bool
}

// appendLine appends the line of an event.
func appendLine(line, event []byte) ([]byte, bool) {
	var buf [16]field
	all, ok := fieldsOf(buf[:0], strings.TrimSpace(string(event)))
	if !ok {
		return nil, false
	}
	take := func(name string) string {
		i := slices.IndexFunc(all, func(f field) bool { return f.name == name })
		if i < 0 {
			return ""
		}
		value := all[i].value
		all = slices.Delete(all, i, i+1)
		return value
	}
	var levelName string
	at, level, message := take(zerolog.TimestampFieldName), take(zerolog.LevelFieldName), take(zerolog.MessageFieldName)
	if l, err := zerolog.ParseLevel(level); err == nil {
		levelName = zerolog.FormattedLevels[l]
	}
	if at == "" {
		at = "<nil>"
	}
	for _, part := range []string{at, levelName, message} {
		if len(line) > 0 && part != "" {
			line = append(line, ' ')
		}
		line = append(line, part...)
	}
	sorting.By(all, func(a, b field) int {
		if (a.name == zerolog.ErrorFieldName) != (b.name == zerolog.ErrorFieldName) {
			return map[bool]int{true: -1, false: 1}[a.name == zerolog.ErrorFieldName]
		}
		return strings.Compare(a.name, b.name)
	})
	for _, f := range all {
		line = append(append(append(line, ' '), f.name...), '=')
		if f.isText {
			f.value = quoted(f.value)
		}
		line = append(line, f.value...)
	}
	return append(line, '\n'), true
}

// quoted quotes a value that is not one printable ASCII word.
func quoted(value string) string {
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' || r == '"' }) {
		return strconv.Quote(value)
	}
	return value
}

// fieldsOf appends the fields of a flat object in JSON. Values that are not strings keep their text.
func fieldsOf(all []field, object string) ([]field, bool) {
	rest, ok := strings.CutPrefix(object, "{")
	for ok && rest != "}" {
		var f field
		if f.name, rest, ok = cutString(rest); !ok {
			return nil, false
		}
		if rest, ok = strings.CutPrefix(rest, ":"); !ok {
			return nil, false
		}
		f.isText = strings.HasPrefix(rest, `"`)
		if f.value, rest, ok = cutValue(rest); !ok {
			return nil, false
		}
		all = append(all, f)
		rest = strings.TrimPrefix(rest, ",")
	}
	return all, ok
}

// cutValue returns the value at the beginning of a text, and the text after it.
func cutValue(text string) (value, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		return cutString(text)
	}
	var raw json.RawMessage
	if i := strings.IndexAny(text, ",}]"); i > 0 && text[0] != '{' && text[0] != '[' {
		return text[:i], text[i:], true
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&raw); err != nil {
		return "", "", false
	}
	return string(raw), text[d.InputOffset():], true
}

// cutString returns the string in quotes at the beginning of a text, and the text after it.
func cutString(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", "", false
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			value, rest = text[1:i], text[i+1:]
			if !strings.Contains(value, `\`) {
				return value, rest, true
			}
			err := json.Unmarshal([]byte(text[:i+1]), &value)
			return value, rest, err == nil
		}
	}
	return "", "", false
}
