// Package approval stores confirmations that wait for a person's answer, and the answers.
//
// Each approval has a file with its whole plan, written before anyone is asked, so a question survives a restart
// of the daemon with its digest and expiry. An answer counts once it is in the journal. From then on the file is
// void even after a crash, so no approval is answered twice. The first answer wins.
//
// An approval is live while a turn of this daemon waits for it. Otherwise it is stored: its turn went on without
// it or belonged to an earlier daemon. A yes to a stored approval runs its plan, after the gate has judged it again.
// Then the model continues the request that the plan belongs to, unless an automation asked or no model is configured
// (package turns).
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
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// The errors of an answer that does not count.
var (
	ErrNotWaiting = errors.New("no such approval is waiting")
	ErrDigest     = errors.New("the answer is for a different command")
	ErrNoSession  = errors.New("this command cannot be allowed for the session")
	ErrNoFamily   = errors.New("this kind of command cannot be allowed for the conversation")
	ErrNoEdit     = errors.New("this question cannot be answered with an edit")
	ErrNoCommand  = errors.New("an edit needs a command")
)

// The ways an approval ends without an answer, in addition to the actions of package ipc.
const (
	Expired    = "expired"
	Cancelled  = "cancelled"
	Disconnect = "disconnect"
	NotShown   = "unshown" // the whole question could not be shown
)

// Record is an approval's file.
type Record struct {
	ID   string     `json:"id"`
	Ask  ipc.Ask    `json:"ask"`
	Call tools.Call `json:"call"`
	Plan tools.Plan `json:"plan"`
	Task string     `json:"task,omitempty"`
	// Automation is the name of the automation that asks, "" if a person's message does.
	Automation string `json:"automation,omitempty"`
	// Audience holds the keys of the conversations in which it was asked, if not only in its own.
	Audience []string `json:"audience,omitempty"`
	// From is the address in the channel that was asked, if it is not the session's own. Whole reports whether the
	// complete command was shown there.
	From  string `json:"from,omitempty"`
	Whole bool   `json:"whole"`
	Lang  string `json:"lang,omitempty"`
	// Unseen reports that the question is not known to have reached the person. A bare yes cannot refer to it.
	Unseen bool `json:"unseen,omitempty"`
	// Seen holds the conversations of the Audience that the question is known to have reached.
	Seen []string `json:"seen,omitempty"`
	// Untrusted reports that the turn, or the conversation before it, read text that the person did not write.
	Untrusted bool `json:"untrusted,omitempty"`
	// AtMachine reports that the question is shown at the machine, where its family can be allowed.
	AtMachine bool `json:"at_machine,omitempty"`
	// Withheld reports that a secret was removed from the file, so the plan cannot run.
	Withheld bool `json:"withheld,omitempty"`
}

// Language returns the language in which the question was asked.
func (r Record) Language() i18n.Lang {
	lang, ok := i18n.Parse(r.Lang)
	if !ok {
		return i18n.English
	}
	return lang
}

// IsAskedIn reports whether the approval was asked in a conversation.
func (r Record) IsAskedIn(session string) bool {
	return r.Ask.Session == session || slices.Contains(r.Audience, session)
}

// Judged returns the plan as the gate runs it.
func (r Record) Judged() tools.JudgedPlan {
	j := tools.JudgedPlan{Call: r.Call, Plan: r.Plan, Session: r.Ask.Session}
	j.Call.Untrusted = r.Untrusted
	j.Origin = tools.Origin{Task: r.Task, Channel: r.Ask.Channel, Automation: r.Automation}
	return j
}

// IsUnseenIn reports whether the question is not known to have reached a conversation.
func (r Record) IsUnseenIn(session string) bool {
	if len(r.Audience) == 0 {
		return r.Unseen
	}
	return !slices.Contains(r.Seen, session)
}

// setSeen records whether the question has reached a conversation, and reports whether that changed anything.
func (r *Record) setSeen(session string, seen bool) bool {
	if r.IsUnseenIn(session) == !seen {
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

// IsIntact reports whether the command in the file is the one that would run.
func (r Record) IsIntact() bool { return !r.Withheld && r.Ask.Command == r.Judged().Command() }

// Approval is an approval that a turn waits for.
type Approval struct {
	Record
	answer chan tools.Decision // buffered for one decision: the first answer wins
}

// Answer returns the channel that delivers the decision.
func (a *Approval) Answer() <-chan tools.Decision { return a.answer }

// Approvals are the confirmations of one daemon. They are safe for concurrent use.
type Approvals struct {
	dir     string
	journal *journal.Journal
	now     func() time.Time

	mu      sync.Mutex
	live    map[string]*Approval // by id
	history history

	redactor func() *secret.Redactor
	complete map[string]Record // by id, complete records whose files lack a secret
}

// New returns the approvals in a directory. It reads nothing yet.
func New(dir string, now func() time.Time) *Approvals {
	return &Approvals{
		dir: dir, journal: journal.New(filepath.Join(dir, "answers.jsonl")), now: now,
		live: map[string]*Approval{}, history: newHistory(), complete: map[string]Record{},
	}
}

// Load reads the journal of answers and returns the damage found.
func (as *Approvals) Load() ([]journal.Damage, error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	damaged, err := as.journal.Read(as.history.read)
	if err != nil {
		return nil, fmt.Errorf("cannot read the answers to approvals: %w", err)
	}
	return damaged, nil
}

// Open stores an approval for a judged plan and returns once it is on disk and can be shown. A live one can be
// waited for.
func (as *Approvals) Open(j tools.JudgedPlan, r Record, expires time.Time, live bool) (*Approval, error) {
	j = j.Measured()
	as.mu.Lock()
	defer as.mu.Unlock()
	r.ID, r.Call, r.Plan, r.Untrusted = "a"+randomHex(8), j.Call, j.Plan, j.Call.Untrusted || j.Call.Mixed
	r.Ask = askOf(j, NewCode(codeLength, as.isTaken), r.Ask, expires)
	if f := (*ipc.Family)(j.Family); r.AtMachine && r.Automation == "" && as.canGrantFamily(j.Session, f) {
		r.Ask.Family = f
	}
	if err := as.write(r); err != nil {
		return nil, err
	}
	crash.Here(crash.ApprovalStored)
	a := &Approval{Record: r, answer: make(chan tools.Decision, 1)}
	if live {
		as.live[r.ID] = a
	}
	return a, nil
}

// MarkShown records whether a live approval was shown completely.
func (as *Approvals) MarkShown(a *Approval, whole bool) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	a.Whole = whole
	return as.write(a.Record)
}

// MarkShowing marks a live approval's question as about to be delivered. [Approvals.MarkSeen] follows.
func (as *Approvals) MarkShowing(code string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	if a := as.byCode(code); a != nil {
		a.Unseen = false
	}
}

// MarkSeen records whether a question has reached a conversation in which it was asked. An approval that is already
// answered does not change.
func (as *Approvals) MarkSeen(code, session string, seen bool) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if a := as.byCode(code); a != nil {
		a.Unseen = !seen
		return as.write(a.Record)
	}
	r, err := as.read(as.path(code))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !as.isOpen(r) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use the approval: %w", err)
	}
	if !r.setSeen(session, seen) {
		return nil
	}
	return as.write(r)
}

// askOf describes a plan for the person who decides. known has the channel and what the plan would do.
func askOf(j tools.JudgedPlan, code string, known ipc.Ask, expires time.Time) ipc.Ask {
	ask := ipc.Ask{
		Code: code, Tool: j.Plan.Tool, Class: j.Class.String(), Command: j.Command(), Argv: j.Argv(),
		Cwd: j.Plan.Dir, Privileged: j.Privileged, Reasons: j.Reasons, Digest: j.Digest,
		Expires: expires, Channel: known.Channel, Session: j.Session, Foreseen: known.Foreseen,
		Warnings: slices.Concat(j.Notices(), undoWarnings(j.Plan)),
	}
	for i, s := range j.Steps() {
		ask.Plan = append(ask.Plan, ipc.PlanStep{
			Number: i + 1, Of: len(j.Plan.Commands), ID: s.ID, Command: s.Command, Looks: s.Looks, Check: s.Check,
			Back: string(s.Back), Needs: s.Needs, Detail: s.Detail,
		})
	}
	for _, f := range j.Files {
		ask.Files = append(ask.Files, ipc.AskFile{Path: f.Path, SHA256: f.SHA256})
	}
	if ask.Reasons == nil {
		ask.Reasons = []string{"changes-system"}
	}
	if j.IsGrantable() && j.Plan.Typed == nil { // anything else is asked every time
		ask.Covers = j.Command()
	}
	return ask
}

// The warnings about a plan that takes a change back: packages that stay as they are, and later changes of the same things.
const (
	warnUndoLost  = "undo-lost"
	warnUndoLater = "undo-later"
	// warnUndoFiles says how many files come from snapshots.
	warnUndoFiles = "undo-files"
)

// undoWarnings returns what a person must know about a plan that takes a change back.
func undoWarnings(p tools.Plan) (warnings []string) {
	if len(p.Lost) > 0 {
		names := make([]string, len(p.Lost))
		for i, e := range p.Lost {
			names[i] = strings.TrimSpace(e.Name + " " + e.Before)
		}
		warnings = append(warnings, warnUndoLost+": "+strings.Join(names, ", "))
	}
	if p.SetBack > 0 {
		warnings = append(warnings, warnUndoFiles+": "+strconv.Itoa(p.SetBack))
	}
	if len(p.Later) > 0 {
		warnings = append(warnings, warnUndoLater+": "+strings.Join(p.Later, ", "))
	}
	return warnings
}

// Actions returns the choices that an ask offers.
func Actions(ask ipc.Ask) []string {
	actions := []string{ipc.ActionAllowOnce}
	if ask.Covers != "" {
		actions = append(actions, ipc.ActionAllowSession)
	}
	if ask.Family != nil {
		actions = append(actions, ipc.ActionAllowFamily)
	}
	if ask.Editable() {
		actions = append(actions, ipc.ActionEdit)
	}
	return append(actions, ipc.ActionReject)
}

// Resolve answers a live approval in the name of by. Only the first answer counts, and its digest must match the
// command that was shown. It returns once the answer is on disk.
func (as *Approvals) Resolve(a *Approval, action string, answer ipc.Answer, by string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.live[a.ID] != a {
		return ErrNotWaiting
	}
	d, err := parseDecision(a.Ask, action, answer)
	if err != nil {
		return err
	}
	if action == ipc.ActionAllowFamily && !as.canGrantFamily(a.Ask.Session, a.Ask.Family) {
		return ErrNoFamily
	}
	d.By = by
	if err := as.recordOutcome(a.Record, string(d.Action), by, answer.MessageID); err != nil {
		return err
	}
	delete(as.live, a.ID)
	a.answer <- d
	return nil
}

// parseDecision converts an answer to a decision of the gate.
func parseDecision(ask ipc.Ask, action string, answer ipc.Answer) (tools.Decision, error) {
	if answer.Digest != "" && answer.Digest != ask.Digest {
		return tools.Decision{}, ErrDigest
	}
	d := tools.Decision{Action: tools.Answer(action), Command: answer.Command}
	switch action {
	case ipc.ActionAllowOnce:
	case ipc.ActionAllowSession:
		if ask.Covers == "" {
			return d, ErrNoSession
		}
	case ipc.ActionAllowFamily:
		// The digest shows that the answer is for the line that was shown.
		if ask.Family == nil || answer.Digest == "" {
			return d, ErrNoFamily
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

// recordOutcome records how an approval ended, which uses it up. It fails with [ErrNotWaiting] if it was used up
// before.
func (as *Approvals) recordOutcome(r Record, action, by, letter string) error {
	if !as.isOpen(r) {
		return ErrNotWaiting
	}
	s := Outcome{
		ID: r.ID, Code: r.Ask.Code, Channel: r.Ask.Channel, Session: r.Ask.Session, Action: action, By: by,
		At: as.now(), Command: shorten(as.redact(r.Ask.Command)), MessageID: letter,
	}
	l := line{Settled: &s}
	if l.Grant = newGrant(r, action, s.At); l.Grant != nil && l.Grant.Family == nil {
		l.Grant.Command = s.Command
	}
	if err := as.append(l, true); err != nil {
		return err
	}
	crash.Here(crash.ApprovalAnswered)
	// The file is void now. If it remains, a later scan removes it.
	_ = os.Remove(as.path(r.Ask.Code))
	delete(as.complete, r.ID)
	return nil
}

// Withdraw ends a live approval without an answer and reports whether it was still waiting. The parameter how is
// one of the constants above. If the end cannot be recorded, the file is removed, so that no later answer uses it.
func (as *Approvals) Withdraw(a *Approval, how string) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.live[a.ID] != a {
		return false
	}
	delete(as.live, a.ID)
	if as.recordOutcome(a.Record, how, "", "") != nil {
		_ = os.Remove(as.path(a.Ask.Code))
	}
	return true
}

// Detach stops waiting for a live approval and leaves it to the next daemon. It reports whether it was still
// waiting.
func (as *Approvals) Detach(a *Approval) bool {
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

// List returns the approvals that wait, in order of expiry, and an error for files that cannot be used.
func (as *Approvals) List() ([]ipc.Ask, error) {
	waiting, err := as.waiting(func(Record) bool { return true })
	asks := make([]ipc.Ask, len(waiting))
	for i, r := range waiting {
		asks[i] = r.Ask
		asks[i].Command = r.Judged().Command() // the command that would run, not the one in the file
	}
	return asks, err
}

// InConversation returns the approvals that wait in a conversation, in order of expiry. Of the live ones it includes only the
// one with the id shown ("" for none): the others were not shown yet, so an answer cannot refer to them.
func (as *Approvals) InConversation(session, shown string) []Record {
	waiting, _ := as.waiting(func(r Record) bool {
		return r.IsAskedIn(session) && (as.live[r.ID] == nil || r.ID == shown)
	})
	return waiting
}

// ForAutomation returns the approvals that wait for an automation, in order of expiry.
func (as *Approvals) ForAutomation(automation string) []Record {
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
	sorting.By(list, func(a, b Record) int {
		return cmp.Or(a.Ask.Expires.Compare(b.Ask.Expires), cmp.Compare(a.Ask.Code, b.Ask.Code))
	})
	return list, err
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return hex.EncodeToString(b)
}

// Close closes the journal.
func (as *Approvals) Close() { as.journal.Close() }
