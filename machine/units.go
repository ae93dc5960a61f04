package machine

import (
	"encoding/json"
	"slices"
	"strings"
)

// FailedUnitsProbe lists the failed units.
var FailedUnitsProbe = Probe{"systemctl", "--failed", "--no-pager"}

// UnitStatus is the output of systemctl status for one unit.
type UnitStatus struct {
	Unit, Description string
	Load, Enabled     string
	Active            string // "active (running) since …"
	MainPID           string
	Log               []string
}

// ParseUnitStatus parses systemctl status (systemctl(1)).
func ParseUnitStatus(text []byte) (UnitStatus, error) {
	var st UnitStatus
	inLog, ok := false, false
	for i, line := range Lines(text) {
		t := strings.TrimSpace(line)
		key, value, found := strings.Cut(t, ": ")
		switch {
		case i == 0 && !found || i == 0 && strings.Contains(key, " - "):
			st.Unit, st.Description, _ = strings.Cut(strings.TrimLeft(t, "●○×↻•* "), " - ")
		case key == "Loaded" && st.Load == "":
			st.Load = value
			st.Enabled = enabledOf(value)
		case key == "Active" && st.Active == "":
			st.Active, ok = value, true
		case key == "Main PID":
			st.MainPID = value
			inLog = false
		case logPrefix().MatchString(t):
			inLog = true
			fallthrough
		case inLog:
			st.Log = append(st.Log, t)
		}
	}
	return readable(st, ok, "systemctl status")
}

// enabledOf returns the second field between the brackets of Loaded: "loaded
// (/usr/lib/systemd/system/x.service; enabled; preset: disabled)".
func enabledOf(loaded string) string {
	_, rest, ok := strings.Cut(loaded, "(")
	if ok && strings.HasPrefix(loaded, "masked") {
		return "masked"
	}
	_, rest, _ = strings.Cut(strings.TrimSuffix(rest, ")"), ";")
	enabled, _, _ := strings.Cut(rest, ";")
	return strings.TrimSpace(enabled)
}

// Unit is one row of systemctl list-units.
type Unit struct {
	Name        string `json:"unit"`
	Load        string `json:"load"`
	Active      string `json:"active"`
	Sub         string `json:"sub"`
	Description string `json:"description"`
}

var loadStates = []string{"loaded", "not-found", "masked", "error", "bad-setting", "merged"}

// ParseUnits parses systemctl list-units and --failed (systemctl(1)): UNIT LOAD ACTIVE SUB DESCRIPTION after an
// optional mark. It skips the legend.
func ParseUnits(text []byte) ([]Unit, error) {
	out := lineRows(text, func(line string) (u Unit, ok bool) {
		f := strings.Fields(strings.TrimLeft(strings.TrimSpace(line), "●○×↻•* "))
		if len(f) < 4 || !strings.Contains(f[0], ".") || !slices.Contains(loadStates, f[1]) {
			return u, false
		}
		return Unit{f[0], f[1], f[2], f[3], strings.Join(f[4:], " ")}, true
	})
	empty := len(Lines(text)) == 0 || strings.Contains(string(text), "0 loaded")
	return readable(out, len(out) > 0 || empty, "systemctl list-units")
}

// ParseUnitsJSON parses systemctl list-units --output=json (systemctl(1)): a list of objects.
func ParseUnitsJSON(text []byte) ([]Unit, error) {
	var out []Unit
	err := json.Unmarshal(text, &out)
	ok := err == nil && out != nil && !slices.ContainsFunc(out, func(u Unit) bool { return u.Name == "" })
	return readable(out, ok, "systemctl list-units")
}

// unitStates are the words of systemctl is-active (systemctl(1)).
var unitStates = []string{
	"active", "inactive", "failed", "activating", "deactivating", "reloading", "refreshing", "maintenance", "unknown",
}

// ParseUnitStates parses systemctl is-active: one word a line, in the order of the units' names.
func ParseUnitStates(text []byte, names ...string) (map[string]string, error) {
	lines := Lines(text)
	if len(lines) != len(names) {
		return nil, &UnreadableError{Source: "systemctl is-active"}
	}
	out := make(map[string]string, len(names))
	for i, n := range names {
		out[n] = strings.TrimSpace(lines[i])
		if !slices.Contains(unitStates, out[n]) {
			return nil, &UnreadableError{"systemctl is-active", lines[i]}
		}
	}
	return out, nil
}

// ParseUnitProperties parses systemctl show: KEY=VALUE lines, with a blank line between units.
func ParseUnitProperties(text []byte) ([]map[string]string, error) {
	var out []map[string]string
	for block := range strings.SplitSeq(string(text), "\n\n") {
		m := map[string]string{}
		for _, line := range Lines(block) {
			if k, v, ok := strings.Cut(line, "="); ok {
				m[k] = v
			}
		}
		if m["LoadState"] != "" {
			out = append(out, m)
		}
	}
	return rows(out, text, "systemctl show")
}
