package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// Each of these would be refused, or could not start, after a confirmation, so the person is not asked.
func TestWhatWouldBeRefusedIsNotAskedAbout(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o644))
	argv := func(words ...string) map[string]any {
		return map[string]any{"Commands": []shell.Command{{Argv: words}}, "AtLeast": "CONFIRM"}
	}
	for name, tc := range map[string]struct {
		tool    string
		input   any
		refusal string
		text    string
		logged  string // class of its log line, "" for no line
	}{
		"a tool's program is missing":       {"argv", argv("there-is-no-such-program"), tools.RefusedMissing, "there-is-no-such-program is not installed", "FAILED"},
		"what a wrapper starts":             {"argv", argv("env", "x"), "", "", ""},
		"the only program is missing":       {"run_command", command("there-is-no-such-program --now"), tools.RefusedMissing, "is not installed", "FAILED"},
		"it is quoted":                      {"run_command", command("'there-is-no'-such-program x > y"), tools.RefusedMissing, "there-is-no-such-program is not installed", "FAILED"},
		"its path leads nowhere":            {"run_command", command("/there/is/none x"), tools.RefusedMissing, "cannot start /there/is/none: no such file or directory", "FAILED"},
		"its relative path leads nowhere":   {"run_command", command("./there-is-none x"), tools.RefusedMissing, "there-is-none: no such file or directory", "FAILED"},
		"it may not be run":                 {"run_command", command(plain + " x"), tools.RefusedMissing, "cannot start " + plain + ": permission denied", "FAILED"},
		"a tool's may not be run":           {"argv", argv(plain), tools.RefusedMissing, "permission denied", "FAILED"},
		"it is a directory":                 {"run_command", command(dir + " x"), tools.RefusedMissing, "permission denied", "FAILED"},
		"no valid shell":                    {"run_command", command("touch 'x"), tools.RefusedUnparsed, "cannot be checked", "CANCELLED"},
		"blocked":                           {"run_command", command(blockedCommand), tools.RefusedBlocked, "never allowed", "BLOCKED"},
		"a builtin is no program":           {"run_command", command("umask 077"), "", "", ""},
		"one of several may come later":     {"run_command", command("type there-is-none || touch /dev/null"), "", "", ""},
		"one that may be made on the way":   {"run_command", command("touch x && ./x"), "", "", ""},
		"one that is only known as it runs": {"run_command", command("$X y"), "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, p := newTestGate(t), answering()
			out := d.call(tc.tool, tc.input, p)
			if tc.refusal == "" {
				require.Len(t, p.shown, 1, "it is asked about: %v", out)
				return
			}
			require.Empty(t, p.shown)
			require.Equal(t, tc.refusal, out.Output.Refusal)
			require.True(t, out.IsError)
			require.Contains(t, out.Text, tc.text)
			require.Equal(t, []string{"refused " + tc.refusal}, d.states())
			require.Len(t, d.logged(), 1)
			require.Contains(t, d.logged()[0], tc.logged)
		})
	}
}

func TestAWorkingDirectoryThatIsGoneIsToldBeforeAsking(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"it is gone": func(t *testing.T, dir string) { require.NoError(t, os.Remove(dir)) },
		"it is a file": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.WriteFile(dir, nil, 0o600))
		},
		"it leads nowhere": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(dir))
			require.NoError(t, os.Symlink("nowhere", dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, p := newTestGate(t), allowing()
			dir := filepath.Join(d.dir, "dir")
			require.NoError(t, os.Mkdir(dir, 0o700))
			text, file := d.touch()
			j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", dir)
			require.Nil(t, refused)
			spoil(t, dir)
			out := d.Run(t.Context(), j, p, d.observe)
			require.Empty(t, p.shown)
			require.Equal(t, tools.RefusedInput, out.Output.Refusal)
			require.Contains(t, out.Text, "cannot work in "+dir)
			require.Equal(t, []string{"FAILED      " + text}, d.logged())
			require.NoFileExists(t, file)
		})
	}
}

func TestALogThatCannotBeWrittenIsToldBeforeAsking(t *testing.T) {
	d := newTestGate(t, func(o *tools.Options) { o.Records.Ready = func() error { return errors.New("read-only file system") } })
	p := allowing()
	text, file := d.touch()
	out := d.call("run_command", command(text), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedLog, out.Output.Refusal)
	require.Contains(t, out.Text, "read-only file system")
	require.Equal(t, []string{"refused log"}, d.states())
	require.NoFileExists(t, file)

	d = newTestGate(t)
	log := d.log.Path()
	d.Gate = newTestGate(t, func(o *tools.Options) { o.Records.Recorder, o.Records.Ready = d.log, d.log.Ready }).Gate
	require.NoError(t, os.Mkdir(log, 0o700)) // a directory at the log's path
	out = d.call("run_command", command(text), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedLog, out.Output.Refusal)
	require.NoError(t, os.Remove(log))
	require.Empty(t, d.call("run_command", command(text), p).Output.Refusal)
	require.Len(t, p.shown, 1)
}

func TestReadOnlyComesBeforeEverythingElse(t *testing.T) {
	d, p := newTestGate(t, func(o *tools.Options) { o.ReadOnly = true }), allowing()
	out := d.call("run_command", command("there-is-no-such-program"), p)
	require.Equal(t, tools.RefusedReadOnly, out.Output.Refusal)
	require.Empty(t, p.shown)
}
