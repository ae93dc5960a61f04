package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// isBridge reports whether the peer is a messenger's bridge, which has few permissions.
func (c *peerConn) isBridge() bool {
	return c.hello != nil && slices.Contains(ipc.Bridged, c.hello.Channel)
}

// mustClose reports whether the peer must be disconnected: it used a bridge's socket without a hello.
func (c *peerConn) mustClose() bool { return c.socketChannel != "" && c.hello == nil }

// handleBridge serves a bridge. A compromised bridge can only report messages and senders of its channel: every
// request that is not listed here is refused.
func (c *peerConn) handleBridge(ctx context.Context, m ipc.Message) {
	switch m.Type {
	case ipc.TypeMessage:
		c.bridgeMessage(ctx, m)
	case ipc.TypeAction:
		c.bridgeAction(ctx, m)
	case ipc.TypeCancel:
		c.bridgeCancel(m)
	case ipc.TypeSubscribe:
		c.subscribe(m)
	case ipc.TypeQuery:
		var q ipc.Query
		if err := m.Decode(&q); err != nil || q.What != "channel" {
			c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn("query "+chat.ExcerptOf(q.What, chat.MaxExcerpt)))
			return
		}
		c.query(ctx, m)
	default:
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn(chat.ExcerptOf(m.Type, chat.MaxExcerpt)))
	}
}

func (c *peerConn) bridgeAction(ctx context.Context, m ipc.Message) {
	switch m.Action {
	case ipc.ActionPing:
		c.ok(m, "pong")
	case ipc.ActionAck:
		c.acknowledge(m)
	case ipc.ActionPairingAsk:
		c.pairingAction(m)
	case ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionReject:
		c.press(ctx, m)
	default:
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn("action "+chat.ExcerptOf(m.Action, chat.MaxExcerpt)))
	}
}

// bridgeCancel stops a message of this connection.
func (c *peerConn) bridgeCancel(m ipc.Message) {
	if m.Re == "" {
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn(m.Type))
		return
	}
	m.Data = nil // a bridge may not cancel tasks by id
	c.cancelTask(m)
}

// queryChannel returns the rules of a bridge's channel.
func (c *peerConn) queryChannel(_ context.Context, q ipc.Query) (any, error) {
	channel := c.visibleChannel()
	if channel == "" {
		return nil, settings.ErrNoBridge
	}
	p := ipc.ChannelPolicy{
		Channel: channel, Admitted: []string{}, Prefixes: i18n.Prefixes, Lang: string(c.language()), PerMinute: settings.RemotePolicy{}.QuestionsPerMinute(),
		Closed: c.s.stored.closedCodes(strings.Fields(q.Text)),
	}
	rt, err := c.s.settings.AdmissionRuntime()
	if err != nil {
		return nil, err
	}
	p.RequirePrefix, p.PerMinute = rt.Remote.RequirePrefix, rt.Remote.QuestionsPerMinute()
	if slices.Contains(rt.Remote.Closed, channel) {
		return p, nil
	}
	for _, owner := range rt.Owners[channel] {
		p.Admitted = append(p.Admitted, pairing.NormalSender(channel, owner))
	}
	st, err := c.s.pairings.pairings.List()
	for _, pair := range st.Paired {
		if pair.Channel == channel {
			p.Admitted = append(p.Admitted, pair.Sender)
		}
	}
	slices.Sort(p.Admitted)
	p.Admitted = slices.DeleteFunc(slices.Compact(p.Admitted), func(s string) bool { return senderIn(channel, s) == "" })
	return p, err
}

// maxCodes bounds how many approvals a bridge asks about.
const maxCodes = 200

// closedCodes returns those of the approval codes that can no longer be answered.
func (sa *Stored) closedCodes(codes []string) (over []string) {
	for _, code := range codes[:min(len(codes), maxCodes)] {
		if sa.ts.approvals.ByCode(code) != nil {
			continue
		}
		if _, err := sa.ts.approvals.Stored(code); errors.Is(err, approval.ErrNotWaiting) {
			over = append(over, code)
		}
	}
	return over
}

// senderIn returns a sender as the channel's server identifies people, which is by digits only. It returns "" for
// a group, a name, or any other text that contains digits.
func senderIn(channel, from string) string {
	least, most := 1, 20
	if channel == "whatsapp" {
		least, most = 7, 15
	}
	if len(from) < least || len(from) > most {
		return ""
	}
	for _, r := range from {
		if r < '0' || r > '9' {
			return ""
		}
	}
	return from
}
