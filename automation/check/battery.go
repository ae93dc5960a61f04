package check

import (
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

var supplyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,60}$`)

func battery(l *look) {
	out, ok := l.run("battery", "find", "/sys/class/power_supply/", "-mindepth", "1", "-maxdepth", "1", "-printf", "%f\\n")
	if !ok {
		return
	}
	if out.Exit != 0 && out.failure() != ReasonAbsent {
		l.unknown("battery", out.failure(), "/sys/class/power_supply")
		return
	}
	for name := range strings.Lines(out.Stdout) {
		if name = strings.TrimSpace(name); supplyForm.MatchString(name) {
			l.supply(name)
		} else {
			l.unknown("battery", ReasonUnreadable, "/sys/class/power_supply")
		}
	}
}

func (l *look) supply(name string) {
	key := "battery:" + name
	out, ok := l.run(key, "cat", "/sys/class/power_supply/"+name+"/uevent")
	if !ok {
		return
	}
	all, _ := machine.ParseSupplies([]byte(out.Stdout)) // none if it is unreadable
	switch {
	case len(all) == 0:
		l.unknown(key, outputProblem(out), name)
		return
	case !all[0].IsBattery():
		return // mains, a mouse
	case all[0].Present == "0" || all[0].Health == 0:
		l.unknown(key, ReasonUnsupported, name)
		return
	}
	health := min(all[0].Health, 100)
	l.figure(Figure{Key: key, Value: health, Unit: Percent, Name: name})
	switch {
	case health < l.over():
		l.find(Finding{Key: key, Severity: Notice, Code: "battery_worn", Args: Args{Name: name, Value: health}})
	case health < l.over()+2:
		l.near(key)
	}
}
