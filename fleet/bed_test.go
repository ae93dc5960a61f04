package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
	"github.com/nidoit/blunux-ai/fleet/bridge"
	"github.com/nidoit/blunux-ai/fleet/console"
	"github.com/nidoit/blunux-ai/fleet/server"
)

// ownPrograms builds the fleet's programs.
var ownPrograms = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "fleet")
	if err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", dir, "./cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // static, as make fleet: the unit allows no loader
	out, err := build.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cannot build the fleet's programs: %w\n%s", err, out)
	}
	return dir, nil
})

// process is a program that a test kills and starts again.
type process struct {
	t    *testing.T
	path string
	args []string
	env  []string
	log  string
	cmd  *exec.Cmd
}

func (p *process) start() {
	f, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(p.t, err)
	defer f.Close()
	p.cmd = exec.Command(p.path, p.args...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, f, f
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	require.NoError(p.t, p.cmd.Start())
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// number returns an environment variable, for longer runs, or a default.
func number(t *testing.T, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestNothingIsLostOrDoubledWhenEverythingIsKilled: a server, machines with a daemon and a bridge each, and a random
// one of these processes is killed again and again while questions are asked. Every machine answers each of its
// questions once, in their order. The machines are spread over the server and the leaf servers of FLEET_LEAVES sites.
// FLEET_MACHINES=50 FLEET_LEAVES=2 FLEET_KILLS=500 is the whole bed. FLEET_SOAK=1h goes on for that long, with a round
// of questions every five seconds and a fault every minute, and logs the memory.
func TestNothingIsLostOrDoubledWhenEverythingIsKilled(t *testing.T) {
	part, inside := ownNetwork(t)
	if !inside {
		return
	}
	machines, kills := number(t, "FLEET_MACHINES", 3), number(t, "FLEET_KILLS", 15)
	leaves := number(t, "FLEET_LEAVES", 1)
	var soak time.Duration
	if text := os.Getenv("FLEET_SOAK"); text != "" {
		var err error
		soak, err = time.ParseDuration(text)
		require.NoError(t, err)
	}
	own, err := ownPrograms()
	require.NoError(t, err)
	bin, err := programs()
	require.NoError(t, err)
	dir := t.TempDir()
	address, leafAddress := freeAddress(t), freeAddress(t)
	serve := &process{
		t: t, path: filepath.Join(own, "blunux-fleet"), args: []string{"serve", "--listen", address, "--leaf-listen", leafAddress}, log: filepath.Join(dir, "log"),
		env: append(os.Environ(), "BLUNUX_FLEET_DIR="+dir),
	}
	serve.start()
	t.Cleanup(func() { serve.kill() })
	open := func() *console.Console {
		var c *console.Console
		require.Eventually(t, func() bool {
			var err error
			c, err = console.Open(dir, address, "office")
			return err == nil
		}, patience, 100*time.Millisecond)
		return c
	}
	c := open()
	t.Cleanup(c.Close)
	all := []*process{serve}
	places := []place{{"lab", address}}
	links := []string{address, leafAddress} // where the network is parted
	for i := range leaves {
		at, leaf := startLeaf(t, c, filepath.Join(own, "blunux-fleet"), fmt.Sprintf("site-%d", i+1), address)
		all, places, links = append(all, leaf), append(places, at), append(links, at.address)
	}
	var names []fleet.Machine
	for i := range machines {
		home := t.TempDir()
		at := places[i%len(places)]
		m := fleet.Machine{Site: at.site, Name: fmt.Sprintf("pc-%d", i+1)}
		env := []string{
			"HOME=" + home,
			"BLUNUX_AI_HOME=" + home + "/ai",
			"BLUNUX_AI_SOCK=" + home + "/s.sock",
			"LANG=C.UTF-8",
			"PATH=" + os.Getenv("PATH"),
		}
		p, err := bridge.Pair(t.Context(), home+"/ai/fleet", at.address, m.Name)
		require.NoError(t, err)
		_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: m})
		require.NoError(t, err)
		_, err = p.Wait(t.Context())
		require.NoError(t, err)
		require.NoError(t, p.Join(time.Now()))
		p.Close()
		for _, program := range []*process{
			{t: t, path: filepath.Join(bin, "blunux-ai"), args: []string{"daemon", "--provider", "offline"}, env: env, log: home + "/daemon.log"},
			{t: t, path: filepath.Join(own, "blunux-fleet-bridge"), env: env, log: home + "/bridge.log"},
		} {
			program.start()
			t.Cleanup(func() { program.kill() })
			all = append(all, program)
		}
		names = append(names, m)
	}

	// Questions are asked while the processes are killed, each of five machines. One that the server did not confirm is
	// asked again with its id.
	asked, total := map[fleet.Machine][]string{}, 0
	faults, parted := 0, 0
	for i, started := 0, time.Now(); i < kills || time.Since(started) < soak; i++ {
		if soak > 0 && i%60 == 0 {
			t.Logf("%.0f min: %s", time.Since(started).Minutes(), memory(all))
		}
		id := fmt.Sprintf("question-%04d", i)
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, m := range names[:min(5, len(names))] {
			asked[m] = append(asked[m], id)
			total++
			require.Eventually(t, func() bool {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				return c.Send(
					ctx,
					m,
					fleet.Request{ID: id, Text: "which kernel is this?", Lang: "en", Sent: time.Now()},
				) == nil
			}, patience, 50*time.Millisecond)
		}
		if soak > 0 {
			time.Sleep(5 * time.Second)
			if i%12 != 11 {
				continue
			}
		}
		faults++
		victim := all[rand.IntN(len(all))]
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // at another point each time
		if part != nil && faults%5 == 0 {
			parted++
			part(links[rand.IntN(len(links))], time.Duration(rand.IntN(1500))*time.Millisecond)
			continue
		}
		victim.kill()
		victim.start()
	}
	got := map[fleet.Machine][]string{}
	began := time.Now()
	require.Eventually(t, func() bool {
		var err error
		got, err = answersOf(t.Context(), dir, address)
		complete := err == nil
		for _, m := range names {
			complete = complete && len(got[m]) >= len(asked[m])
		}
		return complete
	}, 10*patience, time.Second, "answers: %v", &counts{got})
	t.Logf("%d machines, %d leaf servers, %d faults, of which %d parted networks: all %d answers %.0f s after the last fault; %s",
		machines, leaves, faults, parted, total, time.Since(began).Seconds(), memory(all))
	for _, m := range names {
		require.Equal(t, asked[m], got[m], "%s", m)
	}
}

// place is where the machines of a site connect.
type place struct{ site, address string }

// startLeaf pairs and starts the leaf server of a site.
func startLeaf(t *testing.T, c *console.Console, program, site, hub string) (place, *process) {
	dir, at := t.TempDir(), place{site, freeAddress(t)}
	p, err := server.PairLeaf(t.Context(), filepath.Join(dir, "leaf"), hub, "leaf of "+site)
	require.NoError(t, err)
	defer p.Close()
	_, err = c.Call(t.Context(), server.CallPair, server.Call{Code: p.Code, Machine: fleet.Machine{Site: site}})
	require.NoError(t, err)
	_, err = p.Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Join(time.Now()))
	leaf := &process{
		t: t, path: program, args: []string{"leaf", "--listen", at.address}, log: filepath.Join(dir, "log"),
		env: append(os.Environ(), "BLUNUX_FLEET_DIR="+dir),
	}
	leaf.start()
	t.Cleanup(func() { leaf.kill() })
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", at.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, patience, 50*time.Millisecond)
	return at, leaf
}

// memory returns the largest resident memory of each program in MB, from proc_pid_status(5).
func memory(all []*process) string {
	most := map[string]int{}
	for _, p := range all {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
		for line := range strings.Lines(string(status)) {
			var kb int
			if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); err == nil {
				name := filepath.Base(p.path)
				most[name] = max(most[name], kb/1024)
			}
		}
	}
	return fmt.Sprint("MB ", most)
}

// ownNetwork runs the test again in a new network namespace, where part drops what goes to an address for a
// while. Without root's rights or nft the test runs here, and part is nil. inside is false where the test has run.
func ownNetwork(t *testing.T) (part func(address string, d time.Duration), inside bool) {
	nft := func(script string) error {
		cmd := exec.Command("nft", "-f", "-")
		cmd.Stdin = strings.NewReader(script)
		return cmd.Run()
	}
	if os.Getenv(inNamespace) != "" {
		return func(address string, d time.Duration) {
			_, port, err := net.SplitHostPort(address)
			require.NoError(t, err)
			require.NoError(t, nft("table inet part { chain out { type filter hook output priority 0; tcp dport "+port+" drop; tcp sport "+port+" drop; }; }"))
			time.Sleep(d)
			require.NoError(t, nft("delete table inet part"))
		}, true
	}
	if _, err := exec.LookPath("nft"); err != nil || os.Getuid() != 0 {
		t.Log("without nft and root's rights the network is not parted")
		return nil, true
	}
	return nil, runInNamespace(t, "--net", "ip link set lo up && nft list tables >/dev/null")
}

// runInNamespace runs the test again in a new namespace, after a command of the shell there. inside is true in the
// namespace, and where there can be none.
func runInNamespace(t *testing.T, kind, before string) (inside bool) {
	if os.Getenv(inNamespace) != "" {
		return true
	}
	if out, err := exec.Command("unshare", kind, "sh", "-c", before).CombinedOutput(); err != nil {
		t.Logf("no namespace of its own here: %s", out)
		return true
	}
	cmd := exec.Command("unshare", kind, "sh", "-c", before+` && exec "$@"`, "sh",
		os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=100m")
	cmd.Env = append(os.Environ(), inNamespace+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
	return false
}

// inNamespace is set for a test that [runInNamespace] runs.
const inNamespace = "FLEET_NAMESPACE"

type counts struct{ of map[fleet.Machine][]string }

func (c *counts) String() string {
	s := ""
	for _, m := range fleet.SortMachines(c.of) {
		s += fmt.Sprintf("%s %d, ", m, len(c.of[m]))
	}
	return s
}

// answersOf returns the requests that each machine has answered, in the order of the answers.
func answersOf(ctx context.Context, dir, address string) (map[fleet.Machine][]string, error) {
	id, err := fleet.OpenIdentity(filepath.Join(dir, "console.nk"))
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(
		"tls://"+address,
		id.Option(),
		nats.Secure(fleet.Pin(nil, nil)),
		nats.CustomInboxPrefix(fleet.Inbox(id.Public)),
	)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, err
	}
	stream, err := js.Stream(ctx, fleet.Replies)
	if err != nil {
		return nil, err
	}
	got := map[fleet.Machine][]string{}
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		raw, err := stream.GetMsg(ctx, seq)
		if err != nil {
			return nil, err
		}
		var a fleet.Answer
		if m, kind, ok := fleet.MachineOf(raw.Subject); ok && kind == fleet.Answered &&
			json.Unmarshal(raw.Data, &a) == nil {
			got[m] = append(got[m], a.Re)
		}
	}
	return got, nil
}

// freeAddress returns an address of this computer on which nothing listens.
func freeAddress(t *testing.T) string {
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}
