package commandlog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatRunsForAnAutomationSaysSoAndTheRecordKeepsTheVerdict(t *testing.T) {
	d := newPlace(t)
	l := d.log()
	for _, e := range []Entry{
		{Class: Safe, Command: "df -h", Automation: "disk"},
		{Class: Confirmed, Command: "touch x", Automation: "disk", Approver: "automation"},
		{Class: Blocked, Command: "rm -rf /", Automation: "disk", Reason: "blocked"},
		{Class: Cancelled, Command: "touch y", Automation: "disk", Reason: "denied"},
		{Class: Failed, Command: "nothing-there", Automation: "disk", Reason: "missing"},
		{Class: Safe, Command: "free -h"},
	} {
		_, err := l.Begin(e)
		require.NoError(t, err)
	}
	require.Equal(t, `[2026-02-20T09:15:32Z] AUTOMATION  df -h
[2026-02-20T09:15:32Z] AUTOMATION  touch x
[2026-02-20T09:15:32Z] BLOCKED     rm -rf /
[2026-02-20T09:15:32Z] CANCELLED   touch y
[2026-02-20T09:15:32Z] FAILED      nothing-there
[2026-02-20T09:15:32Z] SAFE        free -h
`, d.read(logName))
	for line := range strings.Lines(d.read(logName)) {
		r, err := Parse(strings.TrimSuffix(line, "\n"))
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(line, "\n"), Format(r))
	}
	var classes []string
	for line := range strings.Lines(d.read(auditName)) {
		var m struct{ Event, Class, Automation string }
		require.NoError(t, json.Unmarshal([]byte(line), &m))
		classes = append(classes, strings.TrimSpace(m.Event+" "+m.Class+" "+m.Automation))
	}
	require.Equal(t, []string{
		"chain", "run SAFE disk", "run CONFIRMED disk", "refused BLOCKED disk", "refused CANCELLED disk", "refused FAILED disk", "run SAFE",
	}, classes)
	require.Equal(t, Report{OK: true, Records: 7, Lines: 6, Problems: []Problem{}}, d.verify())

	ran, err := l.RunsSince("", 0)
	require.NoError(t, err)
	require.Len(t, ran, 3)
	require.Equal(t, Safe, ran[0].Class)

	whole := d.read(logName)
	d.write(logName, strings.Replace(whole, "AUTOMATION  df", "SAFE        df", 1))
	require.Equal(t, []Problem{{Damage{logName, Edited}, 1, 2}}, d.verify().Problems, "whose name it ran in is proven too")
	d.write(logName, whole)
	d.write(auditName, strings.Replace(d.read(auditName), `"automation":"disk"`, `"automation":"dusk"`, 1))
	require.NotEmpty(t, d.verify().Problems)
}

func TestALineOfAnAutomationThatACrashLeftIsPutRight(t *testing.T) {
	d := newPlace(t)
	_, err := d.log().Begin(Entry{Class: Safe, Command: "df -h", Automation: "disk"})
	require.NoError(t, err)
	line := "[2026-02-20T09:15:32Z] AUTOMATION  free -h\n"
	l, _ := d.mortalLog(int64(slotSize + len(line)))
	_, err = l.Begin(Entry{Class: Safe, Command: "free -h", Automation: "disk"})
	require.ErrorIs(t, err, errKilled)
	require.True(t, strings.HasSuffix(d.read(logName), line))
	d.run("uptime")
	r := d.verify()
	require.True(t, r.OK, r.Problems)
	require.Equal(t, 1, r.Repaired)
}
