package remote

import (
	"errors"
	"slices"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/rs/zerolog"
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
	if pairing.SenderIn(channel, normal) == "" {
		return false, nil
	}
	rt, err := ps.settings.AdmissionRuntime()
	if err != nil || slices.Contains(rt.Remote.Closed, channel) {
		return false, err
	}
	for _, owner := range rt.Remote.Owners[channel] {
		if pairing.NormalSender(channel, owner) == normal {
			return true, nil
		}
	}
	return ps.pairings.IsPaired(channel, sender)
}

// mayWrite reports whether an address may write over a channel: that of an admitted person, in direct messages or in one
// of the configured rooms.
func (ps *Pairings) mayWrite(channel, from string) (bool, error) {
	person, room := ipc.SplitRoom(from)
	admitted, err := ps.isAdmitted(channel, person)
	if !admitted || err != nil || room == "" {
		return admitted, err
	}
	rt, err := ps.settings.AdmissionRuntime()
	return err == nil && slices.Contains(rt.Remote.Rooms[channel], room), err
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

func requestInfo(r pairing.Request) ipc.Pairing {
	return ipc.Pairing{Channel: r.Channel, Sender: r.Sender, Name: r.Name, Code: r.Code, Since: r.Asked, Expires: &r.Expires}
}

func pairInfo(p pairing.Pair) ipc.Pairing {
	return ipc.Pairing{Channel: p.Channel, Sender: p.Sender, Name: p.Name, Since: p.Since}
}

// Apply carries out a person's change.
func (ps *Pairings) Apply(action string, change ipc.PairingChange) (ipc.Pairing, error) {
	switch action {
	case ipc.ActionPairingApprove:
		p, err := ps.pairings.Approve(change.Code)
		if err == nil {
			ps.log.Info().Str("channel", p.Channel).Str("sender", p.Sender).Msg("sender paired")
			ps.publishAdmission(p.Channel)
			ps.welcome(p, change.Code)
		}
		return pairInfo(p), err
	case ipc.ActionPairingDeny:
		r, err := ps.pairings.Deny(change.Code)
		return requestInfo(r), err
	default:
		err := ps.pairings.Remove(change.Channel, change.Sender)
		if err == nil {
			ps.publishAdmission(change.Channel)
		}
		return ipc.Pairing{Channel: change.Channel, Sender: pairing.NormalSender(change.Channel, change.Sender)}, err
	}
}

// Ask returns whether a sender of a channel may write, and the code to send to one who may not. Local clients, whose
// channel is "", always may.
func (ps *Pairings) Ask(channel string, change ipc.PairingChange) (ipc.Admission, error) {
	if channel == "" {
		return ipc.Admission{Admitted: true}, nil
	}
	admitted, err := ps.isAdmitted(channel, change.Sender)
	if admitted || err != nil {
		return ipc.Admission{Admitted: admitted}, err
	}
	if rt, err := ps.settings.AdmissionRuntime(); err != nil || slices.Contains(rt.Remote.Closed, channel) {
		return ipc.Admission{}, err
	}
	if _, room := ipc.SplitRoom(change.Sender); room != "" && channel != post.WhatsAppChannel {
		return ipc.Admission{}, nil // several people would read the code
	}
	r, fresh, err := ps.pairings.RequestCode(channel, change.Sender, change.Name)
	if errors.Is(err, pairing.ErrBadNames) { // a group or an invalid sender: neither admitted nor answered
		return ipc.Admission{}, nil
	}
	if err != nil || !fresh {
		return ipc.Admission{}, err
	}
	return ipc.Admission{Code: r.Code, Expires: &r.Expires}, nil
}

// List returns the open requests and the allowed senders.
func (ps *Pairings) List() (ipc.PairingList, error) {
	st, err := ps.pairings.List()
	list := ipc.PairingList{Waiting: []ipc.Pairing{}, Paired: []ipc.Pairing{}}
	for _, r := range st.Waiting {
		list.Waiting = append(list.Waiting, requestInfo(r))
	}
	for _, p := range st.Paired {
		list.Paired = append(list.Paired, pairInfo(p))
	}
	if rt := ps.settings.Current(); rt != nil {
		list.Paired = append(list.Paired, configuredPairings(rt.Remote.Owners)...)
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

// Failure returns the error of a pairing action.
func (ps *Pairings) Failure(err error, change ipc.PairingChange, lang i18n.Lang) *ipc.Error {
	switch {
	case errors.Is(err, pairing.ErrNoCode):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.PairingNoCode(change.Code).In(lang), Hint: i18n.PairingHint.In(lang)}
	case errors.Is(err, pairing.ErrNotPaired):
		return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.PairingUnknownSender(change.Sender, change.Channel).In(lang), Hint: i18n.PairingHint.In(lang)}
	case errors.Is(err, pairing.ErrFull):
		return &ipc.Error{Code: ipc.CodeBusy, Message: i18n.PairingFull.In(lang), Hint: i18n.PairingHint.In(lang)}
	}
	return ps.settings.Failure(err, lang)
}

// Policy returns the rules for the messages of a channel.
func (ps *Pairings) Policy(channel string) (ipc.ChannelPolicy, error) {
	p := ipc.ChannelPolicy{Channel: channel, Admitted: []string{}, Prefixes: i18n.Prefixes}
	rt, err := ps.settings.AdmissionRuntime()
	if err != nil {
		return p, err
	}
	p.RequirePrefix, p.PerMinute = rt.Remote.RequirePrefix, rt.Remote.QuestionsPerMinute()
	if slices.Contains(rt.Remote.Closed, channel) {
		return p, nil
	}
	p.Rooms = rt.Remote.Rooms[channel]
	for _, owner := range rt.Remote.Owners[channel] {
		p.Admitted = append(p.Admitted, pairing.NormalSender(channel, owner))
	}
	st, err := ps.pairings.List()
	for _, pair := range st.Paired {
		if pair.Channel == channel {
			p.Admitted = append(p.Admitted, pair.Sender)
		}
	}
	slices.Sort(p.Admitted)
	p.Admitted = slices.DeleteFunc(slices.Compact(p.Admitted), func(s string) bool { return pairing.SenderIn(channel, s) == "" })
	return p, err
}

// deliverable reports whether a message may be given to an original peer: the owner's rule names its recipient, or
// the recipient is an allowed sender.
func (ps *Pairings) deliverable(t outbox.Message) bool {
	if t.Rule != "" {
		return true
	}
	admitted, err := ps.isAdmitted(post.WhatsAppChannel, t.To)
	return admitted && err == nil
}
