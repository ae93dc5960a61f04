package machine

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

var (
	// SensorsProbe shows temperatures and fans.
	SensorsProbe = Probe{"sensors"}
	// SensorsJSONProbe shows temperatures as JSON.
	SensorsJSONProbe = Probe{"sensors", "-j"}
	// ZonesProbe shows the temperatures of the kernel.
	ZonesProbe = Probe{"grep", ".", "/sys/class/thermal/thermal_zone*/type", "/sys/class/thermal/thermal_zone*/temp"}
)

// Temperature is one reading in degrees Celsius.
type Temperature struct {
	Key        string // identifies the sensor; "" in the table of sensors
	Where      string
	Celsius    float64
	High, Crit float64 // the limits that the chip reports, 0 for none
}

// Bound returns the limit that the chip reports: the critical one, or else the high one, 0 for none.
func (h Temperature) Bound() float64 {
	if h.Crit >= 60 {
		return h.Crit
	}
	return h.High
}

// Limit returns the temperature from which a reading is too hot. It is below the critical one, with a smaller margin for disks than for
// processors, and 90 if the chip reports none.
func (h Temperature) Limit() float64 {
	switch {
	case h.Crit >= 60 && h.High >= 60:
		return max(h.Crit-10, min(h.High, h.Crit-3))
	case h.Crit >= 60:
		return h.Crit - 10
	case h.High >= 60:
		return h.High
	}
	return 90
}

var (
	sensorRow   = pattern(`^\s*([^:]+):\s+\+?(-?[\d.]+)\s*°?C\b`)
	sensorLimit = pattern(`(high|crit)\s*=\s*\+?(-?[\d.]+)\s*°?C`)
	sensorFan   = pattern(`^\s*([^:]*[Ff]an[^:]*):\s+(\d+) RPM`)
)

// ParseSensors parses sensors(1): "Tctl: +45.2°C (high = …)" under the name of a chip, limits sometimes on the next
// line. The result is sorted hottest first. Readings outside -40…150 come from broken sensors and are skipped.
func ParseSensors(text []byte) ([]Temperature, error) {
	var out []Temperature
	chip := ""
	for _, line := range Lines(text) {
		if !strings.Contains(line, ":") && !strings.HasPrefix(line, " ") {
			chip = strings.TrimSpace(line)
			continue
		}
		m := sensorRow().FindStringSubmatch(line)
		if m == nil {
			if len(out) > 0 && strings.HasPrefix(strings.TrimSpace(line), "(") {
				out[len(out)-1].readLimits(line)
			}
			continue
		}
		c, err := strconv.ParseFloat(m[2], 64)
		if err != nil || c < -40 || c > 150 {
			continue
		}
		h := Temperature{Where: strings.TrimSpace(m[1]), Celsius: c}
		if chip != "" {
			h.Where += " (" + chip + ")"
		}
		h.readLimits(line)
		out = append(out, h)
	}
	out = largestFirst(out, func(t Temperature) float64 { return t.Celsius })
	return readable(out, len(out) > 0 || strings.Contains(string(text), "Adapter:"), "sensors")
}

func (h *Temperature) readLimits(line string) {
	for _, m := range sensorLimit().FindAllStringSubmatch(line, -1) {
		n, err := strconv.ParseFloat(m[2], 64)
		switch {
		case err != nil || n < 0 || n > 150: // 65261.8: the chip has none
		case m[1] == "high":
			h.High = n
		default:
			h.Crit = n
		}
	}
}

// Fan is a fan of sensors.
type Fan struct {
	Name string
	RPM  int
}

// ParseFans parses the fans of sensors(1).
func ParseFans(text []byte) ([]Fan, error) {
	out := lineRows(text, func(line string) (fan Fan, ok bool) {
		if m := sensorFan().FindStringSubmatch(line); m != nil {
			n, err := strconv.Atoi(m[2])
			return Fan{strings.TrimSpace(m[1]), n}, err == nil
		}
		return fan, false
	})
	return readable(out, len(out) > 0 || strings.Contains(string(text), "Adapter:"), "sensors")
}

// isPlausible excludes the readings of broken sensors, such as -127 and 65261.
func isPlausible(c float64) bool { return c > -40 && c < 150 }

// ParseSensorsJSON parses sensors -j (lm_sensors, prog/sensors/chips.c, json): chips, their features, and for each
// feature the subfeatures with their values: {"coretemp-isa-0000":{"Adapter":"…","Core
// 0":{"temp2_input":45.000,"temp2_crit":100.000}}}.
func ParseSensorsJSON(text []byte) ([]Temperature, error) {
	var chips map[string]map[string]json.RawMessage
	if json.Unmarshal(text, &chips) != nil || chips == nil {
		return nil, &UnreadableError{Source: "sensors"}
	}
	var out []Temperature
	for _, chip := range slices.Sorted(maps.Keys(chips)) {
		for _, label := range slices.Sorted(maps.Keys(chips[chip])) {
			var values map[string]float64
			if json.Unmarshal(chips[chip][label], &values) != nil {
				continue // the adapter's name
			}
			if t, ok := featureTemperature(values); ok && len(out) < 200 {
				t.Key, t.Where = chip+"/"+label, label+" ("+chip+")"
				out = append(out, t)
			}
		}
	}
	return out, nil
}

func featureTemperature(values map[string]float64) (t Temperature, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		switch {
		case !strings.HasPrefix(name, "temp") || !isPlausible(v):
		case strings.HasSuffix(name, "_input"):
			t.Celsius, ok = v, true
		case strings.HasSuffix(name, "_max"):
			t.High = v
		case strings.HasSuffix(name, "_crit"):
			t.Crit = v
		}
	}
	return t, ok
}

// ParseZones parses type and temp of thermal zones in the format of grep -H (Linux,
// Documentation/driver-api/thermal/sysfs-api.rst): a name, and thousandths of a degree.
func ParseZones(text []byte) ([]Temperature, error) {
	names, temps := map[string]string{}, map[string]float64{}
	for _, line := range Lines(text) {
		file, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		zone := path.Base(path.Dir(file))
		switch {
		case !ok:
		case path.Base(file) == "type":
			names[zone] = value
		case path.Base(file) == "temp" && isNumber(value):
			n, _ := strconv.ParseFloat(value, 64)
			temps[zone] = n / 1000
		}
	}
	var out []Temperature
	for _, zone := range slices.Sorted(maps.Keys(temps)) {
		if c := temps[zone]; isPlausible(c) && c > 0 {
			out = append(out, Temperature{Key: zone, Where: cmp.Or(names[zone], zone), Celsius: c})
		}
	}
	return rows(out, text, "/sys/class/thermal")
}
