package report

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
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
var faultName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:(sd[a-z]{1,2})\d*|(nvme\d+(?:n\d+)?)(?:p\d+)?|(mmcblk\d+)(?:p\d+)?|(vd[a-z])\d*|(dm-\d+)|(ata\d+)(?:\.\d+)?)\b`)
})

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
	if m := journalRegexps().prefix.FindStringSubmatch(line); m != nil {
		return m[2]
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

// mountPoint is a row of /proc/mounts (proc_pid_mounts(5)).
type mountPoint struct {
	device, path string
	hasError     bool // ext4 remounted it after an error
}

// readOnlyMedia systems that are always read-only.
var readOnlyMedia = set("iso9660", "udf", "squashfs", "erofs", "cramfs", "romfs")

// parseReadOnly returns the disks in /proc/mounts that are mounted read-only.
func parseReadOnly(text string) []mountPoint {
	var out []mountPoint
	for _, line := range outputLines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "/dev/") || strings.HasPrefix(f[0], "/dev/loop") || readOnlyMedia[f[2]] {
			continue
		}
		options := strings.Split(f[3], ",")
		turned := slices.Contains(options, "emergency_ro") || slices.Contains(options, "shutdown")
		if !turned && !slices.Contains(options, "ro") {
			continue
		}
		if slices.ContainsFunc(out, func(m mountPoint) bool { return m.device == f[0] }) {
			continue // bind mounts repeat the same device
		}
		out = append(out, mountPoint{f[0], strings.ReplaceAll(f[1], `\040`, " "), turned})
	}
	return out
}
