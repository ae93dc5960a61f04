package machine

import "strings"

var (
	// OSReleaseProbe names the distribution.
	OSReleaseProbe = Probe{"cat", "/etc/os-release"}
	// LocaleConfProbe shows the configured language.
	LocaleConfProbe = Probe{"cat", "/etc/locale.conf"}
)

// ParseAssignments parses the KEY=VALUE lines of os-release(5) and locale.conf(5), without quotes. The first value of a
// key wins.
func ParseAssignments(text []byte) map[string]string {
	out := map[string]string{}
	for _, line := range Lines(text) {
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); ok && !strings.HasPrefix(key, "#") {
			if _, seen := out[key]; !seen {
				out[key] = strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	return out
}
