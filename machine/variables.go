package machine

import "strings"

// ParseVariables parses assignments in the format of grep -H: "/etc/environment:GTK_IM_MODULE=fcitx". It skips
// comments.
func ParseVariables(text []byte) (map[string]string, error) {
	out := map[string]string{}
	for _, line := range Lines(text) {
		_, setting, ok := strings.Cut(line, ":")
		setting = strings.TrimPrefix(strings.TrimSpace(setting), "export ")
		key, value, assigned := strings.Cut(setting, "=")
		if !ok || !assigned || strings.HasPrefix(setting, "#") || strings.ContainsAny(key, " \t") || len(key) > 20 {
			continue
		}
		out[key] = strings.Trim(cutRunes(value, 40), `"'`)
	}
	return readable(out, len(out) > 0 || len(Lines(text)) == 0, "grep")
}
