package chat

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func newJudgeMsg(r *review) judgeMsg { return judgeMsg{r.id + " " + r.ask.Code, strconv.Itoa(r.edits)} }

// handleKey handles a key according to the state.
func (m *model) handleKey(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name != "ctrl+c" {
		m.quitAt = time.Time{}
	}
	m.notice = ""
	if m.handleScrollKey(name) {
		return nil
	}
	switch {
	case name == "ctrl+c":
		return m.interrupt()
	case name == "ctrl+z":
		return m.suspend()
	case m.state == ReviewAction:
		return m.handleReviewKey(name, msg)
	case m.handleViKey(name, msg):
		return nil
	case m.state.isBusy():
		if name == "esc" {
			return m.stopTurn()
		}
		m.handleDraftKey(name, msg)
		return nil
	case m.state == Done:
		m.state = Input
		if name == "esc" {
			return m.escape()
		}
	}
	switch {
	case m.list != nil:
		return m.handleListKey(name, msg)
	case m.search != nil:
		return m.handleSearchKey(name, msg)
	}
	return m.handleInputKey(name, msg)
}

func (m *model) handleScrollKey(name string) bool {
	page := max(m.log.height-1, 1)
	if name == "pgdown" && m.state == ReviewAction {
		return false // used to page through the question
	}
	switch name {
	case "pgup":
		m.log.scroll(-page)
	case "pgdown":
		m.log.scroll(page)
	case "ctrl+home":
		m.log.toTop()
	case "ctrl+end":
		m.log.toEnd()
	default:
		return false
	}
	return true
}

// interrupt handles Ctrl-C: it cancels a turn, and the second press leaves the chat.
func (m *model) interrupt() tea.Cmd {
	now := m.now()
	if !m.quitAt.IsZero() && now.Sub(m.quitAt) < quitTime {
		return m.leave()
	}
	m.quitAt = now
	m.notice = i18n.ChatQuitAgain.In(m.lang)
	switch {
	case m.state == ReviewAction:
		return m.rejectAndCancel()
	case m.state.isBusy():
		return m.stopTurn()
	}
	m.list, m.search = nil, nil
	return nil
}

// stopTurn cancels the turn at the person's request.
func (m *model) stopTurn() tea.Cmd {
	if m.turn.standalone {
		m.endTurn(Input)
		return nil
	}
	return m.cancelTurn()
}

func (m *model) handleInputKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	p := &m.prompt
	switch name {
	case "enter":
		if p.breakLine() {
			return nil
		}
		return m.submit()
	case "esc":
		return m.escape()
	case "ctrl+d":
		if p.isEmpty() {
			return m.leave()
		}
	case "ctrl+r":
		m.search = &search{found: len(m.history.lines)}
		return nil
	case "ctrl+x":
		p.dropPaste()
		return nil
	case "tab":
		m.complete()
		return nil
	case "up", "ctrl+p":
		if p.atFirstRow() {
			return m.showRecalled(m.history.older(p.text()))
		}
	case "down", "ctrl+n":
		if p.atLastRow() {
			return m.showRecalled(m.history.newer(p.text()))
		}
	case "backspace":
		if p.text() == "" && len(p.clips) > 0 {
			p.dropPaste()
			return nil
		}
	}
	p.write(msg)
	return nil
}

// handleDraftKey edits the next question during a turn. It can be sent only after the turn.
func (m *model) handleDraftKey(name string, msg tea.KeyPressMsg) {
	p := &m.prompt
	switch name {
	case "enter":
		if !p.breakLine() && !p.isBlank() {
			m.notice = i18n.ChatSendLater.In(m.lang)
		}
	case "ctrl+x":
		p.dropPaste()
	case "tab", "ctrl+r":
	default:
		p.write(msg)
	}
}

func (m *model) showRecalled(line string, ok bool) tea.Cmd {
	if ok {
		setText(&m.prompt.area, line)
	}
	return nil
}

// escape clears the input, whose text stays in the history, or leaves the chat.
func (m *model) escape() tea.Cmd {
	switch {
	case !m.prompt.isEmpty():
	case !m.turnEnd.IsZero() && m.now().Sub(m.turnEnd) < graceTime:
		m.notice = i18n.ChatStays.In(m.lang) // it was probably meant to cancel the turn that just ended
		return nil
	default:
		return m.leave()
	}
	cmd := m.addHistory(m.prompt.text())
	m.prompt.clear()
	return cmd
}

func (m *model) addHistory(line string) tea.Cmd {
	h := m.o.History
	if !m.history.add(line) || h == nil {
		return nil
	}
	return func() tea.Msg {
		if err := h.Append(line); err != nil {
			return err
		}
		return nil
	}
}

// submit sends the input if it is not blank. It also sends while the daemon is not connected,
// because that starts the daemon.
func (m *model) submit() tea.Cmd {
	if m.prompt.isBlank() {
		return nil
	}
	text := strings.TrimSpace(m.prompt.text())
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		return tea.Batch(m.addHistory(text), m.runCommand(text))
	}
	kept := m.addHistory(strings.TrimRight(m.prompt.text(), " \n")) // a leading blank keeps it out of the history
	text = ipc.Clean(strings.TrimPrefix(text, "/"))
	request := ipc.Request{Stdin: m.prompt.pastedText(text, m.lang), Cwd: m.o.Cwd, Lang: string(m.lang)}
	shown := text
	if chips := m.prompt.chips(m.lang); len(chips) > 0 {
		shown += "\n" + strings.TrimSuffix(strings.Join(chips, "\n"), "  "+i18n.ChatPasteKeys.In(m.lang))
	}
	m.log.add(byUser, ipc.Clean(shown))
	id, cmd := m.send(ipc.Message{Type: ipc.TypeMessage, Session: m.session, Body: text}.WithData(request), nil)
	asked := m.prompt.draft()
	m.prompt.clear()
	m.beginTurn(id)
	m.turn.input = asked
	return tea.Batch(cmd, kept)
}

// paste inserts pasted text where text can be typed.
func (m *model) paste(text string) tea.Cmd {
	switch {
	case m.state == ReviewAction:
		return m.pasteEdit(text)
	case m.state.isBusy():
		m.prompt.paste(text)
	case m.list != nil:
		m.list.filter(firstLine(normalizePaste(text)))
	case m.search != nil:
	default:
		m.state = Input
		m.prompt.paste(text)
	}
	return nil
}

func (m *model) handleReviewKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	r := m.review
	switch name {
	case "enter":
		return m.confirm(ipc.ActionAllowOnce)
	case "ctrl+s":
		if r.ask.Covers == "" || r.isEdited() {
			return nil
		}
		return m.confirm(ipc.ActionAllowSession)
	case "ctrl+g":
		if r.ask.Family == nil || r.isEdited() {
			return nil
		}
		return m.confirm(ipc.ActionAllowFamily)
	case "esc":
		return m.rejectAndCancel()
	case "ctrl+r":
		return m.rejectQuestion()
	case "pgdown":
		if !r.isFullySeen() {
			r.showNext()
		}
		return nil
	}
	if !r.editable {
		if !r.acceptsTyping(m.now(), msg.Text != "") {
			m.typeAhead(name, msg)
		}
		r.scroll(name)
		return nil
	}
	return m.editCommand(name, msg)
}

// typeAhead adds a key to the next question, because it was typed before the review appeared.
func (m *model) typeAhead(name string, msg tea.KeyPressMsg) {
	if msg.Text != "" || name == "backspace" {
		m.prompt.write(msg)
	}
}

// editCommand passes a key to the command under review.
func (m *model) editCommand(name string, msg tea.KeyPressMsg) tea.Cmd {
	r := m.review
	if isMoveKey(name) {
		r.caretPlaced = true
		typeKey(&r.area, msg)
		return nil
	}
	text := msg.Text
	if name == "alt+enter" || name == "shift+enter" || name == "ctrl+j" {
		text = "\n"
	}
	switch {
	case !r.acceptsTyping(m.now(), text != ""):
		m.typeAhead(name, msg)
		return nil
	case text != "" && !m.hasRoom(text):
		return nil
	}
	before := r.command()
	msg.Text = withoutJoiners(msg.Text)
	typeKey(&r.area, msg)
	return m.afterEdit(before)
}

// withoutJoiners removes zero-width joiners of emoji, because a command must not contain invisible characters.
func withoutJoiners(text string) string { return strings.ReplaceAll(text, "\u200d", "") }

// isMoveKey reports whether a key only moves the cursor.
func isMoveKey(name string) bool {
	switch name {
	case "up", "down", "left", "right", "home", "end":
		return true
	}
	return false
}

// pasteEdit pastes text into the command under review.
func (m *model) pasteEdit(text string) tea.Cmd {
	r := m.review
	if !r.isSettled(m.now()) {
		r.acceptsTyping(m.now(), true)
		m.prompt.paste(text)
		return nil
	}
	text = withoutJoiners(normalizePaste(text))
	if !r.editable || !m.hasRoom(text) {
		return nil
	}
	before := r.command()
	r.area.InsertString(text)
	scrollToCursor(&r.area)
	return m.afterEdit(before)
}

// hasRoom reports whether text still fits into the command, and shows a notice if not.
func (m *model) hasRoom(text string) bool {
	has := m.review.command()
	if len(has)+len(text) <= maxEditable && strings.Count(has, "\n")+strings.Count(text, "\n") < maxEditableLines {
		return true
	}
	m.notice = i18n.ChatEditFull(maxEditable>>10, maxEditableLines).In(m.lang)
	return false
}

// afterEdit handles a change of the command and schedules its judgement.
func (m *model) afterEdit(before string) tea.Cmd {
	r := m.review
	if r.command() == before {
		return nil
	}
	r.handleEdit()
	if !r.judging {
		return nil
	}
	return scheduleJudgement(r)
}

// scroll scrolls a command that cannot be edited.
func (r *review) scroll(name string) {
	switch name {
	case "up":
		r.scrollTo(r.offset - 1)
	case "down":
		r.scrollTo(r.offset + 1)
	}
}

// confirm answers yes if the person has seen everything. Otherwise it shows the part that was not seen yet.
func (m *model) confirm(action string) tea.Cmd {
	r := m.review
	switch {
	case !r.isReady(m.now()):
		m.notice = i18n.ChatTooSoon.In(m.lang)
		return nil
	case !r.isFullySeen():
		r.showNext()
		return nil
	case strings.TrimSpace(r.command()) == "":
		m.notice = i18n.ChatEmptied.In(m.lang)
		return nil
	case r.judging:
		m.notice = i18n.ChatNotJudged.In(m.lang)
		return nil
	case r.class() == "BLOCKED":
		m.notice = i18n.ChatWillNotRun.In(m.lang)
		return nil
	}
	answer := ipc.Answer{Digest: r.ask.Digest}
	if r.isEdited() {
		action, answer.Command = ipc.ActionEdit, r.command()
	}
	return m.decide(action, answer)
}

// decide answers the question under review and continues.
func (m *model) decide(action string, answer ipc.Answer) tea.Cmd {
	q := m.review.question
	msg := ipc.Message{Type: ipc.TypeAction, Re: q.id, Action: action}
	if q.id == "" {
		answer.Code = q.ask.Code
	}
	msg = msg.WithData(answer)
	if q.standalone {
		return m.answerStandalone(msg)
	}
	_, cmd := m.send(msg, func(f ipc.Message) tea.Cmd { return m.handleAnswerReply(q, f) })
	if m.showNextQuestion() {
		return cmd
	}
	m.state = Executing
	if action == ipc.ActionReject {
		m.state = m.workState()
	}
	return cmd
}

// handleAnswerReply handles the daemon's reply to an answer. If the daemon rejected the answer, it shows the error. If
// the question is still open, it answers no, because the question is no longer shown here.
func (m *model) handleAnswerReply(q question, f ipc.Message) tea.Cmd {
	if f.Error == nil {
		return nil
	}
	m.showError(f.Error)
	if m.state == Executing && len(m.turn.running) == 0 {
		m.state = Thinking
	}
	if f.Error.Code == ipc.CodeExpired {
		return nil
	}
	_, cmd := m.send(ipc.Message{Type: ipc.TypeAction, Re: q.id, Action: ipc.ActionReject}, func(ipc.Message) tea.Cmd { return nil })
	return cmd
}

// answerStandalone answers a question that does not belong to a turn, and shows the result.
func (m *model) answerStandalone(msg ipc.Message) tea.Cmd {
	id, cmd := m.send(msg, func(f ipc.Message) tea.Cmd {
		switch {
		case f.Error != nil:
			m.showError(f.Error)
		case strings.TrimSpace(f.Body) != "":
			m.addSystem(ipc.Clean(f.Body))
		}
		if f.Re == m.turn.id {
			m.endTurn(Input)
		}
		return nil
	})
	m.beginTurn(id)
	m.turn.standalone = true
	m.review, m.state = nil, Executing
	return cmd
}

// rejectAndCancel answers no and cancels the turn.
func (m *model) rejectAndCancel() tea.Cmd {
	r := m.review
	if r.standalone {
		m.review, m.state = nil, Input
		return nil
	}
	m.addSystem(i18n.ChatRefused(shortCommand(r.ask.Command, r.ask.Tool)).In(m.lang))
	_, no := m.send(rejectMessage(r.question), func(ipc.Message) tea.Cmd { return nil })
	return tea.Sequence(no, m.cancelTurn())
}

// rejectQuestion answers no and continues the turn.
func (m *model) rejectQuestion() tea.Cmd {
	r := m.review
	m.addSystem(i18n.ChatRefused(shortCommand(r.ask.Command, r.ask.Tool)).In(m.lang))
	return m.decide(ipc.ActionReject, ipc.Answer{Digest: r.ask.Digest})
}

func rejectMessage(q question) ipc.Message {
	return ipc.Message{Type: ipc.TypeAction, Re: q.id, Action: ipc.ActionReject}.WithData(ipc.Answer{Digest: q.ask.Digest})
}

// leave ends the chat.
func (m *model) leave() tea.Cmd {
	m.leaving = true
	return tea.Quit
}
