package systemd

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Zone is the time zone of the machine, read anew when it is another:
// [time.Local] is what it was when the process began.
type Zone struct {
	env  string // $TZ
	file string

	mu   sync.Mutex
	seen string // what the file was when it was read
	is   *time.Location
	name string
}

// NewZone returns the zone of this process: that of $TZ where it is set, else
// the system's, /etc/localtime.
func NewZone(getenv func(string) string) *Zone { return newZone(getenv, "/etc/localtime") }

func newZone(getenv func(string) string, file string) *Zone {
	return &Zone{env: strings.TrimPrefix(getenv("TZ"), ":"), file: file}
}

// Local returns the zone and its name ("Asia/Seoul"); one that cannot be read
// is UTC, one that has no name "Local". It looks at the file each time, which
// takes microseconds.
//
// Sources: localtime(5), tzset(3).
func (z *Zone) Local() (*time.Location, string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if seen := z.look(); z.is == nil || seen != z.seen {
		z.seen = seen
		z.is, z.name = z.read()
	}
	return z.is, z.name
}

// look returns what is another when the zone may be.
func (z *Zone) look() string {
	if z.env != "" {
		return z.env
	}
	link, _ := os.Readlink(z.file)
	fi, err := os.Stat(z.file)
	if err != nil {
		return link
	}
	return link + "\x00" + fi.ModTime().String()
}

func (z *Zone) read() (*time.Location, string) {
	switch {
	case filepath.IsAbs(z.env):
		return load(z.env)
	case z.env != "":
		if l, err := time.LoadLocation(z.env); err == nil {
			return l, z.env
		}
		return time.UTC, "UTC" // as package time does
	}
	return load(z.file)
}

// load reads a zone from a file, which is called by where it leads to.
func load(file string) (*time.Location, string) {
	data, err := os.ReadFile(file)
	if err != nil {
		return time.UTC, "UTC"
	}
	name := zoneName(file)
	l, err := time.LoadLocationFromTZData(name, data)
	if err != nil {
		return time.UTC, "UTC"
	}
	return l, name
}

// zoneName finds the name in a link's target, or in the end of a row of them.
func zoneName(file string) string {
	link, _ := os.Readlink(file)
	end, _ := filepath.EvalSymlinks(file)
	for _, target := range []string{file, link, end} {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok && name != "" {
			return name
		}
	}
	return "Local"
}
