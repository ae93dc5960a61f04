package machine

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// SizedPath is a folder or file with its size in bytes.
type SizedPath struct {
	Path    string
	Size    float64
	Printed string // the size as printed, for folders
}

// ParseDU parses du -h (du(1)): size, tab, path. The result includes the sum of the root.
func ParseDU(text []byte) ([]SizedPath, error) {
	return sizedPaths(text, "du", "\t", func(size, p string) (SizedPath, bool) {
		n, ok := ParseSize(size)
		return SizedPath{CleanLine(p), n, size}, ok && p != ""
	})
}

// ParseFindSizes parses find -printf '%s %p\n': bytes and path.
func ParseFindSizes(text []byte) ([]SizedPath, error) {
	return sizedPaths(text, "find", " ", func(size, p string) (SizedPath, bool) {
		n, err := strconv.ParseUint(size, 10, 63)
		return SizedPath{CleanLine(p), float64(n), ""}, err == nil && strings.HasPrefix(p, "/")
	})
}

// sizedPaths reads lines with a size and a path, of which nothing is cut off, and sorts them by size.
func sizedPaths(text []byte, source, sep string, row func(size, p string) (SizedPath, bool)) ([]SizedPath, error) {
	var out []SizedPath
	for line := range strings.Lines(string(text)) {
		size, p, found := strings.Cut(strings.TrimRight(line, "\r\n"), sep)
		if s, ok := row(size, p); ok && found {
			out = append(out, s)
		}
	}
	return rows(largestFirst(out, func(s SizedPath) float64 { return s.Size }), text, source)
}

// ParseFileTimes parses find -printf '%T@\n' or '%C@\n' (find(1)): seconds since 1970 with a fraction, which is
// dropped. With an error, it returns the times that it could read.
func ParseFileTimes(text []byte) ([]time.Time, error) {
	return allRows(text, "find", func(line string) (time.Time, bool) {
		whole, fraction, _ := strings.Cut(strings.TrimSpace(line), ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		return time.Unix(n, 0), err == nil && n > 0 && len(whole) <= 12 && (fraction == "" || isNumber(fraction))
	})
}

// JournalSizeProbe shows how much space the journal takes.
var JournalSizeProbe = Probe{"journalctl", "--disk-usage"}

var journalTakes = pattern(`take up ([\d.,]+[KMGTB]*) in`)

// ParseJournalSize parses journalctl --disk-usage (journalctl(1)): the bytes of all journals.
func ParseJournalSize(text []byte) (float64, error) {
	return sizeIn(journalTakes(), text, "journalctl")
}

// OldPackagesProbe shows what removing old packages from the cache would free.
var OldPackagesProbe = Probe{"paccache", "-dk2"}

var paccacheSaves = pattern(`disk space saved: ([\d.,]+ ?[KMGT]?i?B)`)

// ParseOldPackages parses paccache -d (paccache(8)): the bytes that it would free.
func ParseOldPackages(text []byte) (float64, error) {
	if bytes.Contains(text, []byte("no candidate packages")) {
		return 0, nil
	}
	return sizeIn(paccacheSaves(), text, "paccache")
}

func sizeIn(form *regexp.Regexp, text []byte, source string) (float64, error) {
	if m := form.FindSubmatch(text); m != nil {
		n, ok := ParseSize(string(m[1]))
		return readable(n, ok, source)
	}
	return 0, &UnreadableError{Source: source}
}
