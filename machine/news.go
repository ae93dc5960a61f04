package machine

import (
	"slices"
	"strings"
	"time"
)

// NewsItem is an announcement of Arch Linux.
type NewsItem struct {
	Date    string `json:"date"` // 2006-01-02
	Title   string `json:"title"`
	Address string `json:"address"`
}

var newsRow = pattern(`^\| *(\d{4}-\d\d-\d\d) *\| *\[(.+?)\]\((https://archlinux\.org/news/[^)\s]+)\)`)

// ParseArchNews parses the rows of the page https://archlinux.org/news/ as text: date, title and address, the latest first.
func ParseArchNews(text []byte) ([]NewsItem, error) {
	var out []NewsItem
	for _, line := range Lines(text) {
		if m := newsRow().FindStringSubmatch(line); m != nil {
			out = append(out, NewsItem{m[1], m[2], m[3]})
		}
	}
	return rows(out, text, "archlinux.org/news")
}

// NewsSince returns the items of the day of a time or later, all if it is zero.
func NewsSince(items []NewsItem, since time.Time) (out []NewsItem) {
	day := since.Format(time.DateOnly)
	for _, n := range items {
		if since.IsZero() || n.Date >= day {
			out = append(out, n)
		}
	}
	return out
}

// FullUpgradesProbe shows when updates of the whole system began, and which transactions were completed.
var FullUpgradesProbe = Probe{
	"grep", "-E", `\[PACMAN\] (Running|starting full system upgrade)|\[ALPM\] transaction completed`, "/var/log/pacman.log", "|", "tail", "-n", "400",
}

// ParseLastFullUpgrade parses [FullUpgradesProbe] (pacman, src/pacman/sync.c; libalpm, lib/libalpm/trans.c) and returns when the
// last update of the whole system was completed. One without a completed transaction does not count: it was given up, or there was
// nothing to do.
func ParseLastFullUpgrade(text []byte) (time.Time, error) {
	var last time.Time
	begun := false
	for _, line := range Lines(text) {
		switch {
		case strings.Contains(line, "[PACMAN] starting full system upgrade"):
			begun = true
		case strings.Contains(line, "[PACMAN] Running"):
			begun = false
		case begun && strings.Contains(line, "[ALPM] transaction completed"):
			if at, ok := logTime(line); ok {
				last, begun = at, false
			}
		}
	}
	return readable(last, !last.IsZero(), "pacman.log")
}

// ListsFetchedProbe shows whether pacman went on to an upgrade after it had last fetched the lists: it logs that only if every
// server sent what was asked for (pacman, src/pacman/sync.c).
var ListsFetchedProbe = Probe{
	"grep", "-E", `\[PACMAN\] (synchronizing package lists|starting full system upgrade)`, "/var/log/pacman.log", "|", "tail", "-n", "2",
}

// ParseListsFetched parses [ListsFetchedProbe] and returns when the lists were fetched, the zero time if they were not.
func ParseListsFetched(text []byte) (at time.Time, err error) {
	lines := Lines(text)
	if len(lines) == 2 && strings.Contains(lines[0], "synchronizing") && strings.Contains(lines[1], "starting") {
		at, _ = logTime(lines[0])
	}
	isOther := func(line string) bool { return !strings.Contains(line, "[PACMAN] ") }
	return readable(at, !slices.ContainsFunc(lines, isOther), "pacman.log")
}

// logTime returns the time of a line of pacman.log.
func logTime(line string) (time.Time, bool) {
	stamp, _, _ := strings.Cut(strings.TrimPrefix(line, "["), "]")
	for _, layout := range []string{"2006-01-02T15:04:05-0700", "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, stamp); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
