package approval

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// Outcome is how an approval ended.
type Outcome struct {
	ID      string    `json:"id"`
	Code    string    `json:"code"`
	Channel string    `json:"channel"`
	Session string    `json:"session"`
	Action  string    `json:"action"` // an action of package ipc, or [Expired], [Cancelled], [Disconnect]
	By      string    `json:"by,omitempty"`
	At      time.Time `json:"at"`
	Command string    `json:"command"`
	// MessageID is the id of the message that answered, if it came over a bridge.
	MessageID string `json:"letter,omitempty"`
}

// grant is a plan, or its family, that was allowed for its conversation.
type grant struct {
	Session string      `json:"session"`
	Digest  string      `json:"digest,omitempty"` // "" for a family
	Family  *ipc.Family `json:"family,omitempty"`
	Code    string      `json:"code,omitempty"` // of its approval; "" if an earlier version wrote the record
	Channel string      `json:"channel,omitempty"`
	Command string      `json:"command,omitempty"` // abbreviated, "" for a family
	Since   time.Time   `json:"since,omitzero"`
	At      time.Time   `json:"at"` // of the last message in the conversation
}

// key identifies what a grant covers in its conversation.
func (g grant) key() string {
	if g.Family != nil {
		return familyKey(*g.Family)
	}
	return g.Digest
}

func familyKey(f ipc.Family) string {
	return strings.Join([]string{f.Words, f.Options, f.Dir, f.Program, f.Stamp}, "\x00")
}

// revocation ends one grant of a conversation.
type revocation struct {
	Session string `json:"session"`
	Code    string `json:"code"`
}

// line is a line of the journal.
type line struct {
	Settled *Outcome `json:"settled,omitempty"`
	Grant   *grant   `json:"grant,omitempty"`
	// Active is a conversation with a new message since its last approval expired.
	Active string `json:"heard,omitempty"`
	// Forget is a conversation whose grants ended.
	Forget string      `json:"forget,omitempty"`
	Revoke *revocation `json:"revoke,omitempty"`
}

// The bounds of the history.
const (
	maxOutcomes = 200
	maxJournal  = 1 << 20 // bytes
)

// history is the history of answers and grants.
type history struct {
	outcomes      []Outcome // the latest last
	used          map[string]struct{}
	expired       map[string]Outcome          // session → approval that expired there, with no message since
	grants        map[string]map[string]grant // session → key
	rewrittenSize int64                       // size of the journal when it was last rewritten
}

func newHistory() history {
	return history{used: map[string]struct{}{}, expired: map[string]Outcome{}, grants: map[string]map[string]grant{}}
}

func (b *history) read(record []byte) error {
	var l line
	err := json.Unmarshal(record, &l)
	if err == nil {
		b.apply(l)
	}
	return err
}

func (b *history) apply(l line) {
	if l.Settled != nil {
		b.add(*l.Settled)
	}
	if g := l.Grant; g != nil {
		if b.grants[g.Session] == nil {
			b.grants[g.Session] = map[string]grant{}
		}
		b.grants[g.Session][g.key()] = *g
	}
	if r := l.Revoke; r != nil {
		maps.DeleteFunc(b.grants[r.Session], func(_ string, g grant) bool { return g.code() == r.Code })
	}
	delete(b.expired, l.Active)
	delete(b.grants, l.Forget)
}

func (b *history) add(s Outcome) {
	b.outcomes = append(b.outcomes, s)
	b.used[s.ID] = struct{}{}
	if over := len(b.outcomes) - maxOutcomes; over > 0 {
		for _, old := range b.outcomes[:over] {
			delete(b.used, old.ID)
		}
		b.outcomes = slices.Delete(b.outcomes, 0, over)
	}
	delete(b.expired, s.Session)
	if s.Action == Expired {
		b.expired[s.Session] = s
	}
}

// records returns the lines of a rewritten journal.
func (b *history) records() []any {
	var all []any
	for i := range b.outcomes {
		all = append(all, line{Settled: &b.outcomes[i]})
	}
	for i := range b.outcomes {
		s := b.outcomes[i]
		if _, late := b.expired[s.Session]; s.Action == Expired && !late {
			all = append(all, line{Active: s.Session})
		}
	}
	for _, grants := range b.grants {
		for _, g := range grants {
			all = append(all, line{Grant: &g})
		}
	}
	return all
}

// append writes a line to the journal and applies it. The line counts even if the journal cannot be rewritten after
// it: the next line tries again.
func (as *Approvals) append(l line, sync bool) error {
	at, err := as.journal.Append(l)
	if err == nil && sync {
		err = as.journal.Sync(at)
	}
	if err != nil {
		return err
	}
	as.history.apply(l)
	if size := as.journal.Size(); size < crash.Scaled(maxJournal) || size < 2*as.history.rewrittenSize {
		return nil
	}
	_ = as.journal.Rewrite(as.history.records())
	as.history.rewrittenSize = as.journal.Size()
	return nil
}

// FindOutcome returns how the approval with an id or a code ended, if the history still has it.
func (as *Approvals) FindOutcome(id, code string) (Outcome, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	code = NormalCode(code)
	for _, s := range slices.Backward(as.history.outcomes) {
		if id != "" && s.ID == id || code != "" && s.Code == code {
			return s, true
		}
	}
	return Outcome{}, false
}

// HasMessage reports whether a message has answered an approval, if the history still has it.
func (as *Approvals) HasMessage(id string) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	return id != "" && slices.ContainsFunc(as.history.outcomes, func(s Outcome) bool { return s.MessageID == id })
}

// LastOutcome returns how the last approval of a conversation ended, if the history still has it.
func (as *Approvals) LastOutcome(session string) (Outcome, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	for _, s := range slices.Backward(as.history.outcomes) {
		if s.Session == session {
			return s, true
		}
	}
	return Outcome{}, false
}

// LastExpired returns the approval that expired in a conversation, if there was no message since.
func (as *Approvals) LastExpired(session string) (Outcome, bool) {
	as.mu.Lock()
	defer as.mu.Unlock()
	s, ok := as.history.expired[session]
	return s, ok
}

// TouchSession records a new message in a conversation: a bare yes from now on does not refer to an approval that expired
// before. It also ends the grants of a conversation that was idle for longer than timeout.
func (as *Approvals) TouchSession(session string, timeout time.Duration) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	l := line{}
	if _, ok := as.history.expired[session]; ok {
		l.Active = session
	}
	for _, g := range as.history.grants[session] {
		if as.now().Sub(g.At) > timeout {
			l.Forget = session
		}
	}
	if l != (line{}) {
		return as.append(l, false)
	}
	for key, g := range as.history.grants[session] {
		g.At = as.now()
		as.history.grants[session][key] = g
	}
	return nil
}

// maxBrief bounds an abbreviated command, in bytes.
const maxBrief = 200

func shorten(s string) string {
	if len(s) <= maxBrief {
		return s
	}
	cut := maxBrief
	for cut > 0 && s[cut]&0xc0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
