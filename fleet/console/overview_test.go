package console

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/ipc"
)

func TestARollOutIsShownAsItsRecordSays(t *testing.T) {
	now, done := time.Now(), map[string]string{"lab/a": fleet.ResultDone}
	for name, c := range map[string]struct {
		record progress
		state  string
	}{
		"began":          {progress{Machines: 2, Until: now.Add(time.Minute)}, StateRunning},
		"ended":          {progress{Machines: 1, Until: now, Results: done, Ended: true}, StateDone},
		"could not send": {progress{Machines: 2, Until: now.Add(time.Minute), Ended: true}, StateInterrupted},
		"console killed": {progress{Machines: 2, Until: now.Add(-2 * time.Minute)}, StateInterrupted},
		"stopped":        {progress{Machines: 2, Until: now, Stopped: "lab/a", Left: 1, Ended: true}, StateStopped},
	} {
		require.Equal(t, c.state, c.record.view(now).State, name)
	}
}

func TestAnswersAreFoldedByProblemAndBounded(t *testing.T) {
	q, got := asked{}, map[string]fleet.Answer{}
	for i := range 40 {
		name := fmt.Sprintf("lab/pc-%02d", i)
		q.Machines = append(q.Machines, name)
		switch {
		case i < 20:
			got[name] = fleet.Answer{Text: fmt.Sprintf("%d%% used", i)}
		case i < 22:
			got[name] = fleet.Answer{Text: "1% used", Problem: fleet.ProblemRefused}
		case i < 38:
			got[name] = fleet.Answer{Text: strings.Repeat("x", i)}
		}
	}
	v := q.view(got)
	require.Equal(t, 40, v.Count)
	require.Equal(t, []any{20, maxNames, "0% used"}, []any{v.Answers[0].Count, len(v.Answers[0].Names), v.Answers[0].Text})
	require.Equal(t, []any{2, fleet.ProblemRefused}, []any{v.Answers[1].Count, v.Answers[1].Problem})
	require.Equal(t, []any{maxAnswers, 8}, []any{len(v.Answers), v.More})
	require.Equal(t, Group{2, []string{"lab/pc-38", "lab/pc-39"}}, v.Missing)
}

func TestAnOverviewFitsItsBound(t *testing.T) {
	o := Overview{}
	for range maxQuestions {
		q := QuestionView{Text: strings.Repeat("\x01", fleet.MaxQuestion)}
		for range maxAnswers {
			q.Answers = append(q.Answers, AnswerView{Text: strings.Repeat("<\x01\xff가", fleet.MaxText/8)})
		}
		o.Questions = append(o.Questions, q)
	}
	line, err := o.Encode()
	require.NoError(t, err)
	require.LessOrEqual(t, len(line), ipc.MaxOverview)
	require.True(t, json.Valid(line))
	require.True(t, utf8.Valid(line))
	require.Equal(t, 1, strings.Count(string(line), "\n"))
	require.Equal(t, "가…", clip("가나", 4))
	require.Equal(t, "가나", clip("가나", 6))
}

func TestAStaleSocketIsReplacedAndAnOpenDirectoryRefused(t *testing.T) {
	dir, err := os.MkdirTemp("", "run")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := ipc.FleetSocket(func(string) string { return dir })
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	stale.SetUnlinkOnClose(false)
	stale.Close()
	l, err := ListenOverview(path)
	require.NoError(t, err)
	_, err = ListenOverview(path)
	require.ErrorIs(t, err, ipc.ErrInUse)
	l.Close()
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755))
	_, err = ListenOverview(path)
	require.ErrorContains(t, err, "open to other users")
}
