// Package approval keeps the confirmations that wait for a person: what would
// run, who was asked, until when; and what was answered.
//
// Each is a file of its own with the whole plan, on the disk before anybody is
// asked, so that a question outlives the daemon that asked it, with its
// original digest and expiry. An answer counts when it is written to the
// journal beside the files: from then on the file means nothing, whatever
// crash comes, so nothing is ever answered twice. The first answer wins.
//
// An approval is live while a turn of this daemon waits for it, and kept
// otherwise: its turn went on without it, or with a former daemon. A yes to a
// kept one runs its plan, judged anew, and nothing else.
package approval

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/crash"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/journal"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools"
)

// The ways an answer can miss.
var (
	ErrNotWaiting = errors.New("no such approval is waiting")
	ErrDigest     = errors.New("the answer is for a different command")
	ErrNoSession  = errors.New("this command cannot be allowed for the session")
	ErrNoEdit     = errors.New("this question cannot be answered with an edit")
	ErrNoCommand  = errors.New("an edit needs a command")
)

// The ways an approval ends without an answer, beside the actions of package
// ipc.
const (
	Expired    = "expired"
	Cancelled  = "cancelled"
	Disconnect = "disconnect"
	Unshown    = "unshown" // the question could not be shown whole
)

// Record is an approval's file.
type Record struct {
	ID   string     `json:"id"`
	Ask  ipc.Ask    `json:"ask"`
	Call tools.Call `json:"call"`
	Plan tools.Plan `json:"plan"`
	Task string     `json:"task,omitempty"`
	// Automation is the rule in whose name it asks; "" for a person's own wish.
	Automation string `json:"automation,omitempty"`
	// Audience are the conversations in which it was asked, by their keys, where
	// that is not its own.
	Audience []string `json:"audience,omitempty"`
	// From is the address in the channel that was asked, where that is not the
	// session's own; Whole reports whether all of the command was shown there.
	From  string `json:"from,omitempty"`
	Whole bool   `json:"whole"`
	Lang  string `json:"lang,omitempty"`
	// Unseen reports that the question has not reached who was asked, as far as is
	// known: a bare yes of theirs cannot mean it.
	Unseen bool `json:"unseen,omitempty"`
	// Seen are those of the Audience that the question has reached, as far as is
	// known.
	Seen []string `json:"seen,omitempty"`
	// Untrusted reports that the turn, or the conversation before it, had read text
	// that is not the person's.
	Untrusted bool `json:"untrusted,omitempty"`
	// Withheld reports that a secret was taken out of the file: it cannot be run.
	Withheld bool `json:"withheld,omitempty"`
}

// AskedIn reports whether a conversation is one in which it was asked.
func (r Record) AskedIn(session string) bool {
	return r.Ask.Session == session || slices.Contains(r.Audience, session)
}

// Judged is the plan as the gate runs it.
func (r Record) Judged() tools.Judged {
	j := tools.Judged{Call: r.Call, Plan: r.Plan, Session: r.Ask.Session}
	j.Call.Untrusted = r.Untrusted
	j.Origin = tools.Origin{Task: r.Task, Channel: r.Ask.Channel, Automation: r.Automation}
	return j
}

// UnseenIn reports that the question has not reached a conversation, as far as is
// known.
func (r Record) UnseenIn(session string) bool {
	if len(r.Audience) == 0 {
		return r.Unseen
	}
	return !slices.Contains(r.Seen, session)
}

// reached notes whether the question has reached a conversation, and reports whether
// that is news.
func (r *Record) reached(session string, seen bool) bool {
	if r.UnseenIn(session) == !seen {
		return false
	}
	switch {
	case len(r.Audience) == 0:
		r.Unseen = !seen
	case seen:
		r.Seen = append(r.Seen, session)
	default:
		r.Seen = slices.DeleteFunc(r.Seen, func(s string) bool { return s == session })
	}
	return true
}

// Intact reports whether the file still shows what it would run.
func (r Record) Intact() bool { return !r.Withheld && r.Ask.Command == r.Judged().Command() }

// Approval is a live one.
type Approval struct {
	Record
	answer chan tools.Decision // takes one: the first answer wins
}

// Answer returns where the decision comes.
func (a *Approval) Answer() <-chan tools.Decision { return a.answer }

// Approvals are the confirmations of one daemon. They are safe for concurrent
// use.
type Approvals struct {
	dir     string
	journal *journal.Journal
	now     func() time.Time

	mu   sync.Mutex
	live map[string]*Approval // by id
	book book

	redactor func() *secret.Redactor
	whole    map[string]Record // by id, those whose file lacks a secret
}

// New returns the approvals kept in a directory; nothing is read yet.
func New(dir string, now func() time.Time) *Approvals {
	return &Approvals{
		dir: dir, journal: journal.New(filepath.Join(dir, "answers.jsonl")), now: now,
		live: map[string]*Approval{}, book: newBook(), whole: map[string]Record{},
	}
}

// Load reads what was answered before and returns the damage found.
func (as *Approvals) Load() ([]journal.Damage, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	damaged, err := as.journal.Read(as.book.read)
	if err != nil {
		return nil, fmt.Errorf("cannot read the answers to approvals: %w", err)
	}
	return damaged, nil
}

// Open keeps an approval for a judged plan and returns when it is on the disk,
// so that it may be asked. A live one waits for its answer.
func (as *Approvals) Open(j tools.Judged, r Record, expires time.Time, live bool) (*Approval, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	r.ID, r.Call, r.Plan, r.Untrusted = "a"+randomHex(8), j.Call, j.Plan, j.Call.Untrusted || j.Call.Mixed
	r.Ask = askOf(j, NewCode(codeLength, as.taken), r.Ask.Channel, expires)
	if err := as.write(r); err != nil {
		return nil, err
	}
	crash.Here(crash.ApprovalKept)
	a := &Approval{Record: r, answer: make(chan tools.Decision, 1)}
	if live {
		as.live[r.ID] = a
	}
	return a, nil
}

// Shown notes where a live approval was shown and whether all of it was.
func (as *Approvals) Shown(a *Approval, whole bool) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	a.Whole = whole
	return as.write(a.Record)
}

// Showing notes that a live approval's question is about to reach who was asked;
// [Approvals.Seen] follows.
func (as *Approvals) Showing(code string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	if a := as.byCode(code); a != nil {
		a.Unseen = false
	}
}

// Seen notes whether a question has reached a conversation in which it was asked. One that is answered
// already is left alone.
func (as *Approvals) Seen(code, session string, seen bool) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if a := as.byCode(code); a != nil {
		a.Unseen = !seen
		return as.write(a.Record)
	}
	r, err := as.read(as.path(code))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !as.waits(r) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use the approval: %w", err)
	}
	if !r.reached(session, seen) {
		return nil
	}
	return as.write(r)
}

// askOf is what a person is shown of a plan.
func askOf(j tools.Judged, code, channel string, expires time.Time) ipc.Ask {
	ask := ipc.Ask{
		Code: code, Tool: j.Plan.Tool, Class: j.Class.String(), Command: j.Command(), Argv: j.Argv(),
		Cwd: j.Plan.Dir, Privileged: j.Privileged, Reasons: j.Reasons, Digest: j.Digest,
		Expires: expires, Channel: channel, Session: j.Session,
		Warnings: j.Notices(),
	}
	for _, f := range j.Files {
		ask.Files = append(ask.Files, ipc.AskFile{Path: f.Path, SHA256: f.SHA256})
	}
	if ask.Reasons == nil {
		ask.Reasons = []string{"changes-system"}
	}
	if j.Grantable() { // the rest is asked every time
		ask.Covers = j.Command()
	}
	return ask
}

// Actions are the choices an ask offers.
func Actions(ask ipc.Ask) []string {
	actions := []string{ipc.ActionAllowOnce}
	if ask.Covers != "" {
		actions = append(actions, ipc.ActionAllowSession)
	}
	if ask.Editable() {
		actions = append(actions, ipc.ActionEdit)
	}
	return append(actions, ipc.ActionReject)
}

// Resolve answers a live approval, by somebody. Only the first answer counts;
// it must be for the very command that was shown. It returns when the answer
// is on the disk.
func (as *Approvals) Resolve(a *Approval, action string, answer ipc.Answer, by string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.live[a.ID] != a {
		return ErrNotWaiting
	}
	d, err := decision(a.Ask, action, answer)
	if err != nil {
		return err
	}
	d.By = by
	if err := as.settle(a.Record, string(d.Action), by, answer.Letter); err != nil {
		return err
	}
	delete(as.live, a.ID)
	a.answer <- d
	return nil
}

// decision is what an answer to an ask means.
func decision(ask ipc.Ask, action string, answer ipc.Answer) (tools.Decision, error) {
	if answer.Digest != "" && answer.Digest != ask.Digest {
		return tools.Decision{}, ErrDigest
	}
	d := tools.Decision{Action: tools.Action(action), Command: answer.Command}
	switch action {
	case ipc.ActionAllowOnce:
	case ipc.ActionAllowSession:
		if ask.Covers == "" {
			return d, ErrNoSession
		}
	case ipc.ActionEdit:
		if !ask.Editable() {
			return d, ErrNoEdit
		}
		if strings.TrimSpace(answer.Command) == "" {
			return d, ErrNoCommand
		}
	default:
		d = tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}
	}
	return d, nil
}

// settle writes down how an approval ended; from here on it is used up. It fails
// with [ErrNotWaiting] where it was already.
func (as *Approvals) settle(r Record, action, by, letter string) error {
	if !as.waits(r) {
		return ErrNotWaiting
	}
	s := Settled{
		ID: r.ID, Code: r.Ask.Code, Channel: r.Ask.Channel, Session: r.Ask.Session, Action: action, By: by,
		At: as.now(), Command: brief(as.shown(r.Ask.Command)), Letter: letter,
	}
	l := line{Settled: &s}
	if action == ipc.ActionAllowSession {
		l.Grant = &grant{Session: r.Ask.Session, Digest: r.Ask.Digest, At: s.At}
	}
	if err := as.append(l, true); err != nil {
		return err
	}
	crash.Here(crash.ApprovalSettled)
	// The file means nothing any more; one that stays is swept later.
	_ = os.Remove(as.path(r.Ask.Code))
	delete(as.whole, r.ID)
	return nil
}

// Withdraw ends a live approval that nobody answered and reports whether it
// was still waiting; how is one of the constants above. Where that cannot be
// written down the file goes, so that nobody can answer it later.
func (as *Approvals) Withdraw(a *Approval, how string) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.live[a.ID] != a {
		return false
	}
	delete(as.live, a.ID)
	if as.settle(a.Record, how, "", "") != nil {
		_ = os.Remove(as.path(a.Ask.Code))
	}
	return true
}

// Leave gives up waiting for a live approval and keeps it for the next daemon.
// It reports whether it was still waiting.
func (as *Approvals) Leave(a *Approval) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	_, waited := as.live[a.ID]
	delete(as.live, a.ID)
	return waited
}

// ByID returns the live approval with an id, or nil.
func (as *Approvals) ByID(id string) *Approval {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.live[id]
}

// ByCode returns the live approval with a code, or nil.
func (as *Approvals) ByCode(code string) *Approval {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.byCode(NormalCode(code))
}

func (as *Approvals) byCode(code string) *Approval {
	for _, a := range as.live {
		if a.Ask.Code == code {
			return a
		}
	}
	return nil
}

// List returns what waits, the first to expire first, and the files that cannot
// be used.
func (as *Approvals) List() ([]ipc.Ask, error) {
	waiting, err := as.waiting(func(Record) bool { return true })
	asks := make([]ipc.Ask, len(waiting))
	for i, r := range waiting {
		asks[i] = r.Ask
		asks[i].Command = r.Judged().Command() // what would run, whatever the file says beside it
	}
	return asks, err
}

// Of returns what waits in a conversation, the first to expire first. Of live
// ones only that with an id ("" for none): another was not shown yet, and an
// answer cannot mean it.
func (as *Approvals) Of(session, shown string) []Record {
	waiting, _ := as.waiting(func(r Record) bool {
		return r.AskedIn(session) && (as.live[r.ID] == nil || r.ID == shown)
	})
	return waiting
}

// By returns what waits that an automation asked for, the first to expire first.
func (as *Approvals) By(automation string) []Record {
	waiting, _ := as.waiting(func(r Record) bool { return automation != "" && r.Automation == automation })
	return waiting
}

func (as *Approvals) waiting(wanted func(Record) bool) ([]Record, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	var list []Record
	for _, a := range as.live {
		if wanted(a.Record) {
			list = append(list, a.Record)
		}
	}
	err := as.each(func(_ string, r Record) error {
		if as.live[r.ID] == nil && r.Ask.Expires.After(as.now()) && wanted(r) {
			list = append(list, r)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Record) int {
		return cmp.Or(a.Ask.Expires.Compare(b.Ask.Expires), cmp.Compare(a.Ask.Code, b.Ask.Code))
	})
	return list, err
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return hex.EncodeToString(b)
}

// Close lets go of the journal.
func (as *Approvals) Close() { as.journal.Close() }
