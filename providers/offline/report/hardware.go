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

func (r *result) hardware() Reply {
	switch r.str("scope") {
	case "cpu":
		return r.cpu(r.usableStep())
	case "gpu":
		return r.gpu(r.usableStep())
	case "battery":
		return r.battery(r.usableStep())
	case "temperature":
		return r.temperature(r.usableStep())
	case "usb":
		return r.usb(r.usableStep())
	case "disk":
		return r.blockDevices(r.usableStep())
	}
	return r.allHardware()
}

// allHardware reports every part whose program is installed.
func (r *result) allHardware() Reply {
	tell := []struct {
		command string
		part    func(*result, *providers.Step) Reply
	}{{"lscpu", (*result).cpu}, {"lspci", (*result).gpu}, {"lsblk", (*result).blockDevices}, {"upower", (*result).battery}, {"sensors", (*result).temperature}, {"lsusb", (*result).usb}}
	var parts []string
	for _, p := range tell {
		s := r.step(p.command)
		switch {
		case s == nil:
		case s.MissingProgram != "":
			parts = append(parts, r.missingText(s.MissingProgram))
		default:
			text := p.part(r, s).Text
			if i := strings.Index(text, "\n\n"); i >= 0 {
				text = text[:i] // the questions belong to single parts
			}
			parts = append(parts, text)
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
		if s.Exit != 0 {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperHardwareGpuNone)}
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
		if s.Exit != 0 && !strings.Contains(s.Stderr, "No sensors found") || s.Stdout != "" && !strings.Contains(s.Stdout, "Adapter:") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperHardwareTempNone)}
	}
	verdict := i18n.HelperHardwareTempFine
	switch top := list[0].Celsius; {
	case top >= 90:
		verdict = i18n.HelperHardwareTempHot
	case top >= 75:
		verdict = i18n.HelperHardwareTempWarm
	}
	var lines []string
	for _, h := range list[:min(6, len(list))] {
		lines = append(lines, placeOf(h)+": "+celsius(h.Celsius)+"°C")
	}
	rep := Reply{Text: joinBlocks(r.say(i18n.HelperTemperatureHottest(placeOf(list[0]), celsius(list[0].Celsius), r.say(verdict))), bullets(lines))}
	if verdict != i18n.HelperHardwareTempFine {
		rep = rep.offering(intent.Call("check_processes", "sort", "cpu"), r.say(i18n.HelperHardwareAskHogs))
	}
	return rep
}

func celsius(c float64) string { return strconv.FormatFloat(c, 'f', -1, 64) }

func (r *result) usb(s *providers.Step) Reply {
	all := read(machine.ParseUSB, s.Stdout)
	var devices []string
	for _, d := range all {
		if !d.IsHub() {
			devices = append(devices, strings.TrimSpace(d.Name+" ("+d.ID+")"))
		}
	}
	text := r.say(i18n.HelperHardwareUsb(len(devices)))
	switch {
	case len(all) == 0:
		return r.unreadableReply(s)
	case len(devices) == 0:
		text = r.say(i18n.HelperHardwareUsbNone)
	}
	rep := Reply{Text: joinBlocks(text, bullets(devices[:min(12, len(devices))]))}
	if r.asksAbout("cause", "error", "crash") {
		rep = rep.offering(intent.Call("read_logs", "grep", "usb", "since", "10 minutes ago"), r.say(i18n.HelperHardwareAskUsbLogs))
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
