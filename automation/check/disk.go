package check

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
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
	sorting.Stably(all, func(a, b fileSystem) int { return len(a.target) - len(b.target) })
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

func backup(l *look) {
	within := cmp.Or(l.p.Within, l.row.within)
	for _, path := range l.p.Paths {
		l.backupAt(l.p.at(path), within)
	}
}

// backupAt checks that a file at or below a path was written within the period. It uses the time of the status
// change (find -newerct), because copies keep the modification time of the original.
func (l *look) backupAt(at string, within time.Duration) {
	key := "backup:" + at
	found, why := l.isWritten(at, within)
	f := Finding{Key: key, Severity: Warning, Args: Args{Name: display(at, 80)}}
	switch {
	case found:
		return
	case why == ReasonAbsent:
		f.Code = "backup_missing"
		l.find(f)
		return
	case why != "":
		l.unknown(key, why, at)
		return
	}
	// Find a lower bound for the age.
	f.Code, f.Args.For = "backup_stale", within
	for _, longer := range []time.Duration{7 * day, 30 * day, 365 * day} {
		if longer <= f.Args.For {
			continue
		}
		if found, why := l.isWritten(at, longer); found || why != "" {
			break
		}
		f.Args.For = longer
	}
	l.find(f)
}

// isWritten reports whether a file at or below a path is younger than within. The reason is not empty if part of it
// could not be read.
func (l *look) isWritten(at string, within time.Duration) (bool, Reason) {
	since := fmt.Sprintf("@%d", l.p.Now.Add(-within).Unix())
	out, why := l.try("find", "-H", at, "-xdev", "-type", "f", "-newerct", since, "-printf", "%C@\\n", "-quit")
	if why != "" {
		return false, why
	}
	switch times, err := machine.ParseFileTimes([]byte(out.Stdout)); {
	case len(times) > 0:
		return true, ""
	case err != nil:
		return false, ReasonUnreadable
	}
	if out.Exit != 0 || strings.TrimSpace(out.Stderr) != "" {
		why := out.failure()
		if why == ReasonAbsent && !out.says("‘"+at+"’: No such") && !out.says("'"+at+"': No such") {
			why = ReasonPartial // a file vanished meanwhile
		}
		return false, why
	}
	return false, ""
}

// maxCertificates bounds how many files a look reads.
const maxCertificates = 100

// certificates gets the end of each certificate from openssl and never reads a file itself, because the file
// could also contain the private key.
func certificates(l *look) {
	paths, usual := l.p.Paths, len(l.p.Paths) == 0
	if usual {
		paths = []string{"~/.config", "/etc/letsencrypt/live"}
	}
	read := 0
	for _, place := range paths {
		at := l.p.at(place)
		files, why := l.certificateFiles(at)
		switch {
		case why == ReasonAbsent && usual:
			continue
		case why != "":
			l.unknown("certificates:"+at, why, at)
		}
		for _, file := range files {
			if read++; read > maxCertificates {
				l.unknown("certificates", ReasonTruncated, at)
				return
			}
			if !l.certificate(file, usual) {
				return
			}
		}
	}
}

// certificateFiles finds files with names of certificates at a path, which can also be a single file.
func (l *look) certificateFiles(at string) ([]string, Reason) {
	out, why := l.try("find", "-H", at, "-xdev", "-maxdepth", "5", "(", "-type", "f", "-o", "-type", "l", ")",
		"(", "-name", "*.crt", "-o", "-name", "*.cer", "-o", "-name", "*.pem", "!", "-name", "*key*", ")", "-printf", "%p\\n")
	if why != "" {
		return nil, why
	}
	files := withoutChains(slices.DeleteFunc(splitNames(out), func(name string) bool {
		return !slices.Contains([]string{".crt", ".cer", ".pem"}, path.Ext(name))
	}))
	switch {
	case out.Exit != 0 && len(files) == 0:
		return nil, out.failure()
	case out.Exit != 0:
		return files, ReasonPartial
	case out.Truncated:
		return files, ReasonTruncated
	}
	return files, ""
}

// withoutChains removes the chains that certbot stores next to a cert.pem, which are renewed with it.
func withoutChains(files []string) []string {
	single := map[string]bool{}
	for _, file := range files {
		if path.Base(file) == "cert.pem" {
			single[path.Dir(file)] = true
		}
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return single[path.Dir(file)] && (path.Base(file) == "fullchain.pem" || path.Base(file) == "chain.pem")
	})
}

// splitNames parses names, one a line. It drops a last line without a line end, which is incomplete, and names
// that cannot be used in a command.
func splitNames(out Output) []string {
	all := strings.Split(out.Stdout, "\n")
	var names []string
	for _, name := range all[:len(all)-1] {
		if strings.HasPrefix(name, "/") && isDisplayable(name) && len(name) < 4096 {
			names = append(names, name)
		}
	}
	return names
}

// certificate checks one file. It returns false if further files would fail in the same way.
func (l *look) certificate(file string, usual bool) bool {
	key := "certificates:" + file
	out, why := l.try("openssl", "x509", "-noout", "-enddate", "-in", file)
	switch why {
	case "":
	case ReasonMissing:
		l.unknown("certificates", why, "openssl")
		return false
	default:
		l.unknown(key, why, file)
		return true
	}
	end, err := machine.ParseCertificateEnd([]byte(out.Stdout))
	if out.Exit != 0 || err != nil {
		l.reportInvalid(key, file, out, usual)
		return true
	}
	l.reportEnd(key, file, end)
	return true
}

// reportInvalid reports a file in which openssl found no certificate. In the default directories such names are
// also used for other files, so it does not report them there.
func (l *look) reportInvalid(key, file string, out Output, usual bool) {
	why := outputProblem(out)
	switch {
	case why == ReasonFailed && usual:
		return
	case why == ReasonFailed:
		why = ReasonUnreadable
	}
	l.unknown(key, why, file)
}

func (l *look) reportEnd(key, file string, end time.Time) {
	within := cmp.Or(l.p.Within, l.row.within)
	left := end.Sub(l.p.Now)
	f := Finding{Key: key, Severity: Notice, Code: "certificate_soon", Args: Args{Name: display(file, 80), At: end.In(l.p.Zone), For: left}}
	if left < 3*day {
		f.Severity = Warning
	}
	switch {
	case left <= 0:
		f.Code = "certificate_expired"
		l.find(f)
	case left <= within:
		l.find(f)
	}
}
