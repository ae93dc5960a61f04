package check

import (
	"regexp"
	"strings"
)

var supplyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,60}$`)

// parseSupply parses the uevent of a power supply (Linux, Documentation/ABI/testing/sysfs-class-power): lines
// POWER_SUPPLY_NAME=value. It returns the remaining capacity of a battery in percent of its design. ok is false
// for anything but a battery of the computer with known capacity.
func parseSupply(text string) (health float64, ok bool) {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[strings.TrimPrefix(name, "POWER_SUPPLY_")] = value
	}
	if values["TYPE"] != "Battery" || values["SCOPE"] == "Device" || values["PRESENT"] == "0" {
		return 0, false
	}
	for _, kind := range []string{"ENERGY", "CHARGE"} { // µWh or µAh
		full, design := values[kind+"_FULL"], values[kind+"_FULL_DESIGN"]
		if digits(full) && digits(design) && number(design) > 0 && number(full) > 0 {
			health = 100 * number(full) / number(design)
			return min(health, 100), health < 200
		}
	}
	return 0, false
}

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
	health, ok := parseSupply(out.Stdout)
	switch {
	case !ok && strings.Contains(out.Stdout, "POWER_SUPPLY_TYPE=Battery") && !strings.Contains(out.Stdout, "POWER_SUPPLY_SCOPE=Device"):
		l.unknown(key, ReasonUnsupported, name)
		return
	case !ok && !strings.Contains(out.Stdout, "POWER_SUPPLY_TYPE="):
		l.unknown(key, outputProblem(out), name)
		return
	case !ok:
		return // mains, a mouse
	}
	l.figure(Figure{Key: key, Value: health, Unit: Percent, Name: name})
	switch {
	case health < l.over():
		l.find(Finding{Key: key, Severity: Notice, Code: "battery_worn", Args: Args{Name: name, Value: health}})
	case health < l.over()+2:
		l.near(key)
	}
}
