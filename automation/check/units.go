package check

import (
	"encoding/json"
	"strings"
)

// unit is a failed unit of systemd.
type unit struct {
	Unit        string `json:"unit"`
	Active      string `json:"active"`
	Description string `json:"description"`
}

// parseUnits parses systemctl list-units --failed --output=json (systemctl(1)): a list of objects with unit,
// load, active, sub and description.
func parseUnits(text string) ([]unit, bool) {
	var units []unit
	if json.Unmarshal([]byte(text), &units) != nil || units == nil {
		return nil, false
	}
	for _, u := range units {
		if u.Unit == "" || u.Active != "failed" {
			return nil, false
		}
	}
	return units, true
}

// parsePlainUnits parses the same list from older versions of systemd: lines of unit, load, active, sub and a
// description (--plain --no-legend).
func parsePlainUnits(text string) ([]unit, bool) {
	var units []unit
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) < 4 || words[2] != "failed" {
			return nil, false
		}
		units = append(units, unit{words[0], words[2], strings.Join(words[4:], " ")})
	}
	return units, true
}

func failedUnits(l *look) {
	total, known := 0, true
	for _, manager := range []string{"system", "user"} {
		units, ok := l.failedOf(manager)
		known = known && ok
		total += len(units)
		for _, u := range units {
			l.find(unitFinding(manager, u))
		}
	}
	if known {
		l.figure(Figure{Key: "failed_units", Value: float64(total), Unit: Number})
	}
}

func (l *look) failedOf(manager string) ([]unit, bool) {
	subject := "failed_units:" + manager
	argv := []string{"systemctl", "--" + manager, "list-units", "--failed", "--no-pager"}
	out, ok := l.run(subject, append(argv, "--output=json")...)
	if !ok {
		return nil, false
	}
	if units, ok := parseUnits(out.Stdout); ok && out.Exit == 0 {
		return units, true
	}
	// A systemd that cannot print this list as JSON prints the number of units in words, even for none.
	if out.Exit == 0 && !out.Truncated && strings.TrimSpace(out.Stdout) != "" {
		if out, ok = l.run(subject, append(argv, "--plain", "--no-legend", "--full")...); !ok {
			return nil, false
		}
		if units, ok := parsePlainUnits(out.Stdout); ok && out.Exit == 0 && !out.Truncated {
			return units, true
		}
	}
	l.unknown(subject, outputProblem(out), "systemctl")
	return nil, false
}

func unitFinding(manager string, u unit) Finding {
	f := Finding{
		Key: "failed_units:" + manager + ":" + u.Unit, Severity: Warning, Code: "unit_failed",
		Args: Args{Name: display(u.Unit, 60), Detail: display(u.Description, 60)},
	}
	if manager == "user" {
		f.Code = "user_unit_failed"
		f.Fix = appendName("systemctl --user status", u.Unit, "systemctl --user --failed")
		if strings.HasPrefix(u.Unit, "app-") {
			f.Severity = Notice // a program that the person started and saw end
		}
		return f
	}
	f.Fix = appendName("systemctl status", u.Unit, "systemctl --failed")
	return f
}
