package wire

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/stretchr/testify/require"
)

// Query sends a query and returns the one frame that answers.
func (p *peer) query(q ipc.Query) ipc.Message {
	p.say(ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(q))
	return p.read()
}

// askAndWait sends one message and returns its answer.
func (p *peer) askAndWait(name, text string) string {
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Session: name, Body: text})
	return p.last(ipc.TypeResponse).Body
}

// awaitQueues returns when all jobs have ended, including the work after an answer.
func (h *house) awaitQueues() { h.turns.Wait() }

func TestAConversationIsListedShownSearchedExportedAndDeleted(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	require.Equal(t, "it ran", p.askAndWait("", "do uname"))
	p.askAndWait("work", "안녕 크롬")
	h.awaitQueues()

	var rows []session.Info
	require.NoError(t, p.query(ipc.Query{What: "sessions", Limit: 1}).Decode(&rows))
	require.Len(t, rows, 1)
	require.Equal(t, "agent:main:session:cli/work", rows[0].Key)
	require.Equal(t, "안녕 크롬", rows[0].Title)
	require.NoError(t, p.query(ipc.Query{What: "sessions", Limit: 1, Page: 2}).Decode(&rows))
	require.Equal(t, "agent:main:session:cli/default", rows[0].Key)

	for _, name := range []string{"default", "cli/default", "agent:main:session:cli/default"} {
		var v struct {
			session.View
			Entries []struct {
				session.Entry
				Cut bool
			}
		}
		require.NoError(t, p.query(ipc.Query{What: "session", Session: name}).Decode(&v))
		require.Equal(t, "agent:main:session:cli/default", v.Key)
		var types []string
		for _, e := range v.Entries {
			types = append(types, string(e.Type))
		}
		require.Equal(t, []string{"user", "tool", "result", "thought"}, types)
		require.Equal(t, "Linux", strings.TrimSpace(v.Entries[2].Content))
		about := v.Entries[2].Metadata
		require.Equal(t, []any{"run_command", "SAFE", 0, "cli"}, []any{about.Tool, about.Class, *about.Exit, about.Channel})
	}

	var found session.SearchResult
	require.NoError(t, p.query(ipc.Query{What: "search", Text: "크롬"}).Decode(&found))
	require.Len(t, found.Hits, 2, "the words, and the answer that repeats them")

	var piece struct {
		Size int64
		Data []byte
	}
	require.NoError(t, p.query(ipc.Query{What: "export", Session: "work"}).Decode(&piece))
	require.Equal(t, piece.Size, int64(len(piece.Data)))
	require.Contains(t, string(piece.Data), `"type":"thought"`)

	p.say(ipc.Message{Type: ipc.TypeAction, ID: "d", Action: ipc.ActionDeleteSession, Session: "work"})
	require.Contains(t, p.last(ipc.TypeResult).Body, "cli/work")
	for _, what := range []string{"session", "export"} {
		e := p.query(ipc.Query{What: what, Session: "work"}).Error
		require.Equal(t, ipc.CodeBadRequest, e.Code)
		require.Contains(t, e.Hint, "blunux-aictl sessions")
	}
}

func TestAConversationThatIsWorkedOnIsNotDeleted(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapAsk)
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Session: "busy", Body: "do touch here"})
	ask := p.last(ipc.TypeAsk)
	q := h.hello()
	q.say(ipc.Message{Type: ipc.TypeAction, ID: "d", Action: ipc.ActionDeleteSession, Session: "busy"})
	e := q.last(ipc.TypeError).Error
	require.Equal(t, ipc.CodeBusy, e.Code)
	require.Contains(t, e.Hint, "blunux-aictl cancel")
	p.say(ipc.Message{Type: ipc.TypeAction, Re: ask.ID, Action: ipc.ActionAllowSession})
	p.last(ipc.TypeResponse)
	h.awaitQueues()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m2", Session: "busy", Body: "do touch here"})
	p.last(ipc.TypeResponse) // it was allowed for the session
	h.awaitQueues()
	q.say(ipc.Message{Type: ipc.TypeAction, ID: "d", Action: ipc.ActionDeleteSession, Session: "busy"})
	q.last(ipc.TypeResult)
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m3", Session: "busy", Body: "do touch here"})
	p.last(ipc.TypeAsk) // the grant ended with the conversation
}

func TestThreat12AChannelFromAfarSeesItsOwnConversationsOnly(t *testing.T) {
	h := open(t, doer)
	h.hello().askAndWait("secret", "the needle at the desk")
	phone := h.connectAs("signal")
	phone.askAndWait("82", "the needle on the phone")
	h.connectAs("signal2").askAndWait("82", "the needle on another")
	h.awaitQueues()

	var rows []session.Info
	require.NoError(t, phone.query(ipc.Query{What: "sessions"}).Decode(&rows))
	require.Len(t, rows, 1)
	require.Equal(t, "agent:main:session:signal/82", rows[0].Key)
	var found session.SearchResult
	require.NoError(t, phone.query(ipc.Query{What: "search", Text: "needle"}).Decode(&found))
	for _, hit := range found.Hits {
		require.Equal(t, "agent:main:session:signal/82", hit.Key)
	}
	for _, name := range []string{"secret", "cli/secret", "agent:main:session:cli/secret", "signal2/82", "agent:main:session:signal2/82", "../secret", ""} {
		for _, what := range []string{"session", "export"} {
			m := phone.query(ipc.Query{What: what, Session: name})
			require.NotNil(t, m.Error, "%s %s", what, name)
			require.Equal(t, ipc.CodeBadRequest, m.Error.Code)
		}
		phone.say(ipc.Message{Type: ipc.TypeAction, ID: "d", Action: ipc.ActionDeleteSession, Session: name})
		require.Equal(t, ipc.CodeBadRequest, phone.last(ipc.TypeError).Error.Code)
	}
	require.Nil(t, phone.query(ipc.Query{What: "session", Session: "82"}).Error)

	require.NoError(t, h.hello().query(ipc.Query{What: "sessions"}).Decode(&rows))
	require.Len(t, rows, 3, "the owner at the machine sees all")
}

func TestALongConversationIsPutInShortAfterTheAnswer(t *testing.T) {
	var systems []string
	var counts []int
	h := open(t, func(_ context.Context, req providers.Request) (providers.Completion, error) {
		systems, counts = append(systems, req.System), append(counts, len(req.Messages))
		return says(fmt.Sprint("answer ", len(systems))), nil
	})
	p := h.hello()
	for n := range 40 {
		p.askAndWait("", fmt.Sprintf("question %d", n))
	}
	h.awaitQueues()
	for _, n := range counts {
		require.LessOrEqual(t, n, 50)
	}
	last := systems[len(systems)-1]
	require.Contains(t, last, "Earlier in this conversation, in short")
	require.Contains(t, last, "- question 3 · answer 4")
	require.NotContains(t, systems[0], "in short")
	var v struct {
		session.View
		Entries []struct {
			session.Entry
			Cut bool
		}
	}
	require.NoError(t, p.query(ipc.Query{What: "session", Limit: 100, Session: "default"}).Decode(&v))
	types := map[session.Type]int{}
	for _, e := range v.Entries {
		types[e.Type]++
	}
	require.Equal(t, map[session.Type]int{session.TypeUser: 40, session.TypeThought: 40, session.TypeSummary: 2}, types, "all of it is still there")
}

func TestAFailedTurnIsAnErrorInTheConversation(t *testing.T) {
	h := open(t, func(context.Context, providers.Request) (providers.Completion, error) {
		return providers.Completion{}, &providers.Error{Kind: providers.KindNetwork, Provider: "fake", Message: "dial tcp 10.9.8.7: no route"}
	})
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Body: "hello?"})
	p.last(ipc.TypeError)
	var v struct {
		session.View
		Entries []struct {
			session.Entry
			Cut bool
		}
	}
	require.NoError(t, p.query(ipc.Query{What: "session", Session: "default"}).Decode(&v))
	require.Equal(t, session.TypeError, v.Entries[1].Type)
	require.Equal(t, "Cannot reach fake.", v.Entries[1].Content)
}

func TestADamagedConversationIsToldOf(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	p.askAndWait("", "hello")
	files, err := filepath.Glob(filepath.Join(h.home, "sessions", "*.jsonl"))
	require.NoError(t, err)
	f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("what is this\n")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, "you said again", p.askAndWait("", "again"), "it goes on")
	var v struct {
		session.View
		Entries []struct {
			session.Entry
			Cut bool
		}
	}
	require.NoError(t, p.query(ipc.Query{What: "session", Session: "default"}).Decode(&v))
	require.Equal(t, session.Health{Damaged: 1, DamagedLines: []int{3}}, v.Health)
	var s ipc.Status
	require.NoError(t, p.query(ipc.Query{What: "status"}).Decode(&s))
	require.Len(t, s.Problems, 1)
	require.Contains(t, s.Problems[0], "blunux-aictl sessions show cli/default")
}

// Escaping can make a person's text six times as long in a frame.
func TestAPageOfHugeEntriesFitsAFrame(t *testing.T) {
	h := open(t, doer)
	s, err := h.settings.CurrentRuntime()
	require.NoError(t, err)
	key := session.Key(post.AgentID, "cli", "big")
	for range 101 {
		require.NoError(t, s.Sessions.Append(key, session.NewEntry(providers.UserText(strings.Repeat("\x01\"가", 1500)), nil)))
	}
	m := h.hello().query(ipc.Query{What: "session", Session: "big", Limit: 1000})
	require.Nil(t, m.Error)
	var v struct {
		session.View
		Entries []struct {
			session.Entry
			Cut bool
		}
	}
	require.NoError(t, m.Decode(&v))
	require.Len(t, v.Entries, 100)
	require.True(t, v.Entries[0].Cut)
	require.Equal(t, 2, v.Pages)
}
