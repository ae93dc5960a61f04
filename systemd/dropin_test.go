package systemd

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func after(seconds ...float64) (all []time.Time) {
	for _, s := range seconds {
		all = append(all, noon.Add(time.Duration(s*float64(time.Second))))
	}
	return all
}

func TestTimesAreWholeSecondsToComeInOrder(t *testing.T) {
	seoul := time.FixedZone("KST", 9*3600)
	require.Equal(t, after(1, 2, 60), upcomingTimes([]time.Time{noon.Add(time.Minute).In(seoul), noon, after(1.5)[0], after(0.2)[0], after(1)[0], after(-9)[0]}, noon))
	many := make([]time.Time, 100)
	for i := range many {
		many[i] = noon.Add(time.Duration(100-i) * time.Hour)
	}
	require.Len(t, upcomingTimes(many, noon), 16)
	require.Equal(t, noon.Add(time.Hour), upcomingTimes(many, noon)[0])
	require.Empty(t, upcomingTimes([]time.Time{time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC), {}}, noon))
}

func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOf(rapid.Custom(func(t *rapid.T) time.Time {
			return noon.Add(time.Duration(rapid.Int64Range(-1e12, 1e17).Draw(t, "at")))
		})).Draw(t, "times")
		due := upcomingTimes(at, noon)
		require.True(t, slices.EqualFunc(due, dueTimes(dueText(due)), time.Time.Equal))
		for _, d := range due {
			require.True(t, slices.ContainsFunc(at, func(a time.Time) bool { return !d.Before(a) && d.Sub(a) < time.Second }), "none before it is due")
		}
	})
	require.Empty(t, dueText(nil))
	require.Empty(t, dueTimes("[Timer]\nOnCalendar=daily\nOnCalendar=\nOnStartupSec=1\n"))
}

func TestARowOfTimesServesAsLongAsSomeOfItAreLeft(t *testing.T) {
	for name, c := range map[string]struct {
		written, want []time.Time
		serves        bool
	}{
		"the same":                     {after(1, 2), after(1, 2), true},
		"nothing":                      {nil, nil, true},
		"some have passed":             {after(-2, -1, 1, 2), after(1, 2), true},
		"all have passed":              {after(-2, -1), nil, true},
		"enough are left of a longer":  {after(-1, 1, 2, 3, 4), after(1, 2, 3, 4, 5, 6), true},
		"few are left of a longer":     {after(-1, 1, 2, 3), after(1, 2, 3, 4, 5, 6), false},
		"one has come":                 {after(1, 2, 3, 4, 5), after(1, 2, 2.5, 3, 4, 5), false},
		"one has gone":                 {after(1, 2, 3, 4, 5), after(1, 3, 4, 5), false},
		"one has gone from the end":    {after(1, 2, 3, 4, 5), after(1, 2, 3, 4), false},
		"there was nothing":            {nil, after(1), false},
		"there is to be nothing":       {after(1), nil, false},
		"the first comes before these": {after(1, 2, 3, 4), after(0.5, 1, 2, 3, 4), false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.serves, isSufficient(c.written, c.want, noon)) })
	}
}

func TestFilesAreWrittenSoThatAUnitFileHoldsThem(t *testing.T) {
	require.Equal(t, []string{"/a", "/b c"}, watchable([]string{"/b c", "/a/", "/a", "relative", "", "/x\ny", "/x\x1b", "/x\xff", `/x\`, "/x "}))
	require.Equal(t, "# Written by blunux-ai, which replaces it as a whole.\n[Path]\nPathChanged=/100%%h/ㅎ\n", filesText([]string{"/100%h/ㅎ"}))
	require.Empty(t, filesText(nil))
	rapid.Check(t, func(t *rapid.T) {
		files := watchable(rapid.SliceOf(rapid.Map(rapid.String(), func(s string) string { return "/" + s })).Draw(t, "files"))
		require.LessOrEqual(t, len(files), 64)
		require.Equal(t, len(files), strings.Count(filesText(files), "\nPathChanged=/"))
	})
}

func TestSystemdReadsTheTimesAsTheyAreMeant(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	out, err := exec.Command("systemd-analyze", "calendar", "--base-time=2026-11-22 00:00:00 UTC", noon.Format(dueLayout)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "Normalized form: 2026-11-23 12:00:00 UTC")
	require.Contains(t, string(out), "2026-11-23 12:00:00 UTC")
}

func TestAUnitsNameIsReadFromItsObject(t *testing.T) {
	for object, name := range map[string]string{
		"blunux_2dai_2dagent_2eservice": "blunux-ai-agent.service", "a_40b_5fc_2emount": "a@b_c.mount", "_": "", "x_": "x_", "x_zz": "x_zz", "_31x": "1x",
	} {
		require.Equal(t, name, unitName("/org/freedesktop/systemd1/unit/"+dbusPath(object)))
	}
}

// Any drop-in that can be read is written back with the same meaning.
func FuzzADropInThatSomebodyChanged(f *testing.F) {
	f.Add(dueText(after(1, 2, 3)))
	f.Add("[Timer]\r\nOnCalendar=2026-02-30 00:00:00 UTC\nOnCalendar=daily")
	f.Fuzz(func(t *testing.T, text string) {
		due := dueTimes(text)
		require.True(t, slices.EqualFunc(due, dueTimes(dueText(due)), time.Time.Equal))
	})
}
