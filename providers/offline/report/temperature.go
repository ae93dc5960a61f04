package report

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// heat is one temperature reading with the limits that its chip reports, 0 for none.
type heat struct {
	where      string
	celsius    float64
	high, crit float64
}

// limit returns the temperature from which a reading is too hot. It is below the critical one, with a smaller
// margin for disks than for processors.
func (h heat) limit() float64 {
	switch {
	case h.crit >= 60 && h.high >= 60:
		return max(h.crit-10, min(h.high, h.crit-3))
	case h.crit >= 60:
		return h.crit - 10
	case h.high >= 60:
		return h.high
	}
	return 90
}

// bound returns the limit that the chip reports: the critical one, or else the high one.
func (h heat) bound() float64 {
	if h.crit >= 60 {
		return h.crit
	}
	return h.high
}

type sensorPatterns struct{ row, limit, fan *regexp.Regexp }

var sensorForms = sync.OnceValue(func() sensorPatterns {
	return sensorPatterns{
		row:   regexp.MustCompile(`^\s*([^:]+):\s+\+?(-?[\d.]+)\s*°?C\b`),
		limit: regexp.MustCompile(`(high|crit)\s*=\s*\+?(-?[\d.]+)\s*°?C`),
		fan:   regexp.MustCompile(`^\s*([^:]*[Ff]an[^:]*):\s+(\d+) RPM`),
	}
})

// parseSensors parses sensors(1): "Tctl: +45.2°C (high = …)" under the name of a chip, limits sometimes on the
// next line. The result is sorted hottest first. Readings outside -40…150 come from broken sensors and are
// skipped.
func parseSensors(text string) []heat {
	var out []heat
	chip := ""
	for _, line := range outputLines(text) {
		if !strings.Contains(line, ":") && !strings.HasPrefix(line, " ") {
			chip = strings.TrimSpace(line)
			continue
		}
		m := sensorForms().row.FindStringSubmatch(line)
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
		h := heat{where: strings.TrimSpace(m[1]), celsius: c}
		if chip != "" {
			h.where += " (" + chip + ")"
		}
		h.readLimits(line)
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b heat) int { return -cmp.Compare(a.celsius, b.celsius) })
	return out
}

func (h *heat) readLimits(line string) {
	for _, m := range sensorForms().limit.FindAllStringSubmatch(line, -1) {
		n, err := strconv.ParseFloat(m[2], 64)
		switch {
		case err != nil || n < 0 || n > 150: // 65261.8: the chip has none
		case m[1] == "high":
			h.high = n
		default:
			h.crit = n
		}
	}
}

// parseFans returns the fans of sensors(1), in RPM.
func parseFans(text string) (fans []string, turning bool) {
	for _, line := range outputLines(text) {
		if m := sensorForms().fan.FindStringSubmatch(line); m != nil && len(fans) < 6 {
			fans = append(fans, strings.TrimSpace(m[1])+" "+m[2]+" RPM")
			turning = turning || strings.Trim(m[2], "0") != ""
		}
	}
	return fans, turning
}

// parseZones parses "grep . …/thermal_zone*/type …/thermal_zone*/temp" (Linux
// Documentation/driver-api/thermal/sysfs-api.rst): names, and thousandths of a degree.
func parseZones(text string) []heat {
	names := map[string]string{}
	var out []heat
	for _, line := range outputLines(text) {
		file, value, ok := strings.Cut(line, ":")
		i := strings.LastIndexByte(file, '/')
		if !ok || i < 0 {
			continue
		}
		if file[i:] == "/type" {
			names[file[:i]] = value
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if c := math.Round(n/100) / 10; file[i:] == "/temp" && err == nil && c > 0 && c <= 150 {
			out = append(out, heat{where: cmp.Or(names[file[:i]], file[:i][strings.LastIndexByte(file[:i], '/')+1:]), celsius: c})
		}
	}
	slices.SortStableFunc(out, func(a, b heat) int { return -cmp.Compare(a.celsius, b.celsius) })
	return out
}

var (
	kernelZones  = command("grep . /sys/class/thermal/thermal_zone*/type /sys/class/thermal/thermal_zone*/temp")
	powerProfile = command("powerprofilesctl get")
)

// temperature reports the hottest reading and its limit. For a hot machine it also reports what keeps it busy
// and whether it was throttled.
func (q *inquiry) temperature() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	text := ""
	if s := q.output(q.first, ""); s != nil {
		text = s.Stdout
	}
	list, fromKernel := parseSensors(text), false
	if len(list) == 0 {
		if !q.collect(kernelZones) {
			return Reply{}
		}
		if s := q.output(kernelZones, ""); s != nil {
			list, fromKernel = parseZones(s.Stdout), true
		}
	}
	switch {
	case len(list) == 0 && q.resultOf(kernelZones) != nil && q.sensorsSilent():
		return q.noSensors()
	case len(list) == 0:
		return q.toolReply(q.first)
	}
	return q.temperatureReply(worstHeat(list), list, text, fromKernel)
}

// noSensors reports that there is no sensor, or that the program is missing.
func (q *inquiry) noSensors() Reply {
	if q.output(q.first, "") != nil {
		return Reply{Text: q.say(i18n.HelperTemperatureTempUnsensed)}
	}
	f := finding{verdict: q.say(i18n.HelperTemperatureTempNoTool)}
	f.propose(intent.Call("install_package", "name", "lm_sensors"), q.say(i18n.HelperPackagesAskInstallIt("lm_sensors")))
	return f.reply()
}

// sensorsSilent reports whether sensors is missing or found nothing, as opposed to unreadable output.
func (q *inquiry) sensorsSilent() bool {
	s := q.output(q.first, "")
	return s == nil || strings.Contains(s.Stderr+s.Stdout, "No sensors found")
}

// worstHeat returns the reading that exceeds its limit most, or else the hottest.
func worstHeat(list []heat) heat {
	worst := list[0]
	for _, h := range list {
		if h.celsius >= h.limit() && h.celsius-h.limit() > worst.celsius-worst.limit() {
			worst = h
		}
	}
	return worst
}

func (q *inquiry) temperatureReply(top heat, list []heat, text string, fromKernel bool) Reply {
	hot, warm := top.celsius >= top.limit(), top.celsius >= top.limit()-15
	if (warm || q.asksAbout("slow", "cause", "why", "error")) && !q.collect(throttleStep, topNow, powerProfile) {
		return Reply{}
	}
	verdict := i18n.HelperHardwareTempFine
	switch {
	case hot && top.bound() < 60:
		verdict = i18n.HelperHardwareTempHot // its limit is not known
	case hot:
		verdict = i18n.HelperTemperatureTempTooHot
	case warm:
		verdict = i18n.HelperHardwareTempWarm
	}
	f := finding{verdict: q.say(i18n.HelperTemperatureHottest(placeOf(top), celsius(top.celsius), q.say(verdict))), evidence: q.heatFacts(top, list, text)}
	if fromKernel {
		f.meaning = q.say(i18n.HelperTemperatureTempKernel)
	}
	if profile := strings.TrimSpace(q.stdout(powerProfile)); hot && (profile == "performance" || profile == "balanced") {
		step := command("powerprofilesctl set power-saver")
		f.fix, f.question = &step, q.say(i18n.HelperTemperatureAskPowerSaver("powerprofilesctl set power-saver"))
	} else if warm && q.resultOf(topNow) == nil {
		step := topCPU
		f.fix, f.question = &step, q.say(i18n.HelperHardwareAskHogs)
	}
	return f.reply()
}

// placeOf names the source of a reading: chips of processors, disks and graphics cards by those names.
func placeOf(h heat) string {
	label, chip, _ := strings.Cut(h.where, " (")
	switch {
	case containsAny(chip, "coretemp", "k10temp", "zenpower"):
		return "CPU " + label
	case containsAny(label, "x86_pkg_temp", "cpu_thermal", "cpu-thermal"):
		return "CPU " + label
	case strings.HasPrefix(chip, "nvme"):
		return "NVMe " + label
	case strings.HasPrefix(chip, "amdgpu") || strings.HasPrefix(chip, "nouveau"):
		return "GPU " + label
	}
	return h.where
}

// heatFacts returns the limit, other readings, fans, throttling, and the busiest programs.
func (q *inquiry) heatFacts(top heat, list []heat, text string) []string {
	var out, others []string
	if b := top.bound(); b >= 60 {
		out = append(out, q.say(i18n.HelperTemperatureTempLimit(celsius(b))))
	}
	for _, h := range list {
		if h != top && len(others) < 4 && !hasAnyPrefix(h.where, "Core ", "Sensor ") {
			others = append(others, placeOf(h)+" "+celsius(h.celsius)+"°C")
		}
	}
	if len(others) > 0 {
		out = append(out, q.say(i18n.HelperTemperatureTempElse(strings.Join(others, ", "))))
	}
	fans, turning := parseFans(text)
	switch {
	case len(fans) > 0 && !turning && top.celsius >= top.limit():
		out = append(out, q.say(i18n.HelperTemperatureTempFanStill))
	case len(fans) > 0:
		out = append(out, q.say(i18n.HelperTemperatureTempFans(strings.Join(fans, ", "))))
	}
	if s := q.output(throttleStep, ""); s != nil {
		switch n := len(journalLines(s.Stdout)); {
		case n > 0:
			out = append(out, q.say(i18n.HelperSlowThrottled(n)))
		case s.Exit <= 1 && len(journalTrouble(s)) == 0:
			out = append(out, q.say(i18n.HelperTemperatureTempCalm))
		}
	}
	if s := q.output(topNow, ""); s != nil {
		snap, _ := parseTop(s.Stdout)
		out = append(out, nonEmpty(q.topFact(vitals{top: snap}))...)
	}
	return out
}
