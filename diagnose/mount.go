package diagnose

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Mount is the question why a file system cannot be mounted or written. The object is a mount point or a device.
func Mount() Topic {
	return Topic{ID: "mount", Object: APath, About: i18n.DiagnoseAboutMount, causes: []cause{
		{"fstab-syntax", fstabSyntax},
		{"fstab-device", fstabDevice},
		{"fstab-type", fstabType},
		{"option-unknown", optionUnknown},
		{"locked", luksLocked},
		{"helper-missing", helperMissing},
		{"kernel-replaced", kernelReplaced},
		{"disk-failing", diskFailing},
		{"device-gone", deviceGone},
		{"read-only", remountedReadOnly},
		{"ntfs-dirty", ntfsDirty},
		{"busy", mountBusy},
		{"mount-point", mountPointMissing},
		{"noexec", mountedNoexec},
		{"reload-needed", reloadNeeded},
	}}
}

func (f *Facts) fstab() []machine.FSTabEntry {
	return machine.FSTabEntries(f.stdout(machine.FSTabProbe))
}

func (f *Facts) mounts() []machine.Mount {
	all, _ := parse(f, machine.MountsProbe, machine.ParseMounts) // none if it cannot be read
	return all
}

// blocks returns the block devices, none if none has an identifier: without udev, lsblk knows no identifiers.
func (f *Facts) blocks() []machine.BlockDevice {
	all, _ := parse(f, machine.IdentifiersProbe, machine.ParseBlockPairs) // none if it cannot be read
	if !slices.ContainsFunc(all, func(b machine.BlockDevice) bool { return b.UUID != "" }) {
		return nil
	}
	return all
}

// isAbout reports whether a question is about a mount: without an object, about all.
func (f *Facts) isAbout(m machine.Mount) bool {
	return f.Object == "" || f.Object == m.Target || f.Object == m.Source || m.Target != "/" &&
		strings.HasPrefix(f.Object, m.Target+"/")
}

// pending returns the entries of fstab in question that are not mounted.
func (f *Facts) pending() []machine.FSTabEntry {
	mounted := f.mounts()
	if len(mounted) == 0 {
		return nil
	}
	return slices.DeleteFunc(f.fstab(), func(e machine.FSTabEntry) bool {
		isThere := slices.ContainsFunc(mounted, func(m machine.Mount) bool { return m.Target == e.Target })
		return isThere || e.Type == "swap" || !strings.HasPrefix(e.Target, "/") || !f.isAbout(e.Mount)
	})
}

// row is an entry of fstab in its own words.
func row(e machine.FSTabEntry) string {
	return strings.Join([]string{e.Source, e.Target, e.Type, strings.Join(e.Options, ",")}, " ")
}

// editLine replaces a part of a line of fstab. The words are constants or plain.
func editLine(about i18n.Text, line int, from, to, back, check, expect string) Step {
	edit := func(from, to string) string {
		return fmt.Sprintf("sudo -n sed -i -E '%ds|%s|%s|' /etc/fstab", line, from, to)
	}
	return run(about, edit(from, to), check, expect, edit(back, `\1`))
}

// logged returns the last line of the kernel's log since it started that contains one of the words.
func (f *Facts) logged(words ...string) string {
	out, known := f.output(machine.KernelMessagesProbe) // a part is enough: what it says was said
	if !known {
		return ""
	}
	return lineWith(machine.LogLines([]byte(out.Stdout)), words...)
}

// fstabSyntax finds a line of fstab in no known form.
func fstabSyntax(f *Facts) *Finding {
	look := machine.VerifyFSTabProbe
	out, known := f.output(look)
	line := machine.ParseFSTabError(out.Stderr + out.Stdout)
	if !known || line == 0 {
		return nil
	}
	return proved(i18n.MountSyntax(line), seeLine(look,
		lineWith(machine.Lines(out.Stderr+"\n"+out.Stdout), "parse error"))).advise(i18n.MountSyntaxAdvice(line))
}

// fstabDevice finds an entry of fstab whose device no disk has.
func fstabDevice(f *Facts) *Finding {
	devices := f.blocks()
	for _, e := range f.pending() {
		if len(devices) == 0 || plain(e.Source) == "" && plain(strings.ReplaceAll(e.Source, "=", "")) == "" {
			continue
		}
		is, known := false, false
		for _, b := range devices {
			same, form := b.Identifies(e.Source)
			is, known = is || same, known || form
		}
		if is || !known || strings.HasPrefix(e.Source, "/dev/mapper/") || e.HasOption("nofail") && f.Object == "" {
			continue
		}
		found := proved(i18n.MountDevice(e.Line, e.Target, e.Source), seeLine(machine.FSTabProbe, row(e)),
			see(machine.IdentifiersProbe, i18n.MountDeviceAbsent(e.Source)))
		line := strconv.Itoa(e.Line)
		if to := f.replacement(e, devices); to != "" && strings.HasPrefix(e.Source, "UUID=") {
			old := plain(strings.TrimPrefix(e.Source, "UUID="))
			found.Says = i18n.MountDeviceOther(e.Line, e.Target, e.Source, to)
			about := i18n.MountDeviceGoal(e.Line, to)
			return found.offer(about, run(about, "sudo -n sed -i '"+line+"s/UUID="+old+"/UUID="+to+"/' /etc/fstab",
				"grep -F UUID="+to+" /etc/fstab", to,
				"sudo -n sed -i '"+line+"s/UUID="+to+"/UUID="+old+"/' /etc/fstab"))
		}
		if e.Target == "/" || e.HasOption("nofail") {
			return found.advise(i18n.MountDeviceAdvice(e.Line))
		}
		about := i18n.MountNofailGoal(e.Line)
		return found.offer(about, editLine(about, e.Line, `^(\S+\s+\S+\s+\S+\s+\S+)`, `\1,nofail`,
			`^(\S+\s+\S+\s+\S+\s+\S+),nofail`, "grep -n nofail /etc/fstab", line+":")).
			advise(i18n.MountDeviceAdvice(e.Line))
	}
	return nil
}

// replacement returns the identifier of the only device that an entry of fstab could mean: it has the entry's type and
// is neither
// mounted nor in fstab.
func (f *Facts) replacement(e machine.FSTabEntry, devices []machine.BlockDevice) (uuid string) {
	for _, b := range devices {
		isListed := slices.ContainsFunc(f.fstab(), func(o machine.FSTabEntry) bool {
			is,
				_ := b.Identifies(o.Source)
			return is
		})
		if b.FSType != e.Type || b.Mount != "" || b.UUID == "" || isListed || plain(b.UUID) != b.UUID {
			continue
		}
		if uuid != "" {
			return ""
		}
		uuid = b.UUID
	}
	return uuid
}

// fstabType finds an entry of fstab with another type than its device has.
func fstabType(f *Facts) *Finding {
	for _, e := range f.pending() {
		for _, b := range f.blocks() {
			if is, _ := b.Identifies(e.Source); !is || b.FSType == "" || e.Type == "auto" || plain(b.FSType) != b.FSType ||
				isSameType(e.Type, b.FSType) {
				continue
			}
			about := i18n.MountTypeGoal(e.Line, b.FSType)
			return proved(i18n.MountType(e.Line, e.Target, e.Type, b.Path, b.FSType), seeLine(machine.FSTabProbe, row(e)),
				seeLine(machine.IdentifiersProbe, b.Path+" "+b.FSType)).
				offer(about, run(about, fmt.Sprintf(`sudo -n sed -i -E '%ds|^(\S+\s+\S+\s+)\S+|\1%s|' /etc/fstab`, e.Line,
					b.FSType), "grep -n -w "+b.FSType+" /etc/fstab",
					strconv.Itoa(e.Line)+":", fmt.Sprintf(`sudo -n sed -i -E '%ds|^(\S+\s+\S+\s+)\S+|\1%s|' /etc/fstab`, e.Line,
						e.Type)))
		}
	}
	return nil
}

// isSameType reports whether a type of fstab can mount a type of a device.
func isSameType(entry, device string) bool {
	for _, same := range []string{
		"ext2 ext3 ext4", "ntfs ntfs3 ntfs-3g lowntfs-3g", "vfat msdos fat", "crypto_LUKS",
		"iso9660 udf", "exfat exfat-fuse",
	} {
		if words := strings.Fields(same); slices.Contains(words, device) {
			return device == "crypto_LUKS" || slices.Contains(words, entry)
		}
	}
	return entry == device || strings.HasPrefix(entry, "fuse") || strings.Contains(device, "_member")
}

var unknownOption = form(`(?i)(?:unknown parameter|unrecognized mount option|bad mount option) ['"]([\w.-]+)['"=]`)

// optionUnknown finds an option of fstab that the kernel refused.
func optionUnknown(f *Facts) *Finding {
	line := f.logged("unknown parameter", "unrecognized mount option", "bad mount option")
	m := unknownOption().FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	for _, e := range f.pending() {
		if !slices.ContainsFunc(e.Options, func(o string) bool { return o == m[1] || strings.HasPrefix(o, m[1]+"=") }) {
			continue
		}
		return proved(i18n.MountOption(e.Line, e.Target, m[1], e.Type), seeLine(machine.KernelMessagesProbe, line),
			seeLine(machine.FSTabProbe, row(e))).
			advise(i18n.MountOptionAdvice(e.Line, m[1], e.Target))
	}
	return nil
}

// luksLocked finds an encrypted device that is not unlocked.
func luksLocked(f *Facts) *Finding {
	devices := f.blocks()
	at := slices.IndexFunc(devices, func(b machine.BlockDevice) bool {
		return b.FSType == "crypto_LUKS" && (f.Object == "" || f.Object == b.Path || !strings.HasPrefix(f.Object, "/dev/"))
	})
	if at < 0 {
		return nil
	}
	for _, e := range f.pending() {
		name, isMapped := strings.CutPrefix(e.Source, "/dev/mapper/")
		if isMapped && !slices.ContainsFunc(devices, func(b machine.BlockDevice) bool { return b.Path == e.Source }) {
			return proved(i18n.MountLockedEntry(e.Target, name, devices[at].Path), seeLine(machine.FSTabProbe, row(e)),
				seeLine(machine.IdentifiersProbe, devices[at].Path+" crypto_LUKS")).
				advise(i18n.MountLockedAdvice(devices[at].Path, name))
		}
	}
	if f.Object == devices[at].Path && !slices.ContainsFunc(devices,
		func(b machine.BlockDevice) bool { return b.Type == "crypt" }) {
		return proved(i18n.MountLocked(f.Object), seeLine(machine.IdentifiersProbe, f.Object+" crypto_LUKS")).
			advise(i18n.MountLockedAdvice(f.Object, "data"))
	}
	return nil
}

// helpers are the programs that mount a type, with their packages.
var helpers = map[string][2]string{
	"cifs": {"/usr/bin/mount.cifs", "cifs-utils"}, "smb3": {"/usr/bin/mount.smb3", "cifs-utils"},
	"nfs":  {"/usr/bin/mount.nfs", "nfs-utils"},
	"nfs4": {"/usr/bin/mount.nfs4", "nfs-utils"}, "ntfs-3g": {"/usr/bin/mount.ntfs-3g", "ntfs-3g"},
	"ntfs":       {"/usr/bin/mount.ntfs", "ntfs-3g"},
	"fuse.sshfs": {"/usr/bin/sshfs", "sshfs"}, "sshfs": {"/usr/bin/sshfs", "sshfs"},
	"hfsplus": {"/usr/bin/mount.hfsplus", ""},
}

var unknownType = form(`unknown filesystem type '([\w.-]+)'`)

// helperMissing finds a type that needs a program that is not installed.
func helperMissing(f *Facts) *Finding {
	wanted := map[string]Evidence{}
	for _, e := range f.pending() {
		wanted[e.Type] = seeLine(machine.FSTabProbe, row(e))
	}
	if m := unknownType().FindStringSubmatch(f.Text); m != nil {
		wanted[m[1]] = Evidence{}
	}
	for kind, from := range wanted {
		helper, known := helpers[kind]
		if !known || helper[1] == "" {
			continue
		}
		look := machine.FileProbe(helper[0])
		if out, known := f.output(look); !known || out.Exit == 0 {
			continue
		}
		seen := []Evidence{see(look, i18n.StartInterpreterAbsent(helper[0]))}
		if from.Look != nil {
			seen = append(seen, from)
		}
		return proved(i18n.MountHelper(kind, helper[0], helper[1]), seen...).
			offer(i18n.MountHelperGoal(helper[1]), install(i18n.MountHelperGoal(helper[1]), helper[1]))
	}
	return nil
}

var badDevice = form(`(?:error, dev |error on dev |EXT4-fs error \(device |BTRFS error \(device |: device )([a-z0-9-]+)`)

// diskFailing finds a disk that cannot read or write: the kernel says so.
func diskFailing(f *Facts) *Finding {
	line := f.logged("critical medium error, dev", "i/o error, dev", "unrecovered read error",
		"critical target error, dev")
	m := badDevice().FindStringSubmatch(line)
	if m == nil || plain(m[1]) == "" || strings.HasPrefix(m[1], "loop") || strings.HasPrefix(m[1], "fd") ||
		strings.HasPrefix(m[1], "sr") {
		return nil
	}
	device := "/dev/" + m[1]
	found := proved(i18n.MountFailing(device), seeLine(machine.KernelMessagesProbe, line)).advise(i18n.MountFailingAdvice(device))
	switch rec, look, _ := f.smart(device); { // without a record it has no values
	case isUnreadable(rec):
		bad := strconv.Itoa(max(rec.Pending, rec.Lost))
		found.Says = i18n.MountFailingSectors(device, bad)
		found.Evidence = append(found.Evidence, seeLine(look, bad))
	case isFailing(rec):
		found.Evidence = append(found.Evidence, seeLine(look, rec.Verdict))
	case !strings.Contains(line, "critical medium error"):
		found.Says, found.Certain = i18n.MountFailingLikely(device), false
	}
	return found
}

var diskName = form(`^/dev/(sd[a-z]+\d*|mmcblk\d+p?\d*|nvme\d+n\d+p?\d*)$`)

// deviceGone finds a mounted device that is no longer connected.
func deviceGone(f *Facts) *Finding {
	devices, _ := parse(f, machine.IdentifiersProbe, machine.ParseBlockPairs)
	for _, m := range f.mounts() {
		if len(devices) == 0 || !diskName().MatchString(m.Source) || !f.isAbout(m) ||
			slices.ContainsFunc(devices, func(b machine.BlockDevice) bool { return b.Path == m.Source }) {
			continue
		}
		return proved(i18n.MountGone(m.Source, m.Target), seeLine(machine.MountsProbe, m.Source+" "+m.Target),
			see(machine.IdentifiersProbe, i18n.MountDeviceAbsent(m.Source))).
			advise(i18n.MountGoneAdvice(m.Target)).showing(machine.KernelMessagesProbe, f.logged("usb disconnect"))
	}
	return nil
}

// remountedReadOnly finds a file system that the kernel made read-only after an error.
func remountedReadOnly(f *Facts) *Finding {
	line := f.logged("remounting filesystem read-only", "forced readonly", "forced read-only", "log i/o error",
		"filesystem has been shut down")
	if line == "" {
		return nil
	}
	for _, m := range f.mounts() {
		name := path.Base(m.Source)
		if !m.HasOption("ro") || !strings.HasPrefix(m.Source, "/dev/") || !f.isAbout(m) ||
			!strings.Contains(line, "("+name+")") && !strings.Contains(line, "device "+name) {
			continue
		}
		if slices.ContainsFunc(f.fstab(), func(e machine.FSTabEntry) bool {
			return e.Target == m.Target &&
				e.HasOption("ro")
		}) {
			continue
		}
		return proved(i18n.MountReadOnly(m.Target, m.Source), seeLine(machine.MountsProbe, m.Source+" "+m.Target+" ro"),
			seeLine(machine.KernelMessagesProbe, line)).
			advise(i18n.MountReadOnlyAdvice(m.Source))
	}
	return nil
}

var ntfsDevice = form(`ntfs3(?:\(|: )([a-z0-9]+)`)

// ntfsDirty finds a disk of Windows that was not closed.
func ntfsDirty(f *Facts) *Finding {
	line := f.logged("volume is dirty")
	m := ntfsDevice().FindStringSubmatch(line)
	if m == nil || strings.HasPrefix(f.Object, "/dev/") && f.Object != "/dev/"+m[1] {
		return nil
	}
	return proved(i18n.MountDirty("/dev/"+m[1]), seeLine(machine.KernelMessagesProbe, line)).
		advise(i18n.MountDirtyAdvice("/dev/" + m[1]))
}

// mountBusy finds who uses a file system that cannot be taken off.
func mountBusy(f *Facts) *Finding {
	if !f.mentions(i18n.DiagnoseWordsBusy) {
		return nil
	}
	for _, m := range f.mounts() {
		if f.Object == "" || !f.isAbout(m) || plain(m.Target) != m.Target || m.Target == "/" {
			continue
		}
		look := machine.UsersProbe(m.Target)
		out, known := f.output(look) // others' processes may not be looked at
		lines := machine.Lines(out.Stdout)
		if !known || len(lines) == 0 {
			return nil
		}
		link, target, _ := strings.Cut(lines[0], " ")
		dir := machine.ProcessOf(link)
		if dir == "" {
			return nil
		}
		name, _ := machine.ParseProcess([]byte(f.stdout(machine.ProcessProbe(dir))))
		if name == "" {
			return nil
		}
		return proved(i18n.MountBusy(m.Target, name, path.Base(dir), target), seeLine(look, lines[0]),
			seeLine(machine.ProcessProbe(dir), name)).
			advise(i18n.MountBusyAdvice(m.Target, name))
	}
	return nil
}

// mountPointMissing finds that the directory to mount on does not exist.
func mountPointMissing(f *Facts) *Finding {
	if !f.mentions(i18n.DiagnoseWordsMountPoint) {
		return nil
	}
	dirs := []string{}
	for _, e := range f.pending() {
		dirs = append(dirs, e.Target)
	}
	if f.Object != "" && !strings.HasPrefix(f.Object, "/dev/") {
		dirs = []string{f.Object}
	}
	for _, dir := range dirs {
		if there, known := f.exists(dir); !known || there || plain(dir) != dir || !strings.HasPrefix(dir, "/") {
			continue
		}
		about := i18n.MountPointGoal(dir)
		return proved(i18n.MountPoint(dir), see(machine.FileProbe(dir), i18n.StartInterpreterAbsent(dir))).
			offer(about, run(about, "sudo -n mkdir -p -- "+dir, "stat -c %F -- "+dir, "directory", "sudo -n rmdir -- "+dir))
	}
	return nil
}

// mountedNoexec finds that programs may not be started from a file system.
func mountedNoexec(f *Facts) *Finding {
	if !strings.HasPrefix(f.Object, "/") || strings.HasPrefix(f.Object, "/dev/") {
		return nil
	}
	var on machine.Mount
	for _, m := range f.mounts() {
		if (f.Object == m.Target || strings.HasPrefix(f.Object, strings.TrimSuffix(m.Target, "/")+"/")) &&
			len(m.Target) >= len(on.Target) {
			on = m
		}
	}
	if !on.HasOption("noexec") || !f.mentions(i18n.DiagnoseWordsRun) {
		return nil
	}
	return proved(i18n.MountNoexec(f.Object, on.Target), seeLine(machine.MountsProbe, on.Source+" "+on.Target+" noexec")).
		advise(i18n.MountNoexecAdvice(on.Target))
}

// reloadNeeded finds that systemd does not know the present fstab.
func reloadNeeded(f *Facts) *Finding {
	look := machine.MountUnitsProbe
	units, _ := parse(f, look, machine.ParseUnitProperties)
	for _, u := range units {
		if u["NeedDaemonReload"] != "yes" || f.Object != "" && f.Object != u["Where"] && f.Object != u["What"] {
			continue
		}
		return proved(i18n.MountReload(u["Where"]), seeLine(look, u["Id"]+" NeedDaemonReload=yes")).
			offer(i18n.MountReloadGoal,
				run(i18n.MountReloadGoal, "sudo -n systemctl daemon-reload", "systemctl show -p NeedDaemonReload -- *.mount",
					"NeedDaemonReload=no", ""))
	}
	return nil
}
