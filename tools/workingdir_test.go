package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// TestThreat21AWorkingDirectoryIsAbsoluteAndThere: the directory that a client sends decides where a command
// runs, and nothing else.
func TestThreat21AWorkingDirectoryIsAbsoluteAndThere(t *testing.T) {
	d := newHome(t)
	there := filepath.Join(d.dir, "notes")
	for given, want := range map[string]string{
		there: there, there + "/../notes/./": there, "notes": d.dir, "../../..": d.dir, "": d.dir, "~": d.dir,
		there + "/gone": d.dir, there + "/.env": d.dir, "/proc/self/root" + there + "\x00/x": d.dir, "-": d.dir, "$(touch x)": d.dir,
	} {
		j, refused := d.Prepare(newCall(t, "run_command", command("pwd")), "s", given)
		require.Nil(t, refused)
		require.Equal(t, want, j.Plan.Dir, "%q", given)
		out := d.Run(t.Context(), j, answering(), nil)
		require.Equal(t, want+"\n", out.Output.Steps[0].Stdout, "%q", given)
	}
	// A secret directory as working directory does not make its files readable without a confirmation.
	for _, dir := range []string{".ssh", "docs", "notes/own", "notes/root/" + d.dir + "/docs"} {
		j, refused := d.Prepare(newCall(t, "run_command", command("cat *; head -n 1 id_ed25519 claude")), "s", filepath.Join(d.dir, dir))
		require.Nil(t, refused)
		require.Equal(t, safety.Confirm, j.Class, dir)
	}
}

// TestThreat21APathOfATool: the only reading tool with a path only lists names and sizes, and not those of
// secret places, in any spelling.
func TestThreat21APathOfATool(t *testing.T) {
	d := newHome(t)
	decomposed := filepath.Join(d.dir, norm.NFD.String("한글"))
	require.NoError(t, os.Mkdir(decomposed, 0o700))
	for path, want := range map[string]string{
		"../../../../../../../../tmp": "/tmp", "notes/../notes": filepath.Join(d.dir, "notes"), "~/notes": filepath.Join(d.dir, "notes"),
		"~/../../../../../../../etc": "/etc", "-rf": filepath.Join(d.dir, "-rf"), decomposed: decomposed, "~root": filepath.Join(d.dir, "~root"),
	} {
		j, refused := d.Prepare(newCall(t, "find_large", map[string]any{"path": path}), "s", d.dir)
		require.Nil(t, refused, path)
		require.Len(t, j.Plan.Commands, 2)
		for _, c := range j.Plan.Commands {
			require.Contains(t, c.Shell, want, "%q", path)
		}
	}
	for _, path := range []string{".ssh", "notes/../.ssh", "docs", "docs/", "notes/own", "notes/root/" + d.dir + "/docs", "/proc/self/root" + d.dir + "/.ssh"} {
		p := answering()
		out := d.call("find_large", map[string]any{"path": path}, p)
		require.Len(t, p.shown, 1, path)
		require.Equal(t, tools.RefusedDenied, out.Output.Refusal, path)
	}
	out := d.call("find_large", map[string]any{"path": "notes"}, answering())
	require.Empty(t, out.Output.Refusal)
	require.NotContains(t, out.Text, keptSecret)
}
