package systemd_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/systemd"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		if err := agent(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "network" {
		network()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// agentPlan is what an [agent] does: its next due times, in milliseconds from its start, and how long it runs.
type agentPlan struct {
	Due    []int    `json:"due"`
	Files  []string `json:"files"`
	Stay   int      `json:"stay"`
	Listen bool     `json:"listen"` // during the run
	Quiet  bool     `json:"quiet"`  // does not call Waker.Wake at all
}

// agent replaces the daemon in its unit. It reads the next line of ~/wishes, or ~/wish by default, and writes a
// line to ~/starts.
func agent() error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	w, err := nextWish(home)
	if err != nil {
		return err
	}
	systemd.Notifier{}.Ready("here")
	began := time.Now()
	at := []time.Time{}
	for _, ms := range w.Due {
		at = append(at, began.Add(time.Duration(ms)*time.Millisecond))
	}
	said := "quiet"
	if !w.Quiet {
		waker := systemd.NewWaker(os.Getenv)
		active, err := waker.Schedule(context.Background(), at, w.Files)
		first := time.Since(began)
		again, errAgain := waker.Schedule(context.Background(), at, w.Files)
		said = fmt.Sprintf("active=%v err=%v again=%v took=%dms", active, err, again && errAgain == nil, first.Milliseconds())
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(w.Stay)*time.Millisecond)
	defer cancel()
	if w.Listen {
		if err := listen(ctx, home); err != nil {
			said += " cannot listen: " + err.Error()
		}
	}
	<-ctx.Done()
	f, err := os.OpenFile(filepath.Join(home, "starts"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%d %s %s\n", began.UnixMilli(), said, os.Getenv("TRIGGER_UNIT"))
	return errors.Join(err, f.Close())
}

func nextWish(home string) (w agentPlan, err error) {
	text, err := os.ReadFile(filepath.Join(home, "wishes"))
	first, rest, _ := strings.Cut(string(text), "\n")
	if err != nil || strings.TrimSpace(first) == "" {
		if first, rest = `{"quiet":true}`, ""; err == nil || os.IsNotExist(err) {
			err = nil
		}
		if text, errDefault := os.ReadFile(filepath.Join(home, "wish")); errDefault == nil {
			first = string(text)
		}
	} else {
		err = os.WriteFile(filepath.Join(home, "wishes"), []byte(rest), 0o600)
	}
	if err != nil {
		return agentPlan{}, err
	}
	return w, json.Unmarshal([]byte(first), &w)
}

// listen listens to all sources of events until ctx ends, and writes them to ~/heard.
func listen(ctx context.Context, home string) error {
	f, err := os.OpenFile(filepath.Join(home, "heard"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	manager := systemd.NewUserManager(os.Getenv)
	failures := systemd.Failures{User: manager}
	at, sinceBoot, err := manager.StartTime(ctx)
	fmt.Fprintf(f, "started %v ago, %v after boot, slept %v, boot %q, %v\n", time.Since(at) > 0 && time.Since(at) < time.Minute, sinceBoot > 0, systemd.SuspendedTime(), systemd.BootID(), err)
	before, err := failures.List(ctx)
	fmt.Fprintf(f, "before %v %v\n", before, err)
	ends := make(chan error, 3)
	go func() { ends <- systemd.Clock{}.Watch(ctx, func(reason string) { fmt.Fprintln(f, reason) }) }()
	go func() { ends <- systemd.WatchNetwork(ctx, func() { fmt.Fprintln(f, "up") }) }()
	go func() {
		failures.Watch(ctx, func(x systemd.Failure) { fmt.Fprintln(f, "failed", x) })
		ends <- nil
	}()
	return errors.Join(<-ends, <-ends, <-ends)
}

// network writes whether there is a network, and each time one comes up, until its input ends.
func network() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	fmt.Println(systemd.Online())
	err := systemd.WatchNetwork(ctx, func() { fmt.Println("up", systemd.Online()) })
	fmt.Println("over", err)
}

// skip skips a test that cannot run here. It fails where every test must run.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("cannot be skipped in CI: "+format, args...)
	}
	t.Skipf(format, args...)
}

// underManager runs a story as an ordinary user with a real service manager, in which the daemon's units start an
// [agent].
func underManager(t *testing.T, story string, options ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wake")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755)) // the other user needs access
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	bin := filepath.Join(dir, "test-agent")
	require.NoError(t, os.WriteFile(bin, program, 0o755))
	entries, err := systemd.Units.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		text, err := systemd.Units.ReadFile(e.Name())
		require.NoError(t, err)
		text = []byte(strings.ReplaceAll(string(text), "/usr/bin/blunux-ai daemon", bin+" agent"))
		require.NoError(t, os.WriteFile(filepath.Join(dir, e.Name()), text, 0o644))
	}
	text, err := os.ReadFile(filepath.Join("testdata", story))
	require.NoError(t, err)
	script := filepath.Join(dir, "story.sh")
	require.NoError(t, os.WriteFile(script, text, 0o755))
	env, err := filepath.Abs("../test/e2e/testenv/systemd-user.sh")
	require.NoError(t, err)
	args := append([]string{env}, options...)
	cmd := exec.Command("bash", append(args, "--env", "AGENT="+bin, "--env", "UNITS="+dir, "--env", "GORACE=atexit_sleep_ms=0", "--", "bash", script)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == 77 {
		skip(t, "no real systemd here: %s", out)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "story complete", "%s", out)
	return string(out)
}

func TestWhatIsDueStartsTheDaemonOnce(t *testing.T) {
	t.Parallel()
	t.Log(underManager(t, "wake.sh"))
}

func TestWhatHappensToTheMachineIsHeardInTheHardenedUnit(t *testing.T) {
	t.Parallel()
	before, err := filepath.Abs("testdata/listen.before.sh")
	require.NoError(t, err)
	t.Log(underManager(t, "listen.sh", "--full", "--before", before))
}
