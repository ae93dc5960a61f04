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

var (
	sayGPU         = i18n.T("그래픽 카드: %[1]s", "Graphics card: %[1]s", "显卡：%[1]s")
	sayGPUDriver   = i18n.T("사용 중인 드라이버: %[1]s", "Driver in use: %[1]s", "正在使用的驱动：%[1]s")
	sayGPUNoDriver = i18n.T("사용 중인 커널 드라이버가 없어요. 화면 가속이 안 될 수 있어요.", "No kernel driver is in use; acceleration may be missing.", "没有正在使用的内核驱动，可能没有图形加速。")
	sayGPUNone     = i18n.T("그래픽 카드가 보이지 않아요(`lspci`).", "No graphics card is listed (`lspci`).", "没有列出显卡（`lspci`）。")
	sayTempFine    = i18n.T("정상 범위예요.", "That is normal.", "属于正常范围。")
	sayTempWarm    = i18n.T("부하가 걸린 정도예요. 바람길이 막히지 않았는지 확인하세요.", "Warm, as under load; see that the vents are clear.", "偏热，类似高负载；请确认通风口未被堵住。")
	sayTempHot     = i18n.T("너무 뜨거워요. 속도가 느려지거나 꺼질 수 있어요. 팬과 통풍을 확인하세요.", "That is too hot: it may slow down or switch off. Check fan and airflow.", "温度过高，可能降频或自动关机，请检查风扇和通风。")
	sayTempNone    = i18n.T("온도 센서 값이 없어요. `sensors-detect`를 한 번 실행해야 할 수 있어요.", "There are no temperature readings; `sensors-detect` may have to be run once.", "没有温度读数，可能需要先运行一次 `sensors-detect`。")
	askHogs        = i18n.T("무엇이 CPU를 쓰고 있는지 볼까요?", "Shall I see what is using the CPU?", "要看看什么在占用 CPU 吗？")
	sayUSB         = i18n.T("연결된 USB 장치는 %[1]d개예요(허브 제외):", "Connected USB devices: %[1]d (hubs not counted).", "连接了 %[1]d 个 USB 设备（不含集线器）：")
	sayUSBNone     = i18n.T("연결된 USB 장치가 없어요(허브만 보여요).", "No USB device is connected, only hubs.", "没有连接 USB 设备，只有集线器。")
	askUSBLogs     = i18n.T("방금 꽂은 장치가 안 보이면 로그에서 찾아볼까요?", "If the one you just plugged in is missing, shall I look in the log?", "如果刚插入的设备不在其中，要查看日志吗？")
	sayDisks       = i18n.T("디스크 %[1]d개가 있어요:", "Disks: %[1]d.", "有 %[1]d 个磁盘：")
	sayDisksNone   = i18n.T("디스크가 보이지 않아요(`lsblk`).", "No disk is listed (`lsblk`).", "没有列出磁盘（`lsblk`）。")
	sayPartition   = i18n.T("%[1]s %[2]s %[3]s", "%[1]s %[2]s %[3]s", "%[1]s %[2]s %[3]s")
	sayMountedAt   = i18n.T("→ %[1]s", "on %[1]s", "挂载于 %[1]s")
	sayNotMounted  = i18n.T("(마운트 안 됨)", "(not mounted)", "（未挂载）")
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
		return Reply{Text: r.say(sayGPUNone)}
	}
	var parts []string
	for _, c := range cards {
		driver := r.say(sayGPUNoDriver)
		if c.driver != "" {
			driver = r.say(sayGPUDriver, c.driver)
		}
		parts = append(parts, r.say(sayGPU, c.model), bullets([]string{driver}))
	}
	return Reply{Text: joinBlocks(parts...)}
}

func (r *result) temperature(s *providers.Step) Reply {
	list := parseSensors(s.Stdout)
	if len(list) == 0 {
		if s.Exit != 0 && !strings.Contains(s.Stderr, "No sensors found") || s.Stdout != "" && !strings.Contains(s.Stdout, "Adapter:") {
			return r.unreadableReply(s)
		}
		return Reply{Text: r.say(sayTempNone)}
	}
	verdict := sayTempFine
	switch top := list[0].celsius; {
	case top >= 90:
		verdict = sayTempHot
	case top >= 75:
		verdict = sayTempWarm
	}
	var lines []string
	for _, h := range list[:min(6, len(list))] {
		lines = append(lines, placeOf(h)+": "+celsius(h.celsius)+"°C")
	}
	rep := Reply{Text: joinBlocks(r.say(sayHottest, placeOf(list[0]), celsius(list[0].celsius), r.say(verdict)), bullets(lines))}
	if verdict != sayTempFine {
		step := intent.Call("check_processes", "sort", "cpu")
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(askHogs))
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
	text := r.say(sayUSB, len(devices))
	switch {
	case all == 0:
		return r.unreadableReply(s)
	case len(devices) == 0:
		text = r.say(sayUSBNone)
	}
	rep := Reply{Text: joinBlocks(text, bullets(devices[:min(12, len(devices))]))}
	if r.asksAbout("cause", "error", "crash") {
		step := intent.Call("read_logs", "grep", "usb", "since", "10 minutes ago")
		rep.Offer, rep.Text = &step, paragraphs(rep.Text, r.say(askUSBLogs))
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
			where := r.say(sayNotMounted)
			if b.mount != "" {
				where = r.say(sayMountedAt, b.mount)
			}
			lines = append(lines, "  "+r.say(sayPartition, b.name, strings.TrimSpace(b.size+" "+b.fsType), where))
		}
	}
	switch {
	case len(list) == 0:
		return r.unreadableReply(s)
	case disks == 0 && len(lines) == 0:
		return Reply{Text: r.say(sayDisksNone)}
	}
	return Reply{Text: joinBlocks(r.say(sayDisks, disks), bullets(lines[:min(20, len(lines))]))}
}
