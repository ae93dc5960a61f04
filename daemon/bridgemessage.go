package daemon

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// maxLetterID bounds a channel's id of a message, maxLetterText its words, in bytes.
	maxLetterID   = 256
	maxLetterText = 64 << 10
)

// bridgeMessage serves a sender's message. A message is accepted only once, even if the daemon or the bridge
// crashed in between. The bridge may drop it once it is accepted.
func (c *peerConn) bridgeMessage(ctx context.Context, m ipc.Message) {
	var l ipc.Letter
	err := m.Decode(&l)
	from := senderIn(c.hello.Channel, m.From)
	if err != nil || l.MID == "" || len(l.MID) > maxLetterID || strings.ContainsFunc(l.MID, ipc.Unprintable) || len(l.Files) > ipc.MaxLetterFiles {
		c.refuse(m, ipc.CodeBadRequest, i18n.BridgeBadSender)
		return
	}
	if admitted := c.letIn(m, from); !admitted {
		return
	}
	c.visit()
	taking := c.posting[c.hello.Channel]
	taking.Lock()
	defer taking.Unlock()
	p := c.newBridgePost(m, from, l)
	if p.repeated() {
		return
	}
	p.take(ctx)
}

// letIn reports whether a sender may write. It logs and refuses each message of others, and sends them no reply.
func (c *peerConn) letIn(m ipc.Message, from string) bool {
	admitted, err := c.admits(c.hello.Channel, from)
	switch {
	case err != nil:
		c.fail(m, c.failure(err, c.language()))
	case !admitted:
		c.o.Log.Info().Str("channel", c.hello.Channel).Str("sender", excerptOf(ipc.VisibleLine(m.From), maxExcerpt)).Msg("sender not allowed")
		c.refuse(m, ipc.CodeDenied, i18n.BridgeNotLetIn)
	}
	return admitted && err == nil
}

// bridgePost replies to a message that came over a bridge. Replies go to the outbox, with an id that is the same
// if the message comes again.
type bridgePost struct {
	c      *peerConn
	m      ipc.Message
	in     ipc.Letter
	from   address
	letter *letter
	stream *stream
	before string // prefix of the next reply
}

func (c *peerConn) newBridgePost(m ipc.Message, from string, in ipc.Letter) *bridgePost {
	text := strings.TrimSpace(ipc.Clean(m.Body))
	lang := c.language()
	if l, ok := i18n.Detect(text); ok {
		lang = l
	}
	words, had := i18n.WithoutPrefix(text)
	p := &bridgePost{c: c, m: m, in: in, from: address{c.hello.Channel, from}}
	p.letter = &letter{
		from: p.from, text: words, words: true, lang: lang, meant: !in.Forwarded && !in.Early, early: in.Early, id: p.from.channel + ":" + p.from.to + ":" + in.MID, post: p,
		aside: !had && c.prefixed() && !i18n.IsReset(words),
	}
	c.owed.Add(1)
	p.stream = &stream{c: c, re: m.ID, caps: c.hello.Caps, lang: lang}
	return p
}

// prefixed reports whether messages need a prefix that addresses the assistant.
func (d *Daemon) prefixed() bool {
	rt := d.runtime.Load()
	return rt != nil && rt.Afar.RequirePrefix
}

// textID returns the id of the reply to the message.
func (p *bridgePost) textID() string { return "re:" + p.letter.id }

// repeated reports whether the message was accepted before, and then ends it.
func (p *bridgePost) repeated() bool {
	id, known := p.c.tasks.OfLetter(p.from.channel, p.from.to, p.in.MID)
	if !known && !p.c.approvals.Letter(p.letter.id) && !p.c.outbox.Known(p.textID()) {
		return false
	}
	p.accepted(ipc.Accepted{Task: id, Duplicate: true})
	p.end(ipc.StopDuplicate)
	return true
}

// take processes the message.
func (p *bridgePost) take(ctx context.Context) {
	l := p.letter
	switch {
	case len(p.m.Body) > maxLetterText:
		p.tell(ipc.StopTold, i18n.BridgeTooLong.In(l.lang), "")
	case l.text == "" && len(p.in.Files) > 0:
		l.text, l.aside = i18n.BridgeFileOnly.In(l.lang), false
		p.turn(ctx, "")
	case l.text == "":
		p.tell(ipc.StopTold, i18n.BridgeEmpty.In(l.lang), "")
	case i18n.IsStart(l.text):
		p.tell(ipc.StopTold, i18n.BridgeGreeting.In(l.lang), "")
	case i18n.IsCancel(l.text):
		p.cancel(ctx)
	default:
		p.c.answerFrom(ctx, l)
	}
}

// answers reports whether a text is a bare yes or no.
func answers(text string) bool {
	_, clear := choiceOf(text)
	return clear
}

// cancel stops the sender's tasks and rejects their open questions.
func (p *bridgePost) cancel(ctx context.Context) {
	n := 0
	for _, j := range p.c.jobs.all() {
		if j.rec.Channel != p.from.channel || j.rec.Name != p.from.to || j.at().Ended() {
			continue
		}
		if cl, ok := j.client.(asker); ok {
			cl.hush() // cancel replies itself
		}
		p.c.abort(j, context.Canceled)
		n++
	}
	waiting := p.c.approvals.Of(p.from.key(), "")
	for _, r := range waiting {
		if r.Automation != "" {
			continue
		}
		a := answered{by: p.from.channel, name: p.from.to, lang: p.letter.lang, client: nobody{}}
		if err := p.c.decideKept(ctx, r, ipc.ActionReject, ipc.Answer{}, a); err != nil {
			p.c.o.Log.Warn().Err(err).Msg("cannot reject approval")
			continue
		}
		n++
	}
	switch {
	case n > 0:
		p.tell(ipc.StopCancelled, i18n.BridgeCancelled.In(p.letter.lang), "")
	case len(waiting) > 0 && answers(p.letter.text): // an automation's question
		p.c.answerFrom(ctx, p.letter)
	default:
		p.tell(ipc.StopCancelled, i18n.BridgeNothing.In(p.letter.lang), "")
	}
}

// turn resets the conversation, mutes an automation, ignores messages without the prefix, or starts a turn with
// the message's words.
func (p *bridgePost) turn(ctx context.Context, prefix string) {
	l := p.letter
	p.before = prefix
	if i18n.IsReset(l.text) {
		if err := p.c.reset(p.from.channel, p.from.to); err != nil {
			p.fail(p.c.failure(err, l.lang))
			return
		}
		p.tell(ipc.StopReset, i18n.ResetDone.In(l.lang), "")
		return
	}
	if said, ok := p.c.snoozeReply(p.from.channel, p.from.to, l.text, l.lang); ok {
		p.say(said)
		return
	}
	if l.aside {
		p.ignore()
		return
	}
	p.ask(ctx)
}

// ask starts a turn with the message's words, within the rate limit.
func (p *bridgePost) ask(ctx context.Context) {
	most := Afar{}.perMinute()
	if rt := p.c.runtime.Load(); rt != nil {
		most = rt.Afar.perMinute()
	}
	over, news := p.c.pace.take(p.from, most)
	switch {
	case over && news:
		p.tell(ipc.StopLimited, i18n.BridgeLimited.In(p.letter.lang, most), "")
		return
	case over:
		p.accepted(ipc.Accepted{})
		p.end(ipc.StopLimited)
		return
	}
	req := ipc.Request{}
	r := p.c.record(p.from.channel, p.from.to, p.letter.text, req, p.letter.lang)
	r.Letter, r.Files = p.in.MID, p.files()
	turn := &bridgeTurn{d: p.c.Daemon, rec: r, lang: p.letter.lang, live: p.stream, before: p.before}
	taken := false
	err := p.c.take(ctx, r, req, turn, func() {
		taken = true
		p.accepted(ipc.Accepted{Task: r.ID})
	})
	switch {
	case err != nil && taken:
		turn.finish(errorFrame(err))
	case err != nil && err.Code == ipc.CodeSwitchedOff: // a retry would have the same result
		p.tell(ipc.StopTold, err.Message, "")
	case err != nil:
		p.fail(err)
	}
}

// files returns the files that came with the message.
func (p *bridgePost) files() (all []task.File) {
	for _, f := range p.in.Files {
		name := excerptOf(strings.TrimSpace(ipc.Clean(f.Name)), maxExcerpt)
		all = append(all, task.File{Name: name, Spool: f.Spool, Problem: excerptOf(f.Problem, maxExcerpt)})
	}
	return all
}

// fail ends a message that was not accepted, so the bridge sends it again.
func (p *bridgePost) fail(e *ipc.Error) {
	if e.Code != ipc.CodeInternal {
		e = &ipc.Error{Code: ipc.CodeBusy, Message: e.Message, Hint: e.Hint}
	}
	p.stream.finish(errorFrame(e))
}

// errUnkept reports a reply that could not be stored in the outbox.
var errUnkept = errors.New("cannot save the answer")

// tell replies to the message and ends it once the reply is on disk.
func (p *bridgePost) tell(stop, body, markup string) {
	if markup == "" {
		markup = ipc.MarkupMarkdown
	}
	p.send(stop, outbox.Text{Body: p.before + body, Markup: markup, Lang: string(p.letter.lang)})
}

func (p *bridgePost) send(stop string, t outbox.Text) {
	t.ID, t.Channel, t.To, t.Session, t.Re = p.textID(), p.from.channel, p.from.to, p.from.key(), p.in.MID
	if !p.c.notify(t) {
		p.fail(p.c.failure(errUnkept, p.letter.lang))
		return
	}
	p.accepted(ipc.Accepted{})
	p.end(stop)
}

func (p *bridgePost) say(body string) { p.tell(ipc.StopTold, body, "") }

func (p *bridgePost) quote(body string) { p.tell(ipc.StopTold, body, ipc.MarkupPlain) }

// again repeats the open question with its buttons.
func (p *bridgePost) again(r approval.Record, body string, whole bool) {
	t := askText(p.from, r, p.before+body, whole)
	p.send(ipc.StopTold, t)
}

func (p *bridgePost) ignore() {
	p.accepted(ipc.Accepted{})
	p.end(ipc.StopIgnored)
}

// live ends the message. The turn continues and sends its own answer.
func (p *bridgePost) live(w asked) {
	p.accepted(ipc.Accepted{Task: w.a.Task})
	p.end(ipc.StopAnswered)
}

// kept carries out the answer. The result is sent once it is known.
func (p *bridgePost) kept(ctx context.Context, r approval.Record, action string) {
	client := &keptReply{d: p.c.Daemon, lang: p.letter.lang, text: outbox.Text{
		ID: "kept:" + r.ID, Channel: p.from.channel, To: p.from.to, Session: p.from.key(), Task: r.Task, Re: p.in.MID,
		Markup: ipc.MarkupMarkdown, Lang: string(p.letter.lang),
	}}
	a := answered{by: p.from.channel, name: p.from.to, lang: p.letter.lang, client: client}
	if err := p.c.decideKept(ctx, r, action, ipc.Answer{Letter: p.letter.id}, a); err != nil {
		p.say(p.c.answerFailure(err, p.letter.lang).Message)
		return
	}
	p.accepted(ipc.Accepted{Task: r.Task})
	p.end(ipc.StopAnswered)
}

// accepted confirms to the bridge that it may drop the message. Files without a task are removed.
func (p *bridgePost) accepted(a ipc.Accepted) {
	if a.Task == "" {
		p.c.dropFiles(p.from.channel, p.files())
	}
	_ = p.stream.send(ipc.Message{Type: ipc.TypeAccepted}.WithData(a))
}

func (p *bridgePost) end(stop string) {
	p.stream.finish(ipc.Message{Type: ipc.TypeResponse, To: p.from.to}.WithData(ipc.Outcome{Session: p.from.key(), Stop: stop, Lang: string(p.letter.lang)}))
}
