package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// What the kernel reports about a disk, from the mildest to the worst.
const (
	faultLink      = iota + 1 // no response, link reset
	faultStructure            // the file system on it is damaged
	faultMedia                // reading or writing failed
	faultReadOnly             // remounted read-only
)

// diskFault collects the kernel's lines of one kind about one disk.
type diskFault struct {
	kind  int
	disk  string // "sda", "nvme0n1", "ata1"; "" if the line names none
	line  string // the last line
	count int
}

var faultSigns = []struct {
	kind  int
	signs []string
}{
	{faultReadOnly, []string{"remounting filesystem read-only", "forced readonly", "shutting down filesystem"}},
	{faultMedia, []string{"i/o error", "medium error", "unrecovered read error", "{ unc }", "critical target error", "disabling device after reset failure", "removing after probe failure"}},
	{faultStructure, []string{"ext4-fs error", "btrfs error", "btrfs critical", "csum failed", "checksum verify failed", "metadata corruption", "metadata i/o error", "fat-fs error", "f2fs-fs error", "running e2fsck is recommended"}},
	{faultLink, []string{"hard resetting link", "reset controller", "controller is down; will reset", "device not ready; aborting", "timeout, aborting"}},
}

// faultName finds the disk that a line names, without its partition.
var faultName = pattern(`\b(?:(sd[a-z]{1,2})\d*|(nvme\d+(?:n\d+)?)(?:p\d+)?|(mmcblk\d+)(?:p\d+)?|(vd[a-z])\d*|(dm-\d+)|(ata\d+)(?:\.\d+)?)\b`)

func faultKind(line string) int {
	low := strings.ToLower(line)
	for _, f := range faultSigns {
		if containsAny(low, f.signs...) {
			return f.kind
		}
	}
	return 0
}

// namedDisk returns the disk that a line names, "" for none.
func namedDisk(line string) string {
	m := faultName().FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return cmp.Or(m[1:]...)
}

// parseFaults parses the kernel's log. The worst kind comes first, then the most frequent.
func parseFaults(lines []string) []diskFault {
	var out []diskFault
	for _, line := range lines {
		text := journalText(line)
		kind := faultKind(text)
		if kind == 0 {
			continue
		}
		disk := namedDisk(text)
		i := slices.IndexFunc(out, func(f diskFault) bool { return f.kind == kind && f.disk == disk })
		if i < 0 {
			i, out = len(out), append(out, diskFault{kind: kind, disk: disk})
		}
		out[i].line = line
		out[i].count++
	}
	slices.SortStableFunc(out, func(a, b diskFault) int {
		return cmp.Or(-cmp.Compare(a.kind, b.kind), cmp.Compare(a.portRank(), b.portRank()), -cmp.Compare(a.count, b.count))
	})
	return out
}

// portRank sorts disks before the ports they are attached to.
func (f diskFault) portRank() int {
	if f.disk == "" || strings.HasPrefix(f.disk, "ata") {
		return 1
	}
	return 0
}

// journalText returns a journal line without time, host and source.
func journalText(line string) string {
	if _, text, ok := machine.SplitLogLine(line); ok {
		return text
	}
	return line
}

// faultyDisk returns the disk that the worst lines name, "" if none does.
func faultyDisk(lines []string) string {
	for _, f := range parseFaults(lines) {
		if f.portRank() == 0 && !strings.HasPrefix(f.disk, "dm-") {
			return f.disk
		}
	}
	return ""
}

// readOnlyMedia are file systems that are always read-only.
var readOnlyMedia = set("iso9660", "udf", "squashfs", "erofs", "cramfs", "romfs")

// hasMountError reports whether the kernel remounted a file system read-only after an error.
func hasMountError(m machine.Mount) bool {
	return slices.Contains(m.Options, "emergency_ro") || slices.Contains(m.Options, "shutdown")
}

// readOnlyMounts returns the disks that are mounted read-only, each once: bind mounts repeat a device.
func readOnlyMounts(all []machine.Mount) []machine.Mount {
	var out []machine.Mount
	for _, m := range all {
		switch {
		case !strings.HasPrefix(m.Source, "/dev/") || strings.HasPrefix(m.Source, "/dev/loop") || readOnlyMedia[m.Type]:
		case !hasMountError(m) && !slices.Contains(m.Options, "ro"):
		case slices.ContainsFunc(out, func(o machine.Mount) bool { return o.Source == m.Source }):
		default:
			out = append(out, m)
		}
	}
	return out
}
