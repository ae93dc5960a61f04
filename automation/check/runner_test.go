package check_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// now is Tuesday, 9:00 in Seoul.
var now = time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)

var seoul = time.FixedZone("KST", 9*3600)

// machine maps command prefixes to outputs; the longest prefix counts. Other programs are not installed.
type machine map[string]check.Output

// judge is the checker, configured like the daemon's.
var judge = sync.OnceValue(func() *safety.Checker {
	return safety.New(safety.Options{
		Home: "/home/kim", User: "kim", Dir: "/home/kim", EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob,
		SecretPaths: []string{"/home/kim/.config/blunux-ai/credentials", "/home/kim/.local/state/blunux-ai"},
	})
})

// Run refuses commands that are not SAFE, like the daemon's runner.
func (m machine) Run(_ context.Context, argv ...string) (check.Output, error) {
	if v := judge().JudgeArgv("", argv); v.Class != safety.Safe {
		return check.Output{}, fmt.Errorf("%w: %v", check.ErrRefused, v.Reasons)
	}
	line, best := strings.Join(argv, " "), ""
	for key := range m {
		if strings.HasPrefix(line, key) && len(key) > len(best) {
			best = key
		}
	}
	if best == "" {
		return check.Output{}, fmt.Errorf("%w: %s", check.ErrMissing, argv[0])
	}
	return m[best], nil
}

func ok(stdout string) check.Output { return check.Output{Stdout: stdout} }

func fails(exit int, stderr string) check.Output { return check.Output{Exit: exit, Stderr: stderr} }

func recorded(t testing.TB, name string) check.Output {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "machine", "testdata", name))
	require.NoError(t, err)
	return ok(string(text))
}

// with returns the machine with some outputs changed.
func (m machine) with(more machine) machine {
	out := machine{}
	for k, v := range m {
		out[k] = v
	}
	for k, v := range more {
		out[k] = v
	}
	return out
}

func run(t testing.TB, name string, r check.Runner, change func(*check.Params)) check.Result {
	t.Helper()
	c, found := check.Lookup(name)
	require.True(t, found, name)
	p := check.Params{Now: now, Zone: seoul, Home: "/home/kim"}
	if change != nil {
		change(&p)
	}
	res, err := c.Run(t.Context(), r, p)
	require.NoError(t, err)
	return res
}

func codes(r check.Result) (out []string) {
	for _, f := range r.Findings {
		out = append(out, f.Code)
	}
	return out
}

func reasons(r check.Result) (out []check.Reason) {
	for _, u := range r.Unknown {
		out = append(out, u.Reason)
	}
	return out
}

// recorder records every command, refused or not.
type recorder struct {
	check.Runner
	asked *[][]string
}

func (n recorder) Run(ctx context.Context, argv ...string) (check.Output, error) {
	*n.asked = append(*n.asked, argv)
	return n.Runner.Run(ctx, argv...)
}

// failingRunner fails every command with err.
type failingRunner struct{ err error }

func (n failingRunner) Run(context.Context, ...string) (check.Output, error) {
	return check.Output{}, n.err
}

var errBroken = errors.New("cannot start")

// constantRunner prints the same for every command.
type constantRunner string

func (e constantRunner) Run(context.Context, ...string) (check.Output, error) {
	return ok(string(e)), nil
}

// deniedRunner fails every program with a permission error.
type deniedRunner struct{}

func (deniedRunner) Run(context.Context, ...string) (check.Output, error) {
	return fails(1, "x: Permission denied"), nil
}
