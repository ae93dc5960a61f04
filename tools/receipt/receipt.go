// Package receipt stores what approved changes did: the steps, how far each came, what its check showed and what became
// different. From it a change is reported, continued after a crash, and taken back.
//
// A receipt is on the disk before its first step runs, and each step before it runs and after it has ended.
package receipt

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/tools/file"
)

// KeptFor is how long receipts are kept, with the earlier texts of files and the cached packages that they name.
const KeptFor = 30 * 24 * time.Hour

// maxReceipts bounds how many receipts are kept; maxFile the bytes of a kept file.
const (
	maxReceipts = 1000
	maxFile     = 1 << 20
)

// Receipt is what one approved call did.
type Receipt struct {
	ID         string    `json:"id"`
	Task       string    `json:"task,omitempty"`
	Call       string    `json:"call,omitempty"`
	Session    string    `json:"session,omitempty"`
	Channel    string    `json:"channel,omitempty"`
	Automation string    `json:"automation,omitempty"`
	Began      time.Time `json:"began"`
	Goal       string    `json:"goal,omitempty"`
	TakesBack  string    `json:"takes_back,omitempty"` // the receipt that this change takes back
	Steps      []Step    `json:"steps"`
}

// Step is one command of a receipt.
type Step struct {
	ID      string        `json:"id,omitempty"`
	Command string        `json:"command"`
	Looks   bool          `json:"looks,omitempty"` // it only reads
	State   plan.State    `json:"state,omitempty"`
	Exit    int           `json:"exit,omitempty"`
	Why     string        `json:"why,omitempty"` // why it did not run or failed, a code
	Proofs  []plan.Proof  `json:"proofs,omitempty"`
	Effects []plan.Effect `json:"effects,omitempty"`
	// Before is the state before the step, while it runs: with it the next process reports what the step did.
	Before *Before `json:"before,omitempty"`
}

// Before is the state before a step ran.
type Before struct {
	Verb  *plan.Verb  `json:"verb,omitempty"` // nil if the command is not recognised
	Looks []plan.Look `json:"looks,omitempty"`
	// Kept is the digest of a file's text, Mode its permissions; Absent reports that there was no file.
	Kept   string `json:"kept,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Absent bool   `json:"absent,omitempty"`
	// Packages is the digest of the kept list of installed packages.
	Packages string `json:"packages,omitempty"`
	// Snapshot is snapper's number of the snapshot from before an upgrade.
	Snapshot string `json:"snapshot,omitempty"`
}

// Effects returns the differences that the steps made, in order.
func (r Receipt) Effects() (effects []plan.Effect) {
	for _, s := range r.Steps {
		effects = append(effects, s.Effects...)
	}
	return effects
}

// IsInterrupted reports whether a step was started and never ended: the program or the machine died.
func (r Receipt) IsInterrupted() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool { return s.State == plan.StepRunning })
}

// line is a line of the journal: a new receipt, or the new state of a step.
type line struct {
	Receipt *Receipt `json:"receipt,omitempty"`
	ID      string   `json:"id,omitempty"`
	Index   int      `json:"index,omitempty"`
	Step    *Step    `json:"step,omitempty"`
}

// Store has the receipts of one person. It is safe for concurrent use.
type Store struct {
	dir     string
	journal *journal.Journal
	now     func() time.Time

	mu sync.Mutex
}

// New returns the receipts in a directory, which is made for the first one.
func New(dir string, now func() time.Time) *Store {
	return &Store{dir: dir, journal: journal.New(filepath.Join(dir, "receipts.jsonl")), now: now}
}

// All returns the receipts, oldest first.
func (s *Store) All() ([]Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read()
}

func (s *Store) read() ([]Receipt, error) {
	var all []Receipt
	_, err := s.journal.Read(func(record []byte) error {
		var l line
		if err := json.Unmarshal(record, &l); err != nil {
			return err
		}
		if l.Receipt != nil {
			all = append(all, *l.Receipt)
			return nil
		}
		i := slices.IndexFunc(all, func(r Receipt) bool { return r.ID == l.ID })
		if l.Step == nil || i < 0 || l.Index < 0 || l.Index >= len(all[i].Steps) {
			return errors.New("a step without its receipt")
		}
		all[i].Steps[l.Index] = *l.Step
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the receipts: %w", err)
	}
	return all, nil
}

// Find returns a receipt by its id.
func (s *Store) Find(id string) (Receipt, bool, error) {
	all, err := s.All()
	if err != nil {
		return Receipt{}, false, err
	}
	i := slices.IndexFunc(all, func(r Receipt) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		return Receipt{}, false, nil
	}
	return all[i], true, nil
}

// Begin stores a receipt before its first step runs, and returns its id.
func (s *Store) Begin(r Receipt) (id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.read()
	if err != nil {
		return "", err
	}
	if err := s.forget(all); err != nil {
		return "", err
	}
	r.Began = s.now()
	r.ID = newID(func(id string) bool { return slices.ContainsFunc(all, func(r Receipt) bool { return r.ID == id }) })
	return r.ID, s.append(line{Receipt: &r})
}

// Update stores the state of a step.
func (s *Store) Update(id string, index int, step Step) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.append(line{ID: id, Index: index, Step: &step})
}

func (s *Store) append(l line) error {
	mark, err := s.journal.Append(l)
	if err == nil {
		err = s.journal.Sync(mark)
	}
	if err != nil {
		return fmt.Errorf("cannot save the receipt: %w", err)
	}
	return nil
}

// forget removes receipts that are too old or too many, and kept texts that are as old and that none needs.
func (s *Store) forget(all []Receipt) error {
	kept := slices.DeleteFunc(slices.Clone(all), func(r Receipt) bool { return s.now().Sub(r.Began) > KeptFor })
	if over := len(kept) - maxReceipts; over > 0 {
		kept = kept[over:]
	}
	records := make([]any, len(kept))
	needed := map[string]bool{}
	for i := range kept {
		records[i] = line{Receipt: &kept[i]}
		for _, e := range kept[i].Effects() {
			needed[e.Before], needed[e.After], needed[e.Files] = true, true, true
		}
	}
	if len(kept) < len(all) {
		if err := s.journal.Rewrite(records); err != nil {
			return err
		}
	}
	return s.sweep(needed)
}

// sweep removes kept texts that nothing needs, also of plans that were never approved. A text that is younger may belong
// to a plan that waits.
func (s *Store) sweep(needed map[string]bool) error {
	files, err := os.ReadDir(s.files())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range files {
		if fi, err := f.Info(); err == nil && !needed[f.Name()] && s.now().Sub(fi.ModTime()) > KeptFor {
			_ = os.Remove(filepath.Join(s.files(), f.Name())) // the next time removes it otherwise
		}
	}
	return nil
}

// letters are those of ids, which people type: without I, L, O and U (Crockford, Base32).
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newID returns an id that is not taken: "U" and four letters, so that it is not mistaken for an approval's code.
func newID(taken func(string) bool) string {
	b := make([]byte, 4)
	for {
		_, _ = rand.Read(b) // never fails, crypto/rand
		for i := range b {
			b[i] = letters[b[i]%32]
		}
		if id := "U" + string(b); !taken(id) {
			return id
		}
	}
}

func (s *Store) files() string { return filepath.Join(s.dir, "files") }

// Keep stores a text and returns its digest.
func (s *Store) Keep(text []byte) (digest string, err error) {
	if len(text) > maxFile {
		return "", fmt.Errorf("cannot keep %d bytes: at most %d are kept", len(text), maxFile)
	}
	digest = Digest(text)
	if s.Has(digest) {
		return digest, nil
	}
	if err := os.MkdirAll(s.files(), 0o700); err != nil {
		return "", fmt.Errorf("cannot keep a text: %w", err)
	}
	if err := renameio.WriteFile(s.Path(digest), text, 0o600); err != nil {
		return "", fmt.Errorf("cannot keep a text: %w", err)
	}
	return digest, nil
}

// Digest returns the digest of a text: SHA-256 in hexadecimal.
func Digest(text []byte) string { return file.Digest(text) }

// Path returns the file of a kept text.
func (s *Store) Path(digest string) string { return filepath.Join(s.files(), filepath.Base(digest)) }

// Has reports whether a text is kept and unchanged.
func (s *Store) Has(digest string) bool {
	data, err := os.ReadFile(s.Path(digest))
	return err == nil && Digest(data) == digest
}

// Pins returns the packages that receipts need in the cache, as NAME-VERSION.
func (s *Store) Pins() ([]string, error) {
	all, err := s.All()
	if err != nil {
		return nil, err
	}
	var pins []string
	for _, r := range all {
		for _, e := range r.Effects() {
			if e.Kind == plan.KindPackage && e.Before != "" && s.now().Sub(r.Began) <= KeptFor {
				pins = append(pins, e.Name+"-"+e.Before)
			}
		}
	}
	slices.Sort(pins)
	return slices.Compact(pins), nil
}

// Removed yields when changes removed a file, and where its text is kept, oldest first; nothing if the receipts cannot be read.
func (s *Store) Removed(file string) iter.Seq2[time.Time, string] {
	return func(yield func(time.Time, string) bool) {
		all, err := s.All()
		if err != nil {
			return
		}
		for _, r := range all {
			for _, e := range r.Effects() {
				removed := e.Kind == plan.KindFile && e.Name == file && e.After == "" && e.Before != ""
				if removed && s.Has(e.Before) && !yield(r.Began, s.Path(e.Before)) {
					return
				}
			}
		}
	}
}

// IsDone reports whether every step is done, as far as is known.
func (r Receipt) IsDone() bool {
	return !slices.ContainsFunc(r.Steps, func(s Step) bool { return !s.State.Allows() })
}

// HasChanges reports whether a step that can change something was started.
func (r Receipt) HasChanges() bool {
	return slices.ContainsFunc(r.Steps, func(s Step) bool {
		return !s.Looks && s.State != plan.StepWaiting && s.State != plan.StepSkipped
	})
}

// TakenBack returns the ids of the receipts whose changes were taken back, each with the receipt that did it.
func TakenBack(all []Receipt) map[string]string {
	ids := map[string]string{}
	for _, r := range all {
		if r.TakesBack != "" && r.IsDone() {
			ids[r.TakesBack] = r.ID
		}
	}
	return ids
}
