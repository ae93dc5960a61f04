package report

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayOldKernel     = i18n.T("돌고 있는 커널(%[1]s)의 모듈이 디스크에 없어요. 커널을 업데이트하고 재부팅하지 않으면 새로 꽂은 USB를 알아보지 못해요.", "The modules of the running kernel (%[1]s) are gone from the disk: after a kernel update, new USB devices are not recognised until the next start.", "正在运行的内核（%[1]s）的模块已不在磁盘上：内核更新后不重启就无法识别新插入的 USB 设备。")
	sayKernelsThere  = i18n.T("설치된 커널 모듈: %[1]s(`ls /usr/lib/modules`), 돌고 있는 커널: %[2]s(`uname -r`)", "Modules on the disk: %[1]s (`ls /usr/lib/modules`), running kernel: %[2]s (`uname -r`)", "磁盘上的内核模块：%[1]s（`ls /usr/lib/modules`），正在运行：%[2]s（`uname -r`）")
	sayUSBNoAnswer   = i18n.T("USB 장치가 꽂히기는 했지만 응답하지 않아요. 다른 포트에 직접(허브 없이) 꽂거나 케이블을 바꿔 보세요.", "A USB device is plugged in but does not answer. Try another port (without a hub), or another cable.", "USB 设备已插入但没有响应。请换一个接口（不经过集线器）或换线。")
	sayUSBPower      = i18n.T("USB 포트의 전력이 모자라요. 전원이 있는 허브나 다른 포트에 꽂아 보세요.", "The USB port cannot deliver enough power: use a powered hub or another port.", "USB 接口供电不足，请使用带电源的集线器或其他接口。")
	sayUSBBroken     = i18n.T("USB 저장 장치를 읽다가 오류가 났어요. 장치가 망가지고 있을 수 있으니 중요한 파일부터 복사하세요.", "Reading the USB storage failed. It may be failing: copy what matters first.", "读取 USB 存储时出错，设备可能正在损坏，请先复制重要文件。")
	sayUSBKernelLine = i18n.T("커널 로그: %[1]s(`journalctl -k`)", "Kernel log: %[1]s (`journalctl -k`)", "内核日志：%[1]s（`journalctl -k`）")
	sayUSBUnmounted  = i18n.T("USB 저장 장치(%[1]s)는 인식됐지만 아직 열리지(마운트되지) 않았어요.", "The USB storage (%[1]s) is recognised but not mounted.", "USB 存储（%[1]s）已识别，但尚未挂载。")
	askMount         = i18n.T("마운트할까요? (`%[1]s`)", "Shall I mount it? (`%[1]s`)", "要挂载吗？（`%[1]s`）")
	sayUSBNoFS       = i18n.T("USB 저장 장치(%[1]s)는 인식됐지만 알 수 있는 파일 시스템이 없어요. 포맷되지 않았거나 암호화·손상된 경우예요.", "The USB storage (%[1]s) is recognised, but has no known file system: not formatted, encrypted or damaged.", "USB 存储（%[1]s）已识别，但没有可识别的文件系统：未格式化、已加密或已损坏。")
	sayUSBMounted    = i18n.T("USB 저장 장치는 인식됐고 %[1]s에서 열 수 있어요.", "The USB storage is recognised and open at %[1]s.", "USB 存储已识别，可在 %[1]s 打开。")
	sayUSBDirty      = i18n.T("USB 저장 장치(%[1]s)는 인식됐지만, 윈도우에서 안전하게 제거하지 않아 열리지 않아요(NTFS의 dirty 표시).", "The USB storage (%[1]s) is recognised, but does not open: Windows did not close it properly (marked dirty, NTFS).", "USB 存储（%[1]s）已识别，但无法打开：在 Windows 中没有安全弹出（NTFS 的 dirty 标记）。")
	sayUSBDirtyMeans = i18n.T("가장 안전한 방법은 윈도우에 꽂아 \"안전하게 제거\"하는 거예요.", "The safest way is to plug it into Windows and eject it there.", "最安全的方法是插到 Windows 上并“安全弹出”。")
	askNTFSFix       = i18n.T("윈도우가 없으면 여기서 표시를 지울까요? (`%[1]s`)", "Without a Windows at hand, shall I clear the mark here? (`%[1]s`)", "如果没有 Windows，要在这里清除标记吗？（`%[1]s`）")
	sayUSBDisk       = i18n.T("%[1]s(`lsblk`)", "%[1]s (`lsblk`)", "%[1]s（`lsblk`）")
	sayUSBSilent     = i18n.T("이번 부팅 뒤 커널 로그에 USB 저장 장치를 꽂은 흔적이 없어요. 다른 포트나 케이블로 꽂아 보세요.", "Since boot, the kernel log has no sign of USB storage being plugged in. Try another port or cable.", "本次启动后内核日志中没有插入 USB 存储的记录，请换接口或线缆。")
)

var (
	runningKernel = command("uname -r")
	moduleTrees   = command("ls /usr/lib/modules")
	usbKernel     = command(`journalctl --no-pager -k -b -n 150 -g "usb|sd[a-z]|FAT-fs|EXT4-fs|exfat|ntfs|I/O error"`)
	usbDisks      = command("lsblk -P -o NAME,SIZE,TYPE,TRAN,FSTYPE,LABEL,MOUNTPOINT")
)

// usbVolume is a USB disk or a partition of one.
type usbVolume struct{ name, size, kind, fsType, label, mount string }

func (v usbVolume) String() string {
	return strings.Join(nonEmpty("/dev/"+v.name, v.size, v.fsType, v.label), " ")
}

var pairForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([A-Z]+)="([^"]*)"`) })

// parseUSBDisks parses lsblk -P and returns the USB disks with their partitions, whose names begin with the
// disk's.
func parseUSBDisks(text string) []usbVolume {
	var out []usbVolume
	var disks []string
	for _, line := range outputLines(text) {
		m := map[string]string{}
		for _, p := range pairForm().FindAllStringSubmatch(line, -1) {
			m[p[1]] = cutRunes(p[2], 60)
		}
		name := m["NAME"]
		switch {
		case name == "" || quoteWord(name) != name:
			continue
		case m["TRAN"] == "usb":
			disks = append(disks, name)
		case !slices.ContainsFunc(disks, func(d string) bool { return name != d && strings.HasPrefix(name, d) }):
			continue
		}
		out = append(out, usbVolume{name, m["SIZE"], m["TYPE"], m["FSTYPE"], m["LABEL"], m["MOUNTPOINT"]})
	}
	return out
}

// usbTrouble returns the last kernel line about a failed device, and the kind of failure. A read error counts
// if it names one of the USB disks.
func usbTrouble(lines []string, disks []usbVolume) (line string, kind i18n.Text) {
	onUSB := func(low string) bool {
		return slices.ContainsFunc(disks, func(v usbVolume) bool { return strings.Contains(low, v.name) })
	}
	for _, l := range slices.Backward(lines) {
		low := strings.ToLower(l)
		switch {
		case containsAny(low, "device descriptor read", "not accepting address", "unable to enumerate", "cannot enable"):
			return l, sayUSBNoAnswer
		case containsAny(low, "over-current", "insufficient available bus power"):
			return l, sayUSBPower
		case containsAny(low, "i/o error", "medium error", "fat-fs error", "ext4-fs error") && onUSB(low):
			return l, sayUSBBroken
		}
	}
	return "", i18n.Text{}
}

func (q *inquiry) usbTrouble() (line string, kind i18n.Text) {
	return usbTrouble(journalLines(q.stdout(usbKernel)), parseUSBDisks(q.stdout(usbDisks)))
}

// usb checks the kernel's modules, the devices and the disks.
func (q *inquiry) usb() Reply {
	if !q.collect(q.first, runningKernel, moduleTrees, usbKernel, usbDisks) {
		return Reply{}
	}
	list := q.toolReply(q.first)
	f := q.firstBroken(q.staleKernel, q.usbStorage, q.usbComplaint)
	if len(q.needed) > 0 {
		return Reply{}
	}
	if f == nil {
		if q.isKernelSilent() {
			list.Text = joinBlocks(q.say(sayUSBSilent), firstParagraph(list.Text))
			list.Offer = nil
		}
		return list
	}
	return f.reply()
}

func firstParagraph(s string) string {
	head, _, _ := strings.Cut(s, "\n\n")
	return head
}

// staleKernel reports a running kernel whose modules an update has removed.
func (q *inquiry) staleKernel() *finding {
	running := strings.TrimSpace(q.stdout(runningKernel))
	trees := slices.DeleteFunc(strings.Fields(q.stdout(moduleTrees)), func(f string) bool { return !kernelRelease().MatchString(f) })
	if !kernelRelease().MatchString(running) || len(trees) == 0 || slices.Contains(trees, running) {
		return nil
	}
	f := &finding{verdict: q.say(sayOldKernel, running)}
	f.note(q.say(sayKernelsThere, strings.Join(trees[:min(4, len(trees))], ", "), running))
	q.offerPower(f, false)
	return f
}

// usbStorage reports on a stick or disk: mounted, not mounted, or unreadable.
func (q *inquiry) usbStorage() *finding {
	var volumes []usbVolume
	for _, v := range parseUSBDisks(q.stdout(usbDisks)) {
		if v.kind == "part" || v.fsType != "" || v.mount != "" {
			volumes = append(volumes, v)
		}
	}
	bad, _ := q.usbTrouble()
	for _, v := range volumes {
		if v.fsType != "" && v.mount == "" {
			return q.unmountedFinding(v, bad)
		}
	}
	switch {
	case bad != "":
		return nil
	case len(volumes) > 0 && volumes[0].mount != "":
		return &finding{verdict: q.say(sayUSBMounted, volumes[0].mount), evidence: []string{q.say(sayUSBDisk, volumes[0].String())}}
	}
	if disks := parseUSBDisks(q.stdout(usbDisks)); len(disks) > 0 {
		return &finding{verdict: q.say(sayUSBNoFS, disks[0].String()), evidence: []string{q.say(sayUSBDisk, disks[0].String())}}
	}
	return nil
}

// unmountedFinding offers to mount a volume. One that Windows left open is not forced.
func (q *inquiry) unmountedFinding(v usbVolume, bad string) *finding {
	f := &finding{verdict: q.say(sayUSBUnmounted, v.String()), evidence: []string{q.say(sayUSBDisk, v.String())}}
	for _, line := range journalLines(q.stdout(usbKernel)) {
		if strings.Contains(line, "("+v.name+")") && strings.Contains(line, "volume is dirty") {
			unmark := "sudo -n ntfsfix -d /dev/" + v.name
			f.verdict, f.meaning = q.say(sayUSBDirty, v.String()), q.say(sayUSBDirtyMeans)
			f.note(q.complaintLine(line)...)
			f.propose(command(unmark), q.say(askNTFSFix, unmark))
			return f
		}
	}
	f.note(q.complaintLine(bad)...)
	mount := "udisksctl mount -b /dev/" + v.name
	f.propose(command(mount), q.say(askMount, mount))
	return f
}

func (q *inquiry) complaintLine(line string) []string {
	if line == "" {
		return nil
	}
	if m := journalRegexps().prefix.FindStringSubmatch(line); m != nil {
		line = m[2]
	}
	return []string{q.say(sayUSBKernelLine, cutRunes(line, 120))}
}

func (q *inquiry) usbComplaint() *finding {
	line, kind := q.usbTrouble()
	if line == "" {
		return nil
	}
	return &finding{verdict: q.say(kind), evidence: q.complaintLine(line)}
}

// isKernelSilent reports whether the kernel's log was read and mentions no USB storage.
func (q *inquiry) isKernelSilent() bool {
	step := q.output(usbKernel, "")
	return step != nil && isFullyRead(step) && !strings.Contains(step.Stdout, "usb-storage") && !strings.Contains(step.Stdout, "uas")
}

// unitLog returns the step that reads a unit's log since boot.
func (q *inquiry) unitLog(unit string) intent.Step {
	return intent.Call("read_logs", "unit", unit, "since", "boot")
}
