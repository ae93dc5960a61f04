package search_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// privateBus starts a session bus and returns its address.
func privateBus(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("cannot be skipped in CI: dbus-daemon is not installed")
		}
		t.Skip("dbus-daemon is not installed")
	}
	dir := t.TempDir()
	config := `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>unix:path=` + dir + `/bus</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600))
	cmd := exec.Command("dbus-daemon", "--config-file="+filepath.Join(dir, "config"), "--nofork", "--nopidfile", "--print-address")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(address)
}

// desk is a program that answers on a bus, and a shell that calls it.
type desk struct {
	t      *testing.T
	shell  *dbus.Conn
	ended  chan error
	asked  chan string // the words of each question
	opened chan [2]string
	warned chan error
}

// ask answers a question as the daemon does.
type ask func(ctx context.Context, words string) (ipc.QuickAnswer, error)

// answers returns what always gives the same answer.
func answers(text string) ask {
	return func(context.Context, string) (ipc.QuickAnswer, error) {
		return ipc.QuickAnswer{Kind: ipc.QuickRead, Text: text, Lang: "en"}, nil
	}
}

func newDesk(t *testing.T, idle time.Duration, answer ask) *desk {
	t.Helper()
	d := &desk{t: t, ended: make(chan error, 1), asked: make(chan string, 16), opened: make(chan [2]string, 16), warned: make(chan error, 16)}
	address := privateBus(t)
	var err error
	d.shell, err = dbus.Connect(address)
	require.NoError(t, err)
	t.Cleanup(func() { d.shell.Close() })
	owner := make(chan *dbus.Signal, 16)
	require.NoError(t, d.shell.AddMatchSignal(dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, search.Name)))
	d.shell.Signal(owner)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(d.ended)
		d.ended <- search.Serve(ctx, search.Options{
			Address: address, Lang: i18n.Korean, Idle: idle,
			Ask: func(ctx context.Context, words string) (ipc.QuickAnswer, error) {
				d.asked <- words
				return answer(ctx, words)
			},
			Open: func(words, token string) error { d.opened <- [2]string{words, token}; return nil },
			Warn: func(err error) { d.warned <- err },
		})
	}()
	t.Cleanup(func() { cancel(); <-d.ended })
	for await(t, owner).Name != "org.freedesktop.DBus.NameOwnerChanged" { // the bus greets the shell with others
	}
	d.shell.RemoveSignal(owner)
	return d
}

func await[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute):
		require.FailNow(t, "nothing came")
	}
	return v
}

type match struct {
	ID, Text, Icon string
	Category       int32
	Relevance      float64
	Properties     map[string]dbus.Variant
}

// send calls a method of KRunner's interface and does not wait.
func (d *desk) send(method string, args ...any) *dbus.Call {
	return d.shell.Object(search.Name, "/org/blunux/ai/Search/runner").Go("org.kde.krunner1."+method, 0, make(chan *dbus.Call, 1), args...)
}

func (d *desk) rows(call *dbus.Call) (rows []match) {
	d.t.Helper()
	require.NoError(d.t, await(d.t, call.Done).Store(&rows))
	return rows
}

func TestAnswersAreRowsOfTheirFirstParagraph(t *testing.T) {
	d := newDesk(t, time.Hour, answers("first\nsecond\n\nthird"))
	rows := d.rows(d.send("Match", "disk full?"))
	require.Len(t, rows, 2)
	require.Equal(t, "first", rows[0].Text)
	require.Equal(t, "second", rows[1].Text)
	require.Greater(t, rows[0].Relevance, rows[1].Relevance)
	require.Equal(t, "블루눅스 AI", rows[0].Properties["category"].Value())
	require.Equal(t, "disk full?", await(t, d.asked))
	d.rows(d.send("Match", "disk full?"))
	require.Empty(t, d.asked, "the same words are not asked twice")
	require.NoError(t, await(t, d.send("Teardown").Done).Err)
	d.rows(d.send("Match", "disk full?"))
	require.Equal(t, "disk full?", await(t, d.asked), "the next search asks anew")
	require.NoError(t, await(t, d.send("SetActivationToken", "token").Done).Err)
	require.NoError(t, await(t, d.send("Run", rows[1].ID, "").Done).Err)
	require.Equal(t, [2]string{"disk full?", "token"}, await(t, d.opened))
}

func TestANewerQueryEndsTheOlder(t *testing.T) {
	ended := make(chan error, 1)
	d := newDesk(t, time.Hour, func(ctx context.Context, words string) (ipc.QuickAnswer, error) {
		if words != "disk f" {
			return ipc.QuickAnswer{}, nil
		}
		<-ctx.Done()
		ended <- ctx.Err()
		return ipc.QuickAnswer{}, ctx.Err()
	})
	older := d.send("Match", "disk f")
	require.Equal(t, "disk f", await(t, d.asked))
	newer := d.send("Match", "disk full?")
	require.ErrorIs(t, await(t, ended), context.Canceled)
	require.Empty(t, d.rows(older))
	require.Empty(t, d.rows(newer))
	require.Equal(t, "disk full?", await(t, d.asked))

	older = d.send("Match", "disk f")
	require.Equal(t, "disk f", await(t, d.asked))
	require.Empty(t, d.rows(d.send("Match", "f")), "a name ends a query too")
	require.ErrorIs(t, await(t, ended), context.Canceled)
	require.Empty(t, d.rows(older))
	require.Empty(t, d.warned)
}

func TestADaemonThatFailsMeansNoRows(t *testing.T) {
	d := newDesk(t, time.Hour, func(context.Context, string) (ipc.QuickAnswer, error) {
		return ipc.QuickAnswer{}, errors.New("broken")
	})
	require.Empty(t, d.rows(d.send("Match", "disk full?")))
	require.ErrorContains(t, await(t, d.warned), "broken")
}

func TestItEndsByItself(t *testing.T) {
	d := newDesk(t, 50*time.Millisecond, answers(""))
	require.NoError(t, await(t, d.ended))
	var owned bool
	require.NoError(t, d.shell.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, search.Name).Store(&owned))
	require.False(t, owned)
}

func TestAHostileAnswerIsPlainText(t *testing.T) {
	text := "<b>\x1b]0;x\x07`a`\u202e</b>\n" + strings.Repeat("가", 10_000) + strings.Repeat("\nmore", 1000)
	d := newDesk(t, time.Hour, answers(text))
	rows := d.rows(d.send("Match", "disk full?"))
	require.Len(t, rows, 5)
	require.Equal(t, "<b>]0;xa</b>", rows[0].Text)
	require.Len(t, []rune(rows[1].Text), 160)
}

// TestTheWordsThatMayBeAQuestion: KRunner's file, which KRunner reads before it calls, says the same as the program.
func TestTheWordsThatMayBeAQuestion(t *testing.T) {
	file, err := os.ReadFile("../../packaging/desktop/org.blunux.ai.Search.desktop")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^X-Plasma-Runner-Match-Regex=(.*)$`).FindSubmatch(file)
	require.NotNil(t, found)
	wakes := regexp.MustCompile(string(found[1]))
	for words, may := range map[string]bool{
		"disk full?": true, "disk full": true, "디스크 용량": true, "디스크찼나": true, "느려요": true, "磁盘满了吗": true, "磁盘空间": true, "slow?": true,
		"왜 느려？": true, "컴퓨터꺼줘": true,
		"firefox": false, "자바": false, "카카오톡": false, "파이어폭스": false, "微信": false, "vlc": false, "": false,
	} {
		require.Equal(t, may, search.MayAsk(words), words)
		require.Equal(t, may, wakes.MatchString(words), words)
	}
	require.False(t, search.MayAsk("a ?"), "too short")
	require.Empty(t, search.Clean(strings.Repeat("disk ", 1000)))
	require.Equal(t, "disk full?", search.Clean(" disk\n\x1b \tfull?\u202e"))
}

func TestTheFilesOfTheDesktopNameTheProgram(t *testing.T) {
	for file, lines := range map[string][]string{
		"service": {"Name=" + search.Name},
		"desktop": {"X-Plasma-DBusRunner-Service=" + search.Name, "X-Plasma-DBusRunner-Path=/org/blunux/ai/Search/runner", "Icon=" + search.Icon},
		"ini":     {"BusName=" + search.Name, "ObjectPath=/org/blunux/ai/Search/provider", "DesktopId=org.blunux.ai.desktop", "Version=2"},
	} {
		text, err := os.ReadFile("../../packaging/desktop/" + search.Name + "." + file)
		require.NoError(t, err)
		for _, line := range lines {
			require.Contains(t, string(text), "\n"+line+"\n", file)
		}
	}
}
