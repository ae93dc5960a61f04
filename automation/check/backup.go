package check

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/machine"
)

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
