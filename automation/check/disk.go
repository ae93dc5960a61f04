package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

const (
	gib = 1 << 30
	// diskMargin is how many percent below its limit a disk must be to count as recovered.
	diskMargin = 2
	// smallDisk is the size up to which only percentages count: on a boot partition, a free gibibyte is a lot.
	smallDisk = 10 * gib
)

// fileSystem is a line of df.
type fileSystem struct {
	source, kind, target string
	size, used, free     float64 // bytes, or inodes; 0 if df does not know them
}

// share returns the used part in percent, calculated like df: relative to the space that is used or usable.
func (f fileSystem) share() float64 {
	if f.used+f.free <= 0 {
		return 0
	}
	return 100 * f.used / (f.used + f.free)
}

// parseDF reads three figures of file systems, of which every line must be readable.
func parseDF(out Output) (all []fileSystem, ok bool) {
	list, err := machine.ParseDF([]byte(out.Stdout))
	for _, fs := range list {
		if fs.Type == "" {
			return nil, false
		}
		all = append(all, fileSystem{fs.Source, fs.Type, fs.Target, number(fs.Size), number(fs.Used), number(fs.Available)})
	}
	return all, err == nil
}

func number(w string) float64 {
	n, _ := strconv.ParseFloat(w, 64) // "-" counts as 0
	return n
}

// images are read-only image formats, which are always 100 % used.
var images = []string{"squashfs", "iso9660", "udf", "erofs", "cramfs", "romfs"}

// isReal reports whether a file system can contain a person's data.
func (f fileSystem) isReal() bool {
	onDevice := strings.HasPrefix(f.source, "/dev/") && !strings.HasPrefix(f.source, "/dev/loop")
	return f.size > 0 && !slices.Contains(images, f.kind) && (onDevice || f.kind == "zfs" || f.kind == "bcachefs")
}

// mounted returns three figures of the given file systems, or of all real ones on this machine, each once even if
// it is mounted several times.
func (l *look) mounted(columns string) []fileSystem {
	argv := []string{"df", "-B1", "--output=source,fstype," + columns + ",target"}
	if len(l.p.Paths) > 0 {
		return l.mountedAt(argv)
	}
	all, ok := readOutput(l, l.row.name, "df", parseDF, append(argv, "-l")...)
	if !ok {
		return nil
	}
	all = slices.DeleteFunc(all, func(f fileSystem) bool { return !f.isReal() })
	slices.SortStableFunc(all, func(a, b fileSystem) int { return len(a.target) - len(b.target) })
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(f fileSystem) bool {
		again := seen[f.source]
		seen[f.source] = true
		return again
	})
	if len(all) == 0 {
		l.unknown(l.row.name, ReasonAbsent, "df")
	}
	return all
}

func (l *look) mountedAt(argv []string) []fileSystem {
	var found []fileSystem
	for _, path := range l.p.Paths {
		at := l.p.at(path)
		all, ok := readOutput(l, l.row.name+":"+at, at, func(out Output) ([]fileSystem, bool) {
			all, ok := parseDF(out)
			return all, ok && len(all) == 1
		}, append(argv, "--", at)...)
		if ok {
			all[0].target = at
			found = append(found, all[0])
		}
	}
	return found
}

// outputProblem returns why an output cannot be used: the program failed, or the output is incomplete or unexpected.
func outputProblem(out Output) Reason {
	switch {
	case out.Exit != 0 || out.Stderr != "" && out.Stdout == "":
		return out.failure()
	case out.Truncated:
		return ReasonTruncated
	}
	return ReasonUnreadable
}

func disk(l *look) {
	for _, fs := range l.mounted("size,used,avail") {
		f := fs.finding("disk", "disk_full", diskFix(fs.target))
		f.Args.Bytes = int64(fs.free)
		share, critical := fs.share(), 97.0
		if fs.size > smallDisk && fs.free < gib {
			share, critical = max(share, l.over()), 0
		}
		l.level(f, share, l.over(), critical, diskMargin)
		l.figure(Figure{Key: f.Key, Value: fs.share(), Unit: Percent, Name: f.Args.Name})
	}
}

// finding returns the finding that a file system is full.
func (f fileSystem) finding(kind, code, fix string) Finding {
	args := Args{Name: display(f.target, 60), Value: f.share()}
	return Finding{Key: kind + ":" + f.target, Severity: Warning, Code: code, Fix: fix, Args: args}
}

// diskFix returns a command that frees space on the file system of pacman's cache, and on others one that shows
// what uses the space. The installed and the previous version of each package are kept for downgrades (paccache
// is in pacman-contrib).
func diskFix(target string) string {
	if target == "/" || strings.HasPrefix("/var/cache/pacman/pkg", target+"/") {
		return "sudo paccache -rk2  # pacman-contrib"
	}
	return appendName("du -xhd1", target, "")
}

func inodes(l *look) {
	for _, fs := range l.mounted("itotal,iused,iavail") {
		if fs.size == 0 {
			continue // inodes are allocated on demand, as on btrfs
		}
		f := fs.finding("inodes", "inodes_full", appendName("du --inodes -xd1", fs.target, ""))
		l.level(f, fs.share(), l.over(), 97, diskMargin)
		l.figure(Figure{Key: f.Key, Value: fs.share(), Unit: Percent, Name: f.Args.Name})
	}
}
