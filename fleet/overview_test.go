package fleet_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/ipc"
)

// show serves the overview as `blunux-fleet serve` does, and returns what reads it.
func (s *site) show() (read func() console.Overview) {
	s.t.Helper()
	dir, err := os.MkdirTemp("", "run") // a path of a socket is short
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := ipc.FleetSocket(func(string) string { return dir })
	c, err := console.OpenInside(s.server, s.dir, "page")
	require.NoError(s.t, err)
	l, err := console.ListenOverview(path)
	require.NoError(s.t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.Show(s.t.Context(), l, zerolog.Nop())
	}()
	s.t.Cleanup(func() {
		l.Close()
		<-ended
	})
	for file, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(file)
		require.NoError(s.t, err)
		require.Equal(s.t, mode, info.Mode().Perm(), file)
	}
	return func() (o console.Overview) {
		s.t.Helper()
		conn, err := net.Dial("unix", path)
		require.NoError(s.t, err)
		defer conn.Close()
		text, err := io.ReadAll(conn)
		require.NoError(s.t, err)
		require.NoError(s.t, json.Unmarshal(text, &o), "%s", text)
		return o
	}
}

func TestTheOverviewHasMachinesAnswersPlansAndRollOuts(t *testing.T) {
	s := newSite(t)
	read := s.show()
	empty := read()
	require.Equal(t, 0, empty.Count+len(empty.Plans)+len(empty.Questions)+len(empty.RollOuts))
	var all []fleet.Machine
	for _, name := range []string{"pc-1", "pc-2", "pc-3"} {
		all = append(all, s.join(name, mayRestart).name)
	}
	s.machines[all[2]].stopBridge()
	id, err := s.console.Ask(t.Context(), all, "how much memory is free?", "en")
	require.NoError(t, err)
	s.collect(id, all[:2])
	o := read()
	require.Equal(t, 3, o.Count)
	require.Equal(t, "lab/pc-1", o.Machines[0].Name)
	require.Equal(t, []string{"room=2"}, o.Machines[0].Labels)
	require.Equal(t, []string{"manage_service"}, o.Machines[0].Approve)
	require.False(t, o.Machines[0].Seen.IsZero())
	require.Len(t, o.Questions, 1)
	q := o.Questions[0]
	require.Equal(t, []any{"how much memory is free?", "office", 3}, []any{q.Text, q.Console, q.Count})
	require.Len(t, q.Answers, 1)
	require.Equal(t, console.Group{Count: 2, Names: []string{"lab/pc-1", "lab/pc-2"}}, q.Answers[0].Group)
	require.Contains(t, q.Answers[0].Text, "free -h")
	require.Equal(t, console.Group{Count: 1, Names: []string{"lab/pc-3"}}, q.Missing)

	_, err = s.console.Ask(t.Context(), all[:2], "restart no-such-service", "en")
	require.NoError(t, err)
	f := s.awaitFold(2)
	o = read()
	require.Len(t, o.Plans, 1)
	require.Equal(t, []any{f.Code(), f.Command, 2}, []any{o.Plans[0].Code, o.Plans[0].Command, o.Plans[0].Count})
	require.False(t, o.Plans[0].Expires.IsZero())
	require.Equal(t, "restart no-such-service", o.Questions[0].Text, "the latest first")

	during := console.Overview{}
	err = s.console.RollOut(t.Context(), f, patience, func(fleet.Machine, string) { during = read() })
	require.Error(t, err)
	require.Equal(t, console.StateRunning, during.RollOuts[0].State)
	o = read()
	require.Len(t, o.RollOuts, 1)
	r := o.RollOuts[0]
	require.Equal(t, []any{console.StateStopped, 2, 0, 1}, []any{r.State, r.Count, r.Done, r.Left})
	first := f.Waits[0].Machine.String()
	require.Equal(t, []any{first, fleet.ResultFailed, f.Command}, []any{r.Stopped, r.Reason, r.Command})

	s.restart() // what was recorded is on its disk
	o = s.show()()
	require.Len(t, o.RollOuts, 1)
	require.Len(t, o.Questions, 2)
	require.Len(t, o.Plans, 1, "the other machine's plan still waits")
	require.Equal(t, 1, o.Plans[0].Count)
}
