package ipc

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stream is a connection on a buffer with prepared input.
type stream struct {
	io.Reader
	bytes.Buffer
}

func (s *stream) Read(p []byte) (int, error) { return s.Reader.Read(p) }
func (s *stream) Close() error               { return nil }

func reading(text string) *Conn { return NewConn(&stream{Reader: strings.NewReader(text)}) }

func anyMessage(t *rapid.T) Message {
	text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("한글\n\r\"\\<>&\u2028\x00"))))
	m := Message{
		Type: rapid.StringMatching(`[a-z_]{1,12}`).Draw(t, "type"), V: rapid.IntRange(0, 9).Draw(t, "v"),
		ID: text.Draw(t, "id"), Re: text.Draw(t, "re"), Seq: rapid.Int64().Draw(t, "seq"),
		Session: text.Draw(t, "session"), Channel: text.Draw(t, "channel"), From: text.Draw(t, "from"),
		Body: text.Draw(t, "body"), To: text.Draw(t, "to"), Action: text.Draw(t, "action"),
		Timestamp: text.Draw(t, "timestamp"), Done: rapid.Bool().Draw(t, "done"),
	}
	if rapid.Bool().Draw(t, "lists") {
		m.Actions = rapid.SliceOfN(text, 1, 4).Draw(t, "actions")
		m.Notifications = []Notification{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			m.Notifications = append(m.Notifications, Notification{To: text.Draw(t, "to"), Body: text.Draw(t, "body")})
		}
		m.Error = &Error{Code: CodeBusy, Message: text.Draw(t, "message"), RetryAfter: rapid.IntRange(0, 99).Draw(t, "after")}
		m = m.WithData(map[string]string{"k": text.Draw(t, "data")})
	}
	return m
}

func TestEveryMessageIsOneLineAndReadsBackEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyMessage(t)
		line, err := Append(nil, want)
		require.NoError(t, err)
		require.Equal(t, 1, bytes.Count(line, []byte("\n")))
		got, err := reading(string(line)).Read()
		require.NoError(t, err)
		// Raw data may be escaped differently, but its value must be equal.
		if want.Data != nil {
			require.JSONEq(t, string(want.Data), string(got.Data))
			want.Data, got.Data = nil, nil
		}
		require.Equal(t, want, got)
	})
}

func TestALineThatIsNotAMessageDoesNotEndTheConnection(t *testing.T) {
	c := reading("hello\n[1]\n{\"type\":1}\n{}\n\n  \r\n{\"type\":\"\"}\n\xff\xfe\n{\"type\":\"hello\",\"id\":\"h\",\"unknown\":[1]}\r\n")
	for range 6 {
		_, err := c.Read()
		require.ErrorIs(t, err, ErrNotMessage)
	}
	m, err := c.Read()
	require.NoError(t, err)
	require.Equal(t, Message{Type: "hello", ID: "h"}, m)
	_, err = c.Read()
	require.ErrorIs(t, err, io.EOF)
}

func TestABadFieldStillTellsWhichRequestItWas(t *testing.T) {
	m, err := Unmarshal([]byte(`{"id":"m1","type":"message","body":7}`))
	require.ErrorIs(t, err, ErrNotMessage)
	require.Equal(t, "m1", m.ID)
}

func TestTheLineLimitIsExact(t *testing.T) {
	frame := func(n int) string {
		const shell = `{"type":"message","body":""}`
		return strings.Replace(shell, `""`, `"`+strings.Repeat("x", n-len(shell))+`"`, 1)
	}
	m, err := reading(frame(MaxLine) + "\n").Read()
	require.NoError(t, err)
	require.Equal(t, "message", m.Type)
	_, err = reading(frame(MaxLine+1) + "\n").Read()
	require.ErrorIs(t, err, ErrTooLarge)
	_, err = reading(strings.Repeat("\r", 3*MaxLine)).Read()
	require.ErrorIs(t, err, ErrTooLarge)
}

func TestAFrameThatIsTooLongIsNotSent(t *testing.T) {
	s := &stream{Reader: strings.NewReader("")}
	c := NewConn(s)
	require.ErrorIs(t, c.Write(Message{Type: "response", Body: strings.Repeat("x", MaxLine)}), ErrTooLarge)
	require.Zero(t, s.Buffer.Len())
	require.NoError(t, c.Write(Message{Type: "response"}))
	require.Equal(t, "{\"type\":\"response\"}\n", s.Buffer.String())
}

func TestDeepNestingIsRefusedNotFollowed(t *testing.T) {
	deep := `{"type":"message","data":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}"
	_, err := Unmarshal([]byte(deep))
	require.ErrorIs(t, err, ErrNotMessage)
}

// The wire format for other clients, byte for byte.
func TestTheWireIsTheDocumentedOne(t *testing.T) {
	at := time.Date(2026, 2, 20, 9, 15, 32, 0, time.UTC)
	var got bytes.Buffer
	for _, m := range []Message{
		{Type: TypeMessage, From: "821012345678", Body: "디스크 꽉 찼어?", Timestamp: "2026-02-20T09:15:32Z"},
		{Type: TypeResponse, To: "821012345678", Body: "괜찮아요 <50%>", Actions: []string{"yes_install", "skip"}},
		{Type: TypeAction, From: "821012345678", Action: "yes_install"},
		{Type: TypeAction, From: "__ping__", Action: ActionPing},
		{Type: TypeResponse, To: "__poll__", Body: "ok", Notifications: []Notification{}},
		Message{Type: TypeHello, V: 1, ID: "h1"}.WithData(Hello{Client: "blunux-aictl/1.0", Channel: "cli", TTY: true, Lang: "ko", Caps: []string{CapDelta, CapTool, CapAsk}}),
		Message{Type: TypeMessage, ID: "m1", Session: "cli", Body: "크롬 설치해줘"}.WithData(Request{Cwd: "/home/blu"}),
		{Type: TypeDelta, Re: "m1", Seq: 1, Body: "설치할게요"},
		Message{Type: TypeTool, Re: "m1", Seq: 2}.WithData(Tool{Call: "t1", Name: "check_disk", Class: "SAFE", Command: "df -h", State: ToolRunning}),
		Message{Type: TypeTool, Re: "m1", Seq: 3}.WithData(Tool{Call: "t2", Name: "read_file", Class: "SAFE", Command: "blunux-ai read-file -- /home/blu/사진.png", State: ToolDone, Picture: "/home/blu/사진.png"}),
		Message{Type: TypePicture, Re: "c1", Seq: 1}.WithData(PicturePiece{MediaType: "image/png", Data: []byte("\x89PNG")}),
		Message{Type: TypeAsk, ID: "a7", Re: "m1", Body: "google-chrome 패키지를 설치할까요?", Actions: []string{ActionAllowOnce, ActionReject}}.WithData(Ask{
			Code: "K7QX", Tool: "install_package", Class: "CONFIRM", Command: "yay -S --noconfirm -- google-chrome", Argv: []string{"yay", "-S", "--noconfirm", "--", "google-chrome"},
			Cwd: "/home/blu", Reasons: []string{"package-install"}, Digest: "sha256:00", Expires: at,
		}),
		Message{Type: TypeAction, Re: "a7", Action: ActionAllowOnce}.WithData(Answer{Digest: "sha256:00"}),
		Message{Type: TypeResolved, Re: "m1", ID: "a7"}.WithData(Resolved{By: "cli", Action: ActionAllowOnce}),
		Message{Type: TypeResponse, Re: "m1", To: "cli", Body: "설치했어요.", Done: true}.WithData(Outcome{Stop: "end_turn", Rounds: 2, Usage: Usage{In: 1834, Out: 96}}),
		{Type: TypeError, Re: "m1", Done: true, Error: &Error{Code: CodeRateLimit, Message: "요청이 너무 많아요", Hint: "…", RetryAfter: 30}},
	} {
		line, err := Append(nil, m)
		require.NoError(t, err)
		got.Write(line)
	}
	const golden = "testdata/wire.jsonl"
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func FuzzUnmarshal(f *testing.F) {
	wire, err := os.ReadFile("testdata/wire.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(wire) {
		f.Add(bytes.TrimSpace(line))
	}
	f.Add([]byte(`{"type":"x","data":{"a":`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := Unmarshal(line)
		if err != nil {
			require.ErrorIs(t, err, ErrNotMessage)
			return
		}
		require.NotEmpty(t, m.Type)
		again, err := Append(nil, m)
		require.NoError(t, err)
		back, err := Unmarshal(bytes.TrimSpace(again))
		require.NoError(t, err)
		a, err := json.Marshal(m)
		require.NoError(t, err)
		b, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(a), string(b))
	})
}
