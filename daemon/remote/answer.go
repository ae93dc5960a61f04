package remote

import (
	"context"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/chat"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// handleInbound passes a message to the confirmation that waits for its sender: the only one, or the one whose code
// it contains. Any text that is neither yes nor no rejects all of them and is then a question itself. A new
// message never counts as yes.
func (rm *Remote) handleInbound(ctx context.Context, l *inboundMessage) {
	rm.turns.Stored.Expire()
	shown := ""
	if w := rm.questions.get(l.from); w.a != nil {
		shown = w.a.ID
	}
	waiting := rm.approvals.InConversation(l.from.Key(), shown)
	target, choice, byCode := findApproval(waiting, l.text)
	action, clear := parseChoice(choice)
	clear = clear || !l.isText
	if !clear { // approvals of automations stay open: the message is not about them
		waiting = slices.DeleteFunc(waiting, func(r approval.Record) bool { return r.Automation != "" })
	}
	switch {
	case len(waiting) == 0:
		rm.handleWithoutQuestion(ctx, l, clear)
	case !clear && l.unprefixed:
		l.responder.ignore()
	case !clear && l.early: // written too early to be about the open question
		l.responder.startTurn(ctx, "")
	case !clear:
		rm.rejectAll(ctx, l, waiting)
	case target == nil:
		l.responder.replyPlain(askWhich(waiting, l.lang))
	case !l.canAnswer:
		rm.askAgain(l, *target)
	case action != ipc.ActionReject && !target.Whole:
		l.responder.reply(i18n.AskNotHere(target.Ask.Code).In(l.lang))
	case action != ipc.ActionReject && isAmbiguous(*target, l.from.Key()) && !(byCode && isBrief(*target)): // shown in this chat
		rm.askAgain(l, *target)
	default:
		rm.applyAnswer(ctx, l, *target, action)
	}
}

// isAmbiguous reports whether a bare yes cannot refer to a question: the question has not reached the sender, or
// other people may have written the text below it.
func isAmbiguous(r approval.Record, session string) bool {
	return r.IsUnseenIn(session) || r.Automation != "" && r.Untrusted
}

// askAgain answers with the open question.
func (rm *Remote) askAgain(l *inboundMessage, r approval.Record) {
	lang := r.Language()
	body, whole := chat.Ask(turns.Question(r.Judged(), lang), r.Ask, lang, placeOf(l.from.Channel))
	if r.Automation != "" && r.Untrusted {
		body += "\n" + i18n.WhichOneReply(r.Ask.Code).In(lang)
	}
	l.responder.repeatQuestion(r, body, whole)
}

// isBrief reports whether an approval's short form contains the complete command. The short form is shown next to
// the code everywhere.
func isBrief(r approval.Record) bool {
	if r.Plan.Typed != nil { // its checks and files are part of the question
		return false
	}
	command := ipc.VisibleLine(r.Judged().Command())
	return chat.ExcerptOf(command, chat.MaxExcerpt) == command
}

// findApproval returns the approval that a text refers to (nil if that is unclear), the text without the code, and
// whether the text contains the code.
func findApproval(waiting []approval.Record, text string) (r *approval.Record, rest string, byCode bool) {
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

// askWhich asks to which of several approvals a bare answer refers.
func askWhich(waiting []approval.Record, lang i18n.Lang) string {
	rows := []string{i18n.WhichOne.In(lang)}
	for _, r := range waiting {
		command, _, _ := strings.Cut(ipc.VisibleLine(r.Judged().Command()), "\n")
		rows = append(rows, r.Ask.Code+": "+chat.ExcerptOf(command, chat.MaxExcerpt))
	}
	return strings.Join(append(rows, i18n.WhichOneReply(waiting[0].Ask.Code).In(lang)), "\n")
}

// handleWithoutQuestion serves a sender without an open question. A bare answer to an approval that expired, or
// that someone else answered and that runs now, gets an explanation. Any other text is a question.
func (rm *Remote) handleWithoutQuestion(ctx context.Context, l *inboundMessage, clear bool) {
	s, late := rm.approvals.LastExpired(l.from.Key())
	if !late {
		s, late = rm.answeredElsewhere(l.from.Key())
	}
	switch {
	case clear && late:
		l.responder.replyPlain(turns.LateText(s, l.lang))
	case !l.isText:
		l.responder.reply(i18n.NothingToAnswer.In(l.lang))
	default:
		l.responder.startTurn(ctx, "")
	}
}

// answeredElsewhere returns the answer to the last approval of a conversation with a running turn, if someone else
// than its sender gave it.
func (rm *Remote) answeredElsewhere(key string) (s approval.Outcome, ok bool) {
	if rm.turns.IsRunning(key) {
		s, ok = rm.approvals.LastOutcome(key)
	}
	return s, ok && s.By != "" && s.By != s.Channel
}

// rejectAll rejects all open approvals and treats the message as a question.
func (rm *Remote) rejectAll(ctx context.Context, l *inboundMessage, waiting []approval.Record) {
	for _, r := range waiting {
		w := rm.questions.get(l.from)
		if w.a == nil || w.a.ID != r.ID {
			a := turns.AnswerSource{By: l.from.Channel, Name: l.from.To, Lang: l.lang, Client: turns.NoClient{}}
			if err := rm.turns.Stored.Decide(ctx, r, ipc.ActionReject, ipc.Answer{}, a); err != nil {
				rm.log.Warn().Err(err).Msg("cannot reject approval")
			}
			continue
		}
		if rm.approvals.Resolve(w.a, ipc.ActionReject, ipc.Answer{}, l.from.Channel) == nil {
			rm.questions.clear(l.from, w.a.ID)
			w.turn.Mute()
		}
	}
	l.responder.startTurn(ctx, i18n.DeniedByMessage.In(l.lang)+"\n")
}

// applyAnswer carries out a clear answer.
func (rm *Remote) applyAnswer(ctx context.Context, l *inboundMessage, r approval.Record, action string) {
	w := rm.questions.get(l.from)
	if w.a == nil || w.a.ID != r.ID {
		l.responder.answerStored(ctx, r, action)
		return
	}
	if err := rm.approvals.Resolve(w.a, action, ipc.Answer{MessageID: l.id}, l.from.Channel); err != nil {
		l.responder.reply(rm.settings.AnswerFailure(err, l.lang).Message)
		return
	}
	rm.questions.clear(l.from, w.a.ID)
	l.responder.confirmLive(w)
}

// parseChoice reads an answer, which is an action's id or words.
func parseChoice(text string) (action string, clear bool) {
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
