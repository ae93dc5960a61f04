package report

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayHealthReadOnly    = i18n.T("오류 때문에 %[1]s{이/가} 읽기 전용으로 바뀌어서 더 저장할 수 없어요. 중요한 파일부터 다른 곳에 복사하세요.", "After errors, %[1]s became read-only, so nothing can be saved there. Copy what matters elsewhere first.", "因出错，%[1]s 已变为只读，无法再保存。请先把重要文件复制到别处。")
	sayHealthWasReadOnly = i18n.T("커널이 오류 때문에 파일 시스템을 읽기 전용으로 바꾼 기록이 있어요. 중요한 파일부터 백업하세요.", "The kernel once made a file system read-only after errors. Back up what matters first.", "内核曾因错误把文件系统改为只读。请先备份重要文件。")
	sayHealthMedia       = i18n.T("%[1]s에서 읽기·쓰기 오류가 났어요. 디스크가 고장 나는 중이거나 연결이 나쁠 수 있으니 중요한 파일부터 백업하세요.", "Reading or writing failed on %[1]s. The disk may be failing or badly connected: back up what matters first.", "%[1]s 读写出错。磁盘可能正在损坏或接触不良，请先备份重要文件。")
	sayHealthStructure   = i18n.T("%[1]s의 파일 시스템에서 오류가 발견됐어요. 중요한 파일부터 백업하세요.", "The file system on %[1]s has errors. Back up what matters first.", "%[1]s 上的文件系统有错误。请先备份重要文件。")
	sayHealthLink        = i18n.T("%[1]s{이/가} 응답하지 않아 커널이 연결을 다시 맺은 적이 있어요. 되풀이되면 연결(케이블·슬롯)이나 디스크를 의심하세요.", "%[1]s stopped answering and the kernel reset the connection. If that happens again, suspect the cable, the slot or the disk.", "%[1]s 曾无响应，内核重置了连接。若反复出现，请检查线缆、插槽或磁盘。")
	sayHealthQuiet       = i18n.T("이번에 켠 뒤로 커널 로그에 디스크 오류는 없어요(`journalctl -k`).", "Since this boot the kernel has logged no disk error (`journalctl -k`).", "本次启动以来内核日志中没有磁盘错误（`journalctl -k`）。")
	sayHealthUnseen      = i18n.T("커널 로그를 다 읽지 못해서 디스크 오류가 있었는지 알 수 없어요(`journalctl -k`).", "The kernel's log could not be read in full, so whether there were disk errors is not known (`journalctl -k`).", "无法完整读取内核日志，因此不知道是否有过磁盘错误（`journalctl -k`）。")
	sayHealthSmart       = i18n.T("디스크가 스스로 재는 건강 상태(SMART)는 관리자 권한이 있어야 읽을 수 있어요.", "The disk's own record of its health (SMART) can only be read with administrator rights.", "磁盘自身的健康记录（SMART）需要管理员权限才能读取。")
	sayHealthVirtual     = i18n.T("가상 디스크라서 SMART 값이 없어요. 실제 디스크는 바깥 컴퓨터에서 확인해야 해요.", "The disk is virtual and has no SMART values; the real one is seen on the host.", "这是虚拟磁盘，没有 SMART 值；真实磁盘需在宿主机上查看。")
	sayHealthDisks       = i18n.T("디스크: %[1]s(`lsblk`)", "Disks: %[1]s (`lsblk`)", "磁盘：%[1]s（`lsblk`）")
	sayHealthNoDisks     = i18n.T("디스크 목록은 읽지 못했어요(`lsblk`).", "The list of disks could not be read (`lsblk`).", "无法读取磁盘列表（`lsblk`）。")
	sayHealthFault       = i18n.T("커널 로그 %[1]d줄, 마지막: %[2]s(`journalctl -k`)", "Kernel log, %[1]d×, last: %[2]s (`journalctl -k`)", "内核日志 %[1]d 行，最后：%[2]s（`journalctl -k`）")
	sayHealthMounted     = i18n.T("%[1]s{은/는} 읽기 전용으로 열려 있어요(`/proc/mounts`). 일부러 그런 것이 아니라면 오류 때문일 수 있어요.", "%[1]s is mounted read-only (`/proc/mounts`); unless that is on purpose, errors may be the reason.", "%[1]s 以只读方式挂载（`/proc/mounts`）；若非有意设置，可能是出错所致。")
	sayHealthBus         = i18n.T("디스크", "a disk", "某个磁盘")
	askHealth            = i18n.T("%[1]s의 SMART 값을 읽어 볼까요? (`%[2]s`)", "Shall I read the SMART values of %[1]s? (`%[2]s`)", "要读取 %[1]s 的 SMART 值吗？（`%[2]s`）")
	askHealthTool        = i18n.T("그것을 읽는 `smartctl`이 없어요. smartmontools를 설치할까요?", "`smartctl`, which reads it, is missing. Shall I install smartmontools?", "缺少读取它的 `smartctl`。要安装 smartmontools 吗？")
)

var (
	diskList   = command("lsblk -d -P -o NAME,SIZE,TYPE,TRAN,ROTA,MODEL")
	diskFaults = command("journalctl -k -b --no-pager -n 300 -g '" + diskFaultPattern + "'")
	mountList  = command("cat /proc/mounts")
	smartTool  = command("pacman -Q smartmontools")
)

// diskFaultPattern matches the lines in faultSigns. journalctl ignores case if the pattern is lower case.
const diskFaultPattern = "i/o error|medium error|unrecovered read|critical target|unc }|(ext4|btrfs|fat|f2fs|xfs).*(error|critical|corrupt|csum|checksum|recommended|shut)|read-?only|resetting link|reset controller|will reset|not ready; abort|timeout, abort|reset failure|probe failure"

// drive is a whole disk of lsblk -d.
type drive struct{ name, size, transport, model, kind string }

func (d drive) String() string { return strings.Join(nonEmpty(d.name, d.size, d.model, d.kind), " ") }

// isVirtual reports whether the disk belongs to a virtual machine.
func (d drive) isVirtual() bool {
	return d.transport == "virtio" || strings.HasPrefix(d.name, "vd") || strings.HasPrefix(d.name, "xvd") || containsAny(d.model, "QEMU", "VBOX", "VMware", "Virtual")
}

// parseDrives parses lsblk -d -P: whole disks, without memory and images.
func parseDrives(text string) []drive {
	var out []drive
	for _, line := range outputLines(text) {
		m := map[string]string{}
		for _, p := range pairForm().FindAllStringSubmatch(line, -1) {
			m[p[1]] = cutRunes(strings.TrimSpace(p[2]), 40)
		}
		name := m["NAME"]
		if m["TYPE"] != "disk" || name == "" || quoteWord(name) != name || strings.HasPrefix(name, "zram") || m["SIZE"] == "0B" {
			continue
		}
		d := drive{name: name, size: m["SIZE"], transport: m["TRAN"], model: m["MODEL"]}
		switch {
		case d.transport == "usb":
			d.kind = "USB"
		case !d.isVirtual():
			d.kind = map[string]string{"0": "SSD", "1": "HDD"}[m["ROTA"]]
		}
		out = append(out, d)
	}
	return out
}

// health reports what is known about the disks without administrator rights: the kernel's errors and read-only
// mounts. It offers to read the disk's SMART record.
func (q *inquiry) health() Reply {
	if !q.collect(q.first, diskList, diskFaults, mountList, smartTool) {
		return Reply{}
	}
	drives, seen := parseDrives(q.stdout(diskList)), q.diskLog()
	if len(drives) == 0 && seen == nil {
		rep := q.toolReply(q.first)
		rep.Text = joinBlocks(q.say(sayHealthUnseen), rep.Text)
		return rep
	}
	if rep, absent := q.noSuchDrive(drives); absent {
		return rep
	}
	drives = q.askedDrives(drives)
	faults := q.faultsOf(drives, parseFaults(seen))
	f := q.worstFault(faults)
	f.note(q.faultLines(faults)...)
	f.note(q.readOnlyNotes(faults)...)
	f.note(q.driveLine(drives))
	q.offerSmart(&f, drives, faults)
	return f.reply()
}

// diskLog returns the kernel's log lines about disks, nil if the log could not be read in full.
func (q *inquiry) diskLog() []string {
	s := q.output(diskFaults, "")
	if s == nil {
		return nil
	}
	lines := journalLines(s.Stdout)
	if !isFullyRead(s) && len(parseFaults(lines)) == 0 {
		return nil
	}
	return append([]string{}, lines...)
}

// worstFault reports the worst known fault.
func (q *inquiry) worstFault(faults []diskFault) finding {
	for _, m := range parseReadOnly(q.stdout(mountList)) {
		if m.hasError || len(faults) > 0 && faults[0].kind == faultReadOnly {
			return finding{verdict: q.say(sayHealthReadOnly, m.path)}
		}
	}
	if len(faults) == 0 {
		text := sayHealthQuiet
		if q.diskLog() == nil {
			text = sayHealthUnseen
		}
		return finding{verdict: q.say(text)}
	}
	disk := faults[0].disk
	if disk == "" {
		disk = q.say(sayHealthBus)
	}
	return finding{verdict: q.say(map[int]i18n.Text{faultReadOnly: sayHealthWasReadOnly, faultMedia: sayHealthMedia, faultStructure: sayHealthStructure, faultLink: sayHealthLink}[faults[0].kind], disk)}
}

// faultLines formats the last line of each of the worst faults.
func (q *inquiry) faultLines(faults []diskFault) []string {
	var out []string
	for _, f := range faults {
		if len(out) == 2 || strings.HasPrefix(f.disk, "ata") && f.kind == faults[0].kind && f.disk != faults[0].disk {
			continue // the port of a disk that is listed already
		}
		text := cutRunes(journalText(f.line), 120)
		if when := timestampOf(f.line); when != "" {
			text = when + " " + text
		}
		out = append(out, q.say(sayHealthFault, f.count, text))
	}
	return out
}

// readOnlyNotes lists read-only mounts without a kernel error.
func (q *inquiry) readOnlyNotes(faults []diskFault) []string {
	if len(faults) > 0 && faults[0].kind == faultReadOnly {
		return nil
	}
	var out []string
	for _, m := range parseReadOnly(q.stdout(mountList)) {
		if !m.hasError && len(out) < 3 {
			out = append(out, q.say(sayHealthMounted, m.path))
		}
	}
	return out
}

func (q *inquiry) driveLine(drives []drive) string {
	var names []string
	for _, d := range drives[:min(5, len(drives))] {
		names = append(names, d.String())
	}
	if len(names) == 0 {
		return q.say(sayHealthNoDisks)
	}
	return q.say(sayHealthDisks, strings.Join(names, ", "))
}

// offerSmart proposes to read the SMART record of the worst disk, or else of the first internal one.
func (q *inquiry) offerSmart(f *finding, drives []drive, faults []diskFault) {
	real := slices.DeleteFunc(slices.Clone(drives), drive.isVirtual)
	switch {
	case len(drives) == 0:
		return
	case len(real) == 0:
		f.meaning = q.say(sayHealthVirtual)
		return
	}
	f.meaning = q.say(sayHealthSmart)
	if s := q.output(smartTool, ""); s != nil && strings.Contains(s.Stderr, "was not found") {
		f.propose(intent.Call("install_package", "name", "smartmontools"), q.say(askHealthTool))
		return
	}
	disk := q.namedDrive(real)
	if disk == "" {
		disk = suspectDrive(real, faults)
	}
	f.propose(smartStep(disk), q.say(askHealth, disk, smartCommand(disk)))
}

// namedDrive returns the disk whose path the question names, "" for none.
func (q *inquiry) namedDrive(drives []drive) string {
	if q.Request == nil {
		return ""
	}
	for _, d := range drives {
		if path := q.Request.Path(); path == "/dev/"+d.name || strings.HasPrefix(path, "/dev/"+d.name) && namedDisk(path) == d.name {
			return d.name
		}
	}
	return ""
}

// suspectDrive returns the disk of the worst fault, or else the first one that is not on USB.
func suspectDrive(drives []drive, faults []diskFault) string {
	for _, f := range faults {
		for _, d := range drives {
			if f.disk == d.name || f.disk != "" && strings.HasPrefix(d.name, f.disk+"n") {
				return d.name
			}
		}
	}
	if i := slices.IndexFunc(drives, func(d drive) bool { return d.transport != "usb" }); i >= 0 {
		return drives[i].name
	}
	return drives[0].name
}
