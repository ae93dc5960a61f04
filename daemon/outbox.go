package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/ipc"
)

// perPoll is how many notifications one poll takes (original protocol).
const perPoll = 10

// maxOutbox bounds what waits; beyond it the oldest is dropped and counted.
const maxOutbox = 1000

// outbox keeps texts for peers that poll, on the disk, in order.
type outbox struct {
	file string
	mu   sync.Mutex
}

// outboxFile is the outbox on the disk.
type outboxFile struct {
	Waiting []ipc.Notification `json:"waiting"`
	Dropped int                `json:"dropped,omitempty"`
}

func newOutbox(dir string) *outbox { return &outbox{file: filepath.Join(dir, "notifications.json")} }

// put adds a notification and returns when it is on the disk.
func (o *outbox) put(n ipc.Notification) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	box, err := o.read()
	if err != nil {
		return err
	}
	box.Waiting = append(box.Waiting, n)
	if over := len(box.Waiting) - maxOutbox; over > 0 {
		box.Waiting = box.Waiting[over:]
		box.Dropped += over
	}
	return o.write(box)
}

// take gives the oldest notifications to deliver and removes them once that
// worked; when it fails they stay.
func (o *outbox) take(deliver func([]ipc.Notification) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	box, err := o.read()
	if err != nil {
		return errors.Join(err, deliver([]ipc.Notification{}))
	}
	n := min(len(box.Waiting), perPoll)
	if err := deliver(append([]ipc.Notification{}, box.Waiting[:n]...)); err != nil || n == 0 {
		return err
	}
	box.Waiting = box.Waiting[n:]
	return o.write(box)
}

// list returns what waits.
func (o *outbox) list() ([]ipc.Notification, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	box, err := o.read()
	return box.Waiting, err
}

func (o *outbox) read() (outboxFile, error) {
	box := outboxFile{Waiting: []ipc.Notification{}}
	f, err := os.OpenFile(o.file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return box, nil
	}
	if err != nil {
		return box, fmt.Errorf("cannot read the outbox: %w", err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return box, errors.Join(err, errors.New("cannot read the outbox: it is not a regular file"))
	}
	if err := json.NewDecoder(f).Decode(&box); err != nil {
		// What cannot be read is set aside for a person to look at; new
		// notifications must not be lost with it.
		aside := o.file + ".unreadable"
		return outboxFile{Waiting: []ipc.Notification{}}, os.Rename(o.file, aside)
	}
	return box, nil
}

func (o *outbox) write(box outboxFile) error {
	data, err := json.Marshal(box)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(o.file), 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(o.file, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot write the outbox: %w", err)
	}
	return nil
}
