package check

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// parseUnits reads a list of failed units. Older versions of systemd print it as a table (--plain --no-legend), of
// which every line must be a unit.
func parseUnits(text string, parse func([]byte) ([]machine.Unit, error)) ([]machine.Unit, bool) {
	units, err := parse([]byte(text))
	return units, err == nil && !slices.ContainsFunc(units, func(u machine.Unit) bool { return u.Active != "failed" })
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

func (l *look) failedOf(manager string) ([]machine.Unit, bool) {
	subject := "failed_units:" + manager
	argv := []string{"systemctl", "--" + manager, "list-units", "--failed", "--no-pager"}
	out, ok := l.run(subject, append(argv, "--output=json")...)
	if !ok {
		return nil, false
	}
	if units, ok := parseUnits(out.Stdout, machine.ParseUnitsJSON); ok && out.Exit == 0 {
		return units, true
	}
	// A systemd that cannot print this list as JSON prints the number of units in words, even for none.
	if out.Exit == 0 && !out.Truncated && strings.TrimSpace(out.Stdout) != "" {
		if out, ok = l.run(subject, append(argv, "--plain", "--no-legend", "--full")...); !ok {
			return nil, false
		}
		if units, ok := parseUnits(out.Stdout, machine.ParseUnits); ok && out.Exit == 0 && !out.Truncated && len(units) == len(machine.Lines(out.Stdout)) {
			return units, true
		}
	}
	l.unknown(subject, outputProblem(out), "systemctl")
	return nil, false
}

func unitFinding(manager string, u machine.Unit) Finding {
	f := Finding{
		Key: "failed_units:" + manager + ":" + u.Name, Severity: Warning, Code: "unit_failed",
		Args: Args{Name: display(u.Name, 60), Detail: display(u.Description, 60)},
	}
	if manager == "user" {
		f.Code = "user_unit_failed"
		f.Fix = appendName("systemctl --user status", u.Name, "systemctl --user --failed")
		if strings.HasPrefix(u.Name, "app-") {
			f.Severity = Notice // a program that the person started and saw end
		}
		return f
	}
	f.Fix = appendName("systemctl status", u.Name, "systemctl --failed")
	return f
}
