package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// KeptFor is how long an approval waits that nobody could be asked about.
const KeptFor = 24 * time.Hour

func (as *Approvals) path(code string) string {
	return filepath.Join(as.dir, filepath.Base(NormalCode(code))+".json")
}

// taken reports whether a code is in use, or was until lately.
func (as *Approvals) taken(code string) bool {
	if as.byCode(code) != nil {
		return true
	}
	for _, s := range as.book.settled {
		if s.Code == code {
			return true
		}
	}
	_, err := os.Lstat(as.path(code))
	return err == nil
}

func (as *Approvals) write(r Record) error {
	data, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(as.dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(as.path(r.Ask.Code), data, 0o600)
	}
	if err == nil {
		err = syncDir(as.dir)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the approval: %w", err)
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// Kept returns a kept approval that has not expired. It fails with
// [ErrNotWaiting] when there is none.
func (as *Approvals) Kept(code string) (Record, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	r, err := as.read(as.path(code))
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!as.waits(r) || !r.Ask.Expires.After(as.now())) {
		return Record{}, ErrNotWaiting
	}
	if err != nil {
		return Record{}, fmt.Errorf("cannot use the approval: %w", err)
	}
	return r, nil
}

// waits reports whether a file is that of an approval nobody has answered.
func (as *Approvals) waits(r Record) bool {
	_, used := as.book.used[r.ID]
	return !used
}

// Use answers a kept approval: only one caller succeeds, the others get
// [ErrNotWaiting]. It returns when the answer is on the disk. The plan must
// still be what was shown.
func (as *Approvals) Use(r Record, action string, answer ipc.Answer, by string) (tools.Decision, error) {
	d, err := decision(r.Ask, action, answer)
	if err != nil {
		return d, err
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	now, err := as.read(as.path(r.Ask.Code))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d, ErrNotWaiting
	case err != nil:
		return d, fmt.Errorf("cannot use the approval: %w", err)
	case now.ID != r.ID || !as.waits(now) || as.live[r.ID] != nil: // a turn waits for its answer
		return d, ErrNotWaiting
	case !now.Intact() || now.Ask.Digest != r.Ask.Digest:
		return d, ErrDigest
	}
	d.By = by
	return d, as.settle(r, string(d.Action), by, answer.Letter)
}

// read reads an approval's file. It must be a plain file of the directory: a
// link could lead anywhere, a pipe would wait for ever.
func (as *Approvals) read(file string) (Record, error) {
	var r Record
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return r, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return r, err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !fi.Mode().IsRegular() || fi.Mode().Perm()&0o077 != 0 || ok && int(st.Uid) != os.Getuid() {
		return r, fmt.Errorf("%s is not a file of ours alone", file)
	}
	err = json.NewDecoder(f).Decode(&r)
	return r, err
}

// each calls visit with every record that waits and can be read, live ones
// included, and returns why others cannot.
func (as *Approvals) each(visit func(file string, r Record) error) error {
	entries, err := os.ReadDir(as.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(as.dir, e.Name())
		if filepath.Ext(file) != ".json" {
			continue
		}
		r, err := as.read(file)
		if err != nil {
			continue
		}
		if !as.waits(r) {
			_ = os.Remove(file) // a crash came between its answer and this
			continue
		}
		if err := visit(file, r); err != nil {
			return err
		}
	}
	return nil
}

// Expire ends the kept approvals whose time is over and returns them.
func (as *Approvals) Expire() ([]Record, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	var expired []Record
	err := as.each(func(_ string, r Record) error {
		if as.live[r.ID] != nil || r.Ask.Expires.After(as.now()) {
			return nil
		}
		expired = append(expired, r)
		return as.settle(r, Expired, "", "")
	})
	return expired, err
}

// Drop ends the kept approvals of a task that is started anew or over: what it
// asks from now on it asks itself, and a yes to an older question must not run
// the same thing beside it.
func (as *Approvals) Drop(task string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.each(func(_ string, r Record) error {
		if as.live[r.ID] != nil || r.Task != task || !r.Ask.Expires.After(as.now()) {
			return nil
		}
		return as.settle(r, Cancelled, "", "")
	})
}

// Next returns when the next kept approval expires.
func (as *Approvals) Next() (at time.Time, ok bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	_ = as.each(func(_ string, r Record) error {
		if as.live[r.ID] == nil && (!ok || r.Ask.Expires.Before(at)) {
			at, ok = r.Ask.Expires, true
		}
		return nil
	})
	return at, ok
}
