package systemd

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Zone is the machine's time zone. It is loaded again when it changes, unlike [time.Local], which stays as it was
// when the process started.
type Zone struct {
	env  string // $TZ
	file string

	mu       sync.Mutex
	stamp    string // state of the file when it was loaded
	location *time.Location
	name     string
}

// NewZone returns the zone of this process: that of $TZ if set, else the system's, /etc/localtime.
func NewZone(getenv func(string) string) *Zone { return newZone(getenv, "/etc/localtime") }

func newZone(getenv func(string) string, file string) *Zone {
	return &Zone{env: strings.TrimPrefix(getenv("TZ"), ":"), file: file}
}

// Local returns the zone and its name ("Asia/Seoul"). An unreadable zone is UTC, and a zone without a name is
// "Local". Each call checks the file, which takes microseconds.
//
// Sources: localtime(5), tzset(3).
func (z *Zone) Local() (*time.Location, string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if seen := z.fileStamp(); z.location == nil || seen != z.stamp {
		z.stamp = seen
		z.location, z.name = z.read()
	}
	return z.location, z.name
}

// fileStamp returns a value that changes when the zone may have changed.
func (z *Zone) fileStamp() string {
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
		return loadZone(z.env)
	case z.env != "":
		if l, err := time.LoadLocation(z.env); err == nil {
			return l, z.env
		}
		return time.UTC, "UTC" // like package time
	}
	return loadZone(z.file)
}

// loadZone loads a zone from a file and derives its name from the path.
func loadZone(file string) (*time.Location, string) {
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

// zoneName finds the name in the file's path, in a link's target, or in the end of a chain of links.
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
