package life

import (
	"context"
	"os"
	"time"
)

// ReplacedExitDelay is the idle limit of a daemon whose program was replaced. A package manager has unpacked
// everything by then.
const ReplacedExitDelay = 3 * time.Second

// Program is the state of a program's file when it was first looked at.
type Program struct {
	path string
	was  os.FileInfo // nil if it could not be read
}

// NewProgram returns the current state of the file at a path.
func NewProgram(path string) Program {
	was, err := os.Stat(path)
	if err != nil {
		return Program{path: path}
	}
	return Program{path, was}
}

// Path returns the program's path.
func (p Program) Path() string { return p.path }

// Replaced reports whether another executable has taken the file's path. A file that was deleted or restored does
// not count, since no new daemon could start from it.
func (p Program) Replaced() bool {
	now, err := os.Stat(p.path)
	return err == nil && p.was != nil && now.Mode().IsRegular() && now.Mode()&0o111 != 0 && !os.SameFile(now, p.was)
}

// ExitWhenReplaced makes the daemon exit when it is idle after its program was replaced, as by an upgrade, so that the
// next client starts the new one. Running work ends first, and no client is cut off. A daemon without an idle
// limit, such as one that a person runs, stays and only reports the change. changes signals that the program's
// directory may have changed. It returns when ctx ends.
func (l *Life) ExitWhenReplaced(ctx context.Context, changes <-chan struct{}, program Program) {
	for {
		if replaced := program.Replaced(); l.Exit.Replaced.Swap(replaced) != replaced {
			l.log.Info().Bool("replaced", replaced).Msg("program file changed")
			leave := l.Idle.Begin(ActivityTask) // restarts the idle time
			l.Idle.setLimit(l.Exit.limit())
			leave()
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
			WaitUntilQuiet(ctx, changes)
		}
	}
}
