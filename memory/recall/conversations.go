package recall

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/memory"
)

// Bounds of the indexed parts of conversations.
const (
	maxSaid     = 4 << 10 // bytes of a message
	maxResult   = 1 << 10 // bytes of a tool result
	maxPiece    = 1 << 20 // bytes of a file read in one transaction
	markContext = 1 << 10 // bytes before a mark that must be unchanged
)

// Conversations returns the conversations of a store as a source: messages and shortened tool results. The files
// only grow, so only new data is read. A file that shrank or was replaced is read again from the start.
func Conversations(s *session.Store) Source { return conversations{s} }

type conversations struct{ store *session.Store }

func (conversations) Name() string { return "conversations" }

func (conversations) Holds(q memory.Query) bool { return q.Includes(memory.Conversation) }

func (c conversations) Files(ctx context.Context) ([]File, error) {
	named, err := c.store.Files(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]File, 0, len(named))
	for _, n := range named {
		files = append(files, File{n.Name, stampOf(n.FileInfo)})
	}
	return files, nil
}

func (c conversations) Read(ctx context.Context, f File, after Mark) (Piece, error) {
	from, err := c.resume(f, after)
	if err != nil {
		return Piece{}, err
	}
	p := Piece{Replaces: from == 0}
	g, err := c.store.ReadSince(f.Name, from, maxPiece, func(at int64, e session.Entry) {
		if n, ok := noteOf(e, at); ok {
			p.Notes = append(p.Notes, n)
		}
	})
	if err != nil {
		return Piece{}, err
	}
	for i := range p.Notes {
		p.Notes[i].Source = g.Key
	}
	sum, err := c.sum(f, g.End)
	p.More, p.Mark = g.More, Mark(fmt.Sprintf("%d %s", g.End, sum))
	if err == nil {
		err = ctx.Err()
	}
	return p, err
}

// resume returns the offset of the mark if the data before it is unchanged, else 0.
func (c conversations) resume(f File, after Mark) (int64, error) {
	at, sum, _ := strings.Cut(string(after), " ")
	from, err := strconv.ParseInt(at, 10, 64)
	if err != nil || from <= 0 {
		return 0, nil
	}
	now, err := c.sum(f, from)
	if err != nil || now != sum {
		return 0, err
	}
	return from, nil
}

// sum hashes the data before an offset. It is "" if the file is shorter.
func (c conversations) sum(f File, before int64) (string, error) {
	data, err := c.store.Tail(f.Name, before, markContext)
	if err != nil || data == nil {
		return "", err
	}
	h := fnv.New64a()
	_, _ = h.Write(data)
	return strconv.FormatUint(h.Sum64(), 36), nil
}

// aboutNotes are the tools whose results only repeat notes or confirm that one was written.
var aboutNotes = []string{"recall", "remember", "forget", "update_user"}

// noteOf converts an entry to a note. ok is false if the entry contains no message.
func noteOf(e session.Entry, at int64) (n memory.Note, ok bool) {
	most := maxSaid
	switch e.Type {
	case session.TypeUser, session.TypeThought:
	case session.TypeResult:
		most = maxResult
		if e.Metadata != nil && slices.Contains(aboutNotes, e.Metadata.Tool) {
			return n, false
		}
	default:
		return n, false
	}
	text := strings.TrimSpace(strings.ToValidUTF8(clip(e.Content, most), "\ufffd"))
	if text == "" {
		return n, false
	}
	when := time.UnixMilli(e.Timestamp)
	return memory.Note{
		Key: string(e.Type) + "-" + strconv.FormatInt(at, 36), Text: text, Category: memory.Conversation, Created: when, Updated: when,
	}, true
}
