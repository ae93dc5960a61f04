package machine

import (
	"slices"
	"strings"
)

// ParseFcitxProfile parses ~/.config/fcitx5/profile and returns the names of the input methods of all groups.
func ParseFcitxProfile(text []byte) ([]string, error) {
	var out []string
	inItem := false
	for _, line := range Lines(text) {
		if strings.HasPrefix(line, "[") {
			inItem = strings.Contains(line, "/Items/")
			continue
		}
		if v, ok := strings.CutPrefix(line, "Name="); ok && inItem && v != "" && !slices.Contains(out, v) {
			out = append(out, cutRunes(v, 30))
		}
	}
	return rows(out, text, "fcitx5's profile")
}
