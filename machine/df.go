package machine

import (
	"strconv"
	"strings"
)

var (
	// DFProbe shows how full the file systems are.
	DFProbe = Probe{"df", "-h"}
	// InodesProbe shows how many files the file systems can still hold.
	InodesProbe = Probe{"df", "-i"}
)

// Filesystem is a row of df. The sizes are as printed; [ParseSize] reads them.
type Filesystem struct {
	Source, Target        string
	Type                  string // "" if df did not print it
	Size, Used, Available string
	Percent               int // -1 if df does not know or did not print it
}

// ParseDF parses df's table (coreutils manual, section "df invocation"): the usual columns, with a header in any
// language, and those of --output=source,fstype, three figures and target. Source and target can contain blanks.
// With an error, it returns the rows that it could read.
func ParseDF(text []byte) ([]Filesystem, error) {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if len(lines) > 1 && !strings.Contains(lines[0], "%") {
		if _, ok := typedRow(lines[1]); ok {
			return parseTypedDF(lines[1:])
		}
	}
	var out []Filesystem
	var bad error
	carry := ""
	for i, line := range Lines(text) {
		f := strings.Fields(carry + " " + line)
		at := percentField(f)
		switch {
		case at >= 0:
			fs := Filesystem{
				Source:    strings.Join(f[:at-3], " "),
				Target:    strings.Join(f[at+1:], " "),
				Size:      f[at-3],
				Used:      f[at-2],
				Available: f[at-1],
				Percent:   -1,
			}
			if n, err := strconv.Atoi(strings.TrimSuffix(f[at], "%")); err == nil && n >= 0 && n <= 100 {
				fs.Percent = n
			}
			out = append(out, fs)
			carry = ""
		case len(f) == 1:
			carry = f[0] // a long device name, whose row continues on the next line
		default:
			carry = ""
			if i > 0 {
				bad = &UnreadableError{"df", line}
			}
		}
	}
	if len(out) == 0 {
		bad = &UnreadableError{Source: "df"}
	}
	return out, bad
}

// percentField finds the column with the share used: "45%" or "-", followed by an absolute mount point and
// preceded by device and three sizes.
func percentField(f []string) int {
	for i := 4; i < len(f)-1; i++ {
		_, err := strconv.Atoi(strings.TrimSuffix(f[i], "%"))
		if (strings.HasSuffix(f[i], "%") && err == nil || f[i] == "-") && strings.HasPrefix(f[i+1], "/") {
			return i
		}
	}
	return -1
}

func parseTypedDF(lines []string) ([]Filesystem, error) {
	var out []Filesystem
	for _, line := range lines {
		fs, ok := typedRow(line)
		if !ok {
			return out, &UnreadableError{"df", line}
		}
		out = append(out, fs)
	}
	return out, nil
}

// typedRow parses a row with a type. The type comes before three figures, of which "-" is a missing one.
func typedRow(line string) (Filesystem, bool) {
	f := strings.Fields(line)
	isFigure := func(w string) bool { return w == "-" || isNumber(w) }
	for i := 1; i+4 < len(f); i++ {
		if isFigure(f[i+1]) && isFigure(f[i+2]) && isFigure(f[i+3]) {
			target := lastColumn(line, i+4)
			return Filesystem{
				Source:    strings.Join(f[:i], " "),
				Target:    target,
				Type:      f[i],
				Size:      f[i+1],
				Used:      f[i+2],
				Available: f[i+3],
				Percent:   -1,
			}, strings.HasPrefix(target, "/")
		}
	}
	return Filesystem{}, false
}

// lastColumn returns the rest of a line after that many words, with its spaces.
func lastColumn(line string, skip int) string {
	for range skip {
		line = strings.TrimLeft(line, " ")
		if i := strings.IndexByte(line, ' '); i >= 0 {
			line = line[i:]
		}
	}
	return strings.TrimLeft(line, " ")
}
