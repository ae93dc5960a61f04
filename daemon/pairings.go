package daemon

import (
	"context"
	"errors"
	"slices"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Pairings decide who may write over a bridge.
type Pairings struct {
	pairings *pairing.Store
	settings *settings.Settings
	post     *post.Post
	log      zerolog.Logger
}

// isAdmitted reports whether a sender may write over a channel: by configuration or by pairing.
func (ps *Pairings) isAdmitted(channel, sender string) (bool, error) {
	normal := pairing.NormalSender(channel, sender)
	if senderIn(channel, normal) == "" {
		return false, nil
	}
	rt, err := ps.settings.AdmissionRuntime()
	if err != nil || slices.Contains(rt.Remote.Closed, channel) {
		return false, err
	}
	for _, owner := range rt.Owners[channel] {
		if pairing.NormalSender(channel, owner) == normal {
			return true, nil
		}
	}
	return ps.pairings.IsPaired(channel, sender)
}

// pairingAction serves the pairing actions.
func (c *peerConn) pairingAction(m ipc.Message) {
	var change ipc.PairingChange
	if err := m.Decode(&change); err != nil {
		c.refuse(m, ipc.CodeBadRequest, i18n.ErrNotMessage(err))
		return
	}
	answer, err := c.applyPairing(m.Action, change)
	if err != nil {
		c.fail(m, c.pairingFailure(err, change))
		return
	}
	_ = c.send(ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData(answer))
}

func (c *peerConn) applyPairing(action string, change ipc.PairingChange) (any, error) {
	if action == ipc.ActionPairingAsk {
		return c.pairingAsk(change)
	}
	if c.visibleChannel() != "" {
		return nil, settings.ErrOnlyHere
	}
	switch action {
	case ipc.ActionPairingApprove:
		p, err := c.s.pairings.pairings.Approve(change.Code)
		if err == nil {
			c.s.log.Info().Str("channel", p.Channel).Str("sender", p.Sender).Msg("sender paired")
			c.s.pairings.publishAdmission(p.Channel)
			c.s.pairings.welcome(p, change.Code)
		}
		return pairInfo(p), err
	case ipc.ActionPairingDeny:
		r, err := c.s.pairings.pairings.Deny(change.Code)
		return requestInfo(r), err
	default:
		err := c.s.pairings.pairings.Remove(change.Channel, change.Sender)
		if err == nil {
			c.s.pairings.publishAdmission(change.Channel)
		}
		return ipc.Pairing{Channel: change.Channel, Sender: pairing.NormalSender(change.Channel, change.Sender)}, err
	}
}

// publishAdmission notifies a channel's bridge that its allowed senders changed.
func (ps *Pairings) publishAdmission(channel string) {
	ps.post.Events.Publish(post.TopicPairing, struct {
		Channel string `json:"channel"`
	}{channel})
	ps.post.WakeBridge(channel)
}

// welcome greets a newly paired sender.
func (ps *Pairings) welcome(p pairing.Pair, code string) {
	if !slices.Contains(ipc.Bridged, p.Channel) {
		return
	}
	lang := ps.settings.Lang()
	ps.post.Notify(outbox.Message{
		ID: "paired:" + approval.NormalCode(code), Channel: p.Channel, To: p.Sender, Session: post.KeyOf(p.Channel, p.Sender),
		Body: i18n.BridgeGreeting.In(lang), Markup: ipc.MarkupMarkdown, Lang: string(lang),
	})
}

// pairingAsk returns whether a sender of its channel may write, and the code to send to one who may not.
// Local clients always may.
func (c *peerConn) pairingAsk(change ipc.PairingChange) (ipc.Admission, error) {
	channel := c.visibleChannel()
	if channel == "" {
		return ipc.Admission{Admitted: true}, nil
	}
	admitted, err := c.s.pairings.isAdmitted(channel, change.Sender)
	if admitted || err != nil {
		return ipc.Admission{Admitted: admitted}, err
	}
	if rt, err := c.s.settings.AdmissionRuntime(); err != nil || slices.Contains(rt.Remote.Closed, channel) {
		return ipc.Admission{}, err
	}
	r, fresh, err := c.s.pairings.pairings.RequestCode(channel, change.Sender, change.Name)
	if errors.Is(err, pairing.ErrBadNames) { // a group or an invalid sender: neither admitted nor answered
		return ipc.Admission{}, nil
	}
	if err != nil || !fresh {
		return ipc.Admission{}, err
	}
	return ipc.Admission{Code: r.Code, Expires: &r.Expires}, nil
}

// queryPairing lists the open requests and the allowed senders.
func (c *peerConn) queryPairing(context.Context, ipc.Query) (any, error) {
	if c.visibleChannel() != "" {
		return nil, settings.ErrOnlyHere
	}
	st, err := c.s.pairings.pairings.List()
	list := ipc.PairingList{Waiting: []ipc.Pairing{}, Paired: []ipc.Pairing{}}
	for _, r := range st.Waiting {
		list.Waiting = append(list.Waiting, requestInfo(r))
	}
	for _, p := range st.Paired {
		list.Paired = append(list.Paired, pairInfo(p))
	}
	if rt := c.s.settings.Current(); rt != nil {
		list.Paired = append(list.Paired, configuredPairings(rt.Owners)...)
	}
	return list, err
}

// configuredPairings returns the senders that the configuration allows, in order.
func configuredPairings(owners map[string][]string) []ipc.Pairing {
	var list []ipc.Pairing
	for _, channel := range ipc.Bridged {
		for _, owner := range owners[channel] {
			list = append(list, ipc.Pairing{Channel: channel, Sender: pairing.NormalSender(channel, owner), Configured: true})
		}
	}
	return slices.Clip(list)
}

func requestInfo(r pairing.Request) ipc.Pairing {
	return ipc.Pairing{Channel: r.Channel, Sender: r.Sender, Name: r.Name, Code: r.Code, Since: r.Asked, Expires: &r.Expires}
}

func pairInfo(p pairing.Pair) ipc.Pairing {
	return ipc.Pairing{Channel: p.Channel, Sender: p.Sender, Name: p.Name, Since: p.Since}
}

// pairingFailure returns the error of a pairing action.
func (c *peerConn) pairingFailure(err error, change ipc.PairingChange) *ipc.Error {
	lang := c.language()
	switch {
	case errors.Is(err, pairing.ErrNoCode):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.PairingNoCode(change.Code).In(lang), Hint: i18n.PairingHint.In(lang)}
	case errors.Is(err, pairing.ErrNotPaired):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.PairingUnknownSender(change.Sender, change.Channel).In(lang), Hint: i18n.PairingHint.In(lang)}
	case errors.Is(err, pairing.ErrFull):
		return &ipc.Error{Code: ipc.CodeBusy, Message: i18n.PairingFull.In(lang), Hint: i18n.PairingHint.In(lang)}
	}
	return c.s.settings.Failure(err, lang)
}
