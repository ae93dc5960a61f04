package secret

import (
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
