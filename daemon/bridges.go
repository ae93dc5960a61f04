package daemon

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Bridge is the socket of a channel's bridge.
type Bridge struct {
	Channel  string
	Listener net.Listener
}

// Afar are the configuration's rules for what comes over bridges.
type Afar struct {
	// RequirePrefix leaves messages alone that do not begin with one of
	// [i18n.Prefixes].
	RequirePrefix bool
	// PerMinute is how many questions a minute a sender may ask; 0 means five.
	PerMinute int
	// Closed are the channels over which nobody may write.
	Closed []string
}

func (a Afar) perMinute() int {
	if a.PerMinute <= 0 {
		return 5
	}
	return a.PerMinute
}

// bridgeSeats is how many connections a bridge may have at a time: one, and one
// that is just being replaced.
const bridgeSeats = 4

// errOtherBridge reports a hello over the socket of another channel.
var errOtherBridge = errors.New("this socket is for another channel")

// serveBridges serves what bridges connect to until the function it returns is
// called. A bridge that cannot be served keeps nobody else from being.
func (d *Daemon) serveBridges(ctx context.Context, bridges []Bridge, uid int) (stop func()) {
	var accepting sync.WaitGroup
	for _, b := range bridges {
		accepting.Go(func() {
			if err := d.accept(ctx, b.Listener, uid, door{seats: bridgeSeats, channel: b.Channel}); err != nil {
				d.o.Log.Warn().Err(err).Str("channel", b.Channel).Msg("a bridge cannot connect any more")
			}
		})
		d.ring(b.Channel)
	}
	accepting.Go(func() {
		<-d.quit
		for _, b := range bridges {
			b.Listener.Close()
		}
	})
	return func() { d.leave(); accepting.Wait() }
}

// ring has a channel's bridge know that something waits for it.
func (d *Daemon) ring(channel string) {
	if d.o.Bell != nil && slices.Contains(ipc.Bridged, channel) {
		d.o.Bell(channel)
	}
}

// isBridge reports whether the peer is a messenger's bridge, which may do little.
func (c *peerConn) isBridge() bool {
	return c.hello != nil && slices.Contains(ipc.Bridged, c.hello.Channel)
}

// shut reports whether the peer has no business on this socket.
func (c *peerConn) shut() bool { return c.only != "" && c.hello == nil }

// bridge serves a bridge. Whoever takes one over can say what came over its channel,
// from whom, and nothing else: it is refused whatever is not listed here.
func (c *peerConn) bridge(ctx context.Context, m ipc.Message) {
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
			c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn, "query "+excerptOf(q.What, maxExcerpt))
			return
		}
		c.query(ctx, m)
	default:
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn, excerptOf(m.Type, maxExcerpt))
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
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn, "action "+excerptOf(m.Action, maxExcerpt))
	}
}

// bridgeCancel stops a message of this connection.
func (c *peerConn) bridgeCancel(m ipc.Message) {
	if m.Re == "" {
		c.refuse(m, ipc.CodeDenied, i18n.BridgeOnlyOwn, m.Type)
		return
	}
	m.Data = nil // no task is named by whom it is not of
	c.cancelTask(m)
}

// queryChannel tells a bridge the rules of its channel.
func (c *peerConn) queryChannel(_ context.Context, q ipc.Query) (any, error) {
	channel := c.visibleChannel()
	if channel == "" {
		return nil, errNoBridge
	}
	p := ipc.ChannelPolicy{
		Channel: channel, Admitted: []string{}, Prefixes: i18n.Prefixes, Lang: string(c.language()), PerMinute: Afar{}.perMinute(),
		Over: c.settled(strings.Fields(q.Text)),
	}
	rt, err := c.admitting()
	if err != nil {
		return nil, err
	}
	p.RequirePrefix, p.PerMinute = rt.Afar.RequirePrefix, rt.Afar.perMinute()
	if slices.Contains(rt.Afar.Closed, channel) {
		return p, nil
	}
	for _, owner := range rt.Owners[channel] {
		p.Admitted = append(p.Admitted, pairing.Normal(channel, owner))
	}
	st, err := c.pairings.List()
	for _, pair := range st.Paired {
		if pair.Channel == channel {
			p.Admitted = append(p.Admitted, pair.Sender)
		}
	}
	slices.Sort(p.Admitted)
	p.Admitted = slices.DeleteFunc(slices.Compact(p.Admitted), func(s string) bool { return senderIn(channel, s) == "" })
	return p, err
}

// mostCodes bounds how many confirmations a bridge asks about.
const mostCodes = 200

// settled are those of some confirmations, by their codes, that nobody can answer any more.
func (d *Daemon) settled(codes []string) (over []string) {
	for _, code := range codes[:min(len(codes), mostCodes)] {
		if d.approvals.ByCode(code) != nil {
			continue
		}
		if _, err := d.approvals.Kept(code); errors.Is(err, approval.ErrNotWaiting) {
			over = append(over, code)
		}
	}
	return over
}

// errNoBridge reports a question about a channel by who is on none.
var errNoBridge = errors.New("only a bridge has a channel")

// senderIn is a sender as a channel's server names people: digits and nothing
// else; "" for a group, a name, or anything that only holds such digits.
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
