package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/channeltest"
)

// patience bounds the wait for an event.
const patience = 3 * time.Minute

var programs = sync.OnceValues(channeltest.Programs)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a server with its console and machines.
type site struct {
	t        *testing.T
	dir      string
	server   *server.Server
	console  *console.Console
	machines map[fleet.Machine]*machine
	// leafListen is where leaf servers connect, "" for none.
	leafListen string
}

func newSite(t *testing.T) *site { return newHub(t, "") }

func newHub(t *testing.T, leafListen string) *site {
	s := &site{t: t, dir: t.TempDir(), machines: map[fleet.Machine]*machine{}, leafListen: leafListen}
	s.start("127.0.0.1:0")
	t.Cleanup(func() {
		s.console.Close()
		s.server.Close()
	})
	return s
}

func (s *site) start(address string) {
	var err error
	s.server, err = server.Start(
		s.t.Context(),
		server.Options{Dir: s.dir, Listen: address, LeafListen: s.leafListen, Log: zerolog.Nop(), Now: time.Now},
	)
	require.NoError(s.t, err)
	s.console, err = console.Open(s.dir, s.server.Address(), "office")
	require.NoError(s.t, err)
}

// restart kills nothing: it ends the server and starts it again at the same address.
func (s *site) restart() {
	address := s.server.Address()
	s.console.Close()
	s.server.Close()
	s.start(address)
}

// machine is a computer with a real daemon and a bridge in this process.
type machine struct {
	t      *testing.T
	name   fleet.Machine
	dir    string
	env    map[string]string
	daemon *exec.Cmd
	link   bridge.Link // nil for the daemon's
	cancel context.CancelFunc
	ended  chan error
}

// join pairs a new machine, as a person at each screen does.
func (s *site) join(name, policy string) *machine {
	s.t.Helper()
	return s.joinAt(fleet.Machine{Site: "lab", Name: name}, s.server.Address(), policy)
}

// joinAt pairs a new machine at the address of the server or of its site's leaf server.
func (s *site) joinAt(name fleet.Machine, address, policy string) *machine {
	s.t.Helper()
	home := s.t.TempDir()
	m := &machine{t: s.t, name: name, dir: filepath.Join(home, "fleet")}
	m.env = map[string]string{
		"HOME":                   home,
		"BLUNUX_AI_HOME":         filepath.Join(home, "ai"),
		"BLUNUX_AI_SOCK":         filepath.Join(home, "s.sock"),
		"BLUNUX_AI_FLEET_POLICY": filepath.Join(home, "policy.toml"),
		"LANG":                   "C.UTF-8",
		"PATH":                   os.Getenv("PATH"),
	}
	require.NoError(s.t, os.MkdirAll(m.env["BLUNUX_AI_HOME"], 0o700))
	m.startDaemon()
	p, err := bridge.Pair(s.t.Context(), m.dir, address, "pc of "+name.Name)
	require.NoError(s.t, err)
	defer p.Close()
	_, err = s.console.Call(
		s.t.Context(),
		server.CallPair,
		server.Call{Code: p.Code, Machine: m.name, Labels: map[string]string{"room": "2"}},
	)
	require.NoError(s.t, err)
	got, err := p.Wait(s.t.Context())
	require.NoError(s.t, err)
	require.Equal(s.t, m.name, got)
	require.NoError(s.t, p.Join(time.Now()))
	if policy != "" {
		if os.Getuid() != 0 {
			s.t.Skip("only root can write a policy")
		}
		require.NoError(s.t, os.WriteFile(m.policy(), []byte(policy), 0o644))
	}
	m.startBridge()
	s.machines[m.name] = m
	return m
}

func (m *machine) policy() string { return m.env["BLUNUX_AI_FLEET_POLICY"] }

// log returns the daemon's command log.
func (m *machine) log() string {
	text, _ := os.ReadFile(filepath.Join(m.env["BLUNUX_AI_HOME"], "logs/commands.log"))
	return string(text)
}

// key returns the machine's public key.
func (m *machine) key() string {
	id, err := fleet.OpenIdentity(filepath.Join(m.dir, "machine.nk"))
	require.NoError(m.t, err)
	return id.Public
}

func (m *machine) getenv(name string) string { return m.env[name] }

// dialer reaches the daemon as the bridge does.
func (m *machine) dialer() ipc.Dialer {
	d := ipc.NewDialer()
	d.Getenv, d.Channel, d.NoStart = m.getenv, ipc.FleetChannel, true
	return d
}

func (m *machine) startDaemon() {
	bin, err := programs()
	require.NoError(m.t, err)
	m.daemon = exec.Command(filepath.Join(bin, "blunux-ai"), "daemon", "--provider", "offline")
	for k, v := range m.env {
		m.daemon.Env = append(m.daemon.Env, k+"="+v)
	}
	log, err := os.OpenFile(filepath.Join(m.env["HOME"], "daemon.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(m.t, err)
	defer log.Close()
	m.daemon.Stdout, m.daemon.Stderr, m.daemon.SysProcAttr = log, log, &syscall.SysProcAttr{
		Setpgid:   true,
		Pdeathsig: syscall.SIGKILL,
	}
	require.NoError(m.t, m.daemon.Start())
	daemon := m.daemon
	m.t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
		if m.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			m.t.Logf("daemon of %s:\n%s", m.name, text)
		}
	})
}

func (m *machine) startBridge() {
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel, m.ended = cancel, make(chan error, 1)
	o := bridge.Options{
		Dir:     m.dir,
		Link:    m.link,
		Policy:  m.policy(),
		Version: "test",
		Log:     zerolog.New(zerolog.NewTestWriter(m.t)).Level(zerolog.WarnLevel),
		Now:     time.Now,
	}
	if o.Link == nil {
		link := ipc.NewLink(m.dialer(), ipc.Hello{Client: "blunux-fleet-bridge/test", Channel: ipc.FleetChannel, Caps: []string{ipc.CapAsk}})
		link.IdleTimeout = -1
		o.Link = link
	}
	ended := m.ended
	go func() { ended <- bridge.Run(ctx, o) }()
	m.t.Cleanup(m.stopBridge)
}

func (m *machine) stopBridge() {
	m.cancel()
	if err, open := <-m.ended; open {
		require.NoError(m.t, err)
		close(m.ended)
	}
}

// ask asks all machines and waits for their answers.
func (s *site) ask(text string) map[fleet.Machine]fleet.Answer {
	s.t.Helper()
	all := slices.Collect(maps.Keys(s.machines))
	id, err := s.console.Ask(s.t.Context(), all, text, "en")
	require.NoError(s.t, err)
	return s.collect(id, all)
}

func (s *site) collect(id string, all []fleet.Machine) map[fleet.Machine]fleet.Answer {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	got, err := s.console.Collect(ctx, id, all)
	require.NoError(s.t, err)
	require.Len(s.t, got, len(all))
	return got
}

// await waits for a plan that waits on a machine.
func (s *site) await(command string) console.Waiting {
	s.t.Helper()
	var found console.Waiting
	require.Eventually(s.t, func() bool {
		all, err := s.console.Waits(s.t.Context())
		for _, w := range all {
			if strings.Contains(w.Command, command) {
				found = w
			}
		}
		return err == nil && found.Code != ""
	}, patience, 100*time.Millisecond)
	return found
}

// awaitFold waits until the only plan waits on a number of machines.
func (s *site) awaitFold(machines int) console.Fold {
	s.t.Helper()
	var folds []console.Fold
	require.Eventually(s.t, func() bool {
		waits, err := s.console.Waits(s.t.Context())
		folds = console.FoldWaits(waits)
		return err == nil && len(folds) == 1 && len(folds[0].Waits) == machines
	}, patience, 100*time.Millisecond)
	return folds[0]
}

func TestEveryMachineAnswersAndEqualAnswersAreFolded(t *testing.T) {
	s := newSite(t)
	for i := range 3 {
		s.join(fmt.Sprintf("pc-%d", i+1), "")
	}
	answers := map[fleet.Machine]string{}
	for m, a := range s.ask("how much memory is free?") {
		require.Empty(t, a.Problem, a.Text)
		require.Contains(t, a.Text, "free -h")
		answers[m] = a.Text
	}
	folds := fleet.FoldAnswers(answers)
	require.Len(t, folds, 1, "%q", folds)
	require.Len(t, folds[0].Machines, 3)
}

func TestAMachineThatWasOffAnswersOnceWhenItIsBack(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	m.stopBridge()
	id, err := s.console.Ask(t.Context(), []fleet.Machine{m.name}, "how much memory is free?", "en")
	require.NoError(t, err)
	s.restart() // the question is on its disk
	m.startBridge()
	require.Contains(t, s.collect(id, []fleet.Machine{m.name})[m.name].Text, "free -h")
	s.ask("what is my ip address?")
	require.Equal(t, 1, strings.Count(m.log(), "SAFE        free -h"), "%s", m.log())
}

func TestAQuestionIsAnsweredOnceByADaemonThatIsKilled(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	for i := range 5 {
		id, err := s.console.Ask(t.Context(), []fleet.Machine{m.name}, "how much memory is free?", "en")
		require.NoError(t, err)
		time.Sleep(time.Duration(i) * 10 * time.Millisecond) // at another point each time
		_ = m.daemon.Process.Kill()
		_ = m.daemon.Wait()
		m.startDaemon()
		require.Contains(t, s.collect(id, []fleet.Machine{m.name})[m.name].Text, "free -h")
	}
}

// mayRestart is a policy of root's.
const mayRestart = "approve = [\"manage_service\"]\n"

func TestASignedYesRunsThePlanThatWaits(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", mayRestart)
	_, err := s.console.Ask(t.Context(), []fleet.Machine{m.name}, "restart nginx", "en")
	require.NoError(t, err)
	w := s.await("restart")
	require.NotContains(t, m.log(), "CONFIRMED", "nothing runs unasked")
	id, err := s.console.Decide(t.Context(), w, true)
	require.NoError(t, err)
	a := s.collect(id, []fleet.Machine{m.name})[m.name]
	require.Empty(t, a.Problem, a.Text)
	require.Eventually(t, func() bool { return strings.Contains(m.log(), "CONFIRMED") }, patience, 50*time.Millisecond)
	again, err := s.console.Decide(t.Context(), w, true)
	require.NoError(t, err)
	require.Equal(t, fleet.ProblemGone, s.collect(again, []fleet.Machine{m.name})[m.name].Problem)
	require.Equal(t, 1, strings.Count(m.log(), "CONFIRMED"))
}

// TestThreat43WithoutAPolicyAConsoleCanOnlySayNo is threat 43: a stolen console.
func TestThreat43WithoutAPolicyAConsoleCanOnlySayNo(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	_, err := s.console.Ask(t.Context(), []fleet.Machine{m.name}, "restart nginx", "en")
	require.NoError(t, err)
	w := s.await("restart")
	id, err := s.console.Decide(t.Context(), w, true)
	require.NoError(t, err)
	require.Equal(t, fleet.ProblemPolicy, s.collect(id, []fleet.Machine{m.name})[m.name].Problem)
	id, err = s.console.Decide(t.Context(), w, false)
	require.NoError(t, err)
	require.Empty(t, s.collect(id, []fleet.Machine{m.name})[m.name].Problem)
	require.NotContains(t, m.log(), "CONFIRMED")
}

// TestThreat43ABridgeThatWasTakenOverIsBoundByThePolicy is threat 43, too: it says yes itself, without a console.
func TestThreat43ABridgeThatWasTakenOverIsBoundByThePolicy(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", mayRestart)
	m.stopBridge()
	var daemon *ipc.Client
	require.Eventually(t, func() bool {
		var err error
		daemon, err = ipc.Connect(t.Context(), m.dialer(), ipc.Hello{Client: "rogue", Channel: ipc.FleetChannel, Caps: []string{ipc.CapAsk}})
		return err == nil
	}, patience, 50*time.Millisecond, "the daemon listens")
	defer daemon.Close()
	// approve asks, says yes to what comes of it, and then no if the yes was refused, for which it returns the error.
	approve := func(question string) (refused *ipc.Error) {
		answer := func(ask ipc.Ask, action string) error {
			m := ipc.Message{ID: action + ask.Code, Type: ipc.TypeAction, Action: action, Session: "rogue"}
			return daemon.Conn.Write(m.WithData(ipc.Answer{Code: ask.Code, Digest: ask.Digest}))
		}
		var ask ipc.Ask
		m := ipc.Message{Type: ipc.TypeMessage, Session: "rogue", Body: question}
		_, err := daemon.Do(t.Context(), m.WithData(ipc.GatewayRequest{MID: question}), func(m ipc.Message) error {
			switch {
			case m.Type == ipc.TypeAsk:
				require.NoError(t, m.Decode(&ask))
				return answer(ask, ipc.ActionAllowOnce)
			case m.Re == ipc.ActionAllowOnce+ask.Code && m.Error != nil:
				refused = m.Error
				return answer(ask, ipc.ActionReject)
			}
			return nil
		})
		require.NoError(t, err)
		require.NotEmpty(t, ask.Code, "%s: nothing was asked", question)
		return refused
	}
	for _, question := range []string{"stop NetworkManager", "restart sshd"} {
		refused := approve(question)
		require.NotNil(t, refused, question)
		require.Equal(t, ipc.CodePolicy, refused.Code, refused.Message)
	}
	require.NotContains(t, m.log(), "CONFIRMED")
	require.Nil(t, approve("restart nginx"), "as a console may")
	require.Equal(t, 1, strings.Count(m.log(), "CONFIRMED"))
}

// TestADaemonThatIsOlderThanItsBridgeTakesNoYes: it would apply no policy.
func TestADaemonThatIsOlderThanItsBridgeTakesNoYes(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	m.stopBridge()
	m.link = &echo{events: make(chan ipc.LinkEvent, 64)}
	m.startBridge()
	id, err := s.console.Decide(t.Context(), console.Waiting{Machine: m.name, Waiting: fleet.Waiting{Code: "ABCD", Digest: "sha256:1", Key: m.key()}}, true)
	require.NoError(t, err)
	require.Equal(t, fleet.ProblemOld, s.collect(id, []fleet.Machine{m.name})[m.name].Problem)
}

func TestARollOutStopsAtTheFirstMachineThatFails(t *testing.T) {
	s := newSite(t)
	for i := range 3 {
		s.join(fmt.Sprintf("pc-%d", i+1), mayRestart)
	}
	all := slices.Collect(maps.Keys(s.machines))
	_, err := s.console.Ask(t.Context(), all, "restart no-such-service", "en")
	require.NoError(t, err)
	var stopped *console.StoppedError
	err = s.console.RollOut(t.Context(), s.awaitFold(3), patience, func(fleet.Machine, string) {})
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, fleet.ResultFailed, stopped.Reason)
	require.Equal(t, 2, stopped.Left)
	ran := 0
	for _, m := range s.machines {
		ran += strings.Count(m.log(), "CONFIRMED")
	}
	require.Equal(t, 1, ran)
}

func TestNotNowKeepsAQuestionForLater(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	require.NoError(t, bridge.NotNow(m.dir, time.Now().Add(time.Hour)))
	id, err := s.console.Ask(t.Context(), []fleet.Machine{m.name}, "how much memory is free?", "en")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	got, err := s.console.Collect(ctx, id, []fleet.Machine{m.name})
	require.NoError(t, err)
	require.Empty(t, got)
	require.NoError(t, bridge.NotNow(m.dir, time.Time{}))
	require.Contains(t, s.collect(id, []fleet.Machine{m.name})[m.name].Text, "free -h")
}

func TestARemovedMachineIsCutOff(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	s.ask("how much memory is free?")
	_, err := s.console.Call(t.Context(), server.CallRemove, server.Call{Machine: m.name})
	require.NoError(t, err)
	_, err = s.console.Ask(t.Context(), []fleet.Machine{m.name}, "how much memory is free?", "en")
	require.NoError(t, err, "nobody takes it")
	m.stopBridge()
	require.NoError(t, bridge.Leave(m.dir))
	require.ErrorIs(t, bridge.Leave(m.dir), bridge.ErrNoFleet)
	left, err := os.ReadDir(m.dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestThreat42ADecisionIsUsedOnce is threat 42, too: a server that repeats a decision, under another id or with the
// machine's bridge restarted.
func TestThreat42ADecisionIsUsedOnce(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", mayRestart)
	all := []fleet.Machine{m.name}
	_, err := s.console.Ask(t.Context(), all, "restart nginx", "en")
	require.NoError(t, err)
	w := s.await("restart")
	id, err := fleet.OpenIdentity(filepath.Join(s.dir, "console.nk"))
	require.NoError(t, err)
	d := &fleet.Decision{
		Machine: w.Key,
		Code:    w.Code,
		Digest:  w.Digest,
		Yes:     true,
		Expires: time.Now().Add(time.Minute).UTC(),
		Nonce:   "once",
	}
	require.NoError(t, id.Sign(d))
	for i, want := range []string{"", fleet.ProblemUnsigned, fleet.ProblemUnsigned} {
		if i == 2 {
			m.stopBridge()
			m.startBridge()
		}
		request := fmt.Sprintf("decision-%d", i)
		require.NoError(
			t,
			s.console.Send(
				t.Context(),
				m.name,
				fleet.Request{ID: request, Console: "office", Sent: time.Now(), Decision: d},
			),
		)
		require.Equal(t, want, s.collect(request, all)[m.name].Problem)
	}
	again, err := s.console.Ask(t.Context(), all, "restart nginx", "en")
	require.NoError(t, err)
	var next console.Waiting
	require.Eventually(t, func() bool {
		waits, err := s.console.Waits(t.Context())
		for _, n := range waits {
			if n.Re == again {
				next = n
			}
		}
		return err == nil && next.Code != ""
	}, patience, 100*time.Millisecond)
	forged := *d // the same signature for what waits now
	forged.Code, forged.Digest = next.Code, next.Digest
	require.NoError(
		t,
		s.console.Send(
			t.Context(),
			m.name,
			fleet.Request{ID: "forged", Console: "office", Sent: time.Now(), Decision: &forged},
		),
	)
	require.Equal(t, fleet.ProblemUnsigned, s.collect("forged", all)[m.name].Problem)
	reused := fleet.Decision{
		Machine: next.Key,
		Code:    next.Code,
		Digest:  next.Digest,
		Yes:     true,
		Expires: time.Now().Add(time.Minute).UTC(),
		Nonce:   "once",
	}
	require.NoError(t, id.Sign(&reused))
	require.NoError(
		t,
		s.console.Send(
			t.Context(),
			m.name,
			fleet.Request{ID: "reused", Console: "office", Sent: time.Now(), Decision: &reused},
		),
	)
	require.Equal(t, fleet.ProblemUnsigned, s.collect("reused", all)[m.name].Problem)
	require.Equal(t, 1, strings.Count(m.log(), "CONFIRMED"))
}

// TestTwoMachinesWithOneKeyAreSeen: a disk that was copied with the key of a machine.
func TestTwoMachinesWithOneKeyAreSeen(t *testing.T) {
	s := newSite(t)
	m := s.join("pc-1", "")
	twins := func() bool {
		r, err := s.console.Call(t.Context(), server.CallMachines, server.Call{})
		require.NoError(t, err)
		require.Len(t, r.Machines, 1)
		return r.Machines[0].Twins
	}
	beat := s.beats(m)
	beat("first")
	beat("restarted")
	beat("restarted")
	require.False(t, twins(), "a bridge that was restarted")
	beat("first")
	require.True(t, twins(), "both run")
}

// beats returns what sends heartbeats of a run with a machine's key, and waits until the server has them.
func (s *site) beats(m *machine) func(run string) {
	m.stopBridge()
	id, err := fleet.OpenIdentity(filepath.Join(m.dir, "machine.nk"))
	require.NoError(s.t, err)
	conn, err := nats.Connect("tls://"+s.server.Address(), id.Option(), nats.Secure(fleet.Pin(nil, nil)), nats.NoReconnect(),
		nats.CustomInboxPrefix(fleet.Inbox(id.Public)))
	require.NoError(s.t, err)
	s.t.Cleanup(conn.Close)
	return func(run string) {
		data, err := json.Marshal(fleet.Beat{Run: run, Version: run})
		require.NoError(s.t, err)
		require.NoError(s.t, conn.Publish(m.name.Subject(fleet.Heartbeat), data))
		require.Eventually(s.t, func() bool {
			r, err := s.console.Call(s.t.Context(), server.CallMachines, server.Call{})
			return err == nil && r.Machines[0].Beat.Version == run
		}, patience, 20*time.Millisecond)
	}
}
