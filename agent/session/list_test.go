package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/providers"
)

// many writes n conversations and returns their keys, the latest first.
func many(t testing.TB, dir string, n int) []string {
	s := open(dir, newClock())
	keys := make([]string, n)
	at := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	line, err := json.Marshal(session.NewEntry(providers.UserText("hello"), nil))
	require.NoError(t, err)
	for i := range n {
		keys[n-1-i] = session.Key("main", []string{"cli", "whatsapp"}[i%2], fmt.Sprint(i))
	}
	require.NoError(t, os.MkdirAll(dir, 0o700))
	for i, key := range keys {
		name := filepath.Join(dir, strings.NewReplacer(":", "%3A", "/", "%2F").Replace(key)+".jsonl")
		require.NoError(t, os.WriteFile(name, append(line, '\n'), 0o600))
		when := at.Add(-time.Duration(i) * time.Second)
		require.NoError(t, os.Chtimes(name, when, when))
	}
	require.True(t, s.Exists(keys[0]))
	return keys
}

func keysOf(infos []session.Info) []string {
	var keys []string
	for _, i := range infos {
		keys = append(keys, i.Key)
	}
	return keys
}

func TestAListComesInPages(t *testing.T) {
	dir := t.TempDir()
	keys := many(t, dir, 700)
	s := open(dir, newClock())
	list := func(l session.Listing) []string {
		infos, err := s.List(l)
		require.NoError(t, err)
		return keysOf(infos)
	}
	require.Equal(t, keys[:50], list(session.Listing{}))
	require.Equal(t, keys[20:30], list(session.Listing{Page: 3, Limit: 10}))
	require.Equal(t, keys[600:700], list(session.Listing{Page: 7, Limit: 100}))
	require.Empty(t, list(session.Listing{Page: 8, Limit: 100}))
	require.Len(t, list(session.Listing{Limit: 1 << 30}), 200, "a page is bounded")
	require.Empty(t, list(session.Listing{Page: 1 << 62, Limit: 200}))
	for _, key := range list(session.Listing{Prefix: session.Key("main", "whatsapp", ""), Limit: 200}) {
		require.Contains(t, key, "whatsapp/")
	}
	require.Empty(t, list(session.Listing{Prefix: session.Key("main", "what", "")}))
}

func TestAListTellsTitleAndNumberOfMessages(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	require.NoError(t, keep(s, key, turn(1)...))
	require.NoError(t, keep(s, key, providers.UserText("디스크\n\n꽉   찼어? "+strings.Repeat("가", 100)), providers.AssistantText("no")))
	infos, err := s.List(session.Listing{})
	require.NoError(t, err)
	require.Equal(t, 4, *infos[0].Messages)
	require.True(t, strings.HasPrefix(infos[0].Title, "디스크 꽉 찼어? 가"))
	require.LessOrEqual(t, len(infos[0].Title), 90)

	appendRaw(t, file(t, dir), strings.Repeat(`{"type":"result","content":"x","timestamp":1}`+"\n", 9000))
	require.NoError(t, keep(s, key, turn(2)...))
	infos, err = s.List(session.Listing{})
	require.NoError(t, err)
	require.Nil(t, infos[0].Messages, "of a large one that is not counted here")
	require.Equal(t, "question 2", infos[0].Title)
}

func TestAPageOfAConversation(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	_, err := s.Show(key, 1, 10, nil)
	require.ErrorIs(t, err, session.ErrUnknown)
	for n := range 6 { // 24 entries
		require.NoError(t, keep(s, key, turn(n)...))
	}
	page := func(n int) (session.View, []string) {
		var seen []string
		v, err := s.Show(key, n, 10, func(e session.Entry) { seen = append(seen, e.Content) })
		require.NoError(t, err)
		return v, seen
	}
	v, seen := page(1)
	require.Equal(t, []string{"result", "check_disk"}, []string{"result", strings.Fields(seen[7])[0]})
	require.Equal(t, "answer 5", seen[9])
	require.Len(t, seen, 10)
	require.Equal(t, []int{1, 3, 12}, []int{v.Page, v.Pages, *v.Messages})
	_, seen = page(3)
	require.Equal(t, []string{"question 0", "check_disk {}", "42%", "answer 0"}, seen)
	v, again := page(99)
	require.Equal(t, 3, v.Page, "past the end is the last")
	require.Equal(t, seen, again)
}

func TestSearchFindsWordsHoweverTheyAreWritten(t *testing.T) {
	s := open(t.TempDir(), newClock())
	other := session.Key("main", "whatsapp", "82")
	require.NoError(t, keep(s, other, providers.UserText("Chrome 설치해줘"), providers.AssistantText("설치했어요")))
	require.NoError(t, keep(s, key, turn(1)...))
	require.NoError(t, keep(s, key, providers.UserText("install CHROME please "+strings.Repeat("x", 300))))
	find := func(words, prefix string, limit int) (texts []string, more bool) {
		found, err := s.Search(session.Search{Words: words, Prefix: prefix, Limit: limit})
		require.NoError(t, err)
		for _, h := range found.Hits {
			texts = append(texts, string(h.Type)+" "+h.Text)
		}
		return texts, found.More
	}
	texts, more := find("chrome", "", 0)
	require.Len(t, texts, 2)
	require.False(t, more)
	require.Equal(t, "user install CHROME please "+strings.Repeat("x", 52)+"…", texts[0], "the latest first, cut")
	texts, _ = find("\u1109\u1165\u11af\u110e\u1175 chrome", "", 0)
	require.Equal(t, []string{"user Chrome 설치해줘"}, texts, "all words, composed or not")
	texts, _ = find("check_disk", "", 0)
	require.Equal(t, []string{"tool check_disk {}"}, texts)
	texts, _ = find("42%", "", 0)
	require.Empty(t, texts, "what tools printed is not searched")
	texts, _ = find("chrome", session.Key("main", "whatsapp", ""), 0)
	require.Len(t, texts, 1)
	texts, more = find("chrome", "", 1)
	require.Len(t, texts, 1)
	require.True(t, more)
	for _, none := range []string{"", " ", "nothing like this"} {
		texts, _ = find(none, "", 0)
		require.Empty(t, texts, none)
	}
}

func TestAKeyTooLongForItsFileNameIsKeptInTheFile(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	long := session.Key("main", "whatsapp", strings.Repeat("가나", 100))
	require.NoError(t, keep(s, long, turn(1)...))
	infos, err := s.List(session.Listing{Prefix: session.Key("main", "whatsapp", "")})
	require.NoError(t, err)
	require.Equal(t, []string{long}, keysOf(infos))
	found, err := s.Search(session.Search{Words: "question"})
	require.NoError(t, err)
	require.Equal(t, long, found.Hits[0].Key)

	data, err := os.ReadFile(file(t, dir))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file(t, dir), []byte(strings.ReplaceAll(string(data), "가나", "나가")), 0o600))
	infos, err = s.List(session.Listing{})
	require.NoError(t, err)
	require.Equal(t, "agent:main:session:whatsapp/"+strings.Repeat("가나", 3)+"가…", infos[0].Key, "a key that is not the file's is not believed")
}

func TestADeletedConversationIsGoneAndNothingIsWrittenIntoTheVoid(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	require.ErrorIs(t, s.Delete(key), session.ErrUnknown)
	require.NoError(t, keep(s, key, turn(1)...))
	require.NoError(t, s.Delete(key))
	require.False(t, s.Exists(key))
	require.Empty(t, load(t, s))

	// One goroutine writes while another deletes. Each acknowledged entry must be present or deleted.
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := range 200 {
			require.NoError(t, keep(s, key, turn(n)...))
		}
		require.NoError(t, keep(s, key, turn(1000)...))
	})
	wg.Go(func() {
		for range 200 {
			if err := s.Delete(key); err != nil {
				require.ErrorIs(t, err, session.ErrUnknown)
			}
		}
	})
	wg.Wait()
	if s.Exists(key) {
		messages := load(t, s)
		require.Equal(t, turn(1000), messages[len(messages)-4:])
	}
	require.NoError(t, keep(s, key, turn(1001)...))
	messages := load(t, s)
	require.Equal(t, turn(1001), messages[len(messages)-4:])
}

func TestAnExportIsTheFileInPieces(t *testing.T) {
	dir := t.TempDir()
	s := open(dir, newClock())
	_, _, err := s.Read(key, 0, 10)
	require.ErrorIs(t, err, session.ErrUnknown)
	require.NoError(t, keep(s, key, turn(1)...))
	want, err := os.ReadFile(file(t, dir))
	require.NoError(t, err)
	var got []byte
	for {
		piece, size, err := s.Read(key, int64(len(got)), 7)
		require.NoError(t, err)
		require.Equal(t, int64(len(want)), size)
		if len(piece) == 0 {
			break
		}
		got = append(got, piece...)
	}
	require.Equal(t, string(want), string(got))
	piece, _, err := s.Read(key, 1<<60, 7)
	require.NoError(t, err)
	require.Empty(t, piece)
}
