package chat

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxListed is how many conversations are requested for selection.
const maxListed = 100

type list struct {
	title  string
	items  []item
	query  string // the filter
	index  int    // index in the matching items
	chosen func(item) tea.Cmd
}

// item is one choice: its line and its data.
type item struct {
	line string
	name string // of a conversation
	ask  ipc.Ask
}

// matching returns the items that contain the filter words.
func (l *list) matching() []item {
	if l.query == "" {
		return l.items
	}
	var found []item
	for _, i := range l.items {
		if strings.Contains(strings.ToLower(i.line), strings.ToLower(l.query)) {
			found = append(found, i)
		}
	}
	return found
}

func (l *list) filter(text string) { l.query, l.index = l.query+text, 0 }

// rows returns the rows of the list, scrolled to the selected item.
func (l *list) rows(width, height int, look look, lang i18n.Lang) []string {
	rows := []string{look.title.Render(fit(l.title, width))}
	found := l.matching()
	if len(found) == 0 {
		rows = append(rows, look.dim.Render(fit("  "+i18n.ChatPickNone.In(lang), width)))
	}
	first := max(l.index-max(height-2, 1)+1, 0)
	for i := first; i < len(found) && len(rows) < height; i++ {
		line := fit("  "+found[i].line, width)
		if i == l.index {
			line = look.match.Render(fit("> "+found[i].line, width))
		}
		rows = append(rows, line)
	}
	for len(rows) < height {
		rows = append(rows, "")
	}
	return rows[:height]
}

func (m *model) handleListKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	l := m.list
	switch name {
	case "esc":
		m.list = nil
	case "enter":
		found := l.matching()
		if l.index >= len(found) {
			return nil
		}
		m.list = nil
		return l.chosen(found[l.index])
	case "up", "ctrl+p":
		l.index = max(l.index-1, 0)
	case "down", "ctrl+n":
		l.index = max(min(l.index+1, len(l.matching())-1), 0)
	case "backspace":
		if rs := []rune(l.query); len(rs) > 0 {
			l.query, l.index = string(rs[:len(rs)-1]), 0
		}
	default:
		l.filter(firstLine(ipc.Clean(msg.Text)))
	}
	return nil
}

// chooseSession lists the conversations.
func (m *model) chooseSession() tea.Cmd {
	return m.query(ipc.Query{What: "sessions", Limit: maxListed, Page: 1}, func(f ipc.Message) tea.Cmd {
		var found []ipc.SessionRow
		if !m.decode(f, &found) {
			return nil
		}
		var items []item
		for _, s := range found {
			name, ours := nameOf(s.Key, m.o.Channel)
			if !ours {
				continue // conversations of other channels cannot be continued here
			}
			title := firstLine(ipc.Clean(s.Title))
			if strings.TrimSpace(title) == "" {
				title = i18n.SessionNoTitle.In(m.lang)
			}
			items = append(items, item{line: s.Modified.Local().Format("01-02 15:04") + "  " + ipc.VisibleProse(name) + "  " + title, name: name})
		}
		m.choose(i18n.ChatPick.In(m.lang), i18n.NoSessions, items, func(i item) tea.Cmd { return m.resume(i.name) })
		return nil
	})
}

// chooseApproval lists the pending approvals that are not questions of this chat.
func (m *model) chooseApproval() tea.Cmd {
	return m.query(ipc.Query{What: "approvals"}, func(f ipc.Message) tea.Cmd {
		var asks []ipc.Ask
		if !m.decode(f, &asks) {
			return nil
		}
		items := make([]item, len(asks))
		for i, a := range asks {
			items[i] = item{line: ipc.VisibleLine(a.Code) + "  " + ipc.VisibleLine(a.Class) + "  " + shortCommand(a.Command, a.Tool), ask: a}
		}
		m.choose(i18n.ChatPickAsk.In(m.lang), i18n.NoApprovals, items, m.reviewStandalone)
		return nil
	})
}

// reviewStandalone shows a question that does not belong to a turn of this chat.
func (m *model) reviewStandalone(i item) tea.Cmd {
	m.review, m.state = newReview(question{ask: i.ask, standalone: true}), ReviewAction
	return nil
}

// choose shows a list if it has items and the chat is idle.
func (m *model) choose(title string, none i18n.Text, items []item, chosen func(item) tea.Cmd) {
	switch {
	case len(items) == 0:
		m.addSystem(none.In(m.lang))
	case m.state != Input:
		m.addSystem(i18n.ChatBusy.In(m.lang))
	default:
		m.list = &list{title: title, items: items, chosen: chosen}
	}
}

// maxResumed is how many entries of a resumed conversation are shown.
const maxResumed = 50

// defaultName is the name of a channel's default conversation.
const defaultName = "default"

// nameOf returns the name of a conversation in a channel (key "agent:ID:session:CHANNEL/NAME"). ok
// is false if it belongs to another channel.
func nameOf(key, channel string) (string, bool) {
	if _, rest, found := strings.Cut(key, ":session:"); found {
		key = rest
	}
	return strings.CutPrefix(key, cmp.Or(channel, "cli")+"/")
}

// resume switches to a conversation and shows its last messages. The channel's default conversation
// and the initial one need not exist yet.
func (m *model) resume(name string) tea.Cmd {
	key := cmp.Or(name, defaultName)
	_, cmd := m.send(ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "session", Session: key, Limit: maxResumed, Page: 1}), func(f ipc.Message) tea.Cmd {
		var v ipc.SessionView
		switch {
		case f.Error != nil && name != "" && (name != m.session || f.Error.Code != ipc.CodeBadRequest):
			m.showError(f.Error)
			return nil
		case f.Error != nil, m.state != Input, !m.decode(f, &v):
			return nil
		}
		m.session = name
		m.log.reset()
		for _, e := range v.Entries {
			m.showEntry(e)
		}
		m.addSystem(i18n.ChatResumed(ipc.VisibleLine(ipc.SessionName(key))).In(m.lang))
		m.log.toEnd()
		return nil
	})
	return cmd
}

func (m *model) showEntry(e ipc.SessionEntry) {
	text := ipc.Clean(e.Content)
	if e.Cut {
		text += "\n" + i18n.SessionCut.In(m.lang)
	}
	switch e.Type {
	case "user":
		m.log.add(byUser, text)
	case "thought":
		m.log.add(byAssistant, text)
	case "tool":
		m.showPastCalls(e)
	case "result":
		m.showPastResult(e, text)
	case "error":
		m.log.add(byError, text)
	case "reset":
		m.log.add(bySystem, i18n.ChatResetDone.In(m.lang))
	default:
		m.log.add(bySystem, text)
	}
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// search searches the input history.
type search struct {
	words string
	found int // index of the found line; len(lines) if none
}

func (m *model) handleSearchKey(name string, msg tea.KeyPressMsg) tea.Cmd {
	s := m.search
	switch name {
	case "esc":
		m.search = nil
	case "enter":
		if s.found >= 0 && s.found < len(m.history.lines) {
			setText(&m.prompt.area, m.history.lines[s.found])
		}
		m.search = nil
	case "ctrl+r":
		if hit := m.history.find(s.words, s.found); hit >= 0 {
			s.found = hit
		}
	case "backspace":
		if rs := []rune(s.words); len(rs) > 0 {
			s.words = string(rs[:len(rs)-1])
		}
		s.found = m.history.find(s.words, len(m.history.lines))
	default:
		if text := firstLine(ipc.Clean(msg.Text)); text != "" {
			s.words += text
			s.found = m.history.find(s.words, len(m.history.lines))
		}
	}
	return nil
}

// row returns the search as a row: the words and the found line.
func (s *search) row(lines []string, lang i18n.Lang) string {
	row := i18n.ChatSearch(s.words).In(lang)
	if s.found >= 0 && s.found < len(lines) {
		row += " → " + firstLine(ipc.Clean(lines[s.found]))
	}
	return row
}
