package whatsapp

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"google.golang.org/protobuf/proto"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/whatsapp/waserver"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

// fakeReceiver is a fake bridge.
type fakeReceiver struct {
	mu     sync.Mutex
	refuse error
	got    chan bridge.Incoming
	states chan state.State
}

func (k *fakeReceiver) Receive(_ context.Context, in bridge.Incoming) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refuse != nil {
		err := k.refuse
		k.refuse = nil
		return err
	}
	k.got <- in
	return nil
}

func (*fakeReceiver) Rooms() ([]string, <-chan struct{}) { return nil, nil }

func (k *fakeReceiver) UpdateState(s state.State) { k.states <- s }

// rig is a messenger connected to a fake server.
type rig struct {
	*fakeReceiver
	t    *testing.T
	s    *waserver.Server
	m    *Messenger
	home string
	dir  string
	done chan error
	stop context.CancelFunc
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{fakeReceiver: &fakeReceiver{got: make(chan bridge.Incoming, 100), states: make(chan state.State, 1000)}, t: t, s: waserver.New(t), home: t.TempDir()}
	r.dir = filepath.Join(r.home, "whatsapp")
	r.s.LogIn(t, r.home)
	return r
}

// start runs the messenger until the test ends.
func (r *rig) start() *rig {
	r.t.Helper()
	r.m = New(r.dir, zerolog.Nop())
	r.m.dial = r.s.Redirect
	ctx, cancel := context.WithCancel(r.t.Context())
	r.stop, r.done = cancel, make(chan error, 1)
	done := r.done
	go func() { done <- r.m.Run(ctx, r.fakeReceiver); close(done) }()
	r.t.Cleanup(func() { cancel(); <-done })
	return r
}

// until waits for a phase.
func (r *rig) until(p state.Phase) state.State {
	r.t.Helper()
	timeout := time.After(time.Minute)
	for {
		select {
		case s := <-r.states:
			if s.Phase == p {
				return s
			}
		case <-timeout:
			require.FailNow(r.t, "the messenger did not become "+string(p))
		}
	}
}

func (r *rig) next() bridge.Incoming {
	r.t.Helper()
	select {
	case in := <-r.got:
		return in
	case <-time.After(30 * time.Second):
		require.FailNow(r.t, "no message came")
		return bridge.Incoming{}
	}
}

// halt returns the state with which the messenger ended.
func (r *rig) halt() state.State {
	r.t.Helper()
	select {
	case err := <-r.done:
		var halt *bridge.Halt
		require.ErrorAs(r.t, err, &halt)
		return halt.State
	case <-time.After(30 * time.Second):
		require.FailNow(r.t, "the messenger runs on")
		return state.State{}
	}
}

func (r *rig) post(p bridge.Piece) (bridge.Posted, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	return r.m.Post(ctx, p)
}

func TestAQuestionComesAndAnAnswerGoes(t *testing.T) {
	r := newRig(t).start()
	require.Equal(t, "+"+waserver.AccountNumber, r.until(state.Online).Account)
	for _, who := range []string{r.s.Owner(), r.s.Partner()} {
		id := r.s.Say(who, channeltest.PersonMessage{Text: "디스크 꽉 찼어?"})
		in := r.next()
		require.Equal(t, bridge.Incoming{ID: id, Chat: who, Sender: who, Name: in.Name, Text: "디스크 꽉 찼어?", Sent: in.Sent}, in)
		require.WithinDuration(t, time.Now(), in.Sent, 5*time.Second)
		require.NoError(t, r.m.Typing(t.Context(), who))
		var posted [2]bridge.Posted
		for i := range posted {
			var err error
			posted[i], err = r.post(bridge.Piece{ID: "p" + who, Chat: who, Text: "아니요, *41%*예요", Re: id})
			require.NoError(t, err)
		}
		require.Equal(t, posted[0].Handle, posted[1].Handle)
		require.WithinDuration(t, time.Now(), posted[0].At, 5*time.Second)
		require.Equal(t, []channeltest.ReceivedMessage{{Handle: posted[0].Handle, Text: "아니요, 41%예요", Raw: "아니요, *41%*예요", Copies: 2}}, r.s.Received(who))
		require.Eventually(t, func() bool { kind, _ := r.s.Receipt(id); return kind == "read" && r.s.TypingCount(who) == 1 }, time.Minute, 5*time.Millisecond)
	}
}

func TestWhoIsNotAnsweredIsNotToldThatTheyWereRead(t *testing.T) {
	r := newRig(t).start()
	id := r.s.Say(r.s.Stranger(), channeltest.PersonMessage{Text: "hello?"})
	require.Equal(t, r.s.Stranger(), r.next().Sender)
	require.Eventually(t, func() bool { _, ok := r.s.Receipt(id); return ok }, time.Minute, 5*time.Millisecond)
	kind, _ := r.s.Receipt(id)
	require.Equal(t, "inactive", kind)
}

func TestThreat11OnlyPeopleInAChatOfTwoAreHeard(t *testing.T) {
	r := newRig(t).start()
	owner := r.s.Owner()
	r.s.Say(owner, channeltest.PersonMessage{Text: "in a group", Group: true})
	r.s.Say(owner, channeltest.PersonMessage{Text: "by the account itself", Own: true})
	r.s.Say(waserver.NamelessLID, channeltest.PersonMessage{Text: "without a number"})
	r.s.Write(owner, &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{Text: proto.String("👍")}}, channeltest.PersonMessage{})
	r.s.Write(owner, &waE2E.Message{PollCreationMessage: &waE2E.PollCreationMessage{Name: proto.String("?")}}, channeltest.PersonMessage{})
	r.s.Write(owner, &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_REVOKE.Enum(), Key: &waCommon.MessageKey{ID: proto.String("x")}}}, channeltest.PersonMessage{})
	r.s.Write(owner, &waE2E.Message{EditedMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
		Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: &waCommon.MessageKey{ID: proto.String("x")}, EditedMessage: &waE2E.Message{Conversation: proto.String("rm -rf /")},
	}}}}, channeltest.PersonMessage{})
	last := r.s.Say(owner, channeltest.PersonMessage{Text: "heard"})
	require.Equal(t, last, r.next().ID, "nothing before it was handed over")
	require.Eventually(t, func() bool { return r.s.QueueLength() == 0 }, time.Minute, 5*time.Millisecond, "all of it was confirmed")
}

func TestWordsAreFoundWhereverTheyStand(t *testing.T) {
	r := newRig(t).start()
	text := &waE2E.Message{Conversation: proto.String("words")}
	future := &waE2E.FutureProofMessage{Message: text}
	for name, m := range map[string]*waE2E.Message{
		"plain":     text,
		"extended":  {ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("words")}},
		"ephemeral": {EphemeralMessage: future},
		"once":      {ViewOnceMessage: future},
		"once, v2":  {ViewOnceMessageV2: future},
		"button":    {ButtonsResponseMessage: &waE2E.ButtonsResponseMessage{Response: &waE2E.ButtonsResponseMessage_SelectedDisplayText{SelectedDisplayText: "words"}}},
		"template":  {TemplateButtonReplyMessage: &waE2E.TemplateButtonReplyMessage{SelectedDisplayText: proto.String("words")}},
		"list":      {ListResponseMessage: &waE2E.ListResponseMessage{Title: proto.String("words")}},
	} {
		r.s.Write(r.s.Owner(), proto.Clone(m).(*waE2E.Message), channeltest.PersonMessage{})
		in := r.next()
		require.Equal(t, "words", in.Text, name)
		require.False(t, in.Forwarded, name)
	}
	r.s.Say(r.s.Owner(), channeltest.PersonMessage{Text: "네", Forwarded: true})
	require.True(t, r.next().Forwarded)
	r.s.Say(r.s.Owner(), channeltest.PersonMessage{Text: strings.Repeat("가", 65_000)})
	in := r.next()
	require.Greater(t, len(in.Text), 64<<10)
	require.LessOrEqual(t, len(in.Text), maxTextLength)
}

func TestAMessageIsConfirmedOnlyWhenItWasTaken(t *testing.T) {
	r := newRig(t)
	r.refuse = errors.New("not now")
	id := r.s.Say(r.s.Owner(), channeltest.PersonMessage{Text: "once"})
	r.start()
	r.until(state.Offline)
	_, confirmed := r.s.Receipt(id)
	require.False(t, confirmed)
	require.Equal(t, 1, r.s.QueueLength())
	require.Equal(t, id, r.next().ID, "it comes again by itself")
	require.Eventually(t, func() bool { return r.s.QueueLength() == 0 }, time.Minute, 5*time.Millisecond)
	r.s.Redeliver(id)
	r.s.Say(r.s.Owner(), channeltest.PersonMessage{Text: "two"})
	require.Equal(t, "two", r.next().Text, "what was taken is not handed over again, but confirmed")
	require.Eventually(t, func() bool { return r.s.QueueLength() == 0 }, time.Minute, 5*time.Millisecond)
}

func TestFilesComeWithinBounds(t *testing.T) {
	r := newRig(t).start()
	owner := r.s.Owner()
	fetch := func(f bridge.File) ([]byte, string) {
		require.NotNil(t, f.Open)
		from, err := f.Open(t.Context())
		var why *bridge.FileError
		if errors.As(err, &why) {
			return nil, why.Problem
		}
		require.NoError(t, err)
		defer from.Close()
		var b bytes.Buffer
		_, err = b.ReadFrom(from)
		require.NoError(t, err)
		return b.Bytes(), ""
	}
	photo := bytes.Repeat([]byte("picture "), 1000)
	r.s.Say(owner, channeltest.PersonMessage{Text: "look", File: &channeltest.PersonFile{Type: "image/jpeg", Data: photo}})
	in := r.next()
	require.Equal(t, "look", in.Text)
	data, problem := fetch(in.Files[0])
	require.Empty(t, problem)
	require.Equal(t, photo, data)

	r.s.Say(owner, channeltest.PersonMessage{File: &channeltest.PersonFile{Name: "../../etc/passwd", Type: "text/plain", Data: photo}})
	require.Equal(t, "passwd", r.next().Files[0].Name)

	for what, c := range map[string]struct {
		sent    channeltest.PersonFile
		problem string
		open    bool
	}{
		"says it is too large":     {channeltest.PersonFile{Name: "a", Type: "text/plain", Data: photo, Claims: 1 << 40}, ipc.FileTooLarge, false},
		"is too large, says small": {channeltest.PersonFile{Name: "a", Type: "text/plain", Data: make([]byte, ipc.MaxInboundFile+1000), Claims: 10}, ipc.FileTooLarge, true},
		"is not as long as said":   {channeltest.PersonFile{Name: "a", Type: "text/plain", Data: photo, Claims: 10}, ipc.FileBroken, true},
		"is a voice":               {channeltest.PersonFile{Type: "audio/ogg", Data: photo}, ipc.FileKind, false},
		"is a sticker":             {channeltest.PersonFile{Type: "image/webp", Data: photo}, ipc.FileKind, false},
	} {
		r.s.Say(owner, channeltest.PersonMessage{File: &c.sent})
		f := r.next().Files[0]
		require.Equal(t, c.open, f.Open != nil, what)
		if c.open {
			_, f.Problem = fetch(f)
		}
		require.Equal(t, c.problem, f.Problem, what)
	}
	left, err := filepath.Glob(filepath.Join(r.dir, ".media-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestAFileGoes(t *testing.T) {
	r := newRig(t).start()
	r.until(state.Online)
	path := filepath.Join(t.TempDir(), "report")
	data := bytes.Repeat([]byte("보고서\n"), 5000)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	_, err := r.post(bridge.Piece{ID: "f", Chat: r.s.Owner(), Text: "here", File: &bridge.Outgoing{Path: path, Name: "report.txt", Type: "text/plain", Size: int64(len(data))}})
	require.NoError(t, err)
	seen := r.s.Received(r.s.Owner())
	require.Len(t, seen, 1)
	require.Equal(t, data, seen[0].File)
	require.Equal(t, "report.txt", seen[0].Name)
	_, err = r.post(bridge.Piece{ID: "g", Chat: r.s.Owner(), File: &bridge.Outgoing{Path: path, Name: "r", Size: 3}})
	require.ErrorIs(t, err, bridge.ErrRefused, "it is not the file that was meant")
}

func TestWhatTheServerSaysToAMessage(t *testing.T) {
	r := newRig(t).start()
	r.until(state.Online)
	owner := r.s.Owner()
	for code, want := range map[int]error{403: bridge.ErrNoChat, 400: bridge.ErrRefused} {
		r.s.Answer(func() int { return code })
		_, err := r.post(bridge.Piece{ID: "x", Chat: owner, Text: "x"})
		require.ErrorIs(t, err, want)
	}
	for _, code := range []int{429, 463} {
		r.s.Answer(func() int { return code })
		_, err := r.post(bridge.Piece{ID: "x", Chat: owner, Text: "x"})
		var busy *bridge.Busy
		require.ErrorAs(t, err, &busy)
	}
	r.s.Answer(nil)
	for _, chat := range []string{"8299999999", "group", Group(), ""} {
		_, err := r.post(bridge.Piece{ID: "x", Chat: chat, Text: "x"})
		require.ErrorIs(t, err, bridge.ErrNoChat, chat)
	}
	r.s.SetDown(true)
	r.until(state.Offline)
	_, err := r.post(bridge.Piece{ID: "x", Chat: owner, Text: "x"})
	require.ErrorIs(t, err, bridge.ErrOffline)
	r.s.SetDown(false)
	r.until(state.Online)
	_, err = r.post(bridge.Piece{ID: "x", Chat: owner, Text: "x"})
	require.NoError(t, err)
}

// Group returns the address of a group.
func Group() string { return waserver.Group.String() }

func TestTheConnectionComesBack(t *testing.T) {
	r := newRig(t).start()
	r.until(state.Online)
	for name, trouble := range map[string]func(){
		"closed":  r.s.CloseConnections,
		"515":     func() { r.s.Error("515", "") },
		"503":     func() { r.s.Error("503", ""); r.s.CloseConnections() },
		"unknown": func() { r.s.Error("999", "") },
	} {
		logins := r.s.LoginCount()
		trouble()
		r.until(state.Offline)
		r.until(state.Online)
		require.Greater(t, r.s.LoginCount(), logins, name)
		r.s.Say(r.s.Owner(), channeltest.PersonMessage{Text: name})
		require.Equal(t, name, r.next().Text)
	}
}

// whatsmeow waits 20 seconds for the answer to a handshake, even if the connection has ended.
func TestABrokenHandshakeIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.s.Break(1)
	r.start()
	r.until(state.Offline)
	r.until(state.Online)
	require.Equal(t, 1, r.s.LoginCount())
}

func TestWhatOnlyThePersonCanMendEndsIt(t *testing.T) {
	for name, c := range map[string]struct {
		trouble func(*waserver.Server)
		phase   state.Phase
	}{
		"unlinked on the phone": {func(s *waserver.Server) { s.Unlink() }, state.LoggedOut},
		"replaced":              {func(s *waserver.Server) { s.Error("", "replaced") }, state.Replaced},
		"outdated":              {func(s *waserver.Server) { s.Refuse(waBinary.Attrs{"reason": 405}); s.CloseConnections() }, state.Outdated},
		"logged out":            {func(s *waserver.Server) { s.Refuse(waBinary.Attrs{"reason": 401}); s.CloseConnections() }, state.LoggedOut},
		"locked":                {func(s *waserver.Server) { s.Refuse(waBinary.Attrs{"reason": 406}); s.CloseConnections() }, state.Banned},
		"banned without end": {func(s *waserver.Server) {
			s.Refuse(waBinary.Attrs{"reason": 402, "code": 101, "expire": 0})
			s.CloseConnections()
		}, state.Banned},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t).start()
			r.until(state.Online)
			logins := r.s.LoginCount()
			c.trouble(r.s)
			require.Equal(t, c.phase, r.halt().Phase)
			require.Equal(t, logins, r.s.LoginCount(), "it does not try again")
			account, err := Account(t.Context(), r.dir)
			require.NoError(t, err, "only logout removes the session")
			require.Equal(t, "+"+waserver.AccountNumber, account)
		})
	}
}

func TestAPauseIsKept(t *testing.T) {
	for name, trouble := range map[string]func(*waserver.Server){
		"banned for a while": func(s *waserver.Server) { s.Refuse(waBinary.Attrs{"reason": 402, "code": 104, "expire": 3600}) },
		"failure 429":        func(s *waserver.Server) { s.Refuse(waBinary.Attrs{"reason": 429}) },
		"HTTP 429":           func(s *waserver.Server) { s.Status(429) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			trouble(r.s)
			r.start()
			s := r.until(state.Limited)
			require.Greater(t, time.Until(s.Until), 4*time.Minute)
		})
	}
}

func TestAFullDiskLeavesMessagesWithTheServer(t *testing.T) {
	r := newRig(t)
	r.s.Say(r.s.Owner(), channeltest.PersonMessage{Text: "wait"})
	r.m = New(r.dir, zerolog.Nop())
	r.m.freeSpace = func(string) (uint64, error) { return 1000, nil }
	l := &connection{m: r.m, r: r.fakeReceiver}
	_, why := l.connectOnce(t.Context())
	require.Equal(t, state.DiskFull, why.state.Phase)
	require.Equal(t, 1, r.s.QueueLength())
	require.Zero(t, r.s.LoginCount())
}

func TestASessionThatCannotBeReadIsSaid(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.dir, sessionDir, storeFile)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, data := range map[string][]byte{
		"other bytes": bytes.Repeat([]byte("junk"), 5000),
		"cut":         whole[:len(whole)/2],
		"overwritten": append(append(bytes.Clone(whole[:4096]), bytes.Repeat([]byte{0xff}, 40960)...), whole[45056:]...),
	} {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		require.Equal(t, state.Broken, r.start().halt().Phase, name)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, data[:100], kept[:100], "%s: it is left as it is", name)
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink("/etc/passwd", path))
	require.Equal(t, state.Broken, r.start().halt().Phase, "a link")
	require.NoError(t, os.Remove(path))
	require.Equal(t, state.NotLoggedIn, r.start().halt().Phase)
}

func TestWhatIsKeptIsKeptFromOthers(t *testing.T) {
	r := newRig(t).start()
	r.until(state.Online)
	fi, err := os.Stat(filepath.Join(r.dir, sessionDir))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
	files, err := os.ReadDir(filepath.Join(r.dir, sessionDir))
	require.NoError(t, err)
	for _, f := range files {
		fi, err := f.Info()
		require.NoError(t, err)
		require.Zero(t, fi.Mode().Perm()&0o077, f.Name())
	}
}
