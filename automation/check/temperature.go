package check

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// temperatureReading is one temperature in degrees Celsius, with its chip's critical temperature, or 0 if there
// is none.
type temperatureReading struct {
	key, where     string
	celsius, limit float64
}

// isPlausible excludes the readings of broken sensors, such as -127 and 65261.
func isPlausible(c float64) bool { return c > -40 && c < 150 }

// parseSensors parses sensors -j (lm_sensors, prog/sensors/chips.c, json): chips, their features, and for each
// feature the subfeatures with their values: {"coretemp-isa-0000":{"Adapter":"…","Core
// 0":{"temp2_input":45.000,"temp2_crit":100.000}}}.
func parseSensors(text string) ([]temperatureReading, bool) {
	var chips map[string]map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &chips) != nil || chips == nil {
		return nil, false
	}
	var all []temperatureReading
	for _, chip := range slices.Sorted(maps.Keys(chips)) {
		for _, label := range slices.Sorted(maps.Keys(chips[chip])) {
			var values map[string]float64
			if json.Unmarshal(chips[chip][label], &values) != nil {
				continue // the adapter's name
			}
			if h, ok := heatOf(values); ok && len(all) < 200 {
				h.key, h.where = chip+"/"+label, label+" ("+chip+")"
				all = append(all, h)
			}
		}
	}
	return all, true
}

func heatOf(values map[string]float64) (h temperatureReading, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		switch {
		case !strings.HasPrefix(name, "temp"):
		case strings.HasSuffix(name, "_input") && isPlausible(v):
			h.celsius, ok = v, true
		case strings.HasSuffix(name, "_crit") && v >= 60 && isPlausible(v):
			h.limit = v
		}
	}
	return h, ok
}

var zoneForm = regexp.MustCompile(`^thermal_zone[0-9]{1,3}$`)

// parseZones parses type and temp of thermal zones in the format of grep -H (Linux,
// Documentation/driver-api/thermal/sysfs-api.rst): a name, and thousandths of a degree.
func parseZones(text string) []temperatureReading {
	names, temps := map[string]string{}, map[string]float64{}
	for line := range strings.Lines(text) {
		file, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		i := strings.LastIndexByte(file, '/')
		if !ok || i < 0 {
			continue
		}
		switch zone := file[strings.LastIndexByte(file[:i], '/')+1 : i]; {
		case file[i:] == "/type":
			names[zone] = value
		case file[i:] == "/temp" && digits(value):
			temps[zone] = number(value) / 1000
		}
	}
	var all []temperatureReading
	for _, zone := range slices.Sorted(maps.Keys(temps)) {
		if c := temps[zone]; isPlausible(c) && c > 0 {
			where := zone
			if names[zone] != "" {
				where = names[zone]
			}
			all = append(all, temperatureReading{key: zone, where: where, celsius: c})
		}
	}
	return all
}

func temperature(l *look) {
	all, ok := l.sensors()
	if !ok {
		return
	}
	hottest := all[0]
	for _, h := range all {
		if h.celsius > hottest.celsius {
			hottest = h
		}
		l.checkHeat(h)
	}
	l.figure(Figure{Key: "temperature", Value: hottest.celsius, Unit: Celsius})
}

// checkHeat compares a temperature with the rule's limit, else with its chip's critical temperature, else with the
// default limit.
func (l *look) checkHeat(h temperatureReading) {
	limit, critical := l.over(), max(l.over()+10, 95)
	if h.limit > 0 {
		critical = h.limit
		if l.p.Over == nil {
			limit = h.limit - 5
		}
	}
	f := Finding{Key: "temperature:" + h.key, Severity: Warning, Code: "hot", Args: Args{Name: display(h.where, 50), Value: h.celsius, Limit: limit}}
	l.level(f, h.celsius, limit, critical, 5)
}

// sensors reads temperatures from lm_sensors, or from the kernel if that has none.
func (l *look) sensors() ([]temperatureReading, bool) {
	out, why := l.try("sensors", "-j")
	if why == "" && strings.TrimSpace(out.Stdout) != "" && !out.Truncated {
		all, ok := parseSensors(out.Stdout)
		if !ok {
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
	if why == "" {
		why = ReasonAbsent
	}
	l.unknown("temperature", why, "sensors")
	return nil, false
}

func (l *look) zones() []temperatureReading {
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
	return parseZones(out.Stdout)
}
