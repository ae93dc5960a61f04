package plain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// command executes a slash command, and reports whether the line is one. A path is not.
func (c *chat) command(line string) bool {
	name, rest, _ := strings.Cut(line, " ")
	name, ok := strings.CutPrefix(name, "/")
	if !ok || strings.ContainsAny(name, "/.") {
		return false
	}
	rest = strings.TrimSpace(rest)
	switch name {
	case "help", "?":
		c.say(i18n.PlainHelp.In(c.Lang))
	case "quit", "exit", "q":
		c.left = true
	case "reset":
		c.reset()
	case "model":
		c.model()
	case "memory":
		c.memory(rest)
	case "sessions":
		c.sessions(rest)
	case "approvals":
		c.approvals()
	default:
		c.say(i18n.PlainNoCommand.In(c.Lang, ipc.VisibleLine("/"+name)))
	}
	return true
}

func (c *chat) reset() {
	m := ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReset, Session: c.Session}
	c.start(m, request{end: func(f ipc.Message) {
		if f.Body == "" {
			f.Body = i18n.PlainReset.In(c.Lang)
		}
		c.say(f.Body)
	}})
}

// model shows the provider and model, and which providers have keys.
func (c *chat) model() {
	c.query(ipc.Query{What: "models"}, func(f ipc.Message) {
		var all []ipc.ProviderModels
		if !c.decoded(f, &all) {
			return
		}
		for _, p := range all {
			if p.Why != "" {
				c.item(i18n.ModelsAnswers.In(c.Lang, strings.TrimSpace(p.Provider+" "+p.Answers), i18n.Why(p.Why, c.Lang)))
			}
		}
		for _, p := range all {
			if p.Why == "" && (p.Key == ipc.KeyPresent || p.Key == ipc.KeyNone) {
				c.item(p.Provider + "  " + p.Label)
			}
		}
		c.say(i18n.PlainModelHint.In(c.Lang))
	})
}

// memory shows the files of the notes, or the notes found for some words.
func (c *chat) memory(words string) {
	if words != "" {
		c.query(ipc.Query{What: "memory-search", Text: words, Limit: 10}, c.hits)
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
		if !c.decoded(f, &found) {
			return
		}
		for _, file := range found.Files {
			c.item(fmt.Sprintf("%s  %d B  %s", file.Name, file.Size, file.Path))
		}
		c.say(i18n.PlainMemoryHint.In(c.Lang))
	})
}

func (c *chat) hits(f ipc.Message) {
	var found struct {
		Hits []struct {
			Text    string    `json:"content"`
			Source  string    `json:"source"`
			Updated time.Time `json:"updated_at"`
		} `json:"hits"`
	}
	if !c.decoded(f, &found) {
		return
	}
	for _, h := range found.Hits {
		c.item(fmt.Sprintf("%s  %s  %s", h.Updated.Local().Format(time.DateOnly), h.Source, strings.Join(strings.Fields(h.Text), " ")))
	}
	if len(found.Hits) == 0 {
		c.say(i18n.MemoryNoHits.In(c.Lang))
	}
}

// approvals lists the pending approvals, and how to answer them.
func (c *chat) approvals() {
	c.query(ipc.Query{What: "approvals"}, func(f ipc.Message) {
		var all []ipc.Ask
		if !c.decoded(f, &all) {
			return
		}
		if len(all) == 0 {
			c.say(i18n.NothingWaits.In(c.Lang))
			return
		}
		for _, a := range all {
			c.item(fmt.Sprintf("%s  %s  %s", a.Code, a.Expires.Local().Format("01-02 15:04"), ipc.VisibleLine(a.Command)))
		}
		c.say(i18n.PlainApprovalsHint.In(c.Lang))
	})
}

// listed is how many conversations are listed.
const listed = 50

// ours is the part before the name in keys of this channel's conversations. Messages cannot be sent
// to those of other channels.
const ours = ":session:tui/"

// sessions lists the conversations, or opens one by its list number or name.
func (c *chat) sessions(which string) {
	if n, err := strconv.Atoi(which); err == nil && n >= 1 && n <= len(c.rows) {
		which = c.rows[n-1]
	}
	if which != "" {
		c.Session = which
		c.say(i18n.PlainOpened.In(c.Lang, ipc.VisibleLine(which)))
		c.resume()
		return
	}
	c.query(ipc.Query{What: "sessions", Limit: listed}, func(f ipc.Message) {
		var all []struct {
			Key      string    `json:"key"`
			Modified time.Time `json:"modified"`
			Title    string    `json:"title"`
		}
		if !c.decoded(f, &all) {
			return
		}
		c.rows = nil
		for _, s := range all {
			_, name, ok := strings.Cut(s.Key, ours)
			if !ok {
				continue
			}
			c.rows = append(c.rows, name)
			title := s.Title
			if title == "" {
				title = i18n.SessionNoTitle.In(c.Lang)
			}
			c.item(fmt.Sprintf("%d. %s  %s  %s", len(c.rows), s.Modified.Local().Format("01-02 15:04"), ipc.VisibleLine(name), title))
		}
		if len(c.rows) == 0 {
			c.say(i18n.NoSessions.In(c.Lang))
			return
		}
		c.say(i18n.PlainSessionsHint.In(c.Lang))
	})
}

// shown is how many entries are shown when a conversation is opened.
const shown = 6

// resume shows the end of the conversation. One that does not exist is new.
func (c *chat) resume() {
	if c.Session == "" {
		return
	}
	q := ipc.Query{What: "session", Session: "tui/" + c.Session, Limit: 2 * shown}
	c.start(ipc.Message{Type: ipc.TypeQuery}.WithData(q), request{quiet: true, end: func(f ipc.Message) {
		var v struct {
			Entries []struct {
				Type    string `json:"type"`
				Content string `json:"content"`
			} `json:"entries"`
		}
		if !c.decoded(f, &v) {
			return
		}
		who := map[string]i18n.Text{"user": i18n.SpeakerUser, "thought": i18n.SpeakerThought}
		var rows []func()
		for _, e := range v.Entries {
			if name, ok := who[e.Type]; ok && strings.TrimSpace(e.Content) != "" {
				rows = append(rows, func() {
					c.say(name.In(c.Lang) + ":")
					c.out.write(e.Content)
					c.out.close()
				})
			}
		}
		for _, row := range rows[max(len(rows)-shown, 0):] {
			row()
		}
	}})
}

// decoded decodes a query's result.
func (c *chat) decoded(f ipc.Message, v any) bool {
	if err := f.Decode(v); err != nil {
		c.fail(&ipc.Error{Message: i18n.Cause(err, c.Lang)})
		return false
	}
	return true
}

// item writes a list item with external text.
func (c *chat) item(text string) {
	c.out.close()
	c.out.write(strings.ReplaceAll(text, "\n", " "))
	c.out.close()
}
