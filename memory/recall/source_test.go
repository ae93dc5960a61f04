package recall_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/names"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall"
	"github.com/nidoit/blunux-ai/providers"
)

func TestHandEditsCountAtOnce(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "the nas is blue")
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}})
	require.Equal(t, "the nas is blue", first(t, x, "nas"))
	for _, line := range []string{"the nas is grey", "the nas is pink", "the nas is gold"} { // of the same length
		notesIn(t, dir, line)
		require.Equal(t, line, first(t, x, "nas"))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "MEMORY.md")))
	require.Empty(t, first(t, x, "nas"))
}

// Puts every kind of unusable file next to a good file.
func TestBadFilesKeepNobodyFromTheOthers(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "the nas is blue", "broken \xff\xfe bytes")
	secret := filepath.Join(t.TempDir(), "secret.md")
	write(t, secret, "- the nas password\n")
	require.NoError(t, os.Symlink(secret, filepath.Join(dir, "link.md")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.md"), 0o700))
	write(t, filepath.Join(dir, "other.txt"), "the nas of another file")
	write(t, filepath.Join(dir, "long.md"), "- "+strings.Repeat("여러 말 words 文字 ", 50_000)+"\n- after the long one\n")
	write(t, filepath.Join(dir, "huge.md"), strings.Repeat("- one of very many lines"+strings.Repeat(" ", 231)+"\n", 50<<20/256)+"- the newest line\n")
	var w warningLog
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Warn: w.warn})
	require.NoError(t, x.Sync(context.Background()))
	hits, err := x.Recall(context.Background(), memory.Query{Words: "nas"})
	require.NoError(t, err)
	require.Len(t, hits, 1)
	require.Equal(t, "the nas is blue", hits[0].Text)
	require.Equal(t, "after the long one", first(t, x, "after"))
	hits, err = x.Recall(context.Background(), memory.Query{Words: "newest"})
	require.NoError(t, err)
	require.Equal(t, 50<<20/256+1, hits[0].Line)
	require.Contains(t, first(t, x, "broken"), "bytes")
	require.Equal(t, []string{"file-cut"}, w.codes)
	hits, err = x.Recall(context.Background(), memory.Query{Words: "여러"})
	require.NoError(t, err)
	require.LessOrEqual(t, len(hits[0].Text), 16<<10)
}

func TestAFileThatVanishesIsGone(t *testing.T) {
	gone := vanishingSource{}
	x := open(t, recall.Options{Sources: []recall.Source{gone}})
	require.NoError(t, x.Sync(context.Background()))
	n, err := x.Count(context.Background())
	require.NoError(t, err)
	require.Zero(t, n)
}

// vanishingSource is a source whose file disappears after it was listed.
type vanishingSource struct{}

func (vanishingSource) Name() string { return "vanishing" }
func (vanishingSource) Files(context.Context) ([]recall.File, error) {
	return []recall.File{{Name: "x"}}, nil
}
func (vanishingSource) Stat(string) (recall.File, error) { return recall.File{}, os.ErrNotExist }
func (vanishingSource) Holds(memory.Query) bool          { return true }
func (vanishingSource) Read(context.Context, recall.File, recall.Mark) (recall.Piece, error) {
	return recall.Piece{}, os.ErrNotExist
}

func TestConversationsAreFoundWhenAskedFor(t *testing.T) {
	dir, talks := t.TempDir(), t.TempDir()
	notesIn(t, dir, "the nas is blue")
	s := session.New(session.Options{Dir: talks})
	key := session.Key("a", "cli", strings.Repeat("긴 이름", 40))
	require.NoError(t, s.Append(key, session.NewEntry(providers.UserText("나스 주소가 뭐였지?"), nil), session.NewEntry(providers.AssistantText("It is 192.168.0.77"), nil)))
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir), recall.Conversations(s)}})
	ask := func(words string, c ...memory.Category) []memory.Hit {
		hits, err := x.Recall(context.Background(), memory.Query{Words: words, Categories: c})
		require.NoError(t, err)
		return hits
	}
	require.Empty(t, ask("192.168.0.77"))
	hits := ask("192.168.0.77", memory.Conversation)
	require.Len(t, hits, 1)
	require.Equal(t, key, hits[0].Source)
	require.Equal(t, memory.Conversation, hits[0].Category)
	require.NoError(t, s.Append(key, session.NewEntry(providers.UserText("고마워 펭귄"), nil)))
	require.Len(t, ask("펭귄", memory.Conversation), 1)
	require.Len(t, ask("nas", memory.Conversation, memory.Core), 2)
	require.NoError(t, s.Delete(key))
	require.Empty(t, ask("펭귄", memory.Conversation))
}

func TestAnOldAnswerThatFitsBeatsANewOneThatDoesNot(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "**a**: the NAS address is 10.0.0.5 (2019-01-01)", "**b**: the NAS was restarted (2026-02-20)")
	x := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Now: on(day(t, "2026-02-21"))})
	require.Equal(t, "the NAS address is 10.0.0.5", first(t, x, "address of the NAS"))
	back := open(t, recall.Options{Sources: []recall.Source{recall.Markdown(dir)}, Now: func() time.Time { return time.Unix(0, 0) }})
	require.Equal(t, "the NAS address is 10.0.0.5", first(t, back, "address of the NAS"), "with a clock set back")
}

func TestAPersonsOwnNamesAreKnown(t *testing.T) {
	dir := t.TempDir()
	notesIn(t, dir, "foozle-bin crashed", "the cat is red")
	x := open(t, recall.Options{
		Sources: []recall.Source{recall.Markdown(dir)},
		Names:   []names.Name{names.FromRow([]string{"foozle-bin", "-", "app", "푸즐이"})},
	})
	require.Equal(t, "foozle-bin crashed", first(t, x, "푸즐이 왜 죽었지?"))
}

// counting counts the listings and looks at single files of a source.
type counting struct {
	recall.Source
	listed int
	looked []string
}

func (c *counting) Files(ctx context.Context) ([]recall.File, error) {
	c.listed++
	return c.Source.Files(ctx)
}

func (c *counting) Stat(name string) (recall.File, error) {
	c.looked = append(c.looked, name)
	return c.Source.Stat(name)
}

// home returns the sources of a home with a thousand conversations, and a function that adds to one of them.
func home(t testing.TB) (notes, talks *counting, dir string, say func(key, text string)) {
	dir = t.TempDir()
	s := session.New(session.Options{Dir: t.TempDir()})
	say = func(key, text string) {
		require.NoError(t, s.Append(key, session.NewEntry(providers.UserText(text), nil)))
	}
	for i := range 1000 {
		say(fmt.Sprintf("a:cli:%d", i), "hello")
	}
	write(t, filepath.Join(dir, "MEMORY.md"), "- the nas is blue\n")
	return &counting{Source: recall.Markdown(dir)}, &counting{Source: recall.Conversations(s)}, dir, say
}

func TestAnUpdateAfterATurnLooksOnlyAtTheChangedFiles(t *testing.T) {
	ctx := t.Context()
	notes, talks, dir, say := home(t)
	x := open(t, recall.Options{Sources: []recall.Source{notes, talks}})
	require.NoError(t, x.SyncFiles(ctx, nil))
	require.Equal(t, 1, talks.listed, "once after the start, all files")
	say("a:cli:7", "where is the penguin")
	today := "daily/2026-02-20.md"
	write(t, filepath.Join(dir, today), "- 09:15 · where is the penguin · done\n")
	changed := map[string][]string{
		recall.ConversationSource: {session.FileName("a:cli:7"), session.FileName("a:cli:gone")},
		recall.NoteSource:         {today, "gone.md", "../outside.md", "daily/../MEMORY.md", "daily", ""},
	}
	require.NoError(t, x.SyncFiles(ctx, changed))
	require.Equal(t, []int{1, 1}, []int{notes.listed, talks.listed})
	require.Equal(t, changed[recall.ConversationSource], talks.looked)
	require.Equal(t, changed[recall.NoteSource], notes.looked)
	rows, err := x.Rows(ctx)
	require.NoError(t, err)
	fresh := open(t, recall.Options{Sources: []recall.Source{notes, talks}})
	require.NoError(t, fresh.Sync(ctx))
	want, err := fresh.Rows(ctx)
	require.NoError(t, err)
	require.Equal(t, want, rows)
	require.NoError(t, os.Remove(filepath.Join(dir, today)))
	require.NoError(t, x.SyncFiles(ctx, map[string][]string{recall.NoteSource: {today}}))
	after, err := x.Rows(ctx)
	require.NoError(t, err)
	require.NotContains(t, strings.Join(after, "\n"), "daily/2026")
}
