package serve

import (
	"context"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// askPairing answers whether a sender of the bridge may write. Local clients always may.
func (c *peerConn) askPairing(m ipc.Message) {
	c.pairing(m, func(change ipc.PairingChange) (any, error) {
		return c.s.remote.Pairings.Ask(c.visibleChannel(), change)
	})
}

// changePairing carries out a person's change.
func (c *peerConn) changePairing(m ipc.Message) {
	c.pairing(m, func(change ipc.PairingChange) (any, error) { return c.s.remote.Pairings.Apply(m.Action, change) })
}

func (c *peerConn) pairing(m ipc.Message, do func(ipc.PairingChange) (any, error)) {
	var change ipc.PairingChange
	if err := m.Decode(&change); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	answer, err := do(change)
	if err != nil {
		c.Fail(m, c.s.remote.Pairings.Failure(err, change, c.language()))
		return
	}
	_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(answer))
}

// queryPairing lists the open requests and the allowed senders.
func (c *peerConn) queryPairing(context.Context, ipc.Query) (any, error) {
	return c.s.remote.Pairings.List()
}
