package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	shownEntries  = 50      // entries of a conversation on a page by default
	maxEntries    = 100     // entries on a page: with maxEntry they fit a frame
	maxEntry      = 8 << 10 // size of an entry on a page, in bytes as JSON
	exportedBytes = 512 << 10
)

// visiblePrefix returns the prefix of the keys of the conversations that a peer may see.
func (c *peerConn) visiblePrefix() string {
	if c.visibleChannel() == "" {
		return ""
	}
	return session.Key(post.AgentID, c.hello.Channel, "")
}

func (c *peerConn) querySessions(_ context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	return rt.Sessions.List(session.Listing{Prefix: c.visiblePrefix(), Page: q.Page, Limit: q.Limit})
}

// view is a page of a conversation as a query shows it.
type view struct {
	session.View
	Entries []entry `json:"entries"`
}

// entry is an entry without the model's version of the message.
type entry struct {
	Type      session.Type      `json:"type"`
	Content   string            `json:"content"`
	Timestamp int64             `json:"timestamp"`
	Metadata  *session.Metadata `json:"metadata,omitempty"`
	Cut       bool              `json:"cut,omitempty"` // Content is incomplete
}

func (c *peerConn) querySession(_ context.Context, q ipc.Query) (any, error) {
	sessions, key, err := c.findConversation(q.Session)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = shownEntries
	}
	v := view{Entries: []entry{}}
	v.View, err = sessions.Show(key, q.Page, min(limit, maxEntries), func(e session.Entry) {
		text := session.WithoutMarks(e.Content)
		content := fitJSON(text, maxEntry)
		v.Entries = append(v.Entries, entry{e.Type, content, e.Timestamp, e.Metadata, len(content) < len(text)})
	})
	return v, err
}

// fitJSON returns the beginning of s that n bytes of JSON can hold.
func fitJSON(s string, n int) string {
	for {
		data, err := json.Marshal(s)
		if err != nil || len(data) <= n {
			return s
		}
		s = strings.ToValidUTF8(s[:len(s)*n/(len(data)+1)], "")
	}
}

// querySearch searches conversations. Local clients get the results of the index, best first. Remote ones, or all
// if the index fails, get matches of the words in their own conversations.
func (c *peerConn) querySearch(ctx context.Context, q ipc.Query) (any, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, err
	}
	if c.visiblePrefix() == "" {
		if found, err := rt.Notes.SearchConversations(ctx, q.Text, q.Limit); err == nil {
			return found, nil
		}
	}
	return rt.Sessions.Search(session.Search{Words: q.Text, Prefix: c.visiblePrefix(), Limit: q.Limit})
}

// sessionPiece is a piece of a conversation's file.
type sessionPiece struct {
	Key  string `json:"key"`
	Size int64  `json:"size"` // of the whole file, in bytes
	Data []byte `json:"data"` // empty at the end
}

func (c *peerConn) queryExport(_ context.Context, q ipc.Query) (any, error) {
	sessions, key, err := c.findConversation(q.Session)
	if err != nil {
		return nil, err
	}
	data, size, err := sessions.Read(key, max(q.Offset, 0), exportedBytes)
	return sessionPiece{key, size, data}, err
}

// findConversation finds the conversation that a peer names: by its key, as channel/name, or by its name in the
// peer's own channel or the command line's. Conversations that the peer may not see are not found.
func (c *peerConn) findConversation(name string) (*session.Store, string, error) {
	rt, err := c.s.settings.CurrentRuntime()
	if err != nil {
		return nil, "", err
	}
	keys := []string{name, "agent:" + post.AgentID + ":session:" + name, session.Key(post.AgentID, c.hello.Channel, name)}
	if c.visibleChannel() == "" {
		keys = append(keys, session.Key(post.AgentID, "cli", name))
	}
	for _, key := range keys {
		if strings.HasPrefix(key, c.visiblePrefix()) && rt.Sessions.Exists(key) {
			return rt.Sessions, key, nil
		}
	}
	return nil, "", unknownSession(name)
}

// unknownSession reports an unknown conversation.
type unknownSession string

func (u unknownSession) Error() string { return fmt.Sprintf("no conversation %q", string(u)) }

func (u unknownSession) Failure(lang i18n.Lang) *ipc.Error {
	return &ipc.Error{Code: ipc.CodeBadRequest, Message: i18n.ErrUnknownSession(string(u)).In(lang), Hint: i18n.ErrUnknownSessionHint.In(lang)}
}

// deleteSession deletes a conversation permanently, with its grants. A conversation with running or waiting tasks
// is not deleted.
func (c *peerConn) deleteSession(m ipc.Message) {
	sessions, key, err := c.findConversation(m.Session)
	if err == nil && c.s.turns.IsBusy(key) {
		err = settings.ErrInUse
	}
	if err == nil {
		err = errors.Join(c.s.approvals.EndGrants(key), sessions.Delete(key))
	}
	if err != nil {
		c.Fail(m, c.s.settings.Failure(err, c.language()))
		return
	}
	if rt, err := c.s.settings.CurrentRuntime(); err == nil && rt.Notes != nil {
		rt.Notes.Finder.NotesRemoved()
	}
	c.s.log.Info().Str("session", key).Str("channel", c.hello.Channel).Msg("conversation deleted")
	c.ok(m, i18n.SessionDeleted(ipc.SessionName(key)).In(c.language()))
}

// damagedSessions describes the conversations that cannot be read completely, for status.
func damagedSessions(s *session.Store, lang i18n.Lang) []string {
	var problems []string
	for _, d := range s.Damaged() {
		problems = append(problems, settings.DamagedSession(d, lang))
	}
	return problems
}
