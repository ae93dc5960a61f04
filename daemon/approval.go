package daemon

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// The ways an answer to an approval can miss.
var (
	errNotWaiting   = errors.New("no such approval is waiting")
	errDigest       = errors.New("the answer is for a different command")
	errOtherChannel = errors.New("somebody else was asked")
	errNoSession    = errors.New("this command cannot be allowed for the session")
	errNoCommand    = errors.New("an edit needs a command")
)

// approval is a confirmation that waits for a person.
type approval struct {
	id      string
	code    string
	ask     ipc.Ask
	answer  chan tools.Decision // takes one: the first answer wins
	by      string              // who gave it
	channel string
	session string
}

// approvals are the confirmations that wait while their turn is paused, and
// the grants of each session.
type approvals struct {
	mu      sync.Mutex
	waiting map[string]*approval           // by id
	grants  map[string]map[string]struct{} // session → digest
}

func newApprovals() *approvals {
	return &approvals{waiting: map[string]*approval{}, grants: map[string]map[string]struct{}{}}
}

// granted reports whether exactly this plan was allowed for its session.
func (as *approvals) granted(j tools.Judged) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	_, ok := as.grants[j.Session][j.Digest]
	return ok
}

// forget drops a session's grants.
func (as *approvals) forget(session string) {
	as.mu.Lock()
	defer as.mu.Unlock()
	delete(as.grants, session)
}

// open makes an approval for a judged plan. taken reports codes in use
// elsewhere.
func (as *approvals) open(j tools.Judged, channel string, expires time.Time, taken func(string) bool) *approval {
	as.mu.Lock()
	defer as.mu.Unlock()
	a := &approval{
		id: "a" + randomHex(8), channel: channel, session: j.Session,
		answer: make(chan tools.Decision, 1),
	}
	a.code = newCode(func(code string) bool { return as.codeTaken(code) || taken(code) })
	a.ask = askOf(j, a.code, channel, expires)
	as.waiting[a.id] = a
	return a
}

func (as *approvals) codeTaken(code string) bool {
	for _, a := range as.waiting {
		if a.code == code {
			return true
		}
	}
	return false
}

// askOf is what a person is shown of a plan.
func askOf(j tools.Judged, code, channel string, expires time.Time) ipc.Ask {
	ask := ipc.Ask{
		Code: code, Tool: j.Plan.Tool, Class: j.Class.String(), Command: j.Command(), Argv: j.Argv(),
		Cwd: j.Plan.Dir, Privileged: j.Privileged, Reasons: j.Reasons, Digest: j.Digest,
		Expires: expires, Channel: channel, Session: j.Session,
		Warnings: j.Warnings,
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

// actions are the choices an ask offers.
func actions(ask ipc.Ask) []string {
	if ask.Covers == "" {
		return []string{ipc.ActionAllowOnce, ipc.ActionEdit, ipc.ActionReject}
	}
	return []string{ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionEdit, ipc.ActionReject}
}

// resolve answers an approval. Only the first answer counts; it must be for
// the very command that was shown.
func (as *approvals) resolve(a *approval, action string, answer ipc.Answer, by string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if as.waiting[a.id] != a {
		return errNotWaiting
	}
	if answer.Digest != "" && answer.Digest != a.ask.Digest {
		return errDigest
	}
	d := tools.Decision{Action: tools.Action(action), Command: answer.Command}
	switch action {
	case ipc.ActionAllowOnce:
	case ipc.ActionAllowSession:
		if a.ask.Covers == "" {
			return errNoSession
		}
		if as.grants[a.session] == nil {
			as.grants[a.session] = map[string]struct{}{}
		}
		as.grants[a.session][a.ask.Digest] = struct{}{}
	case ipc.ActionEdit:
		if strings.TrimSpace(answer.Command) == "" {
			return errNoCommand
		}
	default:
		d = tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}
	}
	delete(as.waiting, a.id)
	a.by = by
	a.answer <- d
	return nil
}

// close takes back an approval nobody answered and reports whether it was
// still waiting.
func (as *approvals) close(a *approval) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	_, ok := as.waiting[a.id]
	delete(as.waiting, a.id)
	return ok
}

// byID returns the waiting approval with an ask's id, or nil.
func (as *approvals) byID(id string) *approval {
	as.mu.Lock()
	defer as.mu.Unlock()
	return as.waiting[id]
}

// byCode returns the waiting approval with a code, or nil.
func (as *approvals) byCode(code string) *approval {
	as.mu.Lock()
	defer as.mu.Unlock()
	for _, a := range as.waiting {
		if a.code == normalCode(code) {
			return a
		}
	}
	return nil
}

// list returns what waits, the first to expire first.
func (as *approvals) list() []ipc.Ask {
	as.mu.Lock()
	defer as.mu.Unlock()
	list := []ipc.Ask{}
	for _, a := range as.waiting {
		list = append(list, a.ask)
	}
	slices.SortFunc(list, func(a, b ipc.Ask) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Code, b.Code))
	})
	return list
}

// crockford is the alphabet of codes a person types: no I, L, O, U
// (Crockford, Base32).
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newCode returns four characters that are not taken.
func newCode(taken func(string) bool) string {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails, crypto/rand
		for i := range b {
			b[i] = crockford[b[i]%32]
		}
		if code := string(b[:]); !taken(code) {
			return code
		}
	}
}

// normalCode reads a code as people type it.
func normalCode(s string) string {
	return strings.NewReplacer("O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(strings.TrimSpace(s)))
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return hex.EncodeToString(b)
}
