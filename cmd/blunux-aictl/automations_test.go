package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// midday is the current time in these tests, in the user's time zone.
var midday = time.Date(2026, 2, 20, 12, 45, 0, 0, time.FixedZone("KST", 9*60*60))

func recordedRules(t *testing.T) ipc.AutomationList {
	t.Helper()
	var list ipc.AutomationList
	data, err := os.ReadFile("testdata/automations.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &list))
	return list
}

func TestAutomationsAreATableInEachLanguage(t *testing.T) {
	list := recordedRules(t)
	var runs []ipc.AutomationRun
	data, err := os.ReadFile("testdata/automation-history.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &runs))
	for _, lang := range languages {
		var b strings.Builder
		printRules(&b, list.Automations, lang, midday)
		b.WriteByte('\n')
		printRuns(&b, runs, lang, midday)
		b.WriteByte('\n')
		printDue(&b, []ipc.AutomationDue{{Rule: "disk-watch", Due: midday.Add(15 * time.Minute), When: "in 15 minutes"}, {Rule: "디스크 확인", Due: midday.Add(30 * time.Hour)}}, lang, midday)
		for _, r := range list.Automations {
			b.WriteByte('\n')
			printRule(newSheet(&b, lang, 0), r, midday)
		}
		golden(t, "automations."+string(lang), b.String())
		require.NotContains(t, b.String(), "\x1b")
	}
}

func TestAMistakeInAFileOfRulesIsToldWithItsPlace(t *testing.T) {
	p := recordedRules(t).Problems[0]
	require.Equal(t, `/home/blu/.config/blunux-ai/automations.toml:30:12: late: "soon" is no schedule[31m`, strings.ReplaceAll(problemLine(p), "\x1b", ""))
	require.NotContains(t, problemLine(p), "\x1b")
	require.Equal(t, "a.toml: gone", problemLine(ipc.AutomationProblem{File: "a.toml", Text: "gone"}))
}

func TestANewAutomationIsNamedAfterWhatItDoes(t *testing.T) {
	for _, test := range []struct{ action, check, want string }{
		{"디스크 확인해줘!", "", "디스크-확인해줘"},
		{"List failed services.", "", "list-failed-services"},
		{"", "disk", "watch-disk"},
		{"🔋", "", "automation"},
		{strings.Repeat("가나 ", 40), "", strings.Trim(strings.Repeat("가나-", 13)+"가", "-")},
	} {
		require.Equal(t, test.want, nameOf(ipc.AutomationChange{Action: test.action, Check: test.check}))
	}
}

// automationDaemon is a fake daemon that answers about automations and records the messages it gets.
type automationDaemon struct {
	t    *testing.T
	list ipc.AutomationList
	run  ipc.AutomationRun

	mu       sync.Mutex
	received []ipc.Message
}

// startAutomationDaemon starts a timekeeper on the socket that the client uses.
func startAutomationDaemon(t *testing.T) *automationDaemon {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o700))
	path := filepath.Join(dir, "s.sock")
	t.Setenv("BLUNUX_AI_SOCK", path)
	t.Setenv("BLUNUX_AI_LANG", "en")
	t.Setenv("TZ", "Asia/Seoul")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(path, 0o600))
	k := &automationDaemon{t: t, list: recordedRules(t)}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go k.serve(ipc.NewConn(c))
		}
	}()
	return k
}

func (k *automationDaemon) serve(c *ipc.Conn) {
	defer c.Close()
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		reply := k.answer(m)
		reply.Re, reply.Done = m.ID, true
		if c.Write(reply) != nil {
			return
		}
	}
}

func (k *automationDaemon) answer(m ipc.Message) ipc.Message {
	var q ipc.Query
	var change ipc.AutomationChange
	switch {
	case m.Type == ipc.TypeHello:
		return ipc.Message{Type: ipc.TypeHello}.WithData(ipc.Hello{Server: "test"})
	case m.Type == ipc.TypeQuery && m.Decode(&q) == nil && q.What == "automations":
		return ipc.Message{Type: ipc.TypeResult}.WithData(k.list)
	case m.Type == ipc.TypeQuery:
		return ipc.Message{Type: ipc.TypeResult}.WithData([]int{})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.received = append(k.received, m)
	require.NoError(k.t, m.Decode(&change))
	for _, r := range append(k.list.Automations, ipc.Automation{Name: "new", When: "every day at 09:00", Enabled: true}) {
		switch {
		case r.Name != change.Name:
		case m.Action == ipc.ActionAutomationRun:
			return ipc.Message{Type: ipc.TypeResult}.WithData(k.run)
		default:
			return ipc.Message{Type: ipc.TypeResult}.WithData(r)
		}
	}
	return ipc.Message{Type: ipc.TypeError, Error: &ipc.Error{Code: ipc.CodeBadRequest, Message: "no such rule"}}
}

// runCommand runs a command line and returns its output and exit status.
func (k *automationDaemon) runCommand(args ...string) (stdout, stderr string, code int) {
	k.t.Helper()
	var out bytes.Buffer
	a := &app{lang: i18n.English, args: append([]string{"automations"}, args...), out: &output{w: &out}}
	r, w, err := os.Pipe()
	require.NoError(k.t, err)
	real := os.Stderr
	os.Stderr = w
	code = a.run(context.Background())
	os.Stderr = real
	w.Close()
	said, err := io.ReadAll(r)
	require.NoError(k.t, err)
	return out.String(), string(said), code
}

func (k *automationDaemon) change() (action string, c ipc.AutomationChange) {
	k.t.Helper()
	require.NotEmpty(k.t, k.received)
	m := k.received[len(k.received)-1]
	require.NoError(k.t, m.Decode(&c))
	return m.Action, c
}

func TestTheCommandLineOfAChatIsOneThatAPersonMayType(t *testing.T) {
	k := startAutomationDaemon(t)
	over := 90.0
	for _, test := range []struct {
		line   string // as package tools formats it
		action string
		want   ipc.AutomationChange
	}{
		{"add|--name|new|--schedule|0 9 * * *|--notify|desktop|--notify|telegram:42|--|디스크 확인해줘", ipc.ActionAutomationAdd, ipc.AutomationChange{Name: "new", Schedule: "0 9 * * *", Notify: []string{"desktop", "telegram:42"}, Action: "디스크 확인해줘"}},
		{"add|--name|new|--schedule|*/30 * * * *|--check|disk|--over|90", ipc.ActionAutomationAdd, ipc.AutomationChange{Name: "new", Schedule: "*/30 * * * *", Check: "disk", Over: &over}},
		{"edit|--schedule|08:00|--notify|none|--|disk-watch|look again", ipc.ActionAutomationChange, ipc.AutomationChange{Name: "disk-watch", Schedule: "08:00", Notify: []string{"none"}, Action: "look again"}},
		{"enable|--|디스크 확인", ipc.ActionAutomationEnable, ipc.AutomationChange{Name: "디스크 확인"}},
		{"disable|--|디스크 확인", ipc.ActionAutomationDisable, ipc.AutomationChange{Name: "디스크 확인"}},
		{"snooze|--|disk-watch|1d", ipc.ActionAutomationSnooze, ipc.AutomationChange{Name: "disk-watch", For: "1d"}},
		{"remove|--|disk-watch", ipc.ActionAutomationRemove, ipc.AutomationChange{Name: "disk-watch"}},
	} {
		out, said, code := k.runCommand(strings.Split(test.line, "|")...)
		require.Zero(t, code, "%s %s", test.line, said)
		require.NotEmpty(t, out)
		action, c := k.change()
		require.Equal(t, test.action, action)
		require.Equal(t, test.want, c)
	}
}

func TestAnUnknownAutomationIsToldWithThoseThereAre(t *testing.T) {
	k := startAutomationDaemon(t)
	for _, args := range [][]string{{"show", "printer"}, {"run", "printer"}, {"enable", "printer"}, {"remove", "printer"}, {"snooze", "printer", "1d"}, {"history", "printer"}, {"edit", "printer", "--schedule", "08:00"}} {
		out, said, code := k.runCommand(args...)
		require.Equal(t, exitFailure, code, args)
		require.Empty(t, out)
		require.Contains(t, said, `No automation is named "printer". Existing automations: 디스크 확인, disk-watch, 정리`, args)
		require.NotContains(t, said, "\x1b")
	}
}

func TestBadCommandLinesOfAutomationsAreUsageErrors(t *testing.T) {
	k := startAutomationDaemon(t)
	for _, args := range [][]string{
		{"add", "x"},
		{"add", "--schedule", "09:00"},
		{"add", "--schedule", "09:00", "--over", "much", "x"},
		{"show"},
		{"run"},
		{"snooze", "x"},
		{"history", "-n", "0"},
		{"next", "-n", "2000"},
		{"edit", "--schedule", "08:00"},
		{"list", "x"},
		{"enable"},
	} {
		_, _, code := k.runCommand(args...)
		require.Equal(t, exitUsage, code, args)
	}
	require.Empty(t, k.received)
}

func TestListTellsProblemsAndThatNothingWakesTheDaemon(t *testing.T) {
	k := startAutomationDaemon(t)
	out, said, code := k.runCommand("list")
	require.Zero(t, code)
	require.Contains(t, out, "disk-watch")
	require.Contains(t, said, "automations.toml:30:12: late:")
	require.Contains(t, said, "No timer starts the daemon: due automations wait")

	out, said, code = k.runCommand("list", "--json")
	require.Zero(t, code)
	require.Empty(t, said)
	var list ipc.AutomationList
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Equal(t, k.list, list)

	k.list = ipc.AutomationList{Wakes: "timer"}
	out, said, _ = k.runCommand("list")
	require.Empty(t, out)
	require.Contains(t, said, "No automations. Example:")
}

func TestARunShowsWhatCameOfIt(t *testing.T) {
	k := startAutomationDaemon(t)
	ended := midday
	for _, test := range []struct {
		run       ipc.AutomationRun
		out, said string
		code      int
	}{
		{ipc.AutomationRun{Rule: "disk-watch", State: "RUNNING"}, "Started: disk-watch\n", "", 0},
		{ipc.AutomationRun{Rule: "disk-watch", State: "RAN", Ended: &ended, Text: "all is well\x1b[31m\n"}, "all is well[31m\n", "", 0},
		{ipc.AutomationRun{Rule: "disk-watch", State: "FAILED", Ended: &ended, Reason: "timeout", Why: "took too long"}, "", "disk-watch: failed: took too long\n", exitFailure},
		{ipc.AutomationRun{Rule: "disk-watch", State: "SKIPPED", Ended: &ended, Reason: "overlap"}, "", "disk-watch: skipped: overlap\n", exitFailure},
	} {
		k.run = test.run
		out, said, code := k.runCommand("run", "--wait", "disk-watch")
		require.Equal(t, test.out, out)
		require.Equal(t, test.said, said)
		require.Equal(t, test.code, code)
		_, c := k.change()
		require.True(t, c.Wait)
	}
}

func TestEditingTheRulesTellsWhatCannotBeUsed(t *testing.T) {
	k := startAutomationDaemon(t)
	file := filepath.Join(t.TempDir(), "config", "automations.toml")
	k.list.Files = []string{file}
	t.Setenv("VISUAL", "touch")
	_, said, code := k.runCommand("edit")
	require.Equal(t, exitFailure, code)
	require.Contains(t, said, "automations.toml:30:12: late:")
	require.FileExists(t, file)

	k.list.Problems, k.list.Automations[0].File = nil, file+".2"
	_, said, code = k.runCommand("edit", "디스크 확인")
	require.Zero(t, code, said)
	require.FileExists(t, file+".2", "the file that the rule stands in")
	require.Empty(t, k.received, "nothing but the file was changed")

	t.Setenv("VISUAL", "false")
	_, said, code = k.runCommand("edit")
	require.Equal(t, exitFailure, code)
	require.Contains(t, said, "cannot edit")
}
