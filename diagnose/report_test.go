package diagnose

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

var update = flag.Bool("update", false, "rewrite the golden report")

// TestAReportIsReadInOneLook compares a report in three languages: the cause, its evidence, and the steps with their checks.
func TestAReportIsReadInOneLook(t *testing.T) {
	s := readScenario(t, "testdata/locale/not-generated.txt")
	topic, _ := Lookup("locale")
	found, f := s.conclude(t, "")
	var b strings.Builder
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		b.WriteString(topic.Tell(lang, found, f).Text(lang, true) + "\n\n")
	}
	const file = "testdata/report.golden"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// What could not be looked at is named, with what makes each look possible.
func TestWhatCouldNotBeSeenIsSaidWithTheWayToSeeIt(t *testing.T) {
	topic, _ := Lookup("heat")
	found, err := topic.Diagnose(context.Background(), NewFacts(""), func(context.Context, string) Output { return Output{Exit: 1} })
	require.NoError(t, err)
	require.Empty(t, found)
	f := NewFacts("")
	_, err = topic.Diagnose(context.Background(), f, func(_ context.Context, command string) Output {
		switch {
		case strings.HasPrefix(command, "sensors"):
			return Output{Unseen: true, Missing: "sensors"}
		case strings.HasPrefix(command, "journalctl"):
			return Output{Stdout: "-- No entries --", Stderr: "Hint: You are currently not seeing messages from other users and the system."}
		}
		return Output{}
	})
	require.NoError(t, err)
	r := topic.Tell(i18n.English, nil, f)
	require.NotEmpty(t, r.Unseen)
	text := r.Text(i18n.English, true)
	require.Contains(t, text, "Your account may not see it. To look yourself, in a terminal: `sudo journalctl")
	for _, looked := range r.Looked {
		require.NotContains(t, looked, "journalctl")
	}
	require.Contains(t, r.Text(i18n.Korean, true), "이 계정의 권한으로는 볼 수 없어요")
}

// TestALookThatShowsNothingIsListedWithWhy: a look counts as looked at only if its output was read.
func TestALookThatShowsNothingIsListedWithWhy(t *testing.T) {
	for _, c := range []struct {
		out    Output
		gap    Gap
		reason string
	}{
		{Output{Stdout: "ID=arch\n"}, NoGap, ""},
		{Output{Exit: 1}, NoGap, ""},
		{Output{Exit: 2, Stderr: "ls: cannot access '/x': No such file or directory\n"}, NoGap, ""},
		{Output{Unseen: true, Missing: "sensors"}, NotInstalled, ""},
		{Output{Unseen: true}, NotAllowed, ""},
		{Output{Unseen: true, TimedOut: true}, TookTooLong, " (took too long)"},
		{Output{Exit: 1, Stderr: "nft: Operation not permitted (you must be root)\n"}, NeedsRights, ""},
		{Output{Stdout: "half", Cut: true}, TooLong, " (printed more than is read)"},
		{Output{Stdout: "%%%"}, Unreadable, " (printed something I cannot read)"},
		{Output{Exit: 1, Stderr: "Failed to connect to bus: Host is down\n"}, NotAnswered, " (error: Failed to connect to bus: Host is down)"},
	} {
		look := machine.Probe{"look"}
		f := NewFacts("")
		f.Add(look, c.out)
		if c.gap == Unreadable {
			_, err := parse(f, look, machine.ParseMeminfo)
			require.Error(t, err)
		}
		r := Heat().Tell(i18n.English, nil, f)
		if c.gap == NoGap {
			require.Equal(t, []string{"look"}, r.Looked, "%+v", c.out)
			continue
		}
		require.Empty(t, r.Looked, "%+v", c.out)
		require.Equal(t, c.gap, r.Unseen[0].Reason)
		require.Contains(t, r.Text(i18n.English, true), "Could not look at: `look`"+c.reason)
	}
}

// What a person may want so is no fault of the whole computer.
func TestChoicesAreNoFaultsOfTheWholeComputer(t *testing.T) {
	for _, id := range choices() {
		topic, cause, _ := strings.Cut(id, "/")
		known, ok := Lookup(topic)
		require.True(t, ok, id)
		require.Contains(t, known.Causes(), cause)
	}
	r := Report{}
	r.add(Report{Topic: "boot", Causes: []Told{{ID: "text-mode", Certain: true, Says: "a"}}})
	require.Empty(t, r.Causes)
	r.add(Report{Topic: "full", Causes: []Told{{ID: "blocks", Certain: true, Says: "a"}, {ID: "inodes", Says: "b"}}})
	require.Equal(t, []Told{{ID: "full/blocks", Certain: true, Says: "a"}}, r.Causes)
}
