package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// reached notes that the daemon is there. A link that rested comes back without a
// word, as it went.
func (m *model) reached(server ipc.Hello) tea.Cmd {
	if m.who == "" && server.Provider != "" {
		m.who = i18n.Who(server.Provider, ipc.VisibleLine(server.Model), m.lang)
	}
	first, back := !m.ever, m.down
	m.up, m.ever, m.down = true, true, false
	if back {
		m.tell(i18n.ChatBack.In(m.lang))
	}
	listening := m.subscribe()
	switch {
	case first && m.o.Pick:
		return tea.Batch(listening, m.chooseSession())
	case first && m.o.Resume:
		return tea.Batch(listening, m.resume(m.session))
	}
	return listening
}

// lost ends what was going on: what was sent the daemon keeps, what could not be
// sent is the person's again.
func (m *model) lost(err error) {
	unsent := errors.Is(err, ipc.ErrUnreachable)
	m.log.add(byError, m.downOf(err, unsent))
	m.up, m.down = false, true
	m.sent = map[string]func(ipc.Message) tea.Cmd{}
	if !m.state.waits() {
		return
	}
	if unsent {
		m.giveBack()
	} else {
		m.tell(i18n.LostHint.In(m.lang))
	}
	m.end(Input)
	m.log.toEnd()
}

// downOf tells why the daemon cannot be reached, or not any more, and the step that
// helps.
func (m *model) downOf(err error, unreachable bool) string {
	text := i18n.ChatLost.In(m.lang)
	if unreachable {
		text = i18n.Unreachable.In(m.lang)
	}
	var none *ipc.UnreachableError
	var wire *ipc.Error
	cause := strings.TrimPrefix(strings.TrimPrefix(err.Error(), ipc.ErrLost.Error()), ": ")
	switch {
	case errors.As(err, &wire):
		return text + "\n" + ipc.Clean(strings.TrimRight(wire.Message+"\n"+wire.Hint, "\n"))
	case errors.As(err, &none):
		cause = i18n.Attempts(m.lang, none.Path, none.Tried)
	}
	if cause != "" {
		text += "\n" + ipc.Clean(i18n.PlainCause(cause, m.lang))
	}
	if unreachable {
		text += "\n" + i18n.UnreachableHint.In(m.lang)
	}
	return text
}
