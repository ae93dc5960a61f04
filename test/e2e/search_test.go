package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/stretchr/testify/require"
)

// searchDesk is a machine with a session bus that starts the search for a call.
type searchDesk struct {
	*machine
	conn             *dbus.Conn
	runner, provider dbus.BusObject
}

const searchName = "org.blunux.ai.Search"

// newSearchDesk installs the search below a prefix with a blank in its name, as make install does. The prefix has a blunux-ai
// that writes its arguments to a file: it is what opens the chat. The daemon is the real one, in PATH.
func newSearchDesk(t *testing.T) *searchDesk {
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		skip(t, "dbus-daemon is not installed")
	}
	d := &searchDesk{machine: newMachine(t, "")}
	prefix := filepath.Join(d.home, "a prefix")
	run := func(argv ...string) {
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("install", "-D", filepath.Join(binaries, "blunux-ai-extra"), filepath.Join(prefix, "lib/blunux-ai/blunux-ai-extra"))
	opened := "#!/bin/sh\nprintf '%s\\n' \"$@\" \"token $XDG_ACTIVATION_TOKEN\" >\"$HOME/opened.new\"\nmv \"$HOME/opened.new\" \"$HOME/opened\"\n"
	require.NoError(t, os.MkdirAll(filepath.Join(prefix, "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(prefix, "bin/blunux-ai"), []byte(opened), 0o700))
	services := filepath.Join(prefix, "share/dbus-1/services")
	run("../../packaging/install-unit.sh", "../../packaging/desktop/"+searchName+".service", prefix, services)
	address, config := "unix:path="+d.home+"/bus", filepath.Join(d.home, "bus.conf")
	require.NoError(t, os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>`+address+`</listen><servicedir>`+services+`</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600))
	cmd := exec.Command("dbus-daemon", "--config-file="+config, "--nofork", "--nopidfile")
	cmd.Env = d.env
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	dialWhenThere(t, d.home+"/bus").Close()
	var err error
	d.conn, err = dbus.Connect(address)
	require.NoError(t, err)
	t.Cleanup(func() { d.conn.Close() })
	d.runner = d.conn.Object(searchName, "/org/blunux/ai/Search/runner")
	d.provider = d.conn.Object(searchName, "/org/blunux/ai/Search/provider")
	return d
}

// searchMatch is a row as KRunner reads it.
type searchMatch struct {
	ID, Text, Icon string
	Category       int32
	Relevance      float64
	Properties     map[string]dbus.Variant
}

// krunner calls a method of KRunner's interface.
func (d *searchDesk) krunner(method string, args ...any) *dbus.Call {
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	return d.runner.CallWithContext(ctx, "org.kde.krunner1."+method, 0, args...)
}

// match asks as KRunner does.
func (d *searchDesk) match(words string) (rows []searchMatch) {
	d.t.Helper()
	require.NoError(d.t, d.krunner("Match", words).Store(&rows), "%.20s", words)
	return rows
}

// call calls a method of GNOME Shell's interface.
func (d *searchDesk) call(method string, into any, args ...any) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	call := d.provider.CallWithContext(ctx, "org.gnome.Shell.SearchProvider2."+method, 0, args...)
	require.NoError(d.t, call.Err, method)
	if into != nil {
		require.NoError(d.t, call.Store(into), method)
	}
}

// awaitOpened returns the arguments with which the chat was opened.
func (d *searchDesk) awaitOpened() []string {
	d.t.Helper()
	file := filepath.Join(d.home, "opened")
	waitUntil(d.t, "the chat to open", func() bool { _, err := os.Stat(file); return err == nil })
	text, err := os.ReadFile(file)
	require.NoError(d.t, err)
	require.NoError(d.t, os.Remove(file))
	return lines(string(text))
}

// running returns the pids of the programs of this desk that are started as name.
func (d *searchDesk) running(name string) (pids []int) {
	for _, pid := range processes(d.home) {
		if argv, err := os.ReadFile("/proc/" + itoa(pid) + "/cmdline"); err == nil && strings.Contains(string(argv), name) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestTheDesktopSearchAnswersAndOpensTheChat(t *testing.T) {
	t.Parallel()
	d := newSearchDesk(t)
	require.Empty(t, d.running("blunux-ai"), "nothing runs before the first call")

	for _, name := range []string{"firefox", "fi", "자바", "파이어폭스", "", "微信"} {
		require.Empty(t, d.match(name), name)
	}
	require.Empty(t, d.running("blunux-ai\x00daemon"), "the name of a program does not start the daemon")
	for _, words := range []string{"firefox settings", "visual studio code", "보고서 최종", "hello there", "2 + 2"} {
		require.Empty(t, d.match(words), words)
	}
	require.Empty(t, d.log(), "no command ran for them")

	for words, answer := range map[string]string{
		"disk full?": "% used", "디스크 꽉 찼어?": "% 사용", "磁盘满了吗": "已用",
	} {
		rows := d.match(words)
		require.NotEmpty(t, rows, words)
		require.LessOrEqual(t, len(rows), 5)
		require.Contains(t, rows[0].Text, answer)
		require.Equal(t, "org.blunux.ai", rows[0].Icon)
		require.EqualValues(t, 70, rows[0].Category)
		require.Equal(t, words, rows[0].Properties["subtext"].Value())
		require.Equal(t, "Blunux AI", rows[0].Properties["category"].Value())
	}
	ran := d.log()
	require.Contains(t, ran, "df -h")
	for _, line := range lines(ran) {
		require.Contains(t, line, "SAFE", "only SAFE commands run")
	}

	for words, row := range map[string]string{
		"install vlc": "Needs your confirmation", "vlc 설치해줘": "확인이 필요한", "컴퓨터 꺼줘": "확인이 필요한",
		"any updates?": "answer in the chat",
	} {
		rows := d.match(words)
		require.Len(t, rows, 1, words)
		require.Contains(t, rows[0].Text, row)
		require.EqualValues(t, 30, rows[0].Category)
	}
	require.Equal(t, ran, d.log(), "an offer runs nothing")
	require.NoDirExists(t, filepath.Join(d.home, ".config/blunux-ai/sessions"), "no conversation is kept")
	require.NotContains(t, d.client("offline", "misses"), "firefox", "nor what was not understood")
	d.openRows()

	waitUntil(t, "the search to end", func() bool { return len(d.running("blunux-ai-extra")) == 0 })
	require.NotEmpty(t, d.match("disk full?"), "the next call starts it again")
}

// openRows chooses rows, also after the daemon and the search were killed.
func (d *searchDesk) openRows() {
	t := d.t
	rows := d.match("disk full?")
	for _, pid := range append(d.running("blunux-ai\x00daemon"), d.running("blunux-ai-extra")...) {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	waitUntil(t, "them to end", func() bool { return len(d.running("blunux-ai\x00daemon"))+len(d.running("blunux-ai-extra")) == 0 })
	require.NoError(t, d.krunner("SetActivationToken", "window-7").Err)
	require.NoError(t, d.krunner("Run", rows[0].ID, "").Err)
	require.Equal(t, []string{"quick", "--", "disk full?", "token window-7"}, d.awaitOpened())
	require.Empty(t, d.running("blunux-ai\x00daemon"), "opening needs no daemon")

	var ids []string
	d.call("GetInitialResultSet", &ids, []string{"디스크", "꽉", "찼어?"})
	require.NotEmpty(t, ids)
	var again []string
	d.call("GetSubsearchResultSet", &again, ids, []string{"디스크", "꽉", "찼어?"})
	require.Equal(t, ids, again)
	var metas []map[string]dbus.Variant
	d.call("GetResultMetas", &metas, ids)
	require.Len(t, metas, len(ids))
	require.Equal(t, ids[0], metas[0]["id"].Value())
	require.Contains(t, metas[0]["name"].Value(), "% 사용")
	require.Equal(t, "디스크 꽉 찼어?", metas[0]["description"].Value())
	require.Equal(t, "org.blunux.ai", metas[0]["gicon"].Value())
	d.call("ActivateResult", nil, ids[0], []string{"디스크", "꽉", "찼어?"}, uint32(0))
	require.Equal(t, []string{"quick", "--", "디스크 꽉 찼어?", "token "}, d.awaitOpened())
	d.call("LaunchSearch", nil, []string{"install", "vlc"}, uint32(0))
	require.Equal(t, []string{"quick", "--", "install vlc", "token "}, d.awaitOpened())
}

// TestThreat41TheDesktopSearchOnlyShowsAndOpens: any program of the person can call the search.
func TestThreat41TheDesktopSearchOnlyShowsAndOpens(t *testing.T) {
	t.Parallel()
	d := newSearchDesk(t)
	require.Empty(t, d.match(strings.Repeat("disk full? ", 10_000)), "100 KB of words")
	rows := d.match("disk\x1b[31m \u202efull?\n\n")
	for _, r := range rows {
		require.NotContains(t, r.Text+r.ID+r.Properties["subtext"].Value().(string), "\x1b")
		require.NotContains(t, r.Text+r.ID+r.Properties["subtext"].Value().(string), "\u202e")
	}
	for _, id := range []string{"", "0", "0 ", "disk full?", "-1 disk full?", "0 " + strings.Repeat("x ", 10_000), "0 \x1b\u202e"} {
		require.NoError(t, d.krunner("Run", id, "approve").Err)
	}
	d.call("LaunchSearch", nil, []string{}, uint32(0))
	require.NoFileExists(t, filepath.Join(d.home, "opened"))
	require.NoError(t, d.krunner("SetActivationToken", "a\nb").Err)
	require.NoError(t, d.krunner("Run", "0 --lang=zh; touch $HOME/x `id`", "").Err)
	require.Equal(t, []string{"quick", "--", "--lang=zh; touch $HOME/x `id`", "token "}, d.awaitOpened())
	var metas []map[string]dbus.Variant
	d.call("GetResultMetas", &metas, []string{"99 disk full?", "x", "0 delete everything in my home"})
	for _, line := range lines(strings.TrimSpace(d.log())) {
		require.True(t, line == "" || strings.Contains(line, "SAFE"), line)
	}
}
