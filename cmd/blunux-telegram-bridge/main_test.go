package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/creack/pty"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/program"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/bridge/telegram"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/test/botapi"
	"github.com/nidoit/blunux-ai/test/helptest"
)

// treeIn returns this program's commands in a language.
func treeIn(lang i18n.Lang) *cobra.Command {
	return (&program.Program{Kind: kind(), Lang: lang, Getenv: func(string) string { return "" }, Out: io.Discard, Err: io.Discard}).Root()
}

func TestEverythingInTheHelpIsToldInThreeLanguages(t *testing.T) {
	require.Empty(t, helptest.MissingTexts(treeIn), "the same in two languages, or empty")
}

func TestHelpFitsTheTerminal(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for _, columns := range []int{40, 80} {
			for _, path := range [][]string{nil, {"login"}, {"logout"}, {"status"}} {
				cmd, _, err := treeIn(lang).Find(path)
				require.NoError(t, err)
				for line := range strings.Lines(manual.Guide{Lang: lang, Columns: func() int { return columns }}.Help(cmd)) {
					line = strings.TrimRight(line, "\n")
					if strings.Contains(line, "systemctl") || strings.Contains(line, "journalctl") || strings.Contains(line, "blunux-telegram-bridge") {
						continue // commands to type are not wrapped
					}
					require.LessOrEqual(t, displaywidth.String(line), columns, line)
				}
			}
		}
	}
}

// testHome is a home directory with the program's output.
type testHome struct {
	home   string
	server *botapi.Server
	env    map[string]string
	out    bytes.Buffer
	err    bytes.Buffer
}

func newHouse(t *testing.T) *testHome {
	t.Helper()
	h := &testHome{home: t.TempDir(), server: botapi.New(t)}
	h.env = map[string]string{"BLUNUX_AI_HOME": h.home, "BLUNUX_AI_TELEGRAM_SERVER": h.server.URL(), "BLUNUX_AI_SOCK": filepath.Join(h.home, "s.sock")}
	return h
}

func (h *testHome) dir() string { return state.Dir(h.home, "telegram") }

// run runs the program in English with the given standard input.
func (h *testHome) run(t *testing.T, in *os.File, args ...string) int {
	t.Helper()
	h.out.Reset()
	h.err.Reset()
	if in == nil {
		var err error
		in, err = os.Open(os.DevNull)
		require.NoError(t, err)
		defer in.Close()
	}
	a := &program.Program{Kind: kind(), Lang: i18n.English, Args: args, Getenv: func(k string) string { return h.env[k] }, In: in, Out: &h.out, Err: &h.err}
	code := a.Run(t.Context())
	require.NotContains(t, h.out.String()+h.err.String(), "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "threat 18")
	return code
}

// piped returns standard input that contains a text.
func piped(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestLogInWithATokenThatIsPipedIn(t *testing.T) {
	h := newHouse(t)
	require.Zero(t, h.run(t, piped(t, botapi.Token+"\n"), "login", "--token-file", "-"), h.err.String())
	require.Contains(t, h.out.String(), "@"+botapi.BotName)
	require.Contains(t, h.out.String(), "systemctl --user enable --now blunux-telegram-bridge.service")
	require.Contains(t, h.out.String(), "blunux-aictl pairing approve CODE")
	token, err := account.ReadToken(h.dir(), telegram.TokenForm)
	require.NoError(t, err)
	require.Equal(t, botapi.Token, token)
	fi, err := os.Stat(h.dir())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), fi.Mode().Perm())
}

func TestLogInThatFailsLeavesNothing(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct {
		in   string
		code int
		says string
	}{
		{"", program.Failure, "This is not a bot token."},
		{"hello", program.Failure, "This is not a bot token."},
		{"110201543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", program.NotConfigured, "Telegram doesn't recognize this token."},
	} {
		require.Equal(t, c.code, h.run(t, piped(t, c.in), "login", "--token-file", "-"))
		require.Contains(t, h.err.String(), c.says)
	}
	require.Equal(t, program.Usage, h.run(t, nil, "login"))
	require.Equal(t, program.Usage, h.run(t, nil, "login", botapi.Token[:5]))
	require.Equal(t, program.Failure, h.run(t, nil, "login", "--token-file", "/nowhere"))
	require.Equal(t, program.Failure, h.run(t, piped(t, botapi.Token), "login", "--token-file", "-", "--server", "http://example.org"))
	h.server.Fail("getMe", botapi.Failure{Code: 500, Description: "bot" + botapi.Token, Times: 1})
	require.Equal(t, program.Failure, h.run(t, piped(t, botapi.Token), "login", "--token-file", "-"))
	_, err := os.Stat(h.dir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestABotWhoseMessagesGoElsewhereIsTakenOverAfterAYes(t *testing.T) {
	h := newHouse(t)
	h.server.Webhook("https://elsewhere.example/secret")
	require.Equal(t, program.Usage, h.run(t, piped(t, botapi.Token), "login", "--token-file", "-"))
	require.NotContains(t, h.err.String(), "secret")
	require.Zero(t, h.server.CallCount("deleteWebhook"))
	require.Zero(t, h.run(t, piped(t, botapi.Token), "login", "--token-file", "-", "--yes"))
	require.Equal(t, 1, h.server.CallCount("deleteWebhook"))
}

func TestThreat18TheTokenIsNotShownWhileItIsTyped(t *testing.T) {
	h := newHouse(t)
	person, terminal, err := pty.Open()
	require.NoError(t, err)
	defer person.Close()
	defer terminal.Close()
	var shown bytes.Buffer
	var mu sync.Mutex
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := person.Read(buf)
			if err != nil {
				return
			}
			mu.Lock()
			shown.Write(buf[:n])
			mu.Unlock()
		}
	}()
	asked := make(chan struct{})
	a := &program.Program{
		Kind: kind(), Lang: i18n.Korean, Args: []string{"login"}, Getenv: func(k string) string { return h.env[k] }, In: terminal, Out: terminal,
		Err: onFirstWrite(terminal, func() { close(asked) }),
	}
	code := make(chan int, 1)
	go func() { code <- a.Run(t.Context()) }()
	<-asked
	require.Eventually(t, func() bool { return !hasEcho(t, terminal) }, time.Minute, time.Millisecond)
	_, err = person.WriteString(botapi.Token + "\r")
	require.NoError(t, err)
	require.Zero(t, <-code)
	require.True(t, hasEcho(t, terminal), "it echoes again")
	_, err = account.ReadToken(h.dir(), telegram.TokenForm)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(shown.String(), "pairing approve")
	}, time.Minute, time.Millisecond)
	require.NotContains(t, shown.String(), "AAHdqTcv")
	require.Contains(t, shown.String(), "@BotFather")
}

func TestLogOutRemovesEverythingButOthersFiles(t *testing.T) {
	h := newHouse(t)
	require.Zero(t, h.run(t, nil, "logout"))
	require.Contains(t, h.out.String(), "No bot is connected")
	h.server.LogIn(t, h.home)
	for _, name := range []string{"offset.json", "inbox.jsonl", "sent.jsonl", "inbox/x"} {
		path := filepath.Join(h.dir(), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	}
	require.Equal(t, program.Usage, h.run(t, nil, "logout"))
	lock, err := state.Lock(h.dir())
	require.NoError(t, err)
	require.Equal(t, program.Running, h.run(t, nil, "logout", "--yes"))
	require.Contains(t, h.err.String(), "systemctl --user stop")
	lock.Close()
	require.Zero(t, h.run(t, nil, "logout", "--yes"))
	_, err = os.Stat(h.dir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestStatus(t *testing.T) {
	h := newHouse(t)
	look := func(code int) program.Document {
		t.Helper()
		require.Equal(t, code, h.run(t, nil, "status", "--json"))
		var d program.Document
		require.NoError(t, json.Unmarshal(h.out.Bytes(), &d))
		return d
	}
	d := look(program.NotConfigured)
	require.Equal(t, state.NotLoggedIn, d.Phase)
	require.Equal(t, "blunux-telegram-bridge login", d.Do)
	h.server.LogIn(t, h.home)
	d = look(program.Failure)
	require.Equal(t, state.Stopped, d.Phase)
	require.Equal(t, "systemctl --user enable --now blunux-telegram-bridge.service", d.Do)
	require.NoError(t, state.Write(h.dir(), state.State{Channel: "telegram", Phase: state.LoggedOut}))
	require.Equal(t, state.LoggedOut, look(program.NotConfigured).Phase)
	require.Equal(t, "blunux-telegram-bridge login", look(program.NotConfigured).Do)
	require.Zero(t, h.run(t, piped(t, botapi.Token), "login", "--token-file", "-", "--server", h.server.URL()))
	require.Equal(t, state.Stopped, look(program.Failure).Phase, "what it waited for has come")
	require.NoError(t, state.Write(h.dir(), state.State{Channel: "telegram", Phase: state.Replaced}))
	require.Equal(t, "systemctl --user restart blunux-telegram-bridge.service", look(program.NotConfigured).Do)
	require.NoError(t, state.Write(h.dir(), state.State{Channel: "telegram", Phase: state.Online, Account: "@bot"}))
	require.Equal(t, state.Stopped, look(program.Failure).Phase)
	lock, err := state.Lock(h.dir())
	require.NoError(t, err)
	require.Equal(t, state.Online, look(0).Phase)
	require.Zero(t, h.run(t, nil, "status"))
	require.Contains(t, h.out.String(), "@bot")
	lock.Close()
	require.NoError(t, os.Chmod(account.TokenPath(h.dir()), 0o644))
	require.Equal(t, "chmod 600 "+account.TokenPath(h.dir()), look(program.NotConfigured).Do)
}

func TestABridgeThatCannotBeginSaysWhatHelps(t *testing.T) {
	h := newHouse(t)
	require.Equal(t, program.Person, h.run(t, nil))
	require.Contains(t, h.err.String(), "blunux-telegram-bridge login")
	h.server.LogIn(t, h.home)
	require.NoError(t, os.Chmod(account.TokenPath(h.dir()), 0o640))
	require.Equal(t, program.Person, h.run(t, nil))
	require.Contains(t, h.err.String(), "chmod 600 "+account.TokenPath(h.dir()))
	s, err := state.Read(h.dir())
	require.NoError(t, err)
	require.Equal(t, state.Broken, s.Phase)
	require.NoError(t, os.Chmod(account.TokenPath(h.dir()), 0o600))
	require.NoError(t, os.WriteFile(account.TokenPath(h.dir()), []byte("junk"), 0o600))
	require.Equal(t, program.Person, h.run(t, nil))
	lock, err := state.Lock(h.dir())
	require.NoError(t, err)
	defer lock.Close()
	h.server.LogIn(t, h.home)
	require.Equal(t, program.Running, h.run(t, nil))
}

func TestABridgeWhoseTokenWasRevokedEndsForThePerson(t *testing.T) {
	h := newHouse(t)
	h.server.LogIn(t, h.home)
	h.server.Revoke()
	require.Equal(t, program.Person, h.run(t, nil))
	require.Contains(t, h.err.String(), "The token is no longer valid.")
	s, err := state.Read(h.dir())
	require.NoError(t, err)
	require.Equal(t, state.LoggedOut, s.Phase)
}

// onFirstWrite returns a writer that calls tell at the first write.
func onFirstWrite(w io.Writer, tell func()) io.Writer {
	return &firstWrite{w: w, tell: sync.OnceFunc(tell)}
}

type firstWrite struct {
	w    io.Writer
	tell func()
}

func (f *firstWrite) Write(p []byte) (int, error) {
	defer f.tell()
	return f.w.Write(p)
}
