package approval

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/tools"
)

// Settled is how an approval ended.
type Settled struct {
	ID      string    `json:"id"`
	Code    string    `json:"code"`
	Channel string    `json:"channel"`
	Session string    `json:"session"`
	Action  string    `json:"action"` // an action of package ipc, or [Expired], [Cancelled], [Disconnect]
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Command string    `json:"command"`
	// Letter is the id of the message that answered, if it came over a bridge.
	Letter string `json:"letter,omitempty"`
}

// grant is a plan that was allowed for its conversation.
type grant struct {
	Session string    `json:"session"`
	Digest  string    `json:"digest"`
	At      time.Time `json:"at"`
}

// line is a line of the journal.
type line struct {
	Settled *Settled `json:"settled,omitempty"`
	Grant   *grant   `json:"grant,omitempty"`
	// Heard is a conversation with a new message since its last approval expired.
	Heard string `json:"heard,omitempty"`
	// Forget is a conversation whose grants ended.
	Forget string `json:"forget,omitempty"`
}

// The bounds of the history.
const (
	keptSettled = 200
	maxJournal  = 1 << 20 // bytes
)

// book is the history of answers and grants.
type book struct {
	settled []Settled // the latest last
	used    map[string]struct{}
	late    map[string]Settled              // session → approval that expired there, with no message since
	grants  map[string]map[string]time.Time // session → digest
	lines   int64                           // size of the journal when it was last rewritten
}

func newBook() book {
	return book{used: map[string]struct{}{}, late: map[string]Settled{}, grants: map[string]map[string]time.Time{}}
}

func (b *book) read(record []byte) error {
	var l line
	err := json.Unmarshal(record, &l)
	if err == nil {
		b.apply(l)
	}
	return err
}

func (b *book) apply(l line) {
	if l.Settled != nil {
		b.note(*l.Settled)
	}
	if g := l.Grant; g != nil {
		if b.grants[g.Session] == nil {
			b.grants[g.Session] = map[string]time.Time{}
		}
		b.grants[g.Session][g.Digest] = g.At
	}
	delete(b.late, l.Heard)
	delete(b.grants, l.Forget)
}

func (b *book) note(s Settled) {
	b.settled = append(b.settled, s)
	b.used[s.ID] = struct{}{}
	if over := len(b.settled) - keptSettled; over > 0 {
		for _, old := range b.settled[:over] {
			delete(b.used, old.ID)
		}
		b.settled = slices.Delete(b.settled, 0, over)
	}
	delete(b.late, s.Session)
	if s.Action == Expired {
		b.late[s.Session] = s
	}
}

// records returns the lines of a rewritten journal.
func (b *book) records() []any {
	var all []any
	for i := range b.settled {
		all = append(all, line{Settled: &b.settled[i]})
	}
	for i := range b.settled {
		s := b.settled[i]
		if _, late := b.late[s.Session]; s.Action == Expired && !late {
			all = append(all, line{Heard: s.Session})
		}
	}
	for session, digests := range b.grants {
		for digest, at := range digests {
			all = append(all, line{Grant: &grant{session, digest, at}})
		}
	}
	return all
}

// append writes a line to the journal and applies it.
func (as *Approvals) append(l line, sync bool) error {
	at, err := as.journal.Append(l)
	if err == nil && sync {
		err = as.journal.Sync(at)
	}
	if err != nil {
		return err
	}
	as.book.apply(l)
	if size := as.journal.Size(); size < crash.Scaled(maxJournal) || size < 2*as.book.lines {
		return nil
	}
	err = as.journal.Rewrite(as.book.records())
	as.book.lines = as.journal.Size()
	return err
}

// Late returns how the approval with an id or a code ended, if the history still has it.
func (as *Approvals) Late(id, code string) (Settled, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	code = NormalCode(code)
	for _, s := range slices.Backward(as.book.settled) {
		if id != "" && s.ID == id || code != "" && s.Code == code {
			return s, true
		}
	}
	return Settled{}, false
}

// Letter reports whether a message has answered an approval, if the history still has it.
func (as *Approvals) Letter(id string) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	return id != "" && slices.ContainsFunc(as.book.settled, func(s Settled) bool { return s.Letter == id })
}

// LastIn returns how the last approval of a conversation ended, if the history still has it.
func (as *Approvals) LastIn(session string) (Settled, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	for _, s := range slices.Backward(as.book.settled) {
		if s.Session == session {
			return s, true
		}
	}
	return Settled{}, false
}

// LateIn returns the approval that expired in a conversation, if there was no message since.
func (as *Approvals) LateIn(session string) (Settled, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	s, ok := as.book.late[session]
	return s, ok
}

// Heard records a new message in a conversation: a bare yes from now on does not refer to an approval that expired
// before. It also ends the grants of a conversation that was idle for longer than timeout.
func (as *Approvals) Heard(session string, timeout time.Duration) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	l := line{}
	if _, ok := as.book.late[session]; ok {
		l.Heard = session
	}
	for _, at := range as.book.grants[session] {
		if as.now().Sub(at) > timeout {
			l.Forget = session
		}
	}
	if l != (line{}) {
		return as.append(l, false)
	}
	for digest := range as.book.grants[session] {
		as.book.grants[session][digest] = as.now()
	}
	return nil
}

// Granted reports whether exactly this plan was allowed for its conversation.
func (as *Approvals) Granted(j tools.Judged) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	_, ok := as.book.grants[j.Session][j.Digest]
	return ok
}

// Forget ends a conversation's grants.
func (as *Approvals) Forget(session string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if len(as.book.grants[session]) == 0 {
		return nil
	}
	delete(as.book.grants, session) // even if the journal cannot be written
	return as.append(line{Forget: session}, false)
}

// maxBrief bounds an abbreviated command, in bytes.
const maxBrief = 200

func brief(s string) string {
	if len(s) <= maxBrief {
		return s
	}
	cut := maxBrief
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
