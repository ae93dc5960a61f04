package plain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// runCommand executes a slash command, and reports whether the line is one. A path is not.
func (c *chat) runCommand(line string) bool {
	name, rest, _ := strings.Cut(line, " ")
	name, ok := strings.CutPrefix(name, "/")
	if !ok || strings.ContainsAny(name, "/.") {
		return false
	}
	rest = strings.TrimSpace(rest)
	switch name {
	case "help", "?":
		c.print(i18n.PlainHelp.In(c.Lang))
	case "quit", "exit", "q":
		c.left = true
	case "reset":
		c.reset()
	case "model":
		c.showModel()
	case "memory":
		c.showMemory(rest)
	case "sessions":
		c.sessions(rest)
	case "undo":
		c.undo(rest)
	case "approvals":
		c.showApprovals(rest)
	default:
		c.print(i18n.PlainNoCommand(ipc.VisibleLine("/" + name)).In(c.Lang))
	}
	return true
}

func (c *chat) reset() {
	m := ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, Session: c.Session}
	c.start(m, request{end: func(f ipc.Message) {
		f.Body = cmp.Or(f.Body, i18n.PlainReset.In(c.Lang))
		c.print(f.Body)
	}})
}

// undo takes a change of this conversation back: the last one, or the one with an id.
func (c *chat) undo(id string) {
	c.submit(ipc.UndoBody(id), ipc.Request{Undo: ipc.UndoRequest(id)})
}

// showModel shows the provider and model, and which providers have keys.
func (c *chat) showModel() {
	c.query(ipc.Query{What: "models"}, func(f ipc.Message) {
		var all []ipc.ProviderModels
		if !c.decode(f, &all) {
			return
		}
		for _, p := range all {
			if p.Why != "" {
				c.printItem(i18n.ModelsAnswers(strings.TrimSpace(p.Provider+" "+p.Answers), i18n.ProviderReasons.In(p.Why, c.Lang)).In(c.Lang))
			}
		}
		for _, p := range all {
			if p.Why == "" && (p.Key == ipc.KeyPresent || p.Key == ipc.KeyNone) {
				c.printItem(p.Provider + "  " + p.Label)
			}
		}
		c.print(i18n.PlainModelHint.In(c.Lang))
	})
}

// showMemory shows the files of the notes, or the notes found for some words.
func (c *chat) showMemory(words string) {
	if words != "" {
		c.query(ipc.Query{What: "memory-search", Text: words, Limit: 10}, c.showHits)
		return
	}
	c.query(ipc.Query{What: "memory"}, func(f ipc.Message) {
		var found struct {
			Files []struct {
				Name string `json:"name"`
				Path string `json:"path"`
				Size int64  `json:"size"`
			} `json:"files"`
		}
		if !c.decode(f, &found) {
			return
		}
		for _, file := range found.Files {
			c.printItem(fmt.Sprintf("%s  %d B  %s", file.Name, file.Size, file.Path))
		}
		c.print(i18n.PlainMemoryHint.In(c.Lang))
	})
}

func (c *chat) showHits(f ipc.Message) {
	var found ipc.NoteHits
	if !c.decode(f, &found) {
		return
	}
	for _, h := range found.Hits {
		text := strings.Join(strings.Fields(h.Content), " ")
		c.printItem(fmt.Sprintf("%s  %s  %s", h.Updated.Local().Format(time.DateOnly), h.Source, text))
	}
	if len(found.Hits) == 0 {
		c.print(i18n.MemoryNoHits.In(c.Lang))
	}
}

// showApprovals lists the pending approvals, and how to answer them. With a code it asks about that one.
func (c *chat) showApprovals(code string) {
	c.query(ipc.Query{What: "approvals"}, func(f ipc.Message) {
		var all []ipc.Ask
		if !c.decode(f, &all) {
			return
		}
		for _, a := range all {
			if strings.EqualFold(a.Code, code) || code == "" && len(all) == 1 && c.Approvals {
				c.asks.askStored(a)
				return
			}
		}
		if code != "" {
			c.print(i18n.PlainNoApproval(ipc.VisibleLine(code)).In(c.Lang))
		}
		if len(all) == 0 {
			c.print(i18n.NoApprovals.In(c.Lang))
			return
		}
		for _, a := range all {
			c.printItem(fmt.Sprintf("%s  %s  %s", a.Code, a.Expires.Local().Format("01-02 15:04"), ipc.VisibleLine(a.Command)))
		}
		c.print(i18n.PlainApprovalsHint.In(c.Lang))
	})
}

// maxListed is how many conversations are listed.
const maxListed = 50

// ownKeyPart is the part before the name in keys of this channel's conversations. Messages cannot be sent
// to those of other channels.
const ownKeyPart = ":session:tui/"

// sessions lists the conversations, or opens one by its list number or name.
func (c *chat) sessions(which string) {
	if n, err := strconv.Atoi(which); err == nil && n >= 1 && n <= len(c.rows) {
		which = c.rows[n-1]
	}
	if which != "" {
		c.Session = which
		c.print(i18n.PlainOpened(ipc.VisibleLine(which)).In(c.Lang))
		c.resume()
		return
	}
	c.query(ipc.Query{What: "sessions", Limit: maxListed}, func(f ipc.Message) {
		var all []ipc.SessionRow
		if !c.decode(f, &all) {
			return
		}
		c.rows = nil
		for _, s := range all {
			_, name, ok := strings.Cut(s.Key, ownKeyPart)
			if !ok {
				continue
			}
			c.rows = append(c.rows, name)
			title := cmp.Or(s.Title, i18n.SessionNoTitle.In(c.Lang))
			c.printItem(fmt.Sprintf("%d. %s  %s  %s", len(c.rows), s.Modified.Local().Format("01-02 15:04"), ipc.VisibleLine(name), title))
		}
		if len(c.rows) == 0 {
			c.print(i18n.NoSessions.In(c.Lang))
			return
		}
		c.print(i18n.PlainSessionsHint.In(c.Lang))
	})
}

// maxShown is how many entries are shown when a conversation is opened.
const maxShown = 6

// resume shows the end of the conversation. One that does not exist is new.
func (c *chat) resume() {
	if c.Session == "" {
		return
	}
	q := ipc.Query{What: "session", Session: "tui/" + c.Session, Limit: 2 * maxShown}
	c.start(ipc.Message{Type: ipc.TypeQuery}.WithData(q), request{silent: true, end: func(f ipc.Message) {
		var v ipc.SessionView
		if !c.decode(f, &v) {
			return
		}
		who := map[string]i18n.Text{"user": i18n.SpeakerUser, "thought": i18n.SpeakerThought}
		var rows []func()
		for _, e := range v.Entries {
			if name, ok := who[e.Type]; ok && strings.TrimSpace(e.Content) != "" {
				rows = append(rows, func() {
					c.print(name.In(c.Lang) + ":")
					c.out.write(e.Content)
					c.out.close()
				})
			}
		}
		for _, row := range rows[max(len(rows)-maxShown, 0):] {
			row()
		}
	}})
}

// decode decodes a query's result.
func (c *chat) decode(f ipc.Message, v any) bool {
	if err := f.Decode(v); err != nil {
		c.printError(&ipc.Error{Message: i18n.Cause(err, c.Lang)})
		return false
	}
	return true
}

// printItem writes a list item with external text.
func (c *chat) printItem(text string) {
	c.out.close()
	c.out.write(strings.ReplaceAll(text, "\n", " "))
	c.out.close()
}
