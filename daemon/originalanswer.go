package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// originalAnswer gives text to the confirmation that waits for this sender: the
// only one, or the one whose code it names. Anything that is neither yes nor
// no answers them all with no, and is then a question of its own: a new message
// never counts as yes.
func (c *peerConn) originalAnswer(ctx context.Context, m ipc.Message, text string) {
	c.expireKept()
	lang := c.language()
	if l, ok := i18n.Detect(text); ok && m.Type == ipc.TypeMessage {
		lang = l
	}
	shown := ""
	if w := c.askedOf(m.From); w.a != nil {
		shown = w.a.ID
	}
	key := session.Key(agentID, originalChannel, m.From)
	waiting := c.approvals.Of(key, shown)
	target, choice, byCode := named(waiting, text)
	action, clear := originalChoice(choice)
	clear = clear || m.Type == ipc.TypeAction
	if !clear { // what an automation asks waits on: it is not what they talk about
		waiting = slices.DeleteFunc(waiting, func(r approval.Record) bool { return r.Automation != "" })
	}
	switch {
	case len(waiting) == 0:
		c.originalLate(ctx, m, clear, lang)
	case !clear:
		c.takeAsNo(ctx, m, waiting, lang)
	case target == nil:
		_ = c.send(originalReply(m, whichOne(waiting, lang)))
	case action != ipc.ActionReject && !target.Whole:
		_ = c.send(originalReply(m, i18n.AskNotHere.In(lang, target.Ask.Code)))
	case action != ipc.ActionReject && unmeant(*target, key) && !(byCode && brief(*target)): // here it is
		c.showAgain(m, *target)
	default:
		c.originalDecide(ctx, m, *target, action, lang)
	}
}

// unmeant reports whether a bare yes cannot be for a question: it has not reached who
// says so, or others may have written what stands below it.
func unmeant(r approval.Record, session string) bool {
	return r.UnseenIn(session) || r.Automation != "" && r.Untrusted
}

// showAgain answers with the question that waits.
func (c *peerConn) showAgain(m ipc.Message, r approval.Record) {
	lang := langOf(r)
	body, whole := chatAsk(i18n.AskQuestion.In(lang), r.Ask, lang)
	if r.Automation != "" && r.Untrusted {
		body += "\n" + i18n.WhichOneReply.In(lang, r.Ask.Code)
	}
	reply := originalReply(m, body)
	reply.Actions = originalActions(whole)
	if c.show(reply, r.Ask.Code) == nil {
		c.sent(outbox.Text{ID: "r" + randomHex(8), Channel: originalChannel, To: m.From, Body: body, Approval: r.Ask.Code})
	}
}

// brief reports whether whoever knows an approval's code has read all of its
// command: it stands beside the code wherever that is told.
func brief(r approval.Record) bool {
	command := ipc.VisibleLine(r.Judged().Command())
	return excerptOf(command, maxExcerpt) == command
}

// named returns the approval that a text is about, nil when that is not clear,
// what it says without the code, and whether it names that.
func named(waiting []approval.Record, text string) (r *approval.Record, rest string, byCode bool) {
	codes := make([]string, len(waiting))
	for i, r := range waiting {
		codes[i] = r.Ask.Code
	}
	if code, ok := approval.FindCode(text, codes); ok {
		i := slices.Index(codes, code)
		words := slices.DeleteFunc(strings.Fields(text), func(w string) bool {
			_, is := approval.FindCode(w, []string{code})
			return is
		})
		return &waiting[i], strings.Join(words, " "), true
	}
	if len(waiting) == 1 {
		return &waiting[0], text, false
	}
	return nil, text, false
}

// whichOne asks which of several a bare answer is for.
func whichOne(waiting []approval.Record, lang i18n.Lang) string {
	rows := []string{i18n.WhichOne.In(lang)}
	for _, r := range waiting {
		command, _, _ := strings.Cut(ipc.VisibleLine(r.Judged().Command()), "\n")
		rows = append(rows, r.Ask.Code+": "+excerptOf(command, maxExcerpt))
	}
	return strings.Join(append(rows, i18n.WhichOneReply.In(lang, waiting[0].Ask.Code)), "\n")
}

// originalLate serves a sender for whom nothing waits: a bare answer to what
// expired, or to what somebody else has answered and is being done, is told so;
// anything else is a question.
func (c *peerConn) originalLate(ctx context.Context, m ipc.Message, clear bool, lang i18n.Lang) {
	key := session.Key(agentID, originalChannel, m.From)
	s, late := c.approvals.LateIn(key)
	if !late {
		s, late = c.elsewhere(key)
	}
	switch {
	case clear && late:
		_ = c.send(originalReply(m, lateText(s, lang)))
	case m.Type == ipc.TypeAction:
		_ = c.send(originalReply(m, i18n.NothingToAnswer.In(lang)))
	default:
		c.originalTurn(ctx, m, "")
	}
}

// elsewhere returns who answered for the turn that is at work in a conversation,
// where that was not its sender.
func (d *Daemon) elsewhere(key string) (s approval.Settled, ok bool) {
	working := slices.ContainsFunc(d.jobs.all(), func(j *job) bool { return j.rec.Session == key && j.at() == task.Running })
	if working {
		s, ok = d.approvals.LastIn(key)
	}
	return s, ok && s.By != "" && s.By != s.Channel
}

// takeAsNo answers all that waits with no; the message is a question.
func (c *peerConn) takeAsNo(ctx context.Context, m ipc.Message, waiting []approval.Record, lang i18n.Lang) {
	for _, r := range waiting {
		w := c.askedOf(m.From)
		if w.a == nil || w.a.ID != r.ID {
			if err := c.decideKept(ctx, r, ipc.ActionReject, ipc.Answer{}, c.sender(m, lang, nobody{})); err != nil {
				c.o.Log.Warn().Err(err).Msg("cannot take a new message as no")
			}
			continue
		}
		if c.approvals.Resolve(w.a, ipc.ActionReject, ipc.Answer{}, originalChannel) == nil {
			c.clearAsked(m.From, w.a.ID)
			c.consume(w.turn, func(said) {})
		}
	}
	c.originalTurn(ctx, m, i18n.TakenAsNo.In(lang)+"\n")
}

func (c *peerConn) sender(m ipc.Message, lang i18n.Lang, cl client) answered {
	return answered{by: originalChannel, name: m.From, lang: lang, client: cl}
}

// originalDecide carries out a clear answer.
func (c *peerConn) originalDecide(ctx context.Context, m ipc.Message, r approval.Record, action string, lang i18n.Lang) {
	if w := c.askedOf(m.From); w.a != nil && w.a.ID == r.ID {
		if err := c.approvals.Resolve(w.a, action, ipc.Answer{}, originalChannel); err != nil {
			_ = c.send(originalReply(m, c.answerFailure(err, lang).Message))
			return
		}
		c.clearAsked(m.From, w.a.ID)
		c.deliver(m, w.turn, "")
		return
	}
	turn := c.newOriginalTurn(m.From, lang)
	c.deliver(m, turn, "")
	c.serving.Go(func() { // a denial speaks at once, before it returns
		if err := c.decideKept(ctx, r, action, ipc.Answer{}, c.sender(m, lang, turn)); err != nil {
			turn.finish(errorFrame(c.answerFailure(err, lang)))
		}
	})
}

// originalChoice reads an answer: the id of an action, or words.
func originalChoice(text string) (action string, clear bool) {
	switch strings.TrimSpace(text) {
	case ipc.ActionAllowOnce, ipc.ActionAllowSession, ipc.ActionReject:
		return strings.TrimSpace(text), true
	}
	switch i18n.ParseAnswer(text) {
	case i18n.Yes:
		return ipc.ActionAllowOnce, true
	case i18n.Session:
		return ipc.ActionAllowSession, true
	case i18n.No:
		return ipc.ActionReject, true
	}
	return ipc.ActionReject, false
}
