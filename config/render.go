package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Render formats settings as TOML. note returns a comment for a setting, or ""; it may be nil. The result without
// notes parses to the same values.
func Render(settings []Setting, note func(Setting) string) (string, error) {
	var b strings.Builder
	at := ""
	for i, s := range settings {
		if table := header(s.Path); table != at {
			if i > 0 {
				b.WriteByte('\n')
			}
			at = table
			b.WriteString(headline(s.Path) + "\n")
		}
		line, err := assignment(s)
		if err != nil {
			return "", err
		}
		if note != nil {
			if text := note(s); text != "" {
				line += "  # " + text
			}
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// header returns the key of a setting's table. Elements of lists are distinct.
func header(path []string) string { return keyOf(path[:len(path)-1]) }

// headline returns the header line of a setting's table.
func headline(path []string) string {
	var words []string
	list := false
	for _, p := range path[:len(path)-1] {
		if _, list = elementNumber(p); !list {
			words = append(words, quoteKey(p))
		}
	}
	name := strings.Join(words, ".")
	if list {
		return "[[" + name + "]]"
	}
	return "[" + name + "]"
}

func quoteKey(key string) string {
	if bareKey.MatchString(key) {
		return key
	}
	text, err := toml.Marshal(map[string]any{key: true})
	if err != nil {
		return fmt.Sprintf("%q", key)
	}
	name, _, _ := strings.Cut(string(text), " = true")
	return name
}

func assignment(s Setting) (string, error) {
	if _, table := s.Value.(map[string]any); table {
		return quoteKey(s.Path[len(s.Path)-1]) + " = {}", nil
	}
	text, err := toml.Marshal(map[string]any{s.Path[len(s.Path)-1]: s.Value})
	if err != nil {
		return "", fmt.Errorf("cannot write %s: %w", s.Key(), err)
	}
	return strings.TrimRight(string(text), "\n"), nil
}
