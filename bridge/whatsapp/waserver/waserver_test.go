package waserver_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	waLog "go.mau.fi/whatsmeow/util/log"
	"google.golang.org/protobuf/proto"

	"github.com/nidoit/blunux-ai/bridge/whatsapp/waserver"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

// client returns a plain client with a session made by the server.
func client(t *testing.T, s *waserver.Server) (*whatsmeow.Client, <-chan *events.Message) {
	t.Helper()
	home := t.TempDir()
	s.LogIn(t, home)
	return connect(t, s, home)
}

func connect(t *testing.T, s *waserver.Server, home string) (*whatsmeow.Client, <-chan *events.Message) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(home, "whatsapp/session/store.db")+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)&_txlock=immediate")
	require.NoError(t, err)
	c := sqlstore.NewWithDB(db, "sqlite3", waLog.Noop)
	require.NoError(t, c.Upgrade(t.Context()))
	device, err := c.GetFirstDevice(t.Context())
	require.NoError(t, err)
	require.NotNil(t, device.ID, "the session is linked")
	var log waLog.Logger = waLog.Noop
	if testing.Verbose() {
		log = waLog.Stdout("wa", "INFO", false)
	}
	cli := whatsmeow.NewClient(device, log)
	require.NoError(t, s.Redirect(cli))
	got := make(chan *events.Message, 20)
	cli.AddEventHandler(func(e any) {
		if m, ok := e.(*events.Message); ok {
			got <- m
		}
	})
	require.NoError(t, cli.Connect())
	t.Cleanup(func() { cli.Disconnect(); _ = c.Close() })
	return cli, got
}

func next(t *testing.T, got <-chan *events.Message) *events.Message {
	t.Helper()
	select {
	case m := <-got:
		return m
	case <-time.After(time.Minute):
		require.FailNow(t, "no message came")
		return nil
	}
}

func TestTheRealClientTalks(t *testing.T) {
	s := waserver.New(t)
	cli, got := client(t, s)
	for _, who := range []string{s.Owner(), s.Partner()} {
		id := s.Say(who, channeltest.PersonMessage{Text: "디스크 꽉 찼어?"})
		m := next(t, got)
		require.Equal(t, id, m.Info.ID)
		require.Equal(t, "디스크 꽉 찼어?", m.Message.GetConversation())
		send := whatsmeow.SendRequestExtra{ID: "3EB0" + who}
		for range 2 {
			_, err := cli.SendMessage(t.Context(), types.NewJID(who, types.DefaultUserServer), &waE2E.Message{Conversation: proto.String("네, *95%* 입니다")}, send)
			require.NoError(t, err)
		}
		seen := s.Received(who)
		require.Len(t, seen, 1)
		require.Equal(t, "네, 95% 입니다", seen[0].Text)
		require.Equal(t, 2, seen[0].Copies)
	}
}

func TestSomebodyIsWrittenToFirst(t *testing.T) {
	s := waserver.New(t)
	cli, got := client(t, s)
	require.True(t, cli.WaitForConnection(10*time.Second))
	_, err := cli.SendMessage(t.Context(), types.NewJID(s.Owner(), types.DefaultUserServer), &waE2E.Message{Conversation: proto.String("disk full")})
	require.NoError(t, err)
	require.Equal(t, "disk full", s.Received(s.Owner())[0].Text)
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "thanks"})
	require.Equal(t, "thanks", next(t, got).Message.GetConversation())
}

func TestWhatIsNotConfirmedComesAgain(t *testing.T) {
	s := waserver.New(t)
	home := t.TempDir()
	s.LogIn(t, home)
	id := s.Say(s.Owner(), channeltest.PersonMessage{Text: "while nobody was there"})
	_, got := connect(t, s, home)
	require.Equal(t, id, next(t, got).Info.ID)
	require.Eventually(t, func() bool { return s.QueueLength() == 0 }, time.Minute, 5*time.Millisecond)
	s.CloseConnections()
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "two"})
	require.Equal(t, "two", next(t, got).Message.GetConversation(), "the client comes back by itself")
}

func TestAFileComes(t *testing.T) {
	s := waserver.New(t)
	cli, got := client(t, s)
	s.Say(s.Owner(), channeltest.PersonMessage{Text: "look", File: &channeltest.PersonFile{Name: "a.txt", Type: "text/plain", Data: []byte("hello")}})
	m := next(t, got)
	data, err := cli.Download(context.Background(), m.Message.GetDocumentMessage())
	require.NoError(t, err)
	require.Equal(t, "hello", string(data))
}
