package machine

import (
	"path"
	"strconv"
	"strings"
)

// onlyOf returns the arguments that limit a program to a path, none for the whole machine.
func onlyOf(p Probe, dir string) Probe {
	if dir == "" {
		return p
	}
	return append(p, "--", dir)
}

// SpaceProbe shows the bytes of the file system that has a path, of all without one. [ParseDF] reads it.
func SpaceProbe(dir string) Probe {
	return onlyOf(Probe{"df", "-B1", "--output=source,fstype,size,used,avail,target"}, dir)
}

// FileCountProbe shows how many files the file system that has a path can hold. [ParseDF] reads it.
func FileCountProbe(dir string) Probe {
	return onlyOf(Probe{"df", "--output=source,fstype,itotal,iused,iavail,target"}, dir)
}

// LargeDirectoriesProbe lists the directories of a file system with at least that many bytes. [ParseDU] reads it.
func LargeDirectoriesProbe(dir string, least int64) Probe {
	return Probe{"du", "-x", "-B1", "-d", "5", "-t", strconv.FormatInt(least, 10), "--", dir}
}

// ManyFilesProbe lists the directories of a file system with at least that many files. [ParseDU] reads it.
func ManyFilesProbe(dir string, least int64) Probe {
	return Probe{"du", "-x", "--inodes", "-d", "6", "-t", strconv.FormatInt(least, 10), "--", dir}
}

// LargeFilesProbe lists the files of a file system above that many KiB. [ParseFindSizes] reads it.
func LargeFilesProbe(dir string, kib int64) Probe {
	return Probe{"find", dir, "-xdev", "-type", "f", "-size", "+" + strconv.FormatInt(kib, 10) + "k", "-printf", `%s %p\n`}
}

// DirectorySizeProbe shows the bytes of a directory. [ParseDU] reads it.
func DirectorySizeProbe(dir string) Probe { return Probe{"du", "-s", "-B1", "--", dir} }

// SubvolumesProbe lists the subvolumes near the root of a btrfs that the user may see: their root directories have the number 256.
func SubvolumesProbe(dir string) Probe {
	return Probe{"find", dir, "-mindepth", "1", "-maxdepth", "3", "-inum", "256"}
}

// ReadOnlyProbe shows whether a subvolume is a read-only snapshot: "ro=true" (btrfs-property(8)).
func ReadOnlyProbe(subvolume string) Probe { return Probe{"btrfs", "property", "get", subvolume, "ro"} }

// BtrfsProbe shows how a btrfs uses its room. It needs no rights for the sums.
func BtrfsProbe(dir string) Probe { return Probe{"btrfs", "filesystem", "usage", "-b", dir} }

// BtrfsRoom is how a btrfs uses its room, in bytes.
type BtrfsRoom struct{ Unallocated, Metadata, MetadataUsed, Data, DataUsed float64 }

var btrfsChunks = pattern(`^(Data|Metadata),\S+: Size:(\d+), Used:(\d+)`)

// ParseBtrfs parses btrfs filesystem usage -b (btrfs-filesystem(8)).
func ParseBtrfs(text []byte) (BtrfsRoom, error) {
	var r BtrfsRoom
	r.Unallocated = -1
	for _, line := range Lines(text) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "Device unallocated:"); ok {
			r.Unallocated, _ = strconv.ParseFloat(strings.TrimSpace(v), 64)
		}
		if m := btrfsChunks().FindStringSubmatch(line); m != nil {
			size, _ := strconv.ParseFloat(m[2], 64)
			used, _ := strconv.ParseFloat(m[3], 64)
			if m[1] == "Data" {
				r.Data, r.DataUsed = size, used
			} else {
				r.Metadata, r.MetadataUsed = size, used
			}
		}
	}
	return readable(r, r.Unallocated >= 0 && r.Metadata > 0, "btrfs filesystem usage")
}

// DeletedProbe lists the deleted files that a process still has open, as far as the user may see: their links count is 0.
// [ParseFindSizes] reads it.
var DeletedProbe = Probe{
	"find", "-L", "/proc", "-mindepth", "3", "-maxdepth", "3", "-path", "/proc/[0-9]*/fd/*", "-type", "f", "-links", "0", "-size", "+1M", "-printf", `%s %p\n`,
}

// ProcessOf returns the directory in /proc of a path below it, "" for any other path.
func ProcessOf(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 4 || parts[0] != "" || parts[1] != "proc" || !isNumber(parts[2]) {
		return ""
	}
	return path.Join("/proc", parts[2])
}

// ProcessProbe shows the name and the control group of a process, whose directory in /proc is given.
func ProcessProbe(dir string) Probe { return Probe{"cat", dir + "/comm", dir + "/cgroup"} }

// ParseProcess parses [ProcessProbe] (proc_pid_comm(5), cgroups(7)): the name, and the service that it belongs to, "" if none.
func ParseProcess(text []byte) (name, service string) {
	lines := Lines(text)
	if len(lines) == 0 {
		return "", ""
	}
	for _, line := range lines[1:] {
		if group, ok := strings.CutPrefix(line, "0::"); ok && strings.HasPrefix(group, "/system.slice/") {
			for part := range strings.SplitSeq(group, "/") {
				if strings.HasSuffix(part, ".service") {
					service = part
				}
			}
		}
	}
	return lines[0], service
}

// UsersProbe lists what processes have open or use in a directory, as far as the user may see.
func UsersProbe(dir string) Probe {
	return Probe{"find", "/proc", "-mindepth", "2", "-maxdepth", "3", "-lname", dir, "-printf", `%p %l\n`, "-o", "-lname", dir + "/[^ ]*", "-printf", `%p %l\n`}
}

// SnapperProbe lists the snapshots of snapper.
var SnapperProbe = Probe{"snapper", "list"}

// CoreDumpsSizeProbe shows the bytes of the kept crashes.
var CoreDumpsSizeProbe = Probe{"du", "-s", "-B1", "--", "/var/lib/systemd/coredump"}

// QuotaProbe shows the user's quotas: quota(1).
var QuotaProbe = Probe{"quota"}

// MarkedSwapsProbe lists the areas in use as swap.
var MarkedSwapsProbe = Probe{"cat", "/proc/swaps"}

// OwnSizeProbe shows the bytes of the files of a file system, without other ones mounted below and without other subvolumes.
func OwnSizeProbe(dir string) Probe { return Probe{"du", "-s", "-x", "-B1", "--", dir} }
