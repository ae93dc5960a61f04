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
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// parkedFor is how long an approval that nobody could be asked about waits.
const parkedFor = 24 * time.Hour

// parked are approvals whose turn went on without them, because nobody could
// be asked. Each is a file with the whole plan; it survives the daemon and is
// used once.
type parked struct {
	dir string
	mu  sync.Mutex
}

// parkedPlan is an approval's file.
type parkedPlan struct {
	Ask  ipc.Ask    `json:"ask"`
	Call tools.Call `json:"call"`
	Plan tools.Plan `json:"plan"`
}

func newParked(dir string) *parked { return &parked{dir: dir} }

func (p *parked) path(code string) string {
	return filepath.Join(p.dir, filepath.Base(normalCode(code))+".json")
}

// taken reports whether a code is in use.
func (p *parked) taken(code string) bool {
	_, err := os.Lstat(p.path(code))
	return err == nil
}

// put parks a plan and returns when it is on the disk.
func (p *parked) put(plan parkedPlan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	data, err := json.Marshal(plan)
	if err == nil {
		err = os.MkdirAll(p.dir, 0o700)
	}
	if err == nil {
		err = renameio.WriteFile(p.path(plan.Ask.Code), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the approval: %w", err)
	}
	return nil
}

// judged is the plan as the gate runs it.
func (p parkedPlan) judged() tools.Judged {
	return tools.Judged{Call: p.Call, Plan: p.Plan, Session: p.Ask.Session}
}

// judgedBy is the plan with who decided on it, for the record.
func (p parkedPlan) judgedBy(who string) tools.Judged {
	j := p.judged()
	j.Origin.Channel, j.By = p.Ask.Channel, who
	return j
}

// get returns a parked plan that has not expired. It fails with errNotWaiting
// when there is none.
func (p *parked) get(code string) (parkedPlan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plan, err := p.read(p.path(code))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !plan.Ask.Expires.After(time.Now()) {
		return parkedPlan{}, errNotWaiting
	}
	if err != nil {
		return parkedPlan{}, fmt.Errorf("cannot use the approval: %w", err)
	}
	return plan, nil
}

// remove uses up a parked plan: only one caller succeeds, the others get
// errNotWaiting.
func (p *parked) remove(code string) error {
	err := os.Remove(p.path(code))
	if errors.Is(err, fs.ErrNotExist) {
		return errNotWaiting
	}
	if err != nil {
		return fmt.Errorf("cannot use the approval: %w", err)
	}
	return nil
}

// read reads a parked plan's file. It must be a plain file of the directory: a
// link could lead anywhere, a pipe would wait for ever.
func (p *parked) read(file string) (parkedPlan, error) {
	var plan parkedPlan
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return plan, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return plan, err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !fi.Mode().IsRegular() || fi.Mode().Perm()&0o077 != 0 || ok && int(st.Uid) != os.Getuid() {
		return plan, fmt.Errorf("%s is not a file of ours alone", file)
	}
	err = json.NewDecoder(f).Decode(&plan)
	return plan, err
}

// each calls visit with every plan that can be read.
func (p *parked) each(visit func(file string, plan parkedPlan) error) error {
	entries, err := os.ReadDir(p.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(p.dir, e.Name())
		if filepath.Ext(file) != ".json" {
			continue
		}
		if plan, err := p.read(file); err == nil {
			if err := visit(file, plan); err != nil {
				return err
			}
		}
	}
	return nil
}

// list returns what is parked and has not expired.
func (p *parked) list(now time.Time) ([]ipc.Ask, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var asks []ipc.Ask
	err := p.each(func(_ string, plan parkedPlan) error {
		if plan.Ask.Expires.After(now) {
			plan.Ask.Command = plan.judged().Command() // what would run, whatever the file says beside it
			asks = append(asks, plan.Ask)
		}
		return nil
	})
	return asks, err
}

// expire removes what has expired and returns it.
func (p *parked) expire(now time.Time) ([]parkedPlan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var expired []parkedPlan
	err := p.each(func(file string, plan parkedPlan) error {
		if plan.Ask.Expires.After(now) {
			return nil
		}
		expired = append(expired, plan)
		return os.Remove(file)
	})
	return expired, err
}
