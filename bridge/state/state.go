// Package state is what a bridge says of itself, in a file of its own directory,
// so that status and doctor can tell it also when neither the bridge nor the
// daemon runs.
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

	"github.com/nidoit/blunux-ai/journal"
)

// Phase is where a bridge is.
type Phase string

// The phases. From [NotLoggedIn] on nothing goes on without the person, and the
// bridge does not try; but [NoRoom], which it finds out itself is over.
const (
	Starting   Phase = "starting"
	Connecting Phase = "connecting"
	Online     Phase = "online"
	Offline    Phase = "offline" // no network, or the server does not answer: it tries on
	Limited    Phase = "limited" // the server asks for a pause, until Until
	Stopped    Phase = "stopped" // in order

	NotLoggedIn Phase = "not_logged_in" // no account yet
	LoggedOut   Phase = "logged_out"    // the phone ended it, or the token is not valid any more
	Replaced    Phase = "replaced"      // another program has taken the session over
	Outdated    Phase = "outdated"      // the server takes this version no more
	Banned      Phase = "banned"        // the account is locked by the server
	Broken      Phase = "broken"        // what is kept of the session cannot be read
	NoRoom      Phase = "no_room"       // the disk is full
)

// NeedsPerson reports whether a bridge in this phase waits for the person.
func (p Phase) NeedsPerson() bool {
	switch p {
	case NotLoggedIn, LoggedOut, Replaced, Outdated, Banned, Broken, NoRoom:
		return true
	}
	return false
}

// State is the file.
type State struct {
	Channel string    `json:"channel"`
	Phase   Phase     `json:"phase"`
	Since   time.Time `json:"since"`
	// Until is when a [Limited] bridge goes on.
	Until time.Time `json:"until,omitzero"`
	// Account is who the bridge is on its channel: a number, a name.
	Account string `json:"account,omitempty"`
	// Detail is what the server said, for a log; no sentence for people.
	Detail  string `json:"detail,omitempty"`
	Version string `json:"version,omitempty"`
	PID     int    `json:"pid,omitempty"`
	// Unsent and Untaken are how many messages wait for the channel's server, and
	// for the daemon.
	Unsent  int `json:"unsent,omitempty"`
	Untaken int `json:"untaken,omitempty"`
	// Running is not in the file: a process holds the directory's lock.
	Running bool `json:"-"`
}

// The files of a channel's own directory.
const (
	fileName = "state.json"
	lockName = "lock"
	maxFile  = 64 << 10
)

// ErrRunning reports that another process is this channel's bridge.
var ErrRunning = errors.New("a bridge of this channel is running already")

// Dir is the channel's own directory below the files of blunux-ai.
func Dir(home, channel string) string { return filepath.Join(home, channel) }

// Hold makes this process the bridge of a directory, until the file it returns is
// closed: [ErrRunning].
func Hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot lock the bridge's directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrRunning
		}
		return nil, fmt.Errorf("cannot lock the bridge's directory: %w", err)
	}
	return f, nil
}

// Write replaces the file.
func Write(dir string, s State) error {
	var newer *journal.VersionError
	if _, err := Read(dir); errors.As(err, &newer) {
		return fmt.Errorf("cannot write the bridge's state: %w", err)
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = renameio.WriteFile(filepath.Join(dir, fileName), append(journal.Stamp(data), '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot write the bridge's state: %w", err)
	}
	return nil
}

// Read reads the file, and whether a bridge runs. Where there is none it is an
// fs.ErrNotExist. It does not follow a link and reads no more than a state has.
func Read(dir string) (State, error) {
	var s State
	f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return s, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && (!fi.Mode().IsRegular() || fi.Size() > maxFile) {
		err = errors.New("it is not a file of ours")
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
	s.Running = held(dir)
	return s, nil
}

// held reports whether a process holds the directory's lock.
func held(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return false
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	return errors.Is(err, syscall.EWOULDBLOCK)
}
