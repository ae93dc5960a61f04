package secret

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// The names of what has no shape of its own.
const (
	knownName   = "known"
	discordName = "discord-token"
)

// minKnown is the length of the shortest value that is looked for, in bytes.
const minKnown = 8

// formsOf returns the texts that give known values away: themselves, as JSON,
// URLs and base64 write them. None is part of a marker.
func formsOf(known []string) []string {
	var forms []string
	for _, k := range known {
		for line := range strings.Lines(k) {
			line = strings.TrimSpace(line)
			if len(line) < minKnown {
				continue
			}
			forms = append(forms, line, inJSON(line, true), inJSON(line, false), url.QueryEscape(line), url.PathEscape(line))
			forms = append(forms, inBase64(line)...)
		}
	}
	slices.Sort(forms)
	forms = slices.Compact(forms)
	return slices.DeleteFunc(forms, inMarker)
}

// inJSON returns what a value becomes in a JSON string; some writers also
// escape what means something in HTML.
func inJSON(s string, html bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

// inBase64 returns what a value becomes inside a longer text in base64, for
// each of the three ways it may fall on groups of three bytes. The characters
// at the ends that also depend on what is beside it are left out.
func inBase64(s string) []string {
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

// inMarker reports whether a text stands in a marker, so that to look for it
// would spoil them.
func inMarker(s string) bool {
	for _, shape := range shapes() {
		if strings.Contains(marker(shape.name), s) {
			return true
		}
	}
	return strings.Contains(marker(knownName), s) || strings.Contains(marker(discordName), s)
}
