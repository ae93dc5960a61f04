package serve

import (
	"context"
	"fmt"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// queryGrants lists what is allowed for conversations.
func (c *peerConn) queryGrants(context.Context, ipc.Query) (any, error) {
	return c.s.turns.Grants(), nil
}

// unknownGrant reports a code that no grant has.
type unknownGrant string

func (u unknownGrant) Error() string { return fmt.Sprintf("no grant %q", string(u)) }

func (u unknownGrant) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.GrantsUnknown(string(u)).In(lang)}
}

// revokeGrant ends one grant or all.
func (c *peerConn) revokeGrant(m ipc.Message) {
	var r ipc.Revocation
	if err := m.Decode(&r); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	var n int
	var err error
	if r.All {
		n, err = c.s.approvals.RevokeAll()
	} else if n, err = c.s.approvals.Revoke(r.Code); err == nil && n == 0 {
		err = unknownGrant(r.Code)
	}
	if err != nil {
		c.Fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(ipc.Revoked{Revoked: n}))
}
