package chat

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func (m *model) handleEvents(a eventBatch) tea.Cmd {
	var cmds []tea.Cmd
	for _, e := range a.events {
		switch {
		case e.Frame != nil:
			cmds = append(cmds, m.handleFrame(*e.Frame))
		case e.Connected != nil:
			cmds = append(cmds, m.handleConnected(*e.Connected))
		case e.Disconnected != nil:
			m.handleLost(e.Disconnected)
		}
	}
	if a.closed {
		m.connected = false
		return tea.Batch(cmds...)
	}
	return tea.Batch(append(cmds, listen(m.o.Daemon.Events()))...)
}

func (m *model) handleFrame(f ipc.Message) tea.Cmd {
	if then := m.handlers[f.Re]; then != nil && f.Done {
		delete(m.handlers, f.Re)
		return then(f)
	}
	switch {
	case f.Re == "" && f.Error != nil:
		m.showError(f.Error)
	case f.Type == ipc.TypeEvent:
		m.queueNotice(f)
	case f.Type == ipc.TypeResolved:
		m.closeResolved(f)
	case m.turn.id == "" || f.Re != m.turn.id:
		return nil // of a turn that has ended here
	case f.Done:
		m.finishTurn(f)
	case f.Type == ipc.TypeDelta:
		m.handleDelta(f.Body)
	case f.Type == ipc.TypeTool:
		m.handleTool(f)
	case f.Type == ipc.TypeAsk:
		m.queueQuestion(f)
	}
	return nil
}

// handleDelta handles the next piece of the answer.
func (m *model) handleDelta(text string) {
	text = m.turn.clean.Next(text)
	m.turn.text = append(m.turn.text, text...)
	m.log.stream(text)
	if m.state == Finalizing {
		m.state = Thinking
	}
}

func (m *model) handleTool(f ipc.Message) {
	var t ipc.Tool
	if !m.decode(f, &t) {
		return
	}
	if m.turn.isCheckOfPlan(t) {
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
	if t.Step != nil {
		c.setStep(*t.Step)
	}
	c.output.write(t.Output)
	if t.State == ipc.ToolRunning {
		m.setState(Executing)
		return
	}
	m.endCall(c, t)
}

// isCheckOfPlan reports whether a call is a check of the plan that runs: the marks of its steps show what it showed.
func (t turn) isCheckOfPlan(next ipc.Tool) bool {
	return t.calls[next.Call] == nil && slices.ContainsFunc(t.running, func(c *call) bool { return c.HasSteps() })
}

// endCall handles the end of a call. Its line stays in the transcript. The end of its output stays too, unless the call
// was read-only and succeeded, because then the answer reports the result.
func (m *model) endCall(c *call, t ipc.Tool) {
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
	if kept := c.keptOutput(m.lang); kept != "" && !c.isQuiet() {
		m.log.add(byOutput, kept)
	}
	c.output = tail{}
	if len(m.turn.running) == 0 {
		m.setState(Finalizing)
	}
}

// setState changes the state, unless the person is deciding about a command.
func (m *model) setState(s State) {
	if m.state != ReviewAction {
		m.state = s
	}
}

func (m *model) queueQuestion(f ipc.Message) {
	q := question{id: f.ID, text: f.Body}
	if !m.decode(f, &q.ask) {
		return
	}
	m.questions = append(m.questions, q)
	if m.state != ReviewAction {
		m.showNextQuestion()
	}
}

func (m *model) showNextQuestion() bool {
	m.review = nil
	if len(m.questions) == 0 {
		return false
	}
	m.list, m.search = nil, nil
	m.review, m.questions = newReview(m.questions[0]), m.questions[1:]
	m.state = ReviewAction
	return true
}

// closeResolved closes a question that was answered elsewhere or has expired.
func (m *model) closeResolved(f ipc.Message) {
	var r ipc.Resolved
	if !m.decode(f, &r) {
		return
	}
	n := len(m.questions)
	m.questions = slices.DeleteFunc(m.questions, func(q question) bool { return q.id == f.ID })
	here := m.review != nil && !m.review.standalone && m.review.id == f.ID
	if !here && len(m.questions) == n {
		return
	}
	if r.By == "timeout" {
		m.addSystem(i18n.AskExpired.In(m.lang))
	} else {
		m.addSystem(i18n.ChatAnswered(ipc.VisibleLine(r.By), ipc.VisibleLine(i18n.Decisions.In(r.Action, m.lang))).In(m.lang))
	}
	if here && !m.showNextQuestion() {
		m.state = m.workState()
	}
}

// workState returns the state of a turn with no open question.
func (m *model) workState() State {
	if len(m.turn.running) > 0 {
		return Executing
	}
	return Thinking
}

// finishTurn handles the frame that ends the turn.
func (m *model) finishTurn(f ipc.Message) {
	if f.Error != nil {
		m.failTurn(f.Error)
		return
	}
	var out ipc.Outcome
	if !m.decode(f, &out) {
		m.endTurn(Input)
		return
	}
	m.showAnswer(f.Body)
	if out.Model != "" || out.Provider != "" {
		m.modelName = i18n.ModelName(ipc.VisibleLine(out.Provider), ipc.VisibleLine(out.Model), m.lang)
	}
	for _, code := range out.Pending {
		m.addSystem(i18n.PendingApproval(ipc.VisibleLine(code)).In(m.lang))
	}
	if b := out.Budget; b != nil {
		limit, used, tokens := b.Nearest()
		m.addSystem(i18n.Budget(m.lang, limit, used, tokens, b.Share))
	}
	if m.turn.commands == 0 {
		m.endTurn(Input)
		return
	}
	m.log.add(bySystem, i18n.ChatSummary(formatDuration(m.now().Sub(m.turn.began)), m.turn.commands, i18n.Count(int64(out.Usage.In+out.Usage.Out))).In(m.lang))
	m.endTurn(Done)
}

// failTurn ends a turn with an error, or because it was cancelled.
func (m *model) failTurn(e *ipc.Error) {
	if e.Code == ipc.CodeCancelled {
		m.addSystem(i18n.ChatCancelled.In(m.lang))
		m.restoreInput()
	} else {
		m.showError(e)
	}
	m.endTurn(Input)
}

// restoreInput puts the turn's question back into the input if that is empty.
func (m *model) restoreInput() {
	if m.turn.input.isEmpty() || !m.prompt.isEmpty() {
		return
	}
	setText(&m.prompt.area, m.turn.input.text)
	m.prompt.clips = m.turn.input.clips
}

func (m *model) showAnswer(body string) {
	body = ipc.Clean(body)
	streamed := bytes.TrimSpace(m.turn.text)
	switch rest, more := strings.CutPrefix(strings.TrimSpace(body), string(streamed)); {
	case strings.TrimSpace(body) == "", more && rest == "":
	case more && len(streamed) > 0 && m.log.streaming:
		m.log.stream(rest)
	default:
		m.log.add(byAssistant, body)
	}
	m.log.close()
}

// endTurn ends the turn. No more frames are expected for running calls.
func (m *model) endTurn(s State) {
	m.log.close()
	fate := &i18n.ChatCallCut
	if m.disconnected {
		fate = &i18n.ChatCallLost
	}
	for _, c := range m.turn.running {
		c.running = false
		if c.endText == nil {
			c.endText = fate
		}
		c.Millis = m.now().Sub(c.began).Milliseconds()
	}
	m.turn, m.turnEnd = turn{}, m.now()
	m.questions = slices.DeleteFunc(m.questions, func(q question) bool { return !q.standalone })
	m.review = nil
	m.state = s
}

// beginTurn starts a turn with the ID of its request.
func (m *model) beginTurn(id string) {
	m.turn = turn{id: id, began: m.now(), calls: map[string]*call{}}
	m.state = Thinking
	m.log.toEnd()
}

// cancelTurn cancels the turn, here and in the daemon.
func (m *model) cancelTurn() tea.Cmd {
	_, cmd := m.send(ipc.Message{Type: ipc.TypeCancel, Re: m.turn.id}, func(ipc.Message) tea.Cmd { return nil })
	m.addSystem(i18n.ChatCancelled.In(m.lang))
	m.restoreInput()
	for _, c := range m.turn.running {
		c.endText = &i18n.ChatCallEnded
	}
	m.endTurn(Input)
	return cmd
}

// requestJudgement requests the judgement of an edited command, unless it was edited again.
func (m *model) requestJudgement(j judgeMsg) tea.Cmd {
	r := m.review
	if r == nil || !j.isCurrent(r) {
		return nil
	}
	_, cmd := m.send(ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "judge", Text: r.command()}), func(f ipc.Message) tea.Cmd {
		var found ipc.Judgement
		if m.review != r || !j.isCurrent(r) {
			return nil
		}
		if f.Error != nil || f.Decode(&found) != nil {
			r.setJudgement(nil)
			return nil
		}
		r.setJudgement(&found)
		return nil
	})
	return cmd
}

// isCurrent reports whether a judgement is for the command that the review currently shows.
func (j judgeMsg) isCurrent(r *review) bool { return j == newJudgeMsg(r) }

// scheduleJudgement schedules the judgement of an edited command for when typing pauses.
func scheduleJudgement(r *review) tea.Cmd {
	j := newJudgeMsg(r)
	return tea.Tick(judgeAfter, func(time.Time) tea.Msg { return j })
}

// outbox sends messages to the daemon outside of Update, in order.
type outbox struct {
	daemon Daemon

	mu    sync.Mutex
	queue []ipc.Message

	sending sync.Mutex // only one goroutine sends at a time
}

// sendFailure is a message that could not be sent.
type sendFailure struct {
	id  string
	err error
}

// enqueue queues a message. The returned command sends the whole queue.
func (o *outbox) enqueue(m ipc.Message) tea.Cmd {
	o.mu.Lock()
	o.queue = append(o.queue, m)
	o.mu.Unlock()
	return o.send
}

func (o *outbox) send() tea.Msg {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.mu.Lock()
	queue := o.queue
	o.queue = nil
	o.mu.Unlock()
	var failed []sendFailure
	for _, m := range queue {
		if err := o.daemon.Send(m); err != nil {
			failed = append(failed, sendFailure{m.ID, err})
		}
	}
	if failed == nil {
		return nil
	}
	return failed
}

// eventBatch has events from the daemon that arrived together. closed means that no more will follow.
type eventBatch struct {
	events []ipc.LinkEvent
	closed bool
}

// maxBatch is how many events are handled before the screen is drawn again.
const maxBatch = 256

// listen waits for the next event, and also takes those that are already queued.
func listen(events <-chan ipc.LinkEvent) tea.Cmd {
	return func() tea.Msg {
		e, open := <-events
		if !open {
			return eventBatch{closed: true}
		}
		got := []ipc.LinkEvent{e}
		for len(got) < maxBatch {
			select {
			case e, open = <-events:
				if !open {
					return eventBatch{got, true}
				}
				got = append(got, e)
			default:
				return eventBatch{got, false}
			}
		}
		return eventBatch{got, false}
	}
}
