package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// limitOf returns the temperature from which a reading is too hot. It is below the critical one, with a smaller
// margin for disks than for processors.
func limitOf(h machine.Temperature) float64 {
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

// boundOf returns the limit that the chip reports: the critical one, or else the high one.
func boundOf(h machine.Temperature) float64 {
	if h.Crit >= 60 {
		return h.Crit
	}
	return h.High
}

var (
	kernelZones  = command(machine.ZonesProbe.String())
	powerProfile = command("powerprofilesctl get")
)

// temperature reports the hottest reading and its limit. For a hot machine it also reports what keeps it busy
// and whether it was throttled.
func (q *inquiry) temperature() Reply {
	text := ""
	if s := q.output(q.first, ""); s != nil {
		text = s.Stdout
	}
	list, fromKernel := read(machine.ParseSensors, text), false
	if len(list) == 0 {
		if !q.collect(kernelZones) {
			return Reply{}
		}
		if s := q.output(kernelZones, ""); s != nil {
			list, fromKernel = byHeat(read(machine.ParseZones, s.Stdout)), true
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

// byHeat sorts the readings of the kernel, hottest first, and rounds them like those of sensors.
func byHeat(list []machine.Temperature) []machine.Temperature {
	for i := range list {
		list[i].Celsius = math.Round(list[i].Celsius*10) / 10
	}
	slices.SortStableFunc(list, func(a, b machine.Temperature) int { return -cmp.Compare(a.Celsius, b.Celsius) })
	return list
}

// noSensors reports that there is no sensor, or that the program is missing.
func (q *inquiry) noSensors() Reply {
	if q.output(q.first, "") != nil {
		return Reply{Text: q.say(i18n.HelperTemperatureTempUnsensed)}
	}
	f := &finding{verdict: q.say(i18n.HelperTemperatureTempNoTool)}
	f.propose(intent.Call("install_package", "name", "lm_sensors"), q.say(i18n.HelperPackagesAskInstallIt("lm_sensors")))
	return f.reply()
}

// sensorsSilent reports whether sensors is missing or found nothing, as opposed to unreadable output.
func (q *inquiry) sensorsSilent() bool {
	s := q.output(q.first, "")
	return s == nil || strings.Contains(s.Stderr+s.Stdout, "No sensors found")
}

// worstHeat returns the reading that exceeds its limit most, or else the hottest.
func worstHeat(list []machine.Temperature) machine.Temperature {
	worst := list[0]
	for _, h := range list {
		if h.Celsius >= limitOf(h) && h.Celsius-limitOf(h) > worst.Celsius-limitOf(worst) {
			worst = h
		}
	}
	return worst
}

func (q *inquiry) temperatureReply(top machine.Temperature, list []machine.Temperature, text string, fromKernel bool) Reply {
	hot, warm := top.Celsius >= limitOf(top), top.Celsius >= limitOf(top)-15
	if (warm || q.asksAbout("slow", "cause", "why", "error")) && !q.collect(throttleStep, topNow, powerProfile) {
		return Reply{}
	}
	verdict := i18n.HelperHardwareTempFine
	switch {
	case hot && boundOf(top) < 60:
		verdict = i18n.HelperHardwareTempHot // its limit is not known
	case hot:
		verdict = i18n.HelperTemperatureTempTooHot
	case warm:
		verdict = i18n.HelperHardwareTempWarm
	}
	f := &finding{verdict: q.say(i18n.HelperTemperatureHottest(placeOf(top), celsius(top.Celsius), q.say(verdict))), evidence: q.heatFacts(top, list, text)}
	if fromKernel {
		f.meaning = q.say(i18n.HelperTemperatureTempKernel)
	}
	if profile := strings.TrimSpace(q.stdout(powerProfile)); hot && (profile == "performance" || profile == "balanced") {
		f.propose(command("powerprofilesctl set power-saver"), q.say(i18n.HelperTemperatureAskPowerSaver("powerprofilesctl set power-saver")))
	} else if warm && q.resultOf(topNow) == nil {
		f.propose(topCPU, q.say(i18n.HelperHardwareAskHogs))
	}
	return f.reply()
}

// placeOf names the source of a reading: chips of processors, disks and graphics cards by those names.
func placeOf(h machine.Temperature) string {
	label, chip, _ := strings.Cut(h.Where, " (")
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
	return h.Where
}

// heatFacts returns the limit, other readings, fans, throttling, and the busiest programs.
func (q *inquiry) heatFacts(top machine.Temperature, list []machine.Temperature, text string) []string {
	var out, others []string
	if b := boundOf(top); b >= 60 {
		out = append(out, q.say(i18n.HelperTemperatureTempLimit(celsius(b))))
	}
	for _, h := range list {
		if h != top && len(others) < 4 && !hasAnyPrefix(h.Where, "Core ", "Sensor ") {
			others = append(others, placeOf(h)+" "+celsius(h.Celsius)+"°C")
		}
	}
	if len(others) > 0 {
		out = append(out, q.say(i18n.HelperTemperatureTempElse(strings.Join(others, ", "))))
	}
	var fans []string
	turning := false
	for _, fan := range read(machine.ParseFans, text) {
		if len(fans) < 6 {
			fans = append(fans, fan.Name+" "+itoa(fan.RPM)+" RPM")
			turning = turning || fan.RPM > 0
		}
	}
	switch {
	case len(fans) > 0 && !turning && top.Celsius >= limitOf(top):
		out = append(out, q.say(i18n.HelperTemperatureTempFanStill))
	case len(fans) > 0:
		out = append(out, q.say(i18n.HelperTemperatureTempFans(strings.Join(fans, ", "))))
	}
	if s := q.output(throttleStep, ""); s != nil {
		switch n := len(logLines(s.Stdout)); {
		case n > 0:
			out = append(out, q.say(i18n.HelperSlowThrottled(n)))
		case s.Exit <= 1 && len(journalTrouble(s)) == 0:
			out = append(out, q.say(i18n.HelperTemperatureTempCalm))
		}
	}
	if s := q.output(topNow, ""); s != nil {
		snap, _ := tryRead(machine.ParseTop, s.Stdout)
		out = append(out, nonEmpty(q.topFact(vitals{top: snap}))...)
	}
	return out
}
