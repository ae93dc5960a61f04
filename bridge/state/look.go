package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// Status is the result of [Of].
type Status struct {
	Channel channel.Channel
	Dir     string
	// LoggedIn reports that the login file exists.
	LoggedIn bool
	State    State
	// Err is the error from reading the state.
	Err error
}

// LoggedIn reports whether the login file exists.
func LoggedIn(home string, c channel.Channel) bool {
	fi, err := os.Lstat(filepath.Join(Dir(home, c.Name), c.Login))
	return err == nil && fi.Mode().IsRegular()
}

// Of returns the state of a messenger's bridge, whether or not it runs.
func Of(home string, c channel.Channel) Status {
	s := Status{Channel: c, Dir: Dir(home, c.Name), LoggedIn: LoggedIn(home, c)}
	s.State, s.Err = Read(s.Dir)
	if errors.Is(s.Err, fs.ErrNotExist) {
		s.State, s.Err = State{Phase: Stopped, Running: isLocked(s.Dir)}, nil
	}
	s.State.Channel = c.Name
	return s
}

// Statuses returns the bridges that were ever set up below home, whether or not they run.
func Statuses(home string) []Status {
	var all []Status
	for _, c := range channel.WithBridge() {
		s := Of(home, c)
		if s.Err == nil && s.State.Since.IsZero() && !s.LoggedIn && !s.State.Running {
			continue
		}
		all = append(all, s)
	}
	return all
}

// NeedsPerson reports whether the person must act: the bridge's phase requires it, or there is no login.
func (s Status) NeedsPerson() bool {
	return s.Err == nil && (s.State.Phase.NeedsPerson() || !s.LoggedIn && !s.State.Running)
}

// Phase returns the current phase. If the bridge does not run, the last saved phase counts only if
// it requires the person.
func (s Status) Phase() Phase {
	switch {
	case s.Err != nil:
		return ""
	case s.State.Phase.NeedsPerson() || s.State.Running:
		return s.State.Phase
	case !s.LoggedIn:
		return NotLoggedIn
	}
	return Stopped
}

// Remedy returns the command that helps if the person must act or the bridge does not run. It is
// nil if none is needed, or none helps.
func (s Status) Remedy() []string { return remedy(s.Channel, s.Phase(), s.State.Running) }

// remedy returns the command that helps a bridge of a channel in a phase.
func remedy(c channel.Channel, p Phase, running bool) []string {
	login := []string{c.Program, "login"}
	switch p {
	case NotLoggedIn, Broken: // a login puts unreadable files aside
		return login
	case LoggedOut, Banned:
		if c.KeepsAccount {
			return append(login, "--again")
		}
		return login
	case Replaced: // the login stays valid; restart after the other program has ended
		return []string{"systemctl", "--user", "restart", c.Unit}
	case DiskFull:
		if running { // it continues once there is space
			return nil
		}
	case Stopped:
	default:
		return nil
	}
	return []string{"systemctl", "--user", "enable", "--now", c.Unit}
}
