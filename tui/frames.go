package tui

import (
	"bytes"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// arrived handles events from the daemon.
func (m *model) arrived(a arrived) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range a.events {
		switch {
		case e.Frame != nil:
			cmds = append(cmds, m.receive(*e.Frame))
		case e.Up != nil:
			cmds = append(cmds, m.reached(*e.Up))
		case e.Down != nil:
			m.lost(e.Down)
		}
	}
	if a.closed {
		m.up = false
		return tea.Batch(cmds...)
	}
	return tea.Batch(append(cmds, listen(m.o.Daemon.Events()))...)
}

// receive handles one frame.
func (m *model) receive(f ipc.Message) tea.Cmd {
	if then := m.sent[f.Re]; then != nil && f.Done {
		delete(m.sent, f.Re)
		return then(f)
	}
	switch {
	case f.Re == "" && f.Error != nil:
		m.fail(f.Error)
	case f.Type == ipc.TypeEvent:
		m.notified(f)
	case f.Type == ipc.TypeResolved:
		m.resolved(f)
	case m.turn.id == "" || f.Re != m.turn.id:
		return nil // of a turn that has ended here
	case f.Done:
		m.finish(f)
	case f.Type == ipc.TypeDelta:
		m.delta(f.Body)
	case f.Type == ipc.TypeTool:
		m.tool(f)
	case f.Type == ipc.TypeAsk:
		m.ask(f)
	}
	return nil
}

// delta handles the next piece of the answer.
func (m *model) delta(text string) {
	text = m.turn.clean.Next(text)
	m.turn.text = append(m.turn.text, text...)
	m.log.stream(text)
	if m.state == Finalizing {
		m.state = Thinking
	}
}

// tool handles a tool frame.
func (m *model) tool(f ipc.Message) {
	var t ipc.Tool
	if !m.decode(f, &t) {
		return
	}
	c := m.turn.calls[t.Call]
	if c == nil {
		m.turn.text = nil // text before a call is not part of the answer
		m.log.close()
		c = &call{Tool: t, began: m.now(), running: true}
		m.turn.calls[t.Call] = c
		m.turn.running = append(m.turn.running, c)
		m.log.addCall(c)
	}
	c.output.write(t.Output)
	if t.State == ipc.ToolRunning {
		m.work(Executing)
		return
	}
	m.callEnded(c, t)
}

// callEnded handles the end of a call. Its line stays in the transcript. The end of its output
// stays too, unless the call was read-only and succeeded, because then the answer reports the
// result.
func (m *model) callEnded(c *call, t ipc.Tool) {
	if !c.running {
		return
	}
	c.running, c.State, c.Exit, c.Millis, c.OutBytes, c.Cut = false, t.State, t.Exit, t.Millis, t.OutBytes, t.Cut
	c.Reason = t.Reason
	if c.Command == "" {
		c.Command, c.Class = t.Command, t.Class
	}
	m.turn.running = slices.DeleteFunc(m.turn.running, func(r *call) bool { return r == c })
	if t.State == ipc.ToolDone {
		m.turn.commands++
	}
	if kept := c.kept(m.lang); kept != "" && !c.quiet() {
		m.log.add(byOutput, kept)
	}
	c.output = tail{}
	if len(m.turn.running) == 0 {
		m.work(Finalizing)
	}
}

// work changes the state, unless the person is deciding about a command.
func (m *model) work(s State) {
	if m.state != ReviewAction {
		m.state = s
	}
}

// ask queues a question for the person.
func (m *model) ask(f ipc.Message) {
	q := question{id: f.ID}
	if !m.decode(f, &q.ask) {
		return
	}
	m.asks = append(m.asks, q)
	if m.state != ReviewAction {
		m.nextAsk()
	}
}

// nextAsk shows the next question. It reports whether there was one.
func (m *model) nextAsk() bool {
	m.review = nil
	if len(m.asks) == 0 {
		return false
	}
	m.list, m.search = nil, nil
	m.review, m.asks = newReview(m.asks[0]), m.asks[1:]
	m.state = ReviewAction
	return true
}

// resolved closes a question that was answered elsewhere or has expired.
func (m *model) resolved(f ipc.Message) {
	var r ipc.Resolved
	if !m.decode(f, &r) {
		return
	}
	n := len(m.asks)
	m.asks = slices.DeleteFunc(m.asks, func(q question) bool { return q.id == f.ID })
	here := m.review != nil && !m.review.loose && m.review.id == f.ID
	if !here && len(m.asks) == n {
		return
	}
	if r.By == "timeout" {
		m.tell(i18n.AskExpired.In(m.lang))
	} else {
		m.tell(i18n.ChatAnswered.In(m.lang, ipc.VisibleLine(r.By), ipc.VisibleLine(i18n.AnswerOf(r.Action, m.lang))))
	}
	if here && !m.nextAsk() {
		m.state = m.atWork()
	}
}

// atWork returns the state of a turn with no open question.
func (m *model) atWork() State {
	if len(m.turn.running) > 0 {
		return Executing
	}
	return Thinking
}

// finish handles the frame that ends the turn.
func (m *model) finish(f ipc.Message) {
	if f.Error != nil {
		m.failed(f.Error)
		return
	}
	var out ipc.Outcome
	if !m.decode(f, &out) {
		m.end(Input)
		return
	}
	m.answer(f.Body)
	if out.Model != "" || out.Provider != "" {
		m.who = i18n.Who(ipc.VisibleLine(out.Provider), ipc.VisibleLine(out.Model), m.lang)
	}
	for _, code := range out.Pending {
		m.tell(i18n.PendingApproval.In(m.lang, ipc.VisibleLine(code)))
	}
	if b := out.Budget; b != nil {
		limit, used, tokens := b.Nearest()
		m.tell(i18n.Budget(m.lang, limit, used, tokens, b.Share))
	}
	if m.turn.commands == 0 {
		m.end(Input)
		return
	}
	m.log.add(bySystem, i18n.ChatSummary.In(m.lang, span(m.now().Sub(m.turn.began)), m.turn.commands, i18n.Count(int64(out.Usage.In+out.Usage.Out))))
	m.end(Done)
}

// failed ends a turn with an error, or because it was cancelled.
func (m *model) failed(e *ipc.Error) {
	if e.Code == ipc.CodeCancelled {
		m.tell(i18n.ChatCancelled.In(m.lang))
		m.giveBack()
	} else {
		m.fail(e)
	}
	m.end(Input)
}

// giveBack puts the turn's question back into the input if that is empty.
func (m *model) giveBack() {
	if m.turn.asked.empty() || !m.prompt.empty() {
		return
	}
	setText(&m.prompt.area, m.turn.asked.text)
	m.prompt.clips = m.turn.asked.clips
}

// answer shows the part of the answer that was not streamed.
func (m *model) answer(body string) {
	body = ipc.Clean(body)
	streamed := bytes.TrimSpace(m.turn.text)
	switch rest, more := strings.CutPrefix(strings.TrimSpace(body), string(streamed)); {
	case strings.TrimSpace(body) == "", more && rest == "":
	case more && len(streamed) > 0 && m.log.open:
		m.log.stream(rest)
	default:
		m.log.add(byAssistant, body)
	}
	m.log.close()
}

// end ends the turn. No more frames are expected for running calls.
func (m *model) end(s State) {
	m.log.close()
	fate := &i18n.ChatCallCut
	if m.down {
		fate = &i18n.ChatCallLost
	}
	for _, c := range m.turn.running {
		c.running = false
		if c.fate == nil {
			c.fate = fate
		}
		c.Millis = m.now().Sub(c.began).Milliseconds()
	}
	m.turn, m.ended = turn{}, m.now()
	m.asks = slices.DeleteFunc(m.asks, func(q question) bool { return !q.loose })
	m.review = nil
	m.state = s
}

// begin starts a turn with the ID of its request.
func (m *model) begin(id string) {
	m.turn = turn{id: id, began: m.now(), calls: map[string]*call{}}
	m.state = Thinking
	m.log.toEnd()
}

// cancel cancels the turn, here and in the daemon.
func (m *model) cancel() tea.Cmd {
	_, cmd := m.send(ipc.Message{Type: ipc.TypeCancel, Re: m.turn.id}, func(ipc.Message) tea.Cmd { return nil })
	m.tell(i18n.ChatCancelled.In(m.lang))
	m.giveBack()
	for _, c := range m.turn.running {
		c.fate = &i18n.ChatCallEnded
	}
	m.end(Input)
	return cmd
}

// judge requests the judgement of an edited command, unless it was edited again.
func (m *model) judge(j judgeMsg) tea.Cmd {
	r := m.review
	if r == nil || !j.of(r) {
		return nil
	}
	_, cmd := m.send(ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "judge", Text: r.command()}), func(f ipc.Message) tea.Cmd {
		var found ipc.Judgement
		if m.review != r || !j.of(r) {
			return nil
		}
		if f.Error != nil || f.Decode(&found) != nil {
			r.found(nil)
			return nil
		}
		r.found(&found)
		return nil
	})
	return cmd
}

// of reports whether a judgement is for the command that the review currently shows.
func (j judgeMsg) of(r *review) bool { return j == judgeOf(r) }

// judgeLater schedules the judgement of an edited command for when typing pauses.
func judgeLater(r *review) tea.Cmd {
	j := judgeOf(r)
	return tea.Tick(judgeAfter, func(time.Time) tea.Msg { return j })
}
