package tui

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

func judgeOf(r *review) judgeMsg { return judgeMsg{r.id + " " + r.ask.Code, strconv.Itoa(r.edits)} }

// key handles a key according to the state.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name != "ctrl+c" {
		m.quitAt = time.Time{}
	}
	m.notice = ""
	if m.scrollKey(name) {
		return nil
	}
	switch {
	case name == "ctrl+c":
		return m.interrupt()
	case name == "ctrl+z":
		return m.suspend()
	case m.state == ReviewAction:
		return m.reviewKey(name, msg)
	case m.state.busy():
		if name == "esc" {
			return m.stop()
		}
		m.draftKey(name, msg)
		return nil
	case m.state == Done:
		m.state = Input
		if name == "esc" {
			return m.escape()
		}
	}
	switch {
	case m.list != nil:
		return m.listKey(name, msg)
	case m.search != nil:
		return m.searchKey(name, msg)
	}
	return m.inputKey(name, msg)
}

// scrollKey scrolls the transcript.
func (m *model) scrollKey(name string) bool {
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
		return m.refuse()
	case m.state.busy():
		return m.stop()
	}
	m.list, m.search = nil, nil
	return nil
}

// stop cancels the turn at the person's request.
func (m *model) stop() tea.Cmd {
	if m.turn.loose {
		m.end(Input)
		return nil
	}
	return m.cancel()
}

// inputKey handles a key in the input state.
func (m *model) inputKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	p := &m.prompt
	switch name {
	case "enter":
		if p.newline() {
			return nil
		}
		return m.submit()
	case "esc":
		return m.escape()
	case "ctrl+d":
		if p.empty() {
			return m.leave()
		}
	case "ctrl+r":
		m.search = &search{hit: len(m.recall.lines)}
		return nil
	case "ctrl+x":
		p.drop()
		return nil
	case "tab":
		m.complete()
		return nil
	case "up", "ctrl+p":
		if p.atFirstRow() {
			return m.recalled(m.recall.older(p.text()))
		}
	case "down", "ctrl+n":
		if p.atLastRow() {
			return m.recalled(m.recall.newer(p.text()))
		}
	case "backspace":
		if p.text() == "" && len(p.clips) > 0 {
			p.drop()
			return nil
		}
	}
	p.write(msg)
	return nil
}

// draftKey edits the next question during a turn. It can be sent only after the turn.
func (m *model) draftKey(name string, msg tea.KeyPressMsg) {
	p := &m.prompt
	switch name {
	case "enter":
		if !p.newline() && !p.blank() {
			m.notice = i18n.ChatSendLater.In(m.lang)
		}
	case "ctrl+x":
		p.drop()
	case "tab", "ctrl+r":
	default:
		p.write(msg)
	}
}

func (m *model) recalled(line string, ok bool) tea.Cmd {
	if ok {
		setText(&m.prompt.area, line)
	}
	return nil
}

// escape clears the input, whose text stays in the history, or leaves the chat.
func (m *model) escape() tea.Cmd {
	switch {
	case !m.prompt.empty():
	case !m.ended.IsZero() && m.now().Sub(m.ended) < graceTime:
		m.notice = i18n.ChatStays.In(m.lang) // it was probably meant to cancel the turn that just ended
		return nil
	default:
		return m.leave()
	}
	cmd := m.keep(m.prompt.text())
	m.prompt.clear()
	return cmd
}

// keep adds a line to the history.
func (m *model) keep(line string) tea.Cmd {
	h := m.o.History
	if !m.recall.add(line) || h == nil {
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
	if m.prompt.blank() {
		return nil
	}
	text := strings.TrimSpace(m.prompt.text())
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		return tea.Batch(m.keep(text), m.command(text))
	}
	kept := m.keep(strings.TrimRight(m.prompt.text(), " \n")) // a leading blank keeps it out of the history
	text = ipc.Clean(strings.TrimPrefix(text, "/"))
	request := ipc.Request{Stdin: m.prompt.pasted(text, m.lang), Cwd: m.o.Cwd, Lang: string(m.lang)}
	shown := text
	if chips := m.prompt.chips(m.lang); len(chips) > 0 {
		shown += "\n" + strings.TrimSuffix(strings.Join(chips, "\n"), "  "+i18n.ChatPasteKeys.In(m.lang))
	}
	m.log.add(byUser, ipc.Clean(shown))
	id, cmd := m.send(ipc.Message{Type: ipc.TypeMessage, Session: m.session, Body: text}.WithData(request), nil)
	asked := m.prompt.draft()
	m.prompt.clear()
	m.begin(id)
	m.turn.asked = asked
	return tea.Batch(cmd, kept)
}

// paste inserts pasted text where text can be typed.
func (m *model) paste(text string) tea.Cmd {
	switch {
	case m.state == ReviewAction:
		return m.pasteEdit(text)
	case m.state.busy():
		m.prompt.paste(text)
	case m.list != nil:
		m.list.filter(firstLine(asPasted(text)))
	case m.search != nil:
	default:
		m.state = Input
		m.prompt.paste(text)
	}
	return nil
}

// reviewKey handles a key during a review.
func (m *model) reviewKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	r := m.review
	switch name {
	case "enter":
		return m.confirm(ipc.ActionAllowOnce)
	case "ctrl+s":
		if r.ask.Covers == "" || r.edited() {
			return nil
		}
		return m.confirm(ipc.ActionAllowSession)
	case "esc":
		return m.refuse()
	case "ctrl+r":
		return m.deny()
	case "pgdown":
		if !r.whole() {
			r.next()
		}
		return nil
	}
	if !r.editable {
		if !r.writable(m.now(), msg.Text != "") {
			m.draftAhead(name, msg)
		}
		r.move(name)
		return nil
	}
	return m.edit(name, msg)
}

// draftAhead adds a key to the next question, because it was typed before the review appeared.
func (m *model) draftAhead(name string, msg tea.KeyPressMsg) {
	if msg.Text != "" || name == "backspace" {
		m.prompt.write(msg)
	}
}

// edit passes a key to the command under review.
func (m *model) edit(name string, msg tea.KeyPressMsg) tea.Cmd {
	r := m.review
	if moves(name) {
		r.placed = true
		typed(&r.area, msg)
		return nil
	}
	text := msg.Text
	if name == "alt+enter" || name == "shift+enter" || name == "ctrl+j" {
		text = "\n"
	}
	switch {
	case !r.writable(m.now(), text != ""):
		m.draftAhead(name, msg)
		return nil
	case text != "" && !m.hasRoom(text):
		return nil
	}
	before := r.command()
	msg.Text = withoutJoiners(msg.Text)
	typed(&r.area, msg)
	return m.edited(before)
}

// withoutJoiners removes zero-width joiners of emoji, because a command must not contain invisible
// characters.
func withoutJoiners(text string) string { return strings.ReplaceAll(text, "\u200d", "") }

// moves reports whether a key only moves the cursor.
func moves(name string) bool {
	switch name {
	case "up", "down", "left", "right", "home", "end":
		return true
	}
	return false
}

// pasteEdit pastes text into the command under review.
func (m *model) pasteEdit(text string) tea.Cmd {
	r := m.review
	if !r.settles(m.now()) {
		r.writable(m.now(), true)
		m.prompt.paste(text)
		return nil
	}
	text = withoutJoiners(asPasted(text))
	if !r.editable || !m.hasRoom(text) {
		return nil
	}
	before := r.command()
	r.area.InsertString(text)
	settle(&r.area)
	return m.edited(before)
}

// hasRoom reports whether text still fits into the command, and shows a notice if not.
func (m *model) hasRoom(text string) bool {
	has := m.review.command()
	if len(has)+len(text) <= mostEdited && strings.Count(has, "\n")+strings.Count(text, "\n") < mostEditedLines {
		return true
	}
	m.notice = i18n.ChatEditFull.In(m.lang, mostEdited>>10, mostEditedLines)
	return false
}

// edited handles a change of the command and schedules its judgement.
func (m *model) edited(before string) tea.Cmd {
	r := m.review
	if r.command() == before {
		return nil
	}
	r.changed()
	if !r.judging {
		return nil
	}
	return judgeLater(r)
}

// move scrolls a command that cannot be edited.
func (r *review) move(name string) {
	switch name {
	case "up":
		r.scrollTo(r.offset - 1)
	case "down":
		r.scrollTo(r.offset + 1)
	}
}

// confirm answers yes if the person has seen everything. Otherwise it shows the part that was not
// seen yet.
func (m *model) confirm(action string) tea.Cmd {
	r := m.review
	switch {
	case !r.ready(m.now()):
		m.notice = i18n.ChatTooSoon.In(m.lang)
		return nil
	case !r.whole():
		r.next()
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
	if r.edited() {
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
	if q.loose {
		return m.carryOut(msg)
	}
	_, cmd := m.send(msg, func(f ipc.Message) tea.Cmd { return m.acknowledged(q, f) })
	if m.nextAsk() {
		return cmd
	}
	m.state = Executing
	if action == ipc.ActionReject {
		m.state = m.atWork()
	}
	return cmd
}

// acknowledged handles the daemon's reply to an answer. If the daemon rejected the answer, it shows
// the error. If the question is still open, it answers no, because the question is no longer shown
// here.
func (m *model) acknowledged(q question, f ipc.Message) tea.Cmd {
	if f.Error == nil {
		return nil
	}
	m.fail(f.Error)
	if m.state == Executing && len(m.turn.running) == 0 {
		m.state = Thinking
	}
	if f.Error.Code == ipc.CodeExpired {
		return nil
	}
	_, cmd := m.send(ipc.Message{Type: ipc.TypeAction, Re: q.id, Action: ipc.ActionReject}, func(ipc.Message) tea.Cmd { return nil })
	return cmd
}

// carryOut answers a question that does not belong to a turn, and shows the result.
func (m *model) carryOut(msg ipc.Message) tea.Cmd {
	id, cmd := m.send(msg, func(f ipc.Message) tea.Cmd {
		switch {
		case f.Error != nil:
			m.fail(f.Error)
		case strings.TrimSpace(f.Body) != "":
			m.tell(ipc.Clean(f.Body))
		}
		if f.Re == m.turn.id {
			m.end(Input)
		}
		return nil
	})
	m.begin(id)
	m.turn.loose = true
	m.review, m.state = nil, Executing
	return cmd
}

// refuse answers no and cancels the turn.
func (m *model) refuse() tea.Cmd {
	r := m.review
	if r.loose {
		m.review, m.state = nil, Input
		return nil
	}
	m.tell(i18n.ChatRefused.In(m.lang, shortCommand(r.ask.Command, r.ask.Tool)))
	_, no := m.send(reject(r.question), func(ipc.Message) tea.Cmd { return nil })
	return tea.Sequence(no, m.cancel())
}

// deny answers no and continues the turn.
func (m *model) deny() tea.Cmd {
	r := m.review
	m.tell(i18n.ChatRefused.In(m.lang, shortCommand(r.ask.Command, r.ask.Tool)))
	return m.decide(ipc.ActionReject, ipc.Answer{Digest: r.ask.Digest})
}

func reject(q question) ipc.Message {
	return ipc.Message{Type: ipc.TypeAction, Re: q.id, Action: ipc.ActionReject}.WithData(ipc.Answer{Digest: q.ask.Digest})
}

// leave ends the chat.
func (m *model) leave() tea.Cmd {
	m.left = true
	return tea.Quit
}
