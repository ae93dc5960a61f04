package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/internal/disk"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// The states of a [TaskResponse].
const (
	statusSuccess = "success"
	statusError   = "error"
	statusPending = "pending"
)

const (
	// maxEntries bounds the messages that are remembered, keepFor how long, and maxTexts their answers in bytes.
	maxEntries = 1000
	keepFor    = 7 * 24 * time.Hour
	maxTexts   = 8 << 20
	// maxLedger is the size in bytes from which the file is rewritten, if most of it is obsolete.
	maxLedger = 1 << 20
)

// entry is a message of a client, from when the daemon has it, and its answer.
type entry struct {
	Token   string    `json:"token"` // its name
	ID      string    `json:"id"`    // the client's
	Digest  string    `json:"digest,omitempty"`
	Task    string    `json:"task"`
	Agent   string    `json:"agent"`
	Channel string    `json:"channel"`
	User    string    `json:"user"`
	Created time.Time `json:"created"`
	Status  string    `json:"status"`
	Text    string    `json:"text,omitempty"`
	Code    string    `json:"code,omitempty"` // of an error
	// Late reports that no request waits for the answer.
	Late bool `json:"late,omitempty"`
	// Delivered reports that a client of the token got the notification.
	Delivered bool `json:"delivered,omitempty"`
	// Dropped reports that the answer was too old to keep.
	Dropped bool `json:"dropped,omitempty"`
}

// entryKey identifies an entry.
type entryKey struct{ token, id string }

func (e entry) key() entryKey { return entryKey{e.Token, e.ID} }

// ledger remembers the messages that were served and their answers, on disk. It is safe for concurrent use.
type ledger struct {
	journal *journal.Journal
	lock    *os.File
	now     func() time.Time

	mu        sync.Mutex
	all       map[entryKey]entry
	texts     int // bytes of answers
	rewritten int64
}

// ErrRunning reports that another gateway uses the directory.
var ErrRunning = errors.New("another gateway is running")

// openLedger reads the ledger of a directory and locks it against other gateways.
func openLedger(dir string, now func() time.Time) (*ledger, []journal.Damage, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("cannot create the gateway's directory: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot lock the gateway's directory: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), askTime, ErrRunning)
	defer cancel()
	if err := disk.WaitLock(ctx, lock, askTime/10); err != nil {
		lock.Close()
		if errors.Is(err, ErrRunning) {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("cannot lock the gateway's directory: %w", err)
	}
	if err := writePID(lock); err != nil {
		lock.Close()
		return nil, nil, fmt.Errorf("cannot write the gateway's lock: %w", err)
	}
	l := &ledger{journal: journal.New(filepath.Join(dir, "served.jsonl")), lock: lock, now: now, all: map[entryKey]entry{}}
	damage, err := l.journal.Read(func(line []byte) error {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		l.put(e)
		return nil
	})
	if err != nil {
		l.close()
		return nil, nil, err
	}
	l.prune()
	l.rewritten = l.journal.Size()
	return l, damage, nil
}

// askTime is how long a gateway waits for the lock: [Running] holds it for a moment, a gateway for as long as it runs.
const askTime = 200 * time.Millisecond

// IsRunning reports whether a gateway uses the directory.
func IsRunning(dir string) bool {
	_, ok := Running(dir)
	return ok
}

// Running returns the process of the gateway that uses the directory, 0 while it starts or ends. ok is false without one.
func Running(dir string) (pid int, ok bool) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	if !errors.Is(disk.TryLock(f, disk.Exclusive), disk.ErrLocked) {
		return 0, false
	}
	text, _ := io.ReadAll(io.LimitReader(f, 20)) // an error reads as no number
	pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	return pid, true
}

// writePID writes this process into a lock.
func writePID(lock *os.File) error {
	err := lock.Truncate(0)
	if err == nil {
		_, err = lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return err
}

func (l *ledger) close() {
	l.journal.Close()
	_ = l.lock.Truncate(0) // the next gateway, which writes its own, is not taken for this process
	l.lock.Close()
}

// get returns an entry.
func (l *ledger) get(key entryKey) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.all[key]
	return e, ok
}

// byTask returns the entry of a task.
func (l *ledger) byTask(task string) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.all {
		if e.Task == task && task != "" {
			return e, true
		}
	}
	return entry{}, false
}

// pending returns the entries without an answer.
func (l *ledger) pending() []entry {
	return l.find(func(e entry) bool { return e.Status == statusPending })
}

// undelivered returns the answers that no client of a token got, the oldest first.
func (l *ledger) undelivered(token string) []entry {
	return l.find(func(e entry) bool { return e.Token == token && e.Status != statusPending && !e.Delivered && !e.Dropped })
}

func (l *ledger) find(wanted func(entry) bool) []entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []entry
	for _, e := range l.all {
		if wanted(e) {
			found = append(found, e)
		}
	}
	sorting.By(found, compareEntries)
	return found
}

func compareEntries(a, b entry) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Token, b.Token), cmp.Compare(a.ID, b.ID))
}

// accept remembers a message that the daemon has. A power cut may lose that: the daemon knows the message by its id.
func (l *ledger) accept(e entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, ok := l.all[e.key()]; ok && old.Status != statusPending {
		return nil
	}
	return l.save(e, false)
}

// settle stores an answer, and returns once it is on disk. It reports whether the entry had none.
func (l *ledger) settle(e entry) (first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old, ok := l.all[e.key()]; ok && old.Status != statusPending {
		return false, nil
	}
	return true, l.save(e, true)
}

// markDelivered records that a client got an answer. If a power cut loses that, the client gets it twice.
func (l *ledger) markDelivered(key entryKey) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.all[key]
	if !ok || e.Delivered {
		return nil
	}
	e.Delivered = true
	return l.save(e, false)
}

// save appends an entry to the journal. The caller holds mu. An entry that cannot be written is still remembered until
// the end of the program.
func (l *ledger) save(e entry, sync bool) error {
	l.put(e)
	l.prune()
	at, err := l.journal.Append(e)
	if err == nil && sync {
		err = l.journal.Sync(at)
	}
	if err != nil {
		return fmt.Errorf("cannot save the answer: %w", err)
	}
	if size := l.journal.Size(); size >= maxLedger && size >= 2*l.rewritten {
		l.rewrite()
	}
	return nil
}

func (l *ledger) put(e entry) {
	l.texts += len(e.Text) - len(l.all[e.key()].Text)
	l.all[e.key()] = e
}

// prune forgets the oldest entries, and the oldest answers, beyond the bounds.
func (l *ledger) prune() {
	oldest := l.now().Add(-keepFor)
	if len(l.all) <= maxEntries && l.texts <= maxTexts && !l.hasOlder(oldest) {
		return
	}
	list := make([]entry, 0, len(l.all))
	for _, e := range l.all {
		list = append(list, e)
	}
	sorting.By(list, compareEntries)
	for _, e := range list {
		switch {
		case len(l.all) > maxEntries || e.Created.Before(oldest):
			l.texts -= len(e.Text)
			delete(l.all, e.key())
		case l.texts > maxTexts && e.Text != "":
			e.Text, e.Dropped = "", true
			l.put(e)
		}
	}
}

func (l *ledger) hasOlder(than time.Time) bool {
	for _, e := range l.all {
		if e.Created.Before(than) {
			return true
		}
	}
	return false
}

// rewrite drops obsolete lines. If it fails, the file stays as it is, and a later change tries again.
func (l *ledger) rewrite() {
	records := make([]any, 0, len(l.all))
	list := make([]entry, 0, len(l.all))
	for _, e := range l.all {
		list = append(list, e)
	}
	sorting.By(list, compareEntries)
	for _, e := range list {
		records = append(records, e)
	}
	_ = l.journal.Rewrite(records)
	l.rewritten = l.journal.Size()
}
