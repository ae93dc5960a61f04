// Package e2e tests the real programs with scripts: a script starts the daemon, asks, reads the log, breaks
// things. The scripts in testdata/script are readable without knowledge of Go.
package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// binaries is the directory of the programs under test.
var binaries string

func TestMain(m *testing.M) {
	if os.Getenv("FAKE_CLAUDE") != "" {
		os.Exit(fakeClaude())
	}
	if err := os.Setenv("TZ", noon(time.Now())); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(run(m))
}

// noon returns a time zone where it is about noon. Scripts say "today" and "yesterday" and have budgets of a day, and
// they run at midnight, too.
//
// Source: tzdata(5) etcetera, whose signs are those of POSIX: Etc/GMT-3 is three hours east.
func noon(now time.Time) string {
	switch east := 12 - now.UTC().Hour(); {
	case east > 0:
		return fmt.Sprintf("Etc/GMT-%d", east)
	case east < 0:
		return fmt.Sprintf("Etc/GMT+%d", -east)
	}
	return "Etc/GMT"
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blunux-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // other users run them too
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binaries = dir
	err = errors.Join(
		buildPrograms("CGO_ENABLED=0", "-trimpath", "-tags", "nethttpomithttp2", "../../cmd/...", "./floor", "./floor/screen", "./foreign", "./probe"),
		buildRaceDetector(),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := replacePrograms(dir, "blunux-ai*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := report.write(os.Getenv("BENCH_REPORT")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// buildPrograms builds programs as make build or as go test does, so that the build cache can be used.
func buildPrograms(cgo string, args ...string) error {
	args = append([]string{"build", "-mod=readonly", "-ldflags", "-s -w -X main.version=1.0-test", "-o", binaries + "/"}, args...)
	build := exec.Command("go", args...)
	build.Env = append(os.Environ(), cgo)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the programs: %w: %s", err, out)
	}
	return nil
}

// buildRaceDetector builds the daemon with the race detector if the tests have it. The client and the cells, which start
// with each command, are built without it: it makes a start ten times slower.
func buildRaceDetector() error {
	if !raceDetector {
		return nil
	}
	return buildPrograms("CGO_ENABLED=1", "-race", "../../cmd/blunux-ai")
}

// replacePrograms replaces the built programs by those in the directory BLUNUX_AI_TEST_PROGRAMS, to run the scripts on
// a package's programs (static-pie, PKGBUILD).
func replacePrograms(dir, which string) error {
	from := os.Getenv("BLUNUX_AI_TEST_PROGRAMS")
	if from == "" {
		return nil
	}
	programs, err := filepath.Glob(filepath.Join(from, which))
	if err != nil || len(programs) == 0 {
		return fmt.Errorf("no %s in %s: %w", which, from, errors.Join(err, fs.ErrNotExist))
	}
	out, err := exec.Command("cp", append([]string{"-f", "-t", dir}, programs...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cannot take the programs of %s: %w: %s", from, err, out)
	}
	return nil
}

// raceOptions makes a program with the race detector exit without a delay.
const raceOptions = "atexit_sleep_ms=0"

// skip skips a test that cannot run here. It fails the test if the environment requires all tests to run.
func skip(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("cannot be skipped in CI: "+format, args...)
	}
	t.Skipf(format, args...)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setup,
		Cmds:                commands(),
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// setup gives each script its own environment: an empty home, a private runtime directory, English by default.
func setup(env *testscript.Env) error {
	home, run := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "run")
	for _, dir := range []string{home, run} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	for _, kv := range [][2]string{
		{"HOME", home},
		{"XDG_RUNTIME_DIR", run},
		{"LANG", "en_US.UTF-8"},
		{"USER", "tester"},
		{"TZ", os.Getenv("TZ")},
		{"CONFIG", filepath.Join(home, ".config/blunux-ai")},
		{"LOG", filepath.Join(home, ".config/blunux-ai/logs/commands.log")},
		{"SOCK", filepath.Join(run, "blunux-ai.sock")},
		{"GORACE", raceOptions},
		{"PATH", binaries + ":" + os.Getenv("PATH")},
		{"BIN", binaries},
		{"BLUNUX_AI_AUTOMATIONS", "off"}, // scripts about automations turn them on
	} {
		env.Setenv(kv[0], kv[1])
	}
	sock := filepath.Join(run, "blunux-ai.sock")
	env.Defer(func() {
		stopDaemon(sock)
		// A daemon started on demand writes its warnings there.
		if said, err := os.ReadFile(sock + ".log"); err == nil && strings.Contains(string(said), "DATA RACE") {
			env.T().Fatal("the daemon reported a data race:\n", string(said))
		}
	})
	return nil
}

func lines(s string) []string {
	return strings.Split(strings.TrimRight(s, "\n"), "\n")
}
