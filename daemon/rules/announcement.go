package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/pairing"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
)

// addresses returns the recipients of a rule's messages. WhatsApp's are the configured numbers, unless the rule
// names one.
func (a *Automations) addresses(rule automation.Rule) []post.Address {
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
	sorting.By(list, func(x, y post.Address) int { return cmp.Or(cmp.Compare(x.Channel, y.Channel), cmp.Compare(x.To, y.To)) })
	return slices.Compact(list)
}

// addressOf returns an address in the form that its channel's program uses. The original WhatsApp bridge does not
// say hello and writes a number as WhatsApp's web client does. It gets the messages as long as our own bridge has
// no account.
func (a *Automations) addressOf(channel, to string) post.Address {
	normal := cmp.Or(pairing.NormalSender(channel, to), to)
	if channel != "whatsapp" {
		person, _ := ipc.SplitRoom(normal) // never to a room, which several people read
		return post.Address{Channel: channel, To: person}
	}
	if a.hasBridgeAccount(channel) {
		return post.Address{Channel: channel, To: normal}
	}
	return post.Address{Channel: post.OriginalChannel, To: normal + "@c.us"}
}

// hasBridgeAccount reports whether a channel's own bridge has an account, by its state file. A bridge that was logged
// out on the telephone counts as set up.
func (a *Automations) hasBridgeAccount(channel string) bool {
	s, err := state.Read(state.Dir(a.settings.Home, channel))
	return err == nil && s.Phase != state.NotLoggedIn
}

// owners returns the owner's addresses in a channel.
func (a *Automations) owners(channel string) []string {
	if rt := a.settings.Current(); rt != nil {
		return rt.Remote.Owners[channel]
	}
	return nil
}

// announce sends a text on a rule's channels, except to the address but, and reports whether it is in the outbox
// for all of them. In quiet hours only urgent texts are sent at once.
func (a *Automations) announce(rule automation.Rule, t outbox.Message, but *post.Address) bool {
	now := a.machine.Now()
	t.Rule = rule.Name
	if _, quiet := a.conditions.load(rule).Watch.Snoozed(now); quiet && !t.Urgent && t.Approval == "" {
		return true // the history has it
	}
	if rt := a.settings.Current(); rt != nil {
		t.Body = rt.Redact(t.Body)
	}
	t.Body = chat.BoundBody(t.Body, a.langOf(rule))
	if here := now.In(a.machine.Zone()); rule.Quiet.Contains(here) && !t.Urgent && !t.Remind {
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

// AnnounceFor sends the answer of a task on its rule's channels.
func (a *Automations) AnnounceFor(rec task.Record, text string) bool {
	return a.announce(a.ruleOf(rec.Rule), outbox.Message{ID: turns.AnswerID(rec.ID), Session: rec.Session, Task: rec.ID, Body: headed(rec, text)}, nil)
}

// headed returns a text with its rule's name above it.
func headed(rec task.Record, text string) string {
	lang := i18n.Lang(rec.Lang)
	return i18n.AutomationSays(i18n.RuleName(rec.Rule, lang)).In(lang) + "\n" + text
}

// ruleOf returns the named rule. The messages of a rule that no longer exists go to the command line, those of one that
// ran once to its channels.
func (a *Automations) ruleOf(name string) automation.Rule {
	if p, known := a.rule(name); known {
		return p.Rule
	}
	if last, ok := a.runs.ledger.Latest(name); ok && len(last.Notify) > 0 {
		return automation.Rule{Name: name, Notify: last.Notify, Language: last.Language}
	}
	return automation.Rule{Name: name, Notify: []string{"cli"}}
}

// AskLater sends the question of a rule's task on the rule's channels.
func (an *announcer) AskLater(stored *approval.Approval, lang i18n.Lang) {
	a, rule := an.a, an.a.ruleOf(an.rec.Rule)
	question := i18n.AutomationAsks(i18n.RuleName(an.rec.Rule, lang)).In(lang)
	if foreseen := strings.TrimSuffix(turns.Foreseen(stored.Judged(), lang), "\n"); foreseen != "" {
		question += "\n" + foreseen
	}
	body, whole := chat.Ask(question, stored.Ask, lang, placeOf(a.addresses(rule)))
	if !whole {
		_ = a.turns.Approvals.MarkShown(stored, false) // an incomplete question cannot be approved there
	}
	a.announce(rule, outbox.Message{
		ID: "ask:" + stored.ID, Session: an.rec.Session, Task: an.rec.ID, Body: body, Approval: stored.Ask.Code, Urgent: false,
		Digest: stored.Ask.Digest, Actions: chat.Actions(whole), Lang: string(lang),
	}, nil)
}

// placeOf returns how a question is shown that goes to several addresses.
func placeOf(addresses []post.Address) chat.Place {
	at := chat.Place{Pages: true}
	for _, to := range addresses {
		at.Fenced = at.Fenced || chat.NeedsFences(to.Channel)
		at.Pages = at.Pages && to.Channel != post.OriginalChannel
	}
	return at
}

func (an *announcer) Audience() (keys []string) {
	for _, to := range an.a.addresses(an.a.ruleOf(an.rec.Rule)) {
		keys = append(keys, to.Key())
	}
	return keys
}

func (an *announcer) SignedDecision(j tools.JudgedPlan) (tools.Decision, bool) {
	return an.a.signedDecision(an.rec, j)
}

// AnnounceStored announces the end of an automation's approval and adds it to the rule's history.
func (a *Automations) AnnounceStored(r approval.Record, who turns.AnswerSource, o automation.Outcome) {
	if run, ok := strings.CutPrefix(r.Task, taskOf(automation.Run{})); ok {
		if err := a.runs.scheduler.Amend(r.Automation, run, o); err != nil {
			a.log.Warn().Err(err).Str("automation", r.Automation).Msg("cannot add approval to automation history")
		}
	}
	text, lang := o.Text, r.Language()
	if who.By != "" && who.By != turns.ByTimeout {
		text = i18n.AnsweredElsewhere(who.By).In(lang) + "\n" + text
	}
	var but *post.Address
	if who.By != "" && who.By != post.DesktopChannel {
		but = &post.Address{Channel: who.By, To: who.Name}
	}
	rec := task.Record{Rule: r.Automation, Lang: string(lang)}
	a.announce(a.ruleOf(r.Automation), outbox.Message{ID: "kept:" + r.ID, Session: r.Ask.Session, Task: r.Task, Body: headed(rec, text)}, but)
}

// canUseButton reports whether a button may answer a question: the command is short, completely shown and
// unprivileged.
func canUseButton(ask ipc.Ask, whole bool) bool {
	return whole && len(ask.Plan) == 0 && !ask.Privileged && len(ask.Warnings) == 0 && !strings.Contains(ask.Command, "\n") &&
		len([]rune(ipc.VisibleLine(ask.Command))) <= 120
}
