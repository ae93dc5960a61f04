package machine

import "strings"

// AdvisoriesProbe lists vulnerable packages that have an update.
var AdvisoriesProbe = Probe{"arch-audit", "-u"}

// Advisory is a line of arch-audit.
type Advisory struct {
	Name  string
	Grave bool // of high or critical risk
}

var (
	advisoryFull  = pattern(`^(?:Package )?([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*) is affected by .+?\. (?:(Unknown|Low|Medium|High|Critical)(?: risk)?!)?.*$`)
	advisoryQuiet = pattern(`^([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*)>=\S+$`) // with -q
)

// ParseAdvisories parses arch-audit -u (its README, "Example output", and src/main.rs, print_avg_colored): "Package
// curl is affected by CVE-… High risk! Update to 7.52.1-1!". Newer versions describe the vulnerability instead of its
// number and omit "Package".
func ParseAdvisories(text []byte) ([]Advisory, error) {
	var out []Advisory
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if m := advisoryFull().FindStringSubmatch(line); m != nil {
			out = append(out, Advisory{m[1], m[2] == "High" || m[2] == "Critical"})
		} else if m := advisoryQuiet().FindStringSubmatch(line); m != nil {
			out = append(out, Advisory{Name: m[1]})
		} else {
			return nil, &UnreadableError{"arch-audit", line}
		}
	}
	return out, nil
}
