// Package server is the index program: it serves an index of notes and conversations to the daemon over pipes.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
	"github.com/nidoit/blunux-ai/memory/recall/protocol"
)

// Serve answers requests until r ends, which is no error.
func Serve(r io.Reader, w io.Writer) error {
	s := &server{connected: make(chan struct{})}
	s.conn = peer.New(r, w, peer.Options{Handle: s.handle, MaxLine: protocol.MaxLine})
	close(s.connected)
	<-s.conn.Done()
	err := s.conn.Err()
	s.close()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

type server struct {
	connected chan struct{} // closed when conn is set
	conn      *peer.Conn

	mu    sync.Mutex
	index *recall.Index
	model string
}

// errNotOpen reports a request before the first [protocol.Opening].
var errNotOpen = errors.New("no index is open")

func (s *server) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	<-s.connected
	switch method {
	case protocol.MethodOpen:
		return serve(params, s.open)
	case protocol.MethodSearch:
		return serve(params, func(q protocol.Search) ([]memory.Hit, error) { return s.search(ctx, q) })
	case protocol.MethodUpdate:
		return serve(params, func(u protocol.Update) (any, error) { return nil, s.update(ctx, u) })
	}
	return nil, peer.UnknownMethod(method)
}

// serve decodes the parameters of a method and calls it.
func serve[P, R any](params json.RawMessage, method func(P) (R, error)) (any, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	return method(p)
}

func (s *server) open(o protocol.Opening) (any, error) {
	if o.Version != protocol.Version {
		return nil, &peer.Error{Code: protocol.CodeVersion}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != nil {
		return nil, errors.New("an index is open already")
	}
	options := recall.Options{
		Sources: []recall.Source{
			recall.Markdown(o.Notes), recall.Conversations(session.New(session.Options{Dir: o.Conversations})),
		},
		Names: names.FromTable(o.Names), Warn: s.warn,
	}
	if o.Model != "" {
		options.Embedder = embedder{s.conn, o.Model}
	}
	index, err := recall.Open(o.File, options)
	if err != nil {
		return nil, err
	}
	s.index, s.model = index, o.Model
	return nil, nil
}

func (s *server) opened() (*recall.Index, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		return nil, errNotOpen
	}
	return s.index, nil
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index != nil {
		_ = s.index.Close() // a cache: everything can be read again
	}
}

func (s *server) search(ctx context.Context, q protocol.Search) ([]memory.Hit, error) {
	index, err := s.opened()
	if err != nil {
		return nil, err
	}
	query := memory.Query{Words: q.Words, Limit: q.Limit, Categories: q.Categories, Conversations: q.Conversations}
	if q.Current {
		s.bringUpToDate(ctx, index, query)
	}
	return index.Recall(ctx, query)
}

// bringUpToDate updates the index for a query. If that fails, the index answers as it is.
func (s *server) bringUpToDate(ctx context.Context, index *recall.Index, q memory.Query) {
	err := index.SyncText(ctx)
	if err != nil && ctx.Err() == nil {
		s.warn(recall.Warning{Code: "index-behind", Err: err})
	}
	if onlyConversations(q) {
		return
	}
	if err := index.Embed(ctx); err != nil && ctx.Err() == nil {
		s.warn(recall.Warning{Code: "index-behind", Err: err})
	}
}

// onlyConversations reports whether a query is only about conversations, which have no vectors.
func onlyConversations(q memory.Query) bool {
	return len(q.Categories) > 0 && !slices.ContainsFunc(q.Categories, func(c memory.Category) bool { return c != memory.Conversation })
}

func (s *server) update(ctx context.Context, u protocol.Update) error {
	index, err := s.opened()
	if err != nil {
		return err
	}
	switch {
	case u.Purge:
		err = index.Purge(ctx)
	case u.All:
		err = index.SyncText(ctx)
	default:
		changed := map[string][]string{recall.NoteSource: u.Notes}
		for _, key := range u.Conversations {
			changed[recall.ConversationSource] = append(changed[recall.ConversationSource], session.FileName(key))
		}
		err = index.SyncFiles(ctx, changed)
	}
	if err != nil {
		return err
	}
	return index.EmbedAll(ctx)
}

// warn passes a warning on.
func (s *server) warn(w recall.Warning) {
	n := protocol.Warning{Code: w.Code, File: w.File}
	if w.Err != nil {
		n.Error = w.Err.Error()
	}
	_ = s.conn.Notify(context.Background(), protocol.NoticeWarning, n) // fails only at the end of the connection
}

// embedder asks the daemon for vectors.
type embedder struct {
	conn  *peer.Conn
	model string
}

// Embed implements [recall.Embedder].
func (e embedder) Embed(ctx context.Context, texts []string) (vectors [][]float32, err error) {
	err = e.conn.Call(ctx, protocol.MethodEmbed, texts, &vectors)
	return vectors, err
}

// Model implements [recall.Embedder].
func (e embedder) Model() string { return e.model }
