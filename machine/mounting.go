package machine

import (
	"strconv"
	"strings"
)

var (
	// IdentifiersProbe lists the block devices with what identifies them. [ParseBlockPairs] reads it.
	IdentifiersProbe = Probe{"lsblk", "-P", "-o", "NAME,PATH,TYPE,FSTYPE,UUID,PARTUUID,LABEL,MOUNTPOINT"}
	// VerifyFSTabProbe checks fstab: findmnt(8), --verify.
	VerifyFSTabProbe = Probe{"findmnt", "--verify"}
	// MountUnitsProbe shows the states of the mount units.
	MountUnitsProbe = Probe{"systemctl", "show", "-p", "Id,Where,What,LoadState,ActiveState,Result,NeedDaemonReload", "--", "*.mount"}
	// CryptTabProbe lists the encrypted devices to unlock: crypttab(5).
	CryptTabProbe = Probe{"cat", "/etc/crypttab"}
	// KernelMessagesProbe shows the latest messages of the kernel since it started.
	KernelMessagesProbe = Probe{"journalctl", "-k", "-b", "--no-pager", "-q", "-o", "cat", "-n", "3000"}
	// DeviceTimeoutsProbe shows for which devices booting waited in vain: the messages of systemd with SD_MESSAGE_UNIT_FAILED.
	DeviceTimeoutsProbe = Probe{"journalctl", "-b", "--no-pager", "-q", "-o", "cat", "-n", "200", "-g", "Timed out waiting for device|UNEXPECTED INCONSISTENCY|a start job is running", "_PID=1", "+", "SYSLOG_IDENTIFIER=systemd-fsck"}
)

// FSTabEntry is an entry of fstab with the number of its line, from 1.
type FSTabEntry struct {
	Mount
	Line int
}

// FSTabEntries parses fstab(5) like [ParseFSTab], with line numbers.
func FSTabEntries(text string) (all []FSTabEntry) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if one := ParseFSTab([]byte(line)); len(one) == 1 {
			all = append(all, FSTabEntry{one[0], number})
		}
	}
	return all
}

// HasOption reports whether a mount has an option.
func (m Mount) HasOption(name string) bool {
	for _, options := range m.Options {
		if options == name {
			return true
		}
	}
	return false
}

var fstabError = pattern(`parse error at line (\d+)`)

// ParseFSTabError parses findmnt --verify (findmnt(8)): the first line of fstab that is in no known form, 0 if there is none.
func ParseFSTabError(text string) int {
	if m := fstabError().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	return 0
}

// Identifies reports whether a word of fstab or of a kernel's command line such as UUID=… means a device. known is false for a
// word in another form.
func (b BlockDevice) Identifies(word string) (is, known bool) {
	key, value, _ := strings.Cut(word, "=")
	value = strings.Trim(value, `"`)
	switch key {
	case "UUID":
		return b.UUID != "" && strings.EqualFold(b.UUID, value), true
	case "PARTUUID":
		return b.PartUUID != "" && strings.EqualFold(b.PartUUID, value), true
	case "LABEL":
		return b.Label == value, true
	}
	if strings.HasPrefix(word, "/dev/disk/by-uuid/") {
		return strings.EqualFold(b.UUID, strings.TrimPrefix(word, "/dev/disk/by-uuid/")), true
	}
	return b.Path == word, strings.HasPrefix(word, "/dev/") && !strings.HasPrefix(word, "/dev/disk/")
}
