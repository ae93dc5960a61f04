package daemon

import (
	"context"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// answerFrom passes a message to the confirmation that waits for its sender: the only one, or the one whose code
// it contains. Any text that is neither yes nor no rejects all of them and is then a question itself. A new
// message never counts as yes.
func (d *Daemon) answerFrom(ctx context.Context, l *letter) {
	d.expireKept()
	shown := ""
	if w := d.askedOf(l.from); w.a != nil {
		shown = w.a.ID
	}
	waiting := d.approvals.Of(l.from.key(), shown)
	target, choice, byCode := named(waiting, l.text)
	action, clear := choiceOf(choice)
	clear = clear || !l.words
	if !clear { // approvals of automations stay open: the message is not about them
		waiting = slices.DeleteFunc(waiting, func(r approval.Record) bool { return r.Automation != "" })
	}
	switch {
	case len(waiting) == 0:
		d.lateFrom(ctx, l, clear)
	case !clear && l.aside:
		l.post.ignore()
	case !clear && l.early: // written too early to be about the open question
		l.post.turn(ctx, "")
	case !clear:
		d.takeAsNo(ctx, l, waiting)
	case target == nil:
		l.post.quote(whichOne(waiting, l.lang))
	case !l.meant:
		d.showAgain(l, *target)
	case action != ipc.ActionReject && !target.Whole:
		l.post.say(i18n.AskNotHere.In(l.lang, target.Ask.Code))
	case action != ipc.ActionReject && unmeant(*target, l.from.key()) && !(byCode && brief(*target)): // shown in this chat
		d.showAgain(l, *target)
	default:
		d.decideFrom(ctx, l, *target, action)
	}
}

// unmeant reports whether a bare yes cannot refer to a question: the question has not reached the sender, or other
// people may have written the text below it.
func unmeant(r approval.Record, session string) bool {
	return r.UnseenIn(session) || r.Automation != "" && r.Untrusted
}

// showAgain answers with the open question.
func (d *Daemon) showAgain(l *letter, r approval.Record) {
	lang := langOf(r)
	body, whole := chatAsk(i18n.AskQuestion.In(lang), r.Ask, lang, fences(l.from))
	if r.Automation != "" && r.Untrusted {
		body += "\n" + i18n.WhichOneReply.In(lang, r.Ask.Code)
	}
	l.post.again(r, body, whole)
}

// brief reports whether an approval's short form contains the complete command. The short form is shown next to
// the code everywhere.
func brief(r approval.Record) bool {
	command := ipc.VisibleLine(r.Judged().Command())
	return excerptOf(command, maxExcerpt) == command
}

// named returns the approval that a text refers to (nil if that is unclear), the text without the code, and
// whether the text contains the code.
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

// whichOne asks to which of several approvals a bare answer refers.
func whichOne(waiting []approval.Record, lang i18n.Lang) string {
	rows := []string{i18n.WhichOne.In(lang)}
	for _, r := range waiting {
		command, _, _ := strings.Cut(ipc.VisibleLine(r.Judged().Command()), "\n")
		rows = append(rows, r.Ask.Code+": "+excerptOf(command, maxExcerpt))
	}
	return strings.Join(append(rows, i18n.WhichOneReply.In(lang, waiting[0].Ask.Code)), "\n")
}

// lateFrom serves a sender without an open question. A bare answer to an approval that expired, or that someone
// else answered and that runs now, gets an explanation. Any other text is a question.
func (d *Daemon) lateFrom(ctx context.Context, l *letter, clear bool) {
	s, late := d.approvals.LateIn(l.from.key())
	if !late {
		s, late = d.elsewhere(l.from.key())
	}
	switch {
	case clear && late:
		l.post.quote(lateText(s, l.lang))
	case !l.words:
		l.post.say(i18n.NothingToAnswer.In(l.lang))
	default:
		l.post.turn(ctx, "")
	}
}

// elsewhere returns the answer to the last approval of a conversation with a running turn, if someone else than
// its sender gave it.
func (d *Daemon) elsewhere(key string) (s approval.Settled, ok bool) {
	working := slices.ContainsFunc(d.jobs.all(), func(j *job) bool { return j.rec.Session == key && j.at() == task.Running })
	if working {
		s, ok = d.approvals.LastIn(key)
	}
	return s, ok && s.By != "" && s.By != s.Channel
}

// takeAsNo rejects all open approvals and treats the message as a question.
func (d *Daemon) takeAsNo(ctx context.Context, l *letter, waiting []approval.Record) {
	for _, r := range waiting {
		w := d.askedOf(l.from)
		if w.a == nil || w.a.ID != r.ID {
			a := answered{by: l.from.channel, name: l.from.to, lang: l.lang, client: nobody{}}
			if err := d.decideKept(ctx, r, ipc.ActionReject, ipc.Answer{}, a); err != nil {
				d.o.Log.Warn().Err(err).Msg("cannot reject approval")
			}
			continue
		}
		if d.approvals.Resolve(w.a, ipc.ActionReject, ipc.Answer{}, l.from.channel) == nil {
			d.clearAsked(l.from, w.a.ID)
			w.turn.hush()
		}
	}
	l.post.turn(ctx, i18n.TakenAsNo.In(l.lang)+"\n")
}

// decideFrom carries out a clear answer.
func (d *Daemon) decideFrom(ctx context.Context, l *letter, r approval.Record, action string) {
	w := d.askedOf(l.from)
	if w.a == nil || w.a.ID != r.ID {
		l.post.kept(ctx, r, action)
		return
	}
	if err := d.approvals.Resolve(w.a, action, ipc.Answer{Letter: l.id}, l.from.channel); err != nil {
		l.post.say(d.answerFailure(err, l.lang).Message)
		return
	}
	d.clearAsked(l.from, w.a.ID)
	l.post.live(w)
}

// choiceOf reads an answer, which is an action's id or words.
func choiceOf(text string) (action string, clear bool) {
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
