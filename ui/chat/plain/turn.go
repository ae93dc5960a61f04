package plain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// turn is a question whose answer is in progress.
type turn struct {
	c     *chat
	shown strings.Builder // answer text shown so far in this round
	held  []ipc.Message   // arrived while a confirmation was open
	plan  string          // the call of the plan that is carried out
	step  int             // number of the step whose row is not ended; 0 for none
}

func (c *chat) ask(text string) { c.submit(text, ipc.Request{}) }

// submit starts a turn with a request.
func (c *chat) submit(text string, r ipc.Request) {
	t := &turn{c: c}
	m := ipc.Message{Type: ipc.TypeMessage, Session: c.Session, Body: text}
	c.asks.turn = t
	r.Cwd, r.Lang = c.Cwd, string(c.Lang)
	c.start(m.WithData(r), request{frame: t.handleFrame, end: t.finish})
}

func (c *chat) handleFrame(ctx context.Context, f ipc.Message) {
	switch {
	case c.asks.handleReply(f):
	case f.Type == ipc.TypeResolved:
		c.asks.closeResolved(f)
	case f.Re == "" && f.Error != nil:
		c.printError(f.Error)
	case c.current == nil || f.Re != c.current.id: // of an ended request
	case f.Type == ipc.TypeAsk:
		if c.Keyboard != nil && !c.current.cancel {
			c.asks.enqueue(ctx, f)
		}
	case f.Done:
		c.endRequest(f)
	case c.current.frame != nil:
		c.current.frame(f)
	}
}

func (c *chat) endRequest(f ipc.Message) {
	c.asks.cancelAll(context.Canceled)
	work := c.current
	c.current = nil
	switch {
	case f.Error == nil:
		work.end(f)
	case !work.silent:
		c.printError(f.Error)
	}
}

// handleFrame shows the answer as it arrives, and the tool calls. While a confirmation is open,
// everything else is held back, because it could be mistaken for a part of it.
func (t *turn) handleFrame(f ipc.Message) {
	t.held = append(t.held, f)
	t.showHeld()
}

func (t *turn) showHeld() {
	if t.c.asks.isOpen() {
		return
	}
	held := t.held
	t.held = nil
	for _, f := range held {
		switch f.Type {
		case ipc.TypeDelta:
			t.shown.WriteString(f.Body)
			t.c.out.write(f.Body)
		case ipc.TypeTool:
			t.showTool(f)
		}
	}
}

// maxCommandLength is the maximum length of a command in a status line, in bytes. Confirmations show the whole command.
const maxCommandLength = 512

// showTool shows a confirmed command when it starts, because it may take long, and any command that has
// ended or was refused.
func (t *turn) showTool(f ipc.Message) {
	var tool ipc.Tool
	if f.Decode(&tool) != nil || tool.State == ipc.ToolRunning && tool.Class == "SAFE" && tool.Step == nil || tool.Output != "" {
		return
	}
	if tool.Call == t.plan && tool.State != ipc.ToolRunning {
		t.plan = ""
	}
	if t.plan != "" && tool.Call != t.plan { // a check: the marks of the steps show what it showed
		return
	}
	if tool.Step != nil {
		t.showStep(*tool.Step)
		return
	}
	t.c.out.close()
	t.shown.Reset() // text before a call is not part of the answer
	command := shortCommand(tool.Command)
	switch tool.State {
	case ipc.ToolRunning:
		if tool.HasSteps() {
			t.plan = tool.Call
			return
		}
		t.c.out.write("▸ " + command)
	case ipc.ToolDone:
		if tool.HasSteps() {
			return
		}
		line := fmt.Sprintf("· %s  %.1fs", command, float64(tool.Millis)/1000)
		if tool.Exit != 0 || tool.Ended != "" {
			line += "  " + i18n.CommandEnd(t.c.Lang, i18n.CommandResult{Code: tool.Ended, Exit: tool.Exit, Program: ipc.VisibleLine(tool.Program), Limit: tool.Limit})
		}
		t.c.out.write(line)
	case ipc.ToolRefused:
		t.c.out.write("· " + i18n.ToolRefused(i18n.Refusal(tool.Reason, t.c.Lang)).In(t.c.Lang) + "  " + command)
	}
	t.c.out.close()
	if tool.Picture != "" && t.c.Picture != nil {
		t.c.Picture(tool.Picture)
	}
}

// showStep shows a step of a plan: the row begins when the step starts, and ends with the mark of how it ended.
func (t *turn) showStep(s ipc.PlanStep) {
	if s.State != ipc.StepRunning && t.step == s.Number {
		t.c.out.write(" " + i18n.StepMark(s.State))
		t.c.out.close()
		t.step = 0
		return
	}
	t.c.out.close()
	t.step = 0
	row := fmt.Sprintf("[%d/%d] %s", s.Number, s.Of, shortCommand(i18n.StepCommand(s.Command, t.c.Lang)))
	if s.State == ipc.StepRunning {
		t.c.out.write(row + " ")
		t.step = s.Number
		return
	}
	t.c.out.write(row + "  " + i18n.StepMark(s.State))
	t.c.out.close()
}

// shortCommand returns a command on one line, cut if it is long.
func shortCommand(command string) string {
	command = ipc.VisibleLine(command)
	if len(command) > maxCommandLength {
		command = strings.ToValidUTF8(command[:maxCommandLength], "") + "…"
	}
	return command
}

// finish shows the part of the answer that was not streamed, and the queued notifications.
func (t *turn) finish(f ipc.Message) {
	t.showHeld()
	var out ipc.Outcome
	_ = f.Decode(&out) // the answer is shown even without these details
	if strings.TrimSpace(ipc.Clean(t.shown.String())) != strings.TrimSpace(ipc.Clean(f.Body)) {
		t.c.out.close()
		t.c.out.write(f.Body)
	}
	t.c.out.close()
	for _, code := range out.Pending {
		t.c.print(i18n.PendingApproval(ipc.VisibleLine(code)).In(t.c.Lang))
	}
	if b := out.Budget; b != nil && t.c.Keyboard != nil {
		limit, used, tokens := b.Nearest()
		t.c.print(i18n.Budget(t.c.Lang, limit, used, tokens, b.Share))
	}
	if n := t.c.notices; n > 0 && t.c.Keyboard != nil {
		t.c.print(i18n.UnreadNotices(n).In(t.c.Lang))
		t.c.notices = 0 // report them only once
	}
}

// confirmations are the confirmations of a turn, shown one after the other.
type confirmations struct {
	c       *chat
	turn    *turn
	decided chan decision
	queue   []question        // in order; the first is being shown
	sent    map[string]string // the ID of the ask by that of the answer
	n       int
}

// question is an open confirmation.
type question struct {
	id   string
	body string
	ask  ipc.Ask
	ctx  context.Context
	end  context.CancelCauseFunc
	// stored reports that no turn of this chat waits for the answer.
	stored bool
}

// decision is the answer to a question, or the error.
type decision struct {
	question
	action, command string
	err             error
}

// answeredElsewhere is the cause with which a question ends that was answered elsewhere.
type answeredElsewhere string

func (by answeredElsewhere) Error() string { return "answered by " + string(by) }

func (a *confirmations) init(c *chat) {
	a.c, a.decided, a.sent = c, make(chan decision), map[string]string{}
}

// isOpen reports whether a confirmation is being shown.
func (a *confirmations) isOpen() bool { return len(a.queue) > 0 }

func (a *confirmations) enqueue(ctx context.Context, f ipc.Message) {
	q := question{id: f.ID, body: f.Body}
	if f.Decode(&q.ask) != nil {
		return // an unreadable ask cannot be answered
	}
	a.turn.showHeld()
	q.ctx, q.end = context.WithCancelCause(ctx)
	if a.queue = append(a.queue, q); len(a.queue) == 1 {
		a.show()
	}
}

// askStored asks about an approval that no turn of this chat waits for. No line is read until it is answered.
func (a *confirmations) askStored(ask ipc.Ask) {
	q := question{ask: ask, stored: true}
	q.ctx, q.end = context.WithCancelCause(context.Background()) // cancelAll ends it
	a.c.current = &request{}
	a.queue = append(a.queue, q)
	a.show()
}

// answerStored sends the answer to such an approval.
func (a *confirmations) answerStored(d decision) {
	m := ipc.Message{Type: ipc.TypeAction, Action: d.action}
	answer := ipc.Answer{Code: d.ask.Code, Digest: d.ask.Digest, Command: d.command}
	a.c.start(m.WithData(answer), request{end: func(f ipc.Message) {
		a.c.out.write(f.Body)
		a.c.out.close()
	}})
}

func (a *confirmations) show() {
	a.c.out.close()
	q := a.queue[0]
	columns, rows := a.c.Keyboard.Size()
	n := confirm.Terminal{Columns: columns, Rows: rows, Lang: a.c.Lang, Root: a.c.Root}.Notice(q.body, q.ask)
	go func() {
		action, command, err := n.Decide(q.ctx, a.c.Keyboard, a.c.Keyboard.AskLine)
		a.decided <- decision{q, action, command, err}
	}()
}

// handleDecision handles a decision and continues with the next question. If the question's context has
// ended, it sends nothing: the turn was cancelled, or the question was answered elsewhere.
func (a *confirmations) handleDecision(d decision) {
	d.end(nil)
	a.queue = a.queue[1:]
	if d.stored {
		a.c.current = nil
	}
	var by answeredElsewhere
	switch {
	case errors.As(context.Cause(d.ctx), &by) && by == "timeout":
		a.c.print("\n" + i18n.AskExpired.In(a.c.Lang))
	case errors.As(context.Cause(d.ctx), &by):
		a.c.print("\n" + i18n.AnsweredAlready(ipc.VisibleLine(i18n.ChannelName(string(by), a.c.Lang))).In(a.c.Lang))
	case d.err != nil:
		fmt.Fprintln(a.c.Keyboard)
	case d.stored:
		a.answerStored(d)
	default:
		a.n++
		id := "k" + strconv.Itoa(a.n)
		a.sent[id] = d.id
		m := ipc.Message{Type: ipc.TypeAction, ID: id, Re: d.id, Action: d.action}
		_ = a.c.Daemon.Send(m.WithData(ipc.Answer{Digest: d.ask.Digest, Command: d.command}))
	}
	a.showNext()
}

// showNext shows the next question that was not answered elsewhere meanwhile.
func (a *confirmations) showNext() {
	for len(a.queue) > 0 {
		if a.queue[0].ctx.Err() == nil {
			a.show()
			return
		}
		a.queue = a.queue[1:]
	}
	if a.turn != nil {
		a.turn.showHeld()
	}
}

// closeResolved ends a question that was answered elsewhere.
func (a *confirmations) closeResolved(f ipc.Message) {
	var r ipc.Resolved
	if f.Decode(&r) != nil {
		return
	}
	for i, q := range a.queue {
		if q.id != f.ID {
			continue
		}
		q.end(answeredElsewhere(r.By))
		if i == 0 { // it is being shown and ends immediately
			a.handleDecision(<-a.decided)
		}
		return
	}
}

// handleReply handles the final frame of an answer, and reports whether the frame was one. If the daemon rejected the
// answer, it shows the error. If the ask is still open, it answers no, because it is no longer shown here.
func (a *confirmations) handleReply(f ipc.Message) bool {
	ask, ours := a.sent[f.Re]
	delete(a.sent, f.Re)
	if ours && f.Error != nil {
		a.c.printError(f.Error)
		if f.Error.Code != ipc.CodeExpired {
			_ = a.c.Daemon.Send(ipc.Message{Type: ipc.TypeAction, Re: ask, Action: ipc.ActionReject})
		}
	}
	return ours
}

// cancelAll cancels all questions, and waits until none is shown.
func (a *confirmations) cancelAll(why error) {
	if len(a.queue) == 0 {
		return
	}
	for _, q := range a.queue {
		q.end(why)
	}
	<-a.decided
	fmt.Fprintln(a.c.Keyboard)
	a.queue = nil
}
