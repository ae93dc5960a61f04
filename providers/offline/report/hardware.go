package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
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
