package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/ipc"
)

// appendRule is a rule with one command whose second execution would be noticed.
const appendRule = `
[[automation]]
name = "grow"
schedule = "0 0 1 1 *"
auto_apply = true
commands = [["truncate", "--size=+1", "grown"]]
notify = ["cli"]
`

// TestAnAutomationKilledAtAnyPointRunsOnceAndIsToldOnce kills the daemon at every point of package crash. Each
// run must end exactly once, its command must run at most once, and one notification must be sent.
func TestAnAutomationKilledAtAnyPointRunsOnceAndIsToldOnce(t *testing.T) {
	t.Parallel()
	d := newCrashMachine(t, tempHome(t))
	for i, kv := range d.env {
		d.env[i] = strings.Replace(kv, "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_AUTOMATIONS=on", 1)
	}
	home := filepath.Join(d.home, ".config/blunux-ai")
	require.NoError(t, os.WriteFile(home+"/automations.toml", []byte(appendRule), 0o600))
	sign(t, d, "grow")
	begun := 0
	for _, point := range append(crash.Points(), crash.AutomationWritten) {
		for _, nth := range []string{"", ":2", ":3"} {
			d.runOnce(string(point) + nth)
			begun++
		}
	}
	runs := d.history()
	states := map[string]int{}
	for _, r := range runs {
		require.Contains(t, []string{"RAN", "FAILED"}, r.State, "%+v", r)
		states[r.State]++
	}
	fi, err := os.Stat(d.home + "/grown")
	require.NoError(t, err)
	require.LessOrEqual(t, int(fi.Size()), len(runs), "a command ran twice")
	require.GreaterOrEqual(t, int(fi.Size()), states["RAN"], "a run that ran did not run its command")
	told := map[string]int{}
	for _, n := range d.notices() {
		told[n.ID]++
		require.Equal(t, 1, told[n.ID])
	}
	require.Len(t, told, len(runs), "each run is told once")
	t.Logf("%d runs begun in %d lives, %d listed: %v; the command ran %d times", begun, d.kills, len(runs), states, fi.Size())
}

// TestAReminderKilledAtAnyPointIsToldOnce kills the daemon at every point of package crash while it shows a reminder that
// was due before it started. Each reminder must be shown exactly once, and be over then.
func TestAReminderKilledAtAnyPointIsToldOnce(t *testing.T) {
	t.Parallel()
	d := newCrashMachine(t, tempHome(t))
	for i, kv := range d.env {
		d.env[i] = strings.Replace(kv, "BLUNUX_AI_AUTOMATIONS=off", "BLUNUX_AI_AUTOMATIONS=on", 1)
	}
	home := filepath.Join(d.home, ".config/blunux-ai")
	files := []string{home + "/automations.toml", home + "/automations.d/50-managed.toml"}
	require.NoError(t, os.MkdirAll(filepath.Dir(files[1]), 0o700))
	var names []string
	for _, point := range append(crash.Points(), crash.AutomationWritten) {
		for _, nth := range []string{"", ":2", ":3"} {
			name := "reminder" + strconv.Itoa(len(names))
			rule := fmt.Sprintf("[[automation]]\nname = %q\nat = 2020-01-05T10:00:00\nsay = %q\nnotify = [\"cli\"]\n", name, name)
			require.NoError(t, os.WriteFile(files[0], nil, 0o600))
			require.NoError(t, os.WriteFile(files[1], nil, 0o600))
			require.NoError(t, os.WriteFile(files[len(names)%2], []byte(rule), 0o600))
			names = append(names, name)
			d.awaitReminder(string(point)+nth, name)
			d.awaitReminder("", name)
		}
	}
	told := map[string]int{}
	for _, n := range d.notices() {
		told[strings.Split(strings.TrimPrefix(n.Body, "⏰ "), "\n")[0]]++
	}
	for _, name := range names {
		require.Equal(t, 1, told[name], name)
	}
	t.Logf("%d reminders told in %d lives", len(names), d.kills)
}

// awaitReminder starts a daemon that dies at a point, and waits until it died or the reminder is over.
func (d *crashMachine) awaitReminder(point, name string) {
	cmd := d.start(point)
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	if c := d.dial(dead, eventTimeout); c != nil {
		for {
			answer, ok := d.request(c, ipc.Message{Type: ipc.TypeQuery, ID: "q" + d.word()}.WithData(ipc.Query{What: "automations"}))
			require.True(d.t, ok || point != "")
			if !ok || !strings.Contains(string(answer.Data), name) {
				break
			}
		}
		c.Close()
	}
	d.kill(cmd, dead)
	d.kills++
}

// runOnce starts the rule in a daemon that dies at a point. The next daemon ends the run.
func (d *crashMachine) runOnce(point string) {
	for _, at := range []string{point, ""} {
		cmd := d.start(at)
		dead := make(chan struct{})
		go func() { _ = cmd.Wait(); close(dead) }()
		if c := d.dial(dead, eventTimeout); c != nil {
			if at == "" {
				d.awaitRuns(c)
			} else {
				d.request(c, ipc.Message{Type: ipc.TypeAction, ID: "r", Action: ipc.ActionAutomationRun}.WithData(ipc.AutomationChange{Name: "grow", Wait: true}))
			}
			c.Close()
		}
		d.kill(cmd, dead)
		d.kills++
	}
}

// request connects and makes one request. ok is false if the daemon died before the answer.
func (d *crashMachine) request(c *ipc.Conn, m ipc.Message) (answer ipc.Message, ok bool) {
	hello := ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Channel: "cli"})
	if c.Write(hello) != nil || c.Write(m) != nil {
		return answer, false
	}
	for {
		answer, err := c.Read()
		if err != nil {
			return answer, false
		}
		if answer.Re == m.ID {
			require.Nil(d.t, answer.Error, "%+v", answer.Error)
			return answer, true
		}
	}
}

// awaitRuns waits until no run is active.
func (d *crashMachine) awaitRuns(c *ipc.Conn) {
	for {
		answer, ok := d.request(c, ipc.Message{Type: ipc.TypeQuery, ID: "q" + d.word()}.WithData(ipc.Query{What: "automation-history", Limit: 1000}))
		require.True(d.t, ok)
		if !strings.Contains(string(answer.Data), `"state":"RUNNING"`) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// query starts a daemon and makes a query.
func (d *crashMachine) query(what string, to any) {
	cmd := d.start("")
	dead := make(chan struct{})
	go func() { _ = cmd.Wait(); close(dead) }()
	c := d.dial(dead, 10*time.Second)
	require.NotNil(d.t, c)
	answer, ok := d.request(c, ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(ipc.Query{What: what, Limit: 1000}))
	require.True(d.t, ok)
	require.NoError(d.t, json.Unmarshal(answer.Data, to))
	c.Close()
	d.kill(cmd, dead)
}

func (d *crashMachine) history() (runs []ipc.AutomationRun) {
	d.query("automation-history", &runs)
	return runs
}

func (d *crashMachine) notices() (notices []ipc.Notice) {
	d.query("notifications", &notices)
	return notices
}

// sign signs a rule at a terminal.
func sign(t *testing.T, d *crashMachine, rule string) {
	t.Helper()
	cmd := exec.Command(d.bin+"/blunux-ai", "automations", "sign", rule)
	cmd.Env = d.env
	terminal, err := pty.Start(cmd)
	require.NoError(t, err)
	defer terminal.Close()
	_, err = terminal.WriteString("y\n")
	require.NoError(t, err)
	out, _ := io.ReadAll(terminal) // ends with EIO, pty(7)
	require.NoError(t, cmd.Wait(), "%s", out)
	require.Contains(t, string(out), "truncate --size=+1 grown")
}
