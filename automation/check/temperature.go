package check

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

var zoneForm = regexp.MustCompile(`^thermal_zone[0-9]{1,3}$`)

func temperature(l *look) {
	all, ok := l.sensors()
	if !ok {
		return
	}
	hottest := all[0]
	for _, h := range all {
		if h.Celsius > hottest.Celsius {
			hottest = h
		}
		l.checkHeat(h)
	}
	l.figure(Figure{Key: "temperature", Value: hottest.Celsius, Unit: Celsius})
}

// checkHeat compares a temperature with the rule's limit, else with its chip's critical temperature, else with the
// default limit.
func (l *look) checkHeat(h machine.Temperature) {
	limit, critical := l.over(), max(l.over()+10, 95)
	if h.Crit >= 60 { // less is a broken sensor's
		critical = h.Crit
		if l.p.Over == nil {
			limit = h.Crit - 5
		}
	}
	f := Finding{Key: "temperature:" + h.Key, Severity: Warning, Code: "hot", Args: Args{Name: display(h.Where, 50), Value: h.Celsius, Limit: limit}}
	l.level(f, h.Celsius, limit, critical, 5)
}

// sensors reads temperatures from lm_sensors, or from the kernel if that has none.
func (l *look) sensors() ([]machine.Temperature, bool) {
	out, why := l.try(machine.SensorsJSONProbe...)
	if why == "" && strings.TrimSpace(out.Stdout) != "" && !out.Truncated {
		all, err := machine.ParseSensorsJSON([]byte(out.Stdout))
		if err != nil {
			l.unknown("temperature", ReasonUnreadable, "sensors")
			return nil, false
		}
		if len(all) > 0 {
			return all, true
		}
	}
	if all := l.zones(); len(all) > 0 {
		return all, true
	}
	why = cmp.Or(why, ReasonAbsent)
	l.unknown("temperature", why, "sensors")
	return nil, false
}

func (l *look) zones() []machine.Temperature {
	out, why := l.try("find", "/sys/class/thermal", "-maxdepth", "1", "-name", "thermal_zone*", "-printf", "%f\\n")
	if why != "" {
		return nil
	}
	argv := []string{"grep", "-s", "-H", "."}
	for zone := range strings.Lines(out.Stdout) {
		if zone = strings.TrimSpace(zone); zoneForm.MatchString(zone) && len(argv) < 100 {
			argv = append(argv, "/sys/class/thermal/"+zone+"/type", "/sys/class/thermal/"+zone+"/temp")
		}
	}
	if len(argv) == 4 {
		return nil
	}
	if out, why = l.try(argv...); why != "" {
		return nil
	}
	all, _ := machine.ParseZones([]byte(out.Stdout)) // none if it is unreadable
	return all
}
