package machine

import "time"

// PackageChange is one line of pacman's log.
type PackageChange struct {
	At         time.Time
	Verb, Name string
	From, To   string
}

// pacmanLine matches "[2026-11-20T09:12:33+0900] [ALPM] upgraded linux (6.1 -> 6.2)".
var pacmanLine = pattern(`^\[([^\]]+)\] \[ALPM\] (installed|upgraded|removed|downgraded|reinstalled) (\S+) \((?:(\S+) -> )?([^)]*)\)$`)

// ParsePackageLog parses /var/log/pacman.log (libalpm, lib/libalpm/log.c). It skips other lines.
func ParsePackageLog(text []byte) ([]PackageChange, error) {
	var out []PackageChange
	for _, line := range Lines(text) {
		m := pacmanLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, layout := range []string{"2006-01-02T15:04:05-0700", "2006-01-02 15:04"} {
			if at, err := time.Parse(layout, m[1]); err == nil {
				out = append(out, PackageChange{At: at, Verb: m[2], Name: m[3], From: m[4], To: m[5]})
				break
			}
		}
	}
	return rows(out, text, "pacman.log")
}
