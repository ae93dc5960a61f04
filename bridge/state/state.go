// Package state reads and writes a bridge's state file, and locks its directory. Status and doctor
// read the file even if neither the bridge nor the daemon runs.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/journal"
)

// Phase is the phase a bridge is in.
type Phase string

// The phases. From [NotLoggedIn] on, the bridge cannot continue without action by the person, and
// does not try. The exception is [DiskFull], from which it recovers automatically.
const (
	Starting   Phase = "starting"
	Connecting Phase = "connecting"
	Online     Phase = "online"
	Offline    Phase = "offline" // no network, or the server does not answer; it retries
	Limited    Phase = "limited" // the server asked for a pause until State.Until
	Stopped    Phase = "stopped" // regular end

	NotLoggedIn Phase = "not_logged_in" // no account yet
	LoggedOut   Phase = "logged_out"    // the phone ended the session, or the token is no longer valid
	Replaced    Phase = "replaced"      // another program has taken over the session
	Outdated    Phase = "outdated"      // the server rejects this version
	Banned      Phase = "banned"        // the server has locked the account
	Broken      Phase = "broken"        // the session data cannot be read
	DiskFull    Phase = "no_room"       // the disk is full
)

// NeedsPerson reports whether a bridge in this phase requires action by the person.
func (p Phase) NeedsPerson() bool {
	switch p {
	case NotLoggedIn, LoggedOut, Replaced, Outdated, Banned, Broken, DiskFull:
		return true
	}
	return false
}

// State is the content of the state file.
type State struct {
	Channel string    `json:"channel"`
	Phase   Phase     `json:"phase"`
	Since   time.Time `json:"since"`
	// Until is when a [Limited] bridge continues.
	Until time.Time `json:"until,omitzero"`
	// Account is the bridge's account on its channel: a number or a name.
	Account string `json:"account,omitempty"`
	// Detail is the server's message, for logs. It is not meant for display to people.
	Detail  string `json:"detail,omitempty"`
	Version string `json:"version,omitempty"`
	PID     int    `json:"pid,omitempty"`
	// Unsent and Untaken are the numbers of messages that wait for the channel's server and for the daemon.
	Unsent      int `json:"unsent,omitempty"`
	Undelivered int `json:"untaken,omitempty"`
	// Running is not saved. It reports that a process holds the directory's lock.
	Running bool `json:"-"`
}

// The files of a channel's directory.
const (
	fileName = "state.json"
	lockName = "lock"
	maxFile  = 64 << 10
)

// ErrRunning reports that another process runs this channel's bridge.
var ErrRunning = errors.New("a bridge of this channel is running already")

// Dir returns the channel's directory below home.
func Dir(home, channel string) string { return filepath.Join(home, channel) }

// Lock locks a directory for this process's bridge until the returned file is closed. It fails with
// [ErrRunning] if another process has locked it.
func Lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the bridge's directory: %w", err)
	}
	if err := disk.TryLock(f, disk.Exclusive); err != nil {
		f.Close()
		if errors.Is(err, disk.ErrLocked) {
			return nil, ErrRunning
		}
		return nil, fmt.Errorf("cannot lock the bridge's directory: %w", err)
	}
	return f, nil
}

// Write replaces the state file. It keeps a file of a newer version.
func Write(dir string, s State) error {
	var newer *journal.VersionError
	if _, err := Read(dir); errors.As(err, &newer) {
		return fmt.Errorf("cannot write the bridge's state: %w", err)
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, fileName), append(journal.AddVersion(data), '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot write the bridge's state: %w", err)
	}
	return nil
}

// Read reads the state file, and checks whether a bridge runs. It fails with fs.ErrNotExist if
// there is none. It does not follow symbolic links and limits the size.
func Read(dir string) (State, error) {
	var s State
	f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return s, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && (!fi.Mode().IsRegular() || fi.Size() > maxFile) {
		err = errors.New("not a state file")
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(f)
	}
	if err == nil {
		err = journal.CheckVersion(filepath.Join(dir, fileName), data)
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return State{}, fmt.Errorf("cannot read the bridge's state from %s: %w", dir, err)
	}
	s.Running = isLocked(dir)
	return s, nil
}

// isLocked reports whether a process holds the directory's lock.
func isLocked(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(disk.TryLock(f, disk.Shared), disk.ErrLocked)
}

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

// HasAccount reports whether a bridge of the channel is logged in: this one, or for WhatsApp another that keeps its
// session in the same directory.
func HasAccount(home string, c channel.Channel) bool {
	if dir := filepath.Dir(c.Login); dir != "." {
		entries, err := os.ReadDir(filepath.Join(Dir(home, c.Name), dir))
		return err == nil && len(entries) > 0
	}
	return LoggedIn(home, c)
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
