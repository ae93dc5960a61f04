package tools_test

import (
	"encoding/json"
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

// fakeYay starts the program that it gets in the place of makepkg, as yay does after it has fetched the recipe.
const fakeYay = `#!/bin/sh
case $1 in -Qua) echo 'bad 1-1 -> 2-1'; exit ;; esac
for word; do
	case $word in --makepkg=*) "${word#*=}" --verifysource -Cc || exit 1 ;; esac
done
echo built
`

// newRecipeGate returns a gate with yay and a checker of recipes.
func newRecipeGate(t *testing.T) *testGate {
	t.Helper()
	bin := t.TempDir()
	for name, text := range map[string]string{"yay": fakeYay, "blunux-ai": recipeChecker, "held": "#!/bin/sh\necho 'PKGBUILD:9 runs what it downloads' >&2\nexit 6\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755))
	}
	return newTestGate(t, func(o *tools.Options) {
		o.Checker = safety.New(safety.Options{Home: o.Home, EvalSymlinks: filepath.EvalSymlinks})
		o.Putter, o.Makepkg = filepath.Join(bin, "blunux-ai"), filepath.Join(bin, "held")
		o.Executor = executor.New(executor.Options{Path: []string{bin, "/usr/bin", "/bin"}, Sandbox: newSandbox(t)})
	})
}

// Threat39: a held recipe is not offered by any caller; what is not says in the question what was found.
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

// Threat39: yay and paru fetch a recipe again after the question. What they build is checked where it is built.
func TestThreat39ARecipeIsCheckedWhereItIsBuilt(t *testing.T) {
	const checked = "--makepkg=/usr/lib/blunux-ai/blunux-ai-extra"
	for command, want := range map[string]string{
		"yay -S good":                      "yay -S " + checked + " good",
		"yay -S --noconfirm -- good":       "yay -S " + checked + " --noconfirm -- good",
		"paru -Syu":                        "paru -Syu " + checked,
		"paru":                             "paru -Syu " + checked,
		"yay --sync aur/good":              "yay --sync " + checked + " aur/good",
		"env PACMAN_AUTH=run0 yay -S good": "env PACMAN_AUTH=run0 yay -S " + checked + " good",
		"yay -S --makepkg=/bin/true good":  "yay -S --makepkg=/bin/true good",
		"yay -S extra/bad":                 "yay -S extra/bad",
		"yay -Ss good":                     "yay -Ss good",
		"yay -R good":                      "yay -R good",
	} {
		g := newTestGate(t, func(o *tools.Options) { o.Makepkg = "/usr/lib/blunux-ai/blunux-ai-extra" })
		j, refused := g.Prepare(tools.Call{ID: "1", Name: "run_command", Input: json.RawMessage(`{"command":"` + command + `"}`)}, "", "")
		require.Nil(t, refused)
		require.Equal(t, want, j.Command())
	}
}

// Threat39: a build that is held between the question and the build ends, and the answer says so.
func TestThreat39AChangedRecipeEndsTheBuild(t *testing.T) {
	g := newRecipeGate(t)
	out := g.call("run_command", map[string]string{"command": "yay -S good"}, allowing())
	require.Contains(t, out.Text, "PKGBUILD:9 runs what it downloads")
	require.NotContains(t, out.Text, "built")
}

func TestRecipeWarningsInWords(t *testing.T) {
	require.Equal(t, "AUR good: nothing holds the build. 1 warning, 2 notes", i18n.Warning("aur-checked: good 1 2", i18n.English))
	require.Equal(t, "지난번 빌드 이후 관리자가 바뀌었어요: anna → boris", i18n.Warning("aur-fact: new-maintainer anna → boris", i18n.Korean))
	require.Equal(t, "nobody maintains it", i18n.Warning("aur-fact: orphan", i18n.English))
}
