package approval

import (
	"cmp"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// maxFamilies bounds the families that are allowed at the same time in a conversation.
const maxFamilies = 20

// code returns the code by which people name a grant. Records of earlier versions have none: theirs is made of the digest.
func (g grant) code() string {
	if g.Code != "" {
		return g.Code
	}
	digest := strings.ToUpper(strings.TrimPrefix(g.Digest, "sha256:"))
	return digest[:min(len(digest), codeLength)]
}

// newGrant returns what an approval's answer allows for its conversation.
func newGrant(r Record, action string, now time.Time) *grant {
	g := &grant{Session: r.Ask.Session, Code: r.Ask.Code, Channel: r.Ask.Channel, Since: now, At: now}
	switch action {
	case ipc.ActionAllowFamily:
		g.Family = r.Ask.Family
	case ipc.ActionAllowSession:
		g.Digest = r.Ask.Digest
	default:
		return nil
	}
	return g
}

// IsGranted reports whether exactly this plan was allowed for its conversation.
func (as *Approvals) IsGranted(j tools.JudgedPlan) bool {
	as.mu.Lock()
	defer as.mu.Unlock()
	_, ok := as.history.grants[j.Session][j.Digest]
	return ok
}

// FamilyGrant returns the code of the grant of a plan's family in its conversation, if there is one.
func (as *Approvals) FamilyGrant(j tools.JudgedPlan) (code string, ok bool) {
	if j.Family == nil {
		return "", false
	}
	as.mu.Lock()
	defer as.mu.Unlock()
	g, ok := as.history.grants[j.Session][familyKey(ipc.Family(*j.Family))]
	return g.code(), ok
}

// canGrantFamily reports whether a family can be allowed in a conversation, which has a bound.
func (as *Approvals) canGrantFamily(session string, f *ipc.Family) bool {
	if f == nil {
		return false
	}
	families := 0
	for _, g := range as.history.grants[session] {
		if g.Family != nil && g.key() != familyKey(*f) {
			families++
		}
	}
	return families < maxFamilies
}

// Grants returns what is allowed for the conversations that had a message within the timeout, the oldest first.
func (as *Approvals) Grants(timeout time.Duration) []ipc.Grant {
	as.mu.Lock()
	defer as.mu.Unlock()
	list := []ipc.Grant{}
	for session, grants := range as.history.grants {
		for _, g := range grants {
			if as.now().Sub(g.At) > timeout {
				continue
			}
			since := g.Since
			if since.IsZero() {
				since = g.At
			}
			list = append(list, ipc.Grant{
				Code: g.code(), Command: g.Command, Family: g.Family, Channel: g.Channel, Session: session, Since: since,
			})
		}
	}
	sorting.By(list, func(a, b ipc.Grant) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Code, b.Code))
	})
	return list
}

// Revoke ends the grants with a code and returns how many those were. It returns once that is on disk: a revoked grant
// does not come back after a crash.
func (as *Approvals) Revoke(code string) (n int, err error) {
	code = NormalCode(code)
	return as.revoke(func(g grant) bool { return g.code() == code })
}

// RevokeAll ends all grants, as [Approvals.Revoke] does.
func (as *Approvals) RevokeAll() (n int, err error) {
	return as.revoke(func(grant) bool { return true })
}

func (as *Approvals) revoke(wanted func(grant) bool) (n int, err error) {
	as.mu.Lock()
	defer as.mu.Unlock()
	var ended []revocation
	for session, grants := range as.history.grants {
		for _, g := range grants {
			if wanted(g) {
				ended = append(ended, revocation{session, g.code()})
			}
		}
	}
	for i := range ended {
		as.history.apply(line{Revoke: &ended[i]}) // even if the journal cannot be written
	}
	for i := range ended {
		if err := as.append(line{Revoke: &ended[i]}, i == len(ended)-1); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// EndGrants ends a conversation's grants.
func (as *Approvals) EndGrants(session string) error {
	as.mu.Lock()
	defer as.mu.Unlock()
	if len(as.history.grants[session]) == 0 {
		return nil
	}
	delete(as.history.grants, session) // even if the journal cannot be written
	return as.append(line{Forget: session}, false)
}
