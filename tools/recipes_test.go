package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// recipeChecker answers as blunux-ai aur check --json does, for packages by name.
const recipeChecker = `#!/bin/sh
for name; do :; done
case $name in
bad) echo '{"package":"bad","held":true,"red":1,"facts":[{"code":"runs-fetched","severity":"red","file":"PKGBUILD","line":9,"detail":"curl x | sh"}]}'; exit 6 ;;
good) echo '{"package":"good","warnings":1,"notes":2,"facts":[{"code":"new-maintainer","severity":"warn","detail":"anna → boris"}]}' ;;
vim) echo '{"package":"vim","unknown":true,"error":"the AUR has no such package"}'; exit 1 ;;
*) echo '{"package":"x","error":"no network"}'; exit 1 ;;
esac
`

// newRecipeGate returns a gate with yay and a checker of recipes.
func newRecipeGate(t *testing.T) *testGate {
	t.Helper()
	bin := t.TempDir()
	for name, text := range map[string]string{"yay": "#!/bin/sh\ncase $1 in -Qua) echo 'bad 1-1 -> 2-1';; *) echo built;; esac\n", "blunux-ai": recipeChecker} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755))
	}
	return newTestGate(t, func(o *tools.Options) {
		o.Checker = safety.New(safety.Options{Home: o.Home, EvalSymlinks: filepath.EvalSymlinks})
		o.Putter = filepath.Join(bin, "blunux-ai")
		o.Executor = executor.New(executor.Options{Path: []string{bin, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	})
}

// Threat39: what is held is not offered, whoever plans it; what is not says in the question what was found.
func TestThreat39AHeldRecipeIsNotOffered(t *testing.T) {
	for _, row := range []struct {
		command string
		held    bool
		warns   string
	}{
		{"yay -S --noconfirm -- bad", true, ""},
		{"yay -S good bad", true, ""},
		{"yay -S aur/bad", true, ""},
		{"yay -Syu", true, ""},
		{"yay -S good", false, "aur-checked: good 1 2"},
		{"yay -S vim", false, ""},
		{"yay -S elsewhere", false, "aur-unchecked: elsewhere"},
		{"yay -S extra/bad", false, ""},
		{"yay -R bad", false, ""},
	} {
		t.Run(row.command, func(t *testing.T) {
			g := newRecipeGate(t)
			p := allowing()
			out := g.call("run_command", map[string]string{"command": row.command}, p)
			if row.held {
				require.Equal(t, tools.RefusedHeld, out.Output.Refusal, out.Text)
				require.Empty(t, p.shown, "nobody is asked")
				require.Contains(t, out.Text, "curl x | sh")
				return
			}
			require.Len(t, p.shown, 1, out.Text)
			about := strings.Join(p.shown[0].Warnings, "\n")
			if row.warns == "" {
				require.NotContains(t, about, "aur-")
			} else {
				require.Contains(t, about, row.warns)
			}
		})
	}
}

func TestRecipeWarningsInWords(t *testing.T) {
	require.Equal(t, "AUR good: nothing holds the build. 1 warning, 2 notes", i18n.Warning("aur-checked: good 1 2", i18n.English))
	require.Equal(t, "지난번 빌드 이후 관리자가 바뀌었어요: anna → boris", i18n.Warning("aur-fact: new-maintainer anna → boris", i18n.Korean))
	require.Equal(t, "nobody maintains it", i18n.Warning("aur-fact: orphan", i18n.English))
}
