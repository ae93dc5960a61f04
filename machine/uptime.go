package machine

import (
	"strconv"
	"strings"
)

// UptimeProbe shows how long the machine has been running.
var UptimeProbe = Probe{"uptime"}

// Uptime is the output of uptime.
type Uptime struct {
	Days, Hours, Minutes int
	Load                 string // the averages of 1, 5 and 15 minutes, "" if they are missing
}

var uptimeForm = pattern(`up\s+(?:(\d+)\s+days?,\s*)?(?:(\d+):(\d\d)|(\d+)\s+min)?`)

// ParseUptime parses uptime(1): "09:12:33 up 3 days, 1:02, 1 user, load average: 0.52, 0.58, 0.59".
func ParseUptime(text []byte) (Uptime, error) {
	var u Uptime
	_, load, _ := strings.Cut(strings.Join(Lines(text), "\n"), "load average:")
	u.Load = strings.TrimSpace(load)
	f := uptimeForm().FindSubmatch(text)
	if f == nil {
		return u, &UnreadableError{Source: "uptime"}
	}
	ok := false
	for i, to := range []*int{&u.Days, &u.Hours, &u.Minutes, &u.Minutes} {
		if n, err := strconv.Atoi(string(f[i+1])); err == nil {
			*to, ok = n, true
		}
	}
	return readable(u, ok, "uptime")
}
