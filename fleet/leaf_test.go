package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
)

// branch is the leaf server of a site.
type branch struct {
	t    *testing.T
	dir  string
	leaf *server.Leaf
}

// branch pairs and starts the leaf server of a site, as a person at each screen does.
func (s *site) branch(name string) *branch {
	s.t.Helper()
	b := &branch{t: s.t, dir: s.t.TempDir()}
	p, err := server.PairLeaf(s.t.Context(), b.dir, s.server.Address(), "leaf of "+name)
	require.NoError(s.t, err)
	defer p.Close()
	_, err = s.console.Call(s.t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: fleet.Machine{Site: name}})
	require.NoError(s.t, err)
	got, err := p.Wait(s.t.Context())
	require.NoError(s.t, err)
	require.Equal(s.t, name, got)
	require.NoError(s.t, p.Join(time.Now()))
	b.start("127.0.0.1:0")
	s.t.Cleanup(func() { b.leaf.Close() })
	return b
}

func (b *branch) start(address string) {
	var err error
	log := zerolog.New(zerolog.NewTestWriter(b.t)).Level(zerolog.WarnLevel)
	b.leaf, err = server.StartLeaf(b.t.Context(), server.LeafOptions{Dir: b.dir, Listen: address, Log: log})
	require.NoError(b.t, err)
}

func (b *branch) restart() {
	address := b.leaf.Address()
	b.leaf.Close()
	b.start(address)
}

// TestMachinesBehindLeavesAnswerAndAreApproved: a server, two leaf servers, a machine behind each and one without.
func TestMachinesBehindLeavesAnswerAndAreApproved(t *testing.T) {
	s := newHub(t, freeAddress(t))
	lab, office := s.branch("lab"), s.branch("office")
	m := s.joinAt(fleet.Machine{Site: "lab", Name: "pc-1"}, lab.leaf.Address(), mayRestart)
	s.joinAt(fleet.Machine{Site: "office", Name: "pc-1"}, office.leaf.Address(), "")
	s.joinAt(fleet.Machine{Site: "home", Name: "pc-1"}, s.server.Address(), "")
	answers := map[fleet.Machine]string{}
	for name, a := range s.ask("how much memory is free?") {
		require.Empty(t, a.Problem, a.Text)
		answers[name] = a.Text
	}
	folds := fleet.FoldAnswers(answers)
	require.Len(t, folds, 1, "%q", folds)
	require.Len(t, folds[0].Machines, 3)

	_, err := s.console.Ask(t.Context(), []fleet.Machine{m.name}, "restart nginx", "en")
	require.NoError(t, err)
	w := s.await("restart")
	id, err := s.console.Decide(t.Context(), w, true)
	require.NoError(t, err)
	a := s.collect(id, []fleet.Machine{m.name})[m.name]
	require.Empty(t, a.Problem, a.Text)
	require.Eventually(t, func() bool { return strings.Contains(m.log(), "CONFIRMED") }, patience, 50*time.Millisecond)

	lab.restart()
	s.restart()
	office.restart()
	for name, a := range s.ask("how much memory is free?") {
		require.Empty(t, a.Problem, "%s: %s", name, a.Text)
	}
	got, err := answersOf(t.Context(), s.dir, s.server.Address())
	require.NoError(t, err)
	for name, all := range got {
		seen := map[string]bool{}
		for _, re := range all {
			require.False(t, seen[re], "%s answers %s twice", name, re)
			seen[re] = true
		}
	}
	require.Equal(t, 1, strings.Count(m.log(), "CONFIRMED"))
}

// TestThreat44ATakenOverLeafCannotAskOrApprove: a leaf server's certificate and its list of machines, in the hands of
// an attacker who runs another fleet there. It sees what waits, and can sign nothing.
func TestThreat44ATakenOverLeafCannotAskOrApprove(t *testing.T) {
	s := newHub(t, freeAddress(t))
	lab := s.branch("lab")
	m := s.joinAt(fleet.Machine{Site: "lab", Name: "pc-1"}, lab.leaf.Address(), mayRestart)
	all := []fleet.Machine{m.name}
	_, err := s.console.Ask(t.Context(), all, "restart nginx", "en")
	require.NoError(t, err)
	w := s.await("restart")

	address := lab.leaf.Address()
	lab.leaf.Close()
	rogue := &site{t: t, dir: t.TempDir(), machines: s.machines}
	for _, name := range []string{"server.pem", "machines.json"} {
		data, err := os.ReadFile(filepath.Join(lab.dir, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(rogue.dir, name), data, 0o600))
	}
	rogue.start(address)
	defer rogue.server.Close()
	defer rogue.console.Close()
	require.Equal(t, fleet.ProblemUnsigned, rogue.ask("how much memory is free?")[m.name].Problem)
	id, err := rogue.console.Decide(t.Context(), console.Waiting{Machine: m.name, Waiting: w.Waiting}, true)
	require.NoError(t, err)
	require.Equal(t, fleet.ProblemUnsigned, rogue.collect(id, all)[m.name].Problem)
	require.NotContains(t, m.log(), "CONFIRMED")
	require.NotContains(t, m.log(), "free -h")
}

// TestALeafThatIsKilledLosesNothing: questions are asked and answered while the leaf server and the hub go away in
// turns.
func TestALeafThatIsKilledLosesNothing(t *testing.T) {
	s := newHub(t, freeAddress(t))
	lab := s.branch("lab")
	m := s.joinAt(fleet.Machine{Site: "lab", Name: "pc-1"}, lab.leaf.Address(), "")
	all := []fleet.Machine{m.name}
	var asked []string
	for i := range 6 {
		id := fmt.Sprintf("question-%d", i)
		require.NoError(t, s.console.Send(t.Context(), m.name, fleet.Request{ID: id, Text: "which kernel is this?", Lang: "en", Sent: time.Now()}))
		asked = append(asked, id)
		time.Sleep(time.Duration(i) * 20 * time.Millisecond) // at another point each time
		if i%2 == 0 {
			lab.restart()
		} else {
			s.restart()
		}
	}
	for _, id := range asked {
		require.Empty(t, s.collect(id, all)[m.name].Problem)
	}
	got, err := answersOf(t.Context(), s.dir, s.server.Address())
	require.NoError(t, err)
	require.Equal(t, asked, got[m.name], "once, in their order")
}
