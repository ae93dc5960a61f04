package approval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// StoredFor is how long an approval waits if no one could be asked.
const StoredFor = 24 * time.Hour

func (as *Approvals) path(code string) string {
	return filepath.Join(as.dir, filepath.Base(NormalCode(code))+".json")
}

// isTaken reports whether a code is in use or still in the history.
func (as *Approvals) isTaken(code string) bool {
	if as.byCode(code) != nil {
		return true
	}
	for _, s := range as.history.outcomes {
		if s.Code == code {
			return true
		}
	}
	for _, grants := range as.history.grants {
		for _, g := range grants {
			if g.code() == code {
				return true
			}
		}
	}
	_, err := os.Lstat(as.path(code))
	return err == nil
}

func (as *Approvals) write(r Record) error {
	data, err := as.encode(r)
	if err == nil {
		err = os.MkdirAll(as.dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(as.path(r.Ask.Code), journal.AddVersion(data), 0o600)
	}
	if err == nil {
		err = disk.SyncDir(as.dir)
	}
	if err != nil {
		return fmt.Errorf("cannot save the approval: %w", err)
	}
	return nil
}

// Stored returns a stored approval that has not expired, or [ErrNotWaiting].
func (as *Approvals) Stored(code string) (Record, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	r, err := as.read(as.path(code))
	if errors.Is(err, fs.ErrNotExist) {
		if err := as.damagedFile(code); err != nil {
			return Record{}, fmt.Errorf("cannot use the approval: %w", err)
		}
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!as.isOpen(r) || r.Withheld || !r.Ask.Expires.After(as.now())) {
		return Record{}, ErrNotWaiting
	}
	if err != nil {
		return Record{}, fmt.Errorf("cannot use the approval: %w", as.setAside(err))
	}
	return r, nil
}

// FindSame returns the code of a stored approval for exactly this plan in its conversation, or "".
func (as *Approvals) FindSame(j tools.JudgedPlan) (code string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	_ = as.each(func(_ string, r Record) error {
		same := r.Ask.Digest == j.Digest && r.Ask.Session == j.Session && r.Untrusted == (j.Call.Untrusted || j.Call.Mixed)
		if same && as.live[r.ID] == nil && r.Automation == "" && r.Ask.Expires.After(as.now()) && r.IsIntact() {
			code = r.Ask.Code
		}
		return nil
	})
	return code
}

// isOpen reports whether a record has no answer yet.
func (as *Approvals) isOpen(r Record) bool {
	_, used := as.history.used[r.ID]
	return !used
}

// AnswerStored answers a stored approval. Only one caller succeeds, the others get [ErrNotWaiting]. It fails with
// [ErrDigest] if the plan is not the one that was shown. It returns once the answer is on disk.
func (as *Approvals) AnswerStored(r Record, action string, answer ipc.Answer, by string) (tools.Decision, error) {
	d, err := parseDecision(r.Ask, action, answer)
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
	case now.ID != r.ID || !as.isOpen(now) || as.live[r.ID] != nil: // a live approval belongs to its turn
		return d, ErrNotWaiting
	case !now.IsIntact() || now.Ask.Digest != r.Ask.Digest:
		return d, ErrDigest
	case action == ipc.ActionAllowFamily && !as.canGrantFamily(r.Ask.Session, r.Ask.Family):
		return d, ErrNoFamily
	}
	d.By = by
	return d, as.recordOutcome(r, string(d.Action), by, answer.MessageID)
}

// read reads an approval's file. It accepts only a regular file in the directory: a link could point anywhere, and
// a pipe would block.
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
		return r, fmt.Errorf("%s is not a private regular file", file)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil {
		err = journal.CheckVersion(file, data)
	}
	if err != nil {
		return r, err
	}
	if len(data) > maxFile || json.Unmarshal(data, &r) != nil || r.ID == "" || as.path(r.Ask.Code) != file {
		return Record{}, &DamagedError{File: file}
	}
	return as.restore(r), nil
}

// maxFile bounds an approval's file, in bytes.
const maxFile = 16 << 20

// DamagedError reports an approval whose file cannot be read. Its plan never runs.
type DamagedError struct {
	File    string
	MovedTo string // where it was moved, "" if it was not
}

func (e *DamagedError) Error() string {
	if e.MovedTo == "" {
		return fmt.Sprintf("%s: cannot be read", e.File)
	}
	return fmt.Sprintf("%s: could not be read; it was moved to %s", e.File, filepath.Base(e.MovedTo))
}

// Code returns the approval's code, taken from the file's name.
func (e *DamagedError) Code() string { return strings.TrimSuffix(filepath.Base(e.File), ".json") }

// ID identifies the damage, so that it is reported once.
func (e *DamagedError) ID() string { return "damaged:" + filepath.Base(cmp.Or(e.MovedTo, e.File)) }

// asideMark separates an approval's code from the time at which its damaged file was moved.
const asideMark = ".damaged-"

// setAside renames a damaged file, which frees its code.
func (as *Approvals) setAside(err error) error {
	var d *DamagedError
	if !errors.As(err, &d) {
		return err
	}
	aside := strings.TrimSuffix(d.File, ".json") + asideMark + as.now().UTC().Format("20060102T150405")
	if os.Rename(d.File, aside) == nil {
		d.MovedTo = aside
	}
	return d
}

// Damaged returns a [DamagedError] for each approval whose file was moved aside and still exists.
func (as *Approvals) Damaged() []error {
	as.mu.Lock()
	defer as.mu.Unlock()
	var list []error
	_ = as.scan(func(string, Record) error { return nil }, func(err error) { list = append(list, err) })
	return list
}

// damagedFile returns an error for the damaged file of an approval, or nil.
func (as *Approvals) damagedFile(code string) error {
	file := as.path(code)
	found, _ := filepath.Glob(strings.TrimSuffix(file, ".json") + asideMark + "*")
	if len(found) == 0 {
		return nil
	}
	return &DamagedError{File: file, MovedTo: found[len(found)-1]}
}

// each calls visit for every record that waits and can be read, including live ones.
func (as *Approvals) each(visit func(file string, r Record) error) error {
	return as.scan(visit, func(error) {})
}

// scan is each, and calls wrong with the error of every other file.
func (as *Approvals) scan(visit func(file string, r Record) error, wrong func(error)) error {
	entries, err := os.ReadDir(as.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(as.dir, e.Name())
		if code, _, ok := strings.Cut(e.Name(), asideMark); ok {
			wrong(&DamagedError{File: as.path(code), MovedTo: file})
			continue
		}
		if filepath.Ext(file) != ".json" {
			continue
		}
		r, err := as.read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			wrong(as.setAside(err))
			continue
		}
		if !as.isOpen(r) {
			_ = os.Remove(file) // left by a crash after its answer
			continue
		}
		if err := visit(file, r); err != nil {
			return err
		}
	}
	return nil
}

// Expire ends the stored approvals whose time is over and returns them.
func (as *Approvals) Expire() ([]Record, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	var expired []Record
	err := as.each(func(_ string, r Record) error {
		if as.live[r.ID] != nil || r.Ask.Expires.After(as.now()) {
			return nil
		}
		expired = append(expired, r)
		return as.recordOutcome(r, Expired, "", "")
	})
	return expired, err
}

// DropTask ends the stored approvals of a task that restarts or is over. The task asks its own questions from now on,
// and a yes to an older question must not run the same plan a second time.
func (as *Approvals) DropTask(task string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.each(func(_ string, r Record) error {
		if as.live[r.ID] != nil || r.Task != task || !r.Ask.Expires.After(as.now()) {
			return nil
		}
		return as.recordOutcome(r, Cancelled, "", "")
	})
}

// NextExpiry returns when the next stored approval expires.
func (as *Approvals) NextExpiry() (at time.Time, ok bool) {
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
