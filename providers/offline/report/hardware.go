package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// hardwareParts are the scopes of check_hardware, each with the program that it runs and its report.
var hardwareParts = []struct {
	scope, program string
	report         func(*result, *providers.Step) Reply
}{
	{"cpu", "lscpu", (*result).cpu},
	{"gpu", "lspci", (*result).gpu},
	{"disk", "lsblk", (*result).blockDevices},
	{"battery", "upower", (*result).battery},
	{"temperature", "sensors", (*result).temperature},
	{"usb", "lsusb", (*result).usb},
}

// hardware reports one part, or every part whose program is installed.
func (r *result) hardware() Reply {
	var parts []string
	for _, p := range hardwareParts {
		if p.scope == r.str("scope") {
			return p.report(r, r.usableStep())
		}
		switch s := r.step(p.program); {
		case s == nil:
		case s.MissingProgram != "":
			parts = append(parts, r.missingText(s.MissingProgram))
		default:
			parts = append(parts, firstParagraph(p.report(r, s).Text)) // the questions belong to single parts
		}
	}
	if len(parts) == 0 {
		return r.unreadableReply(&r.steps[0])
	}
	return Reply{Text: paragraphs(parts...)}
}

// displayClasses are the PCI classes of graphics cards.
var displayClasses = set("VGA compatible controller", "3D controller", "Display controller")

func (r *result) gpu(s *providers.Step) Reply {
	cards := slices.DeleteFunc(read(machine.ParsePCI, s.Stdout), func(d machine.PCIDevice) bool { return !displayClasses[d.Class] })
	if len(cards) == 0 {
		return r.noneReply(s, s.Exit != 0, i18n.HelperHardwareGpuNone)
	}
	var parts []string
	for _, c := range cards {
		driver := r.say(i18n.HelperHardwareGpuNoDriver)
		if c.Driver != "" {
			driver = r.say(i18n.HelperHardwareGpuDriver(c.Driver))
		}
		parts = append(parts, r.say(i18n.HelperHardwareGpu(c.Model)), bullets([]string{driver}))
	}
	return Reply{Text: joinBlocks(parts...)}
}

func (r *result) temperature(s *providers.Step) Reply {
	list := read(machine.ParseSensors, s.Stdout)
	if len(list) == 0 {
		failed := s.Exit != 0 && !strings.Contains(s.Stderr, "No sensors found")
		return r.noneReply(s, failed || s.Stdout != "" && !strings.Contains(s.Stdout, "Adapter:"),
			i18n.HelperHardwareTempNone)
	}
	verdict := i18n.HelperHardwareTempFine
	switch top := list[0].Celsius; {
	case top >= 90:
		verdict = i18n.HelperHardwareTempHot
	case top >= 75:
		verdict = i18n.HelperHardwareTempWarm
	}
	head := r.say(i18n.HelperTemperatureHottest(placeOf(list[0]), celsius(list[0].Celsius), r.say(verdict)))
	rep := Reply{Text: joinBlocks(head, bullets(each(list[:min(6, len(list))], func(h machine.Temperature) string {
		return placeOf(h) + ": " + celsius(h.Celsius) + "°C"
	})))}
	if verdict != i18n.HelperHardwareTempFine {
		rep = rep.offering(intent.Call("check_processes", "sort", "cpu"), r.say(i18n.HelperHardwareAskHogs))
	}
	return rep
}

func celsius(c float64) string { return strconv.FormatFloat(c, 'f', -1, 64) }

func (r *result) usb(s *providers.Step) Reply {
	all := read(machine.ParseUSB, s.Stdout)
	if len(all) == 0 {
		return r.unreadableReply(s)
	}
	devices := filter(all, func(d machine.USBDevice) bool { return !d.IsHub() })
	text := i18n.HelperHardwareUsb(len(devices))
	if len(devices) == 0 {
		text = i18n.HelperHardwareUsbNone
	}
	list := each(devices[:min(12, len(devices))],
		func(d machine.USBDevice) string { return strings.TrimSpace(d.Name + " (" + d.ID + ")") })
	rep := Reply{Text: joinBlocks(r.say(text), bullets(list))}
	if r.asksAbout("cause", "error", "crash") {
		rep = rep.offering(intent.Call("read_logs", "grep", "usb", "since", "10 minutes ago"),
			r.say(i18n.HelperHardwareAskUsbLogs))
	}
	return rep
}

func (r *result) blockDevices(s *providers.Step) Reply {
	list := read(machine.ParseBlockTree, s.Stdout)
	var lines []string
	disks := 0
	for _, b := range list {
		switch {
		case b.Type == "loop" || b.Type == "rom" || strings.HasPrefix(b.Name, "zram"):
			continue // memory and images are not disks
		case b.Type == "disk":
			disks++
			lines = append(lines, strings.TrimSpace(b.Name+" "+b.Size+" "+b.FSType+" "+b.Mount))
		default:
			where := r.say(i18n.HelperHardwareNotMounted)
			if b.Mount != "" {
				where = r.say(i18n.HelperHardwareMountedAt(b.Mount))
			}
			lines = append(lines, "  "+r.say(i18n.HelperHardwarePartition(b.Name, strings.TrimSpace(b.Size+" "+b.FSType), where)))
		}
	}
	switch {
	case len(list) == 0:
		return r.unreadableReply(s)
	case disks == 0 && len(lines) == 0:
		return Reply{Text: r.say(i18n.HelperHardwareDisksNone)}
	}
	return Reply{Text: joinBlocks(r.say(i18n.HelperHardwareDisks(disks)), bullets(lines[:min(20, len(lines))]))}
}

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
	sorting.Stably(list, func(a, b machine.Temperature) int { return -cmp.Compare(a.Celsius, b.Celsius) })
	return list
}

// noSensors reports that there is no sensor, or that the program is missing.
func (q *inquiry) noSensors() Reply {
	if q.output(q.first, "") != nil {
		return Reply{Text: q.say(i18n.HelperTemperatureTempUnsensed)}
	}
	return q.proposeInstall(q.found(i18n.HelperTemperatureTempNoTool), "lm_sensors").reply()
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
	f := &finding{
		verdict:  q.say(i18n.HelperTemperatureHottest(placeOf(top), celsius(top.Celsius), q.say(verdict))),
		evidence: q.heatFacts(top, list, text),
	}
	if fromKernel {
		f.meaning = q.say(i18n.HelperTemperatureTempKernel)
	}
	if profile := strings.TrimSpace(q.stdout(powerProfile)); hot && (profile == "performance" || profile == "balanced") {
		f.propose(command("powerprofilesctl set power-saver"),
			q.say(i18n.HelperTemperatureAskPowerSaver("powerprofilesctl set power-saver")))
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
	bound := boundOf(top)
	others := filter(list, func(h machine.Temperature) bool {
		return h != top && !hasAnyPrefix(h.Where, "Core ", "Sensor ")
	})
	elsewhere := names(others, 4, func(h machine.Temperature) string {
		return placeOf(h) + " " + celsius(h.Celsius) + "°C"
	})
	fans := read(machine.ParseFans, text)
	fans = fans[:min(6, len(fans))]
	turning := slices.ContainsFunc(fans, func(f machine.Fan) bool { return f.RPM > 0 })
	still := len(fans) > 0 && !turning && top.Celsius >= limitOf(top)
	speeds := names(fans, 6, func(f machine.Fan) string { return f.Name + " " + itoa(f.RPM) + " RPM" })
	throttling := ""
	if s := q.output(throttleStep, ""); s != nil {
		n := len(logLines(s.Stdout))
		calm := n == 0 && s.Exit <= 1 && len(journalTrouble(s)) == 0
		throttling = q.sayIf(n > 0, i18n.HelperSlowThrottled(n)) + q.sayIf(calm, i18n.HelperTemperatureTempCalm)
	}
	return nonEmpty(
		q.sayIf(bound >= 60, i18n.HelperTemperatureTempLimit(celsius(bound))),
		q.fact(i18n.HelperTemperatureTempElse, elsewhere),
		q.sayIf(still, i18n.HelperTemperatureTempFanStill),
		q.sayIf(!still && len(fans) > 0, i18n.HelperTemperatureTempFans(speeds)),
		throttling, q.topNowFact(),
	)
}
