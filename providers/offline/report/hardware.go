package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
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

// graphicsCard is a display device of lspci -nnk.
type graphicsCard struct{ model, driver string }

var pciClass = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\S+ (?:VGA compatible controller|3D controller|Display controller)(?: \[[0-9a-f]{4}\])?: (.*)$`)
})

// parseGPU parses lspci -nnk (lspci(8)): display devices with the driver line below them.
func parseGPU(text string) []graphicsCard {
	var out []graphicsCard
	inCard := false
	for _, line := range outputLines(text) {
		if m := pciClass().FindStringSubmatch(line); m != nil {
			out = append(out, graphicsCard{model: m[1]})
			inCard = true
			continue
		}
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			inCard = false
		}
		if _, driver, ok := strings.Cut(line, "Kernel driver in use: "); ok && inCard {
			out[len(out)-1].driver = strings.TrimSpace(driver)
		}
	}
	return out
}

func (r *result) gpu(s *providers.Step) Reply {
	cards := parseGPU(s.Stdout)
	if len(cards) == 0 {
		if s.Exit != 0 {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperHardwareGpuNone)}
	}
	var parts []string
	for _, c := range cards {
		driver := r.say(i18n.HelperHardwareGpuNoDriver)
		if c.driver != "" {
			driver = r.say(i18n.HelperHardwareGpuDriver(c.driver))
		}
		parts = append(parts, r.say(i18n.HelperHardwareGpu(c.model)), bullets([]string{driver}))
	}
	return Reply{Text: joinBlocks(parts...)}
}

func (r *result) temperature(s *providers.Step) Reply {
	list := parseSensors(s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 && !strings.Contains(s.Stderr, "No sensors found") || s.Stdout != "" && !strings.Contains(s.Stdout, "Adapter:") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(i18n.HelperHardwareTempNone)}
	}
	verdict := i18n.HelperHardwareTempFine
	switch top := list[0].celsius; {
	case top >= 90:
		verdict = i18n.HelperHardwareTempHot
	case top >= 75:
		verdict = i18n.HelperHardwareTempWarm
	}
	var lines []string
	for _, h := range list[:min(6, len(list))] {
		lines = append(lines, placeOf(h)+": "+celsius(h.celsius)+"°C")
	}
	rep := Reply{Text: joinBlocks(r.say(i18n.HelperTemperatureHottest(placeOf(list[0]), celsius(list[0].celsius), r.say(verdict))), bullets(lines))}
	if verdict != i18n.HelperHardwareTempFine {
		step := intent.Call("check_processes", "sort", "cpu")
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(i18n.HelperHardwareAskHogs))
	}
	return rep
}

func celsius(c float64) string { return strconv.FormatFloat(c, 'f', -1, 64) }

var usbRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^Bus \d+ Device \d+: ID ([0-9a-f]{4}:[0-9a-f]{4})\s*(.*)$`)
})

// parseUSB parses lsusb(8), ignoring hubs.
func parseUSB(text string) (devices []string, all int) {
	for _, line := range outputLines(text) {
		m := usbRow().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		all++
		if strings.HasPrefix(m[1], "1d6b:") || strings.HasSuffix(strings.ToLower(m[2]), " hub") {
			continue
		}
		devices = append(devices, strings.TrimSpace(m[2]+" ("+m[1]+")"))
	}
	return devices, all
}

func (r *result) usb(s *providers.Step) Reply {
	devices, all := parseUSB(s.Stdout)
	text := r.say(i18n.HelperHardwareUsb(len(devices)))
	switch {
	case all == 0:
		return r.unreadableReply(s)
	case len(devices) == 0:
		text = r.say(i18n.HelperHardwareUsbNone)
	}
	rep := Reply{Text: joinBlocks(text, bullets(devices[:min(12, len(devices))]))}
	if r.asksAbout("cause", "error", "crash") {
		step := intent.Call("read_logs", "grep", "usb", "since", "10 minutes ago")
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(i18n.HelperHardwareAskUsbLogs))
	}
	return rep
}

// blockDevice is one row of lsblk.
type blockDevice struct{ name, size, kind, fsType, mount string }

// parseBlocks parses lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT. The type column is identified by its words,
// because the last two columns can be empty.
func parseBlocks(text string) []blockDevice {
	var out []blockDevice
	for _, line := range outputLines(text) {
		f := strings.Fields(strings.TrimLeft(line, " │├└─|`-"))
		if len(f) < 3 || !slices.Contains([]string{"disk", "part", "lvm", "crypt", "raid0", "raid1", "raid5", "rom", "loop"}, f[2]) {
			continue
		}
		b := blockDevice{name: f[0], size: f[1], kind: f[2]}
		for _, x := range f[3:] {
			if strings.HasPrefix(x, "/") || strings.HasPrefix(x, "[") {
				b.mount = strings.TrimSpace(b.mount + " " + x)
			} else if b.mount == "" {
				b.fsType = x
			}
		}
		out = append(out, b)
	}
	return out
}

func (r *result) blockDevices(s *providers.Step) Reply {
	list := parseBlocks(s.Stdout)
	var lines []string
	disks := 0
	for _, b := range list {
		switch {
		case b.kind == "loop" || b.kind == "rom" || strings.HasPrefix(b.name, "zram"):
			continue // memory and images are not disks
		case b.kind == "disk":
			disks++
			lines = append(lines, strings.TrimSpace(b.name+" "+b.size+" "+b.fsType+" "+b.mount))
		default:
			where := r.say(i18n.HelperHardwareNotMounted)
			if b.mount != "" {
				where = r.say(i18n.HelperHardwareMountedAt(b.mount))
			}
			lines = append(lines, "  "+r.say(i18n.HelperHardwarePartition(b.name, strings.TrimSpace(b.size+" "+b.fsType), where)))
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
