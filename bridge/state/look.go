package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Channel is a messenger for which there is a bridge.
type Channel struct {
	Name    string // as in ipc.Bridged
	Title   string // as people call it
	Program string
	Unit    string
	// Login is the file below the channel's own directory that a login leaves and a
	// log-out takes away: the unit starts where it is.
	Login string
	// Keeps reports that a login leaves an account alone that is linked already, also
	// where the server has ended that.
	Keeps bool
}

// Channels are the messengers, in the order in which they are told.
func Channels() []Channel {
	return []Channel{
		{"whatsapp", "WhatsApp", "blunux-wa-bridge", "blunux-wa-bridge.service", "session/store.db", true},
		{"telegram", "Telegram", "blunux-telegram-bridge", "blunux-telegram-bridge.service", "token", false},
	}
}

// Of returns a messenger by its name.
func Of(name string) (Channel, bool) {
	for _, c := range Channels() {
		if c.Name == name {
			return c, true
		}
	}
	return Channel{}, false
}

// Seen is how a messenger's bridge was found.
type Seen struct {
	Channel Channel
	Dir     string
	// LoggedIn reports that there is what a login leaves.
	LoggedIn bool
	State    State
	// Err is why its state cannot be told.
	Err error
}

// LoggedIn reports whether there is what a login leaves.
func (c Channel) LoggedIn(home string) bool {
	fi, err := os.Lstat(filepath.Join(Dir(home, c.Name), c.Login))
	return err == nil && fi.Mode().IsRegular()
}

// Look returns how a messenger's bridge stands, whether it runs or not.
func (c Channel) Look(home string) Seen {
	s := Seen{Channel: c, Dir: Dir(home, c.Name), LoggedIn: c.LoggedIn(home)}
	s.State, s.Err = Read(s.Dir)
	if errors.Is(s.Err, fs.ErrNotExist) {
		s.State, s.Err = State{Phase: Stopped, Running: held(s.Dir)}, nil
	}
	s.State.Channel = c.Name
	return s
}

// Look returns the bridges that were ever set up below the files of blunux-ai,
// whether they run or not.
func Look(home string) []Seen {
	var all []Seen
	for _, c := range Channels() {
		s := c.Look(home)
		if s.Err == nil && s.State.Since.IsZero() && !s.LoggedIn && !s.State.Running {
			continue
		}
		all = append(all, s)
	}
	return all
}

// Halted reports that nothing goes on without the person: the bridge has said so,
// or there is no login.
func (s Seen) Halted() bool {
	return s.Err == nil && (s.State.Phase.NeedsPerson() || !s.LoggedIn && !s.State.Running)
}

// Phase is where the bridge is now: one that does not run any more is no phase of
// work, whatever it said last.
func (s Seen) Phase() Phase {
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

// Remedy is the one command that helps a bridge that waits for the person, or that
// does not run; nil where nothing is to be done, or no command does it.
func (s Seen) Remedy() []string { return s.Channel.Remedy(s.Phase(), s.State.Running) }

// Remedy is the one command that helps a bridge of this channel in a phase.
func (c Channel) Remedy(p Phase, running bool) []string {
	login := []string{c.Program, "login"}
	switch p {
	case NotLoggedIn, Broken: // a login puts aside what cannot be read
		return login
	case LoggedOut, Banned:
		if c.Keeps {
			return append(login, "--again")
		}
		return login
	case Replaced: // the login is good, once the other program is gone
		return []string{"systemctl", "--user", "restart", c.Unit}
	case NoRoom:
		if running { // it goes on by itself when there is room
			return nil
		}
	case Stopped:
	default:
		return nil
	}
	return []string{"systemctl", "--user", "enable", "--now", c.Unit}
}
