package daemon

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// addresses returns the recipients of a rule's messages. WhatsApp's are the configured numbers, unless the rule
// names one.
func (a *automations) addresses(rule automation.Rule) []post.Address {
	var list []post.Address
	for _, target := range rule.Notify {
		channel, to, named := strings.Cut(target, ":")
		switch {
		case channel == "none":
		case channel == post.DesktopChannel:
			list = append(list, post.Address{Channel: post.DesktopChannel, To: post.DesktopChannel})
		case channel == "cli":
			list = append(list, post.Address{Channel: "cli", To: cmp.Or(to, "default")})
		case named:
			list = append(list, a.addressOf(channel, to))
		default:
			for _, to := range a.owners(channel) {
				list = append(list, a.addressOf(channel, to))
			}
		}
	}
	if len(list) == 0 && !slices.Equal(rule.Notify, []string{"none"}) { // no address is known in the rule's channels
		list = []post.Address{{Channel: "cli", To: "default"}}
	}
	slices.SortFunc(list, func(x, y post.Address) int { return cmp.Or(cmp.Compare(x.Channel, y.Channel), cmp.Compare(x.To, y.To)) })
	return slices.Compact(list)
}

// addressOf returns an address in the form that its channel's program uses. The original WhatsApp bridge does not
// say hello and writes a number as WhatsApp's web client does. It gets the messages as long as our own bridge has
// no account.
func (a *automations) addressOf(channel, to string) post.Address {
	normal := cmp.Or(pairing.NormalSender(channel, to), to)
	if channel != "whatsapp" {
		return post.Address{Channel: channel, To: normal}
	}
	if a.hasBridgeAccount(channel) {
		return post.Address{Channel: channel, To: normal}
	}
	return post.Address{Channel: post.OriginalChannel, To: normal + "@c.us"}
}

// hasBridgeAccount reports whether a channel's own bridge has an account, by its state file. A bridge that was logged
// out on the telephone counts as set up.
func (a *automations) hasBridgeAccount(channel string) bool {
	s, err := state.Read(state.Dir(a.settings.Home, channel))
	return err == nil && s.Phase != state.NotLoggedIn
}

// owners returns the owner's addresses in a channel.
func (a *automations) owners(channel string) []string {
	if rt := a.settings.Current(); rt != nil {
		return rt.Owners[channel]
	}
	return nil
}

// announce sends a text on a rule's channels, except to the address but, and reports whether it is in the outbox
// for all of them. In quiet hours only urgent texts are sent at once.
func (a *automations) announce(rule automation.Rule, t outbox.Message, but *post.Address) bool {
	now := a.o.Now()
	t.Rule = rule.Name
	if _, quiet := a.loadCondition(rule).Watch.Snoozed(now); quiet && !t.Urgent && t.Approval == "" {
		return true // the history has it
	}
	if rt := a.settings.Current(); rt != nil {
		t.Body = rt.Redact(t.Body)
	}
	t.Body = chat.BoundBody(t.Body, a.langOf(rule))
	if here := now.In(a.o.Zone()); rule.Quiet.Contains(here) && !t.Urgent {
		t.NotBefore = rule.Quiet.Ends(here)
	}
	stored, id := true, t.ID
	for _, to := range a.addresses(rule) {
		if but != nil && *but == to {
			continue
		}
		t.ID, t.Channel, t.To = id+"@"+to.Channel+":"+to.To, to.Channel, to.To
		stored = a.post.Notify(forBridge(t)) && stored
	}
	return stored
}

// forBridge sets the markup and buttons of a text for its channel. Questions are plain, and channels without a
// bridge get no buttons.
func forBridge(t outbox.Message) outbox.Message {
	switch {
	case !slices.Contains(ipc.Bridged, t.Channel):
		t.Digest, t.Actions = "", nil
	case t.Approval != "":
		t.Markup = ipc.MarkupPlain
	default:
		t.Markup = ipc.MarkupMarkdown
	}
	return t
}

// announceFor sends a text of a task's rule.
func (a *automations) announceFor(rec task.Record, id, text string, but *post.Address) bool {
	p, known := a.rule(rec.Rule)
	if !known {
		p.Rule = automation.Rule{Name: rec.Rule, Notify: []string{"cli"}}
	}
	body := i18n.AutomationSays(i18n.RuleName(rec.Rule, i18n.Lang(rec.Lang))).In(i18n.Lang(rec.Lang)) + "\n" + text
	return a.announce(p.Rule, outbox.Message{ID: id, Session: rec.Session, Task: rec.ID, Body: body}, but)
}

// queueApproval stores a plan for a later answer and sends the question on the rule's channels.
func (w *worker) queueApproval(j tools.JudgedPlan) tools.Decision {
	a := w.ts.rules
	p, known := a.rule(w.rec.Rule)
	if !known {
		p.Rule = automation.Rule{Name: w.rec.Rule, Notify: []string{"cli"}}
	}
	if code, waits := w.pendingCode(j); waits {
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: code}
	}
	r := w.approvalRecord()
	r.Automation, r.Unseen = w.rec.Rule, true
	for _, to := range a.addresses(p.Rule) {
		r.Audience = append(r.Audience, post.KeyOf(to.Channel, to.To))
	}
	stored, err := w.ts.approvals.Open(j, r, time.Now().Add(approval.StoredFor), false)
	if err != nil {
		w.ts.log.Warn().Err(err).Msg("cannot save approval")
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedCancelled}
	}
	question := i18n.AutomationAsks(i18n.RuleName(w.rec.Rule, w.answerIn)).In(w.answerIn)
	body, whole := chat.Ask(question, stored.Ask, w.answerIn, slices.ContainsFunc(a.addresses(p.Rule), func(to post.Address) bool { return chat.NeedsFences(to.Channel) }))
	if !whole {
		_ = w.ts.approvals.MarkShown(stored, false) // an incomplete question cannot be approved there
	}
	a.announce(p.Rule, outbox.Message{
		ID: "ask:" + stored.ID, Session: w.rec.Session, Task: w.rec.ID, Body: body, Approval: stored.Ask.Code, Urgent: false,
		Digest: stored.Ask.Digest, Actions: remoteActions(whole), Lang: string(w.answerIn),
	}, nil)
	w.ts.stored.watchExpiry()
	w.ts.post.Events.Publish(post.TopicApprovals, stored.Ask)
	return tools.Decision{Action: tools.Reject, Reason: tools.RefusedQueued, Code: stored.Ask.Code}
}

// pendingCode returns the code of an open question about the same plan from an earlier run of the rule. One yes
// is enough, so one question is.
func (w *worker) pendingCode(j tools.JudgedPlan) (code string, waits bool) {
	for _, r := range w.ts.approvals.ForAutomation(w.rec.Rule) {
		if r.Ask.Digest == j.Digest {
			return r.Ask.Code, true
		}
	}
	return "", false
}

// announceStored announces the end of an automation's approval and adds it to the rule's history.
func (a *automations) announceStored(r approval.Record, who answerSource, o automation.Outcome) {
	if run, ok := strings.CutPrefix(r.Task, taskOf(automation.Run{})); ok {
		if err := a.scheduler.Amend(r.Automation, run, o); err != nil {
			a.log.Warn().Err(err).Str("automation", r.Automation).Msg("cannot add approval to automation history")
		}
	}
	text := o.Text
	p, known := a.rule(r.Automation)
	if !known {
		p.Rule = automation.Rule{Name: r.Automation, Notify: []string{"cli"}}
	}
	if who.by != "" && who.by != byTimeout {
		text = i18n.AnsweredElsewhere(who.by).In(langOf(r)) + "\n" + text
	}
	body := i18n.AutomationSays(i18n.RuleName(r.Automation, langOf(r))).In(langOf(r)) + "\n" + text
	var but *post.Address
	if who.by != "" && who.by != post.DesktopChannel {
		but = &post.Address{Channel: who.by, To: who.name}
	}
	a.announce(p.Rule, outbox.Message{ID: "kept:" + r.ID, Session: r.Ask.Session, Task: r.Task, Body: body}, but)
}

// canUseButton reports whether a button may answer a question: the command is short, completely shown and
// unprivileged.
func canUseButton(ask ipc.Ask, whole bool) bool {
	return whole && !ask.Privileged && len(ask.Warnings) == 0 && !strings.Contains(ask.Command, "\n") &&
		len([]rune(ipc.VisibleLine(ask.Command))) <= 120
}
