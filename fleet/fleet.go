// Package fleet is what the consoles of a fleet, its server and its machines say to each other: questions and answers
// over NATS JetStream, and signed decisions. The engine is NATS; there is no protocol of our own.
//
// A console never sends a command line. It sends a question, which each machine's daemon answers as for a person there,
// and decisions about what waits for a yes. A decision is a signature over one plan of one machine (see [Decision]), so
// that a server that was taken over can lose or delay messages, and change none.
//
//	f.SITE.MACHINE.ask        questions and decisions for a machine: a work queue, seven days
//	f.SITE.MACHINE.answer     what its daemon answers
//	f.SITE.MACHINE.event      what waits for a yes there, and what was decided
//	f.SITE.MACHINE.heartbeat  that it is there; not stored
//	fleet.log.KIND.ID         what consoles asked and rolled out, for who looks at the fleet; no machine reaches it
package fleet

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The last tokens of the subjects of a machine.
const (
	Ask       = "ask"
	Answered  = "answer"
	Happened  = "event"
	Heartbeat = "heartbeat"
)

// The streams: Requests is the work queue of all machines' questions, Replies has their answers and events, and Records
// what consoles did.
const (
	Requests = "REQUESTS"
	Replies  = "REPLIES"
	Records  = "CONSOLE"
)

// The bounds of a message. A machine cuts a longer answer, and the server refuses what does not fit [MaxPayload].
const (
	MaxQuestion = 8 << 10
	MaxText     = 256 << 10
	MaxPayload  = 512 << 10
	// KeepFor is how long a question waits for a machine that is off, and an answer for a console.
	KeepFor = 7 * 24 * time.Hour
)

// Machine names a machine of the fleet.
type Machine struct {
	Site string `json:"site"`
	Name string `json:"name"`
}

// String returns SITE/NAME. Without a name, it is a site's leaf server: SITE.
func (m Machine) String() string {
	if m.Name == "" {
		return m.Site
	}
	return m.Site + "/" + m.Name
}

// Subject returns a subject of the machine.
func (m Machine) Subject(kind string) string { return "f." + m.Site + "." + m.Name + "." + kind }

// Consumer returns the name of the machine's consumer of [Requests].
func (m Machine) Consumer() string { return m.Site + "_" + m.Name }

// nameForm is what a site or a machine can be called: one token of a subject, and a name of a consumer's part.
var nameForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// ErrName reports a name that cannot be one token of a subject.
var ErrName = errors.New("a name has 1 to 32 small letters, digits and inner hyphens")

// CheckName returns [ErrName] for what cannot name a site or a machine.
func CheckName(name string) error {
	if !nameForm.MatchString(name) {
		return fmt.Errorf("cannot use the name %q: %w", name, ErrName)
	}
	return nil
}

// MachineOf returns the machine of a subject. ok is false for other subjects.
func MachineOf(subject string) (m Machine, kind string, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 || parts[0] != "f" || CheckName(parts[1]) != nil || CheckName(parts[2]) != nil {
		return Machine{}, "", false
	}
	return Machine{parts[1], parts[2]}, parts[3], true
}

// Request is what a console sends to a machine: a question, or a decision.
type Request struct {
	// ID is unique in the fleet. A machine answers it once, however often it arrives.
	ID      string    `json:"id"`
	Console string    `json:"console"` // the name of the console, for people
	Lang    string    `json:"lang,omitempty"`
	Text    string    `json:"text,omitempty"`
	Sent    time.Time `json:"sent"`
	// Key is the console's public nkey, and Signature is of everything else and of the machine's key, see
	// [Request.Verify].
	Key       string `json:"key"`
	Signature []byte `json:"signature"`
	// Decision answers what waits, instead of Text.
	Decision *Decision `json:"decision,omitempty"`
}

// The reasons why a machine answers a request without its daemon.
const (
	ProblemRefused  = "refused"  // the daemon does not take it; the text says why
	ProblemUnsigned = "unsigned" // the signature does not hold for this machine; see [Decision.Verify]
	ProblemPolicy   = "policy"   // the machine's policy lets nobody decide this from afar
	ProblemGone     = "gone"     // nothing waits for this decision
	ProblemOld      = "old"      // the daemon is older than the bridge
)

// Answer is what a machine's daemon answers.
type Answer struct {
	ID   string    `json:"id"` // unique; a console shows it once
	Re   string    `json:"re"` // the request
	Text string    `json:"text"`
	At   time.Time `json:"at"`
	// Problem is why there is no answer, "" if there is one.
	Problem string `json:"problem,omitempty"`
}

// Waiting is a plan that waits for a yes on a machine.
type Waiting struct {
	Re      string    `json:"re,omitempty"` // the request that it belongs to
	Code    string    `json:"code"`
	Digest  string    `json:"digest"` // of the plan, by the machine
	Command string    `json:"command"`
	Reasons []string  `json:"reasons,omitempty"`
	Expires time.Time `json:"expires"`
	// Key is the machine's public key, which a decision names.
	Key string `json:"key"`
}

// The results of an [End].
const (
	ResultDone     = "done"     // every command ended well, and every check shows its change
	ResultUnproved = "unproved" // nothing shows that a change is there
	ResultFailed   = "failed"
)

// End is how the commands of a request ended.
type End struct {
	Re     string `json:"re"`
	Result string `json:"result"`
}

// Event is what happens on a machine. Exactly one of Waiting, Resolved and End is set.
type Event struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Waiting *Waiting  `json:"waiting,omitempty"`
	// Resolved is the code of a plan that waits no longer, and Action what was decided.
	Resolved string `json:"resolved,omitempty"`
	Action   string `json:"action,omitempty"`
	End      *End   `json:"end,omitempty"`
}
