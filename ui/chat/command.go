package chat

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// commands are the slash commands, in the order in which they are listed and completed.
var commands = []struct {
	name, args string
	about      i18n.Text
	do         func(m *model, args string) tea.Cmd
}{
	{"/help", "", i18n.ChatHelpHelp, nil}, // set below, because it lists them
	{"/reset", "", i18n.ChatHelpReset, (*model).restart},
	{"/model", "[NAME]", i18n.ChatHelpModel, (*model).showModels},
	{"/memory", "[WORDS]", i18n.ChatHelpMemory, (*model).showMemory},
	{"/sessions", "", i18n.ChatHelpSessions, func(m *model, _ string) tea.Cmd { return m.chooseSession() }},
	{"/approvals", "", i18n.ChatHelpApprovals, func(m *model, _ string) tea.Cmd { return m.chooseApproval() }},
	{"/undo", "[ID]", i18n.ChatHelpUndo, (*model).undo},
	{"/copy", "", i18n.ChatHelpCopy, (*model).copyLast},
	{"/quit", "", i18n.ChatHelpQuit, func(m *model, _ string) tea.Cmd { return m.leave() }},
}

// runCommand executes a slash command.
func (m *model) runCommand(line string) tea.Cmd {
	name, args, _ := strings.Cut(line, " ")
	m.log.toEnd()
	for _, c := range commands {
		switch {
		case c.name != name:
		case c.do == nil:
			m.prompt.clear()
			m.showHelp()
			return nil
		default:
			m.prompt.clear()
			return c.do(m, strings.TrimSpace(args))
		}
	}
	m.prompt.clear()
	m.log.add(byError, i18n.ChatUnknown(ipc.VisibleLine(name), ipc.VisibleLine(name)).In(m.lang))
	return nil
}

// showHelp lists the commands and keys.
func (m *model) showHelp() {
	var b strings.Builder
	for _, c := range commands {
		name := strings.TrimSpace(c.name + " " + c.args)
		b.WriteString(name + strings.Repeat(" ", max(18-len(name), 1)) + c.about.In(m.lang) + "\n")
	}
	m.addSystem(b.String() + "\n" + i18n.ChatHelpKeys.In(m.lang))
}

// complete completes the typed command.
func (m *model) complete() {
	text := m.prompt.text()
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \n") {
		return
	}
	var found []string
	for _, c := range commands {
		if strings.HasPrefix(c.name, text) {
			found = append(found, c.name)
		}
	}
	switch len(found) {
	case 0:
		return
	case 1:
		setText(&m.prompt.area, found[0]+" ")
		return
	}
	setText(&m.prompt.area, commonPrefix(found))
	m.notice = strings.Join(found, "  ")
}

func commonPrefix(words []string) string {
	start := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, start) {
			start = start[:len(start)-1]
		}
	}
	return start
}

// restart resets the conversation.
func (m *model) restart(string) tea.Cmd {
	_, cmd := m.send(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, Session: m.session}, func(f ipc.Message) tea.Cmd {
		if f.Error != nil {
			m.showError(f.Error)
			return nil
		}
		m.log.reset()
		m.addSystem(i18n.ChatResetDone.In(m.lang))
		return nil
	})
	return cmd
}

// showModels shows the current provider and model, or the models of the named provider.
func (m *model) showModels(name string) tea.Cmd {
	return m.query(ipc.Query{What: "models", Provider: name}, func(f ipc.Message) tea.Cmd {
		var all []ipc.ProviderModels
		if !m.decode(f, &all) {
			return nil
		}
		var b strings.Builder
		for _, p := range all {
			if p.Why != "" {
				who := ipc.VisibleLine(strings.TrimSpace(p.Provider + " " + p.Answers))
				b.WriteString(i18n.ChatModelNow(who).In(m.lang) + " (" + i18n.ProviderReasons.In(ipc.VisibleLine(p.Why), m.lang) + ")\n")
			}
		}
		for _, p := range all {
			b.WriteString("\n" + ipc.VisibleLine(p.Provider) + "  " + ipc.VisibleLine(p.Label) + "\n")
			if name != "" || p.Why != "" {
				for _, id := range p.Models {
					b.WriteString("  " + ipc.VisibleLine(id) + "\n")
				}
			}
		}
		m.addSystem(b.String() + "\n" + i18n.ChatModelChange.In(m.lang))
		return nil
	})
}

// undo takes a change of this conversation back: the last one, or the one with an id.
func (m *model) undo(id string) tea.Cmd {
	request := ipc.Request{Cwd: m.o.Cwd, Lang: string(m.lang), Undo: ipc.UndoRequest(id)}
	m.log.add(byUser, strings.TrimSpace("/undo "+ipc.VisibleLine(id)))
	sent, cmd := m.send(ipc.Message{Type: ipc.TypeMessage, Session: m.session, Body: ipc.UndoBody(id)}.WithData(request), nil)
	m.beginTurn(sent)
	return cmd
}

// maxNotes is how many notes /memory shows.
const maxNotes = 20

// showMemory shows the notes about some words, or any notes.
func (m *model) showMemory(words string) tea.Cmd {
	return m.query(ipc.Query{What: "memory-search", Text: words, Limit: maxNotes}, func(f ipc.Message) tea.Cmd {
		var found ipc.NoteHits
		if !m.decode(f, &found) {
			return nil
		}
		if len(found.Hits) == 0 {
			m.addSystem(i18n.ChatNoMemory.In(m.lang))
			return nil
		}
		var b strings.Builder
		for _, h := range found.Hits {
			b.WriteString(ipc.VisibleLine(h.Source) + "  " + ipc.VisibleLine(h.Key) + "\n  " + firstLine(ipc.Clean(strings.TrimSpace(h.Content))) + "\n")
		}
		m.addSystem(b.String())
		return nil
	})
}

// copyLast copies the last answer to the clipboard through the terminal (OSC 52).
func (m *model) copyLast(string) tea.Cmd {
	text := strings.TrimSpace(m.log.last(byAssistant))
	if text == "" {
		m.addSystem(i18n.ChatNoAnswer.In(m.lang))
		return nil
	}
	m.addSystem(i18n.ChatCopied(formatSize(len(text))).In(m.lang))
	return tea.SetClipboard(text)
}
