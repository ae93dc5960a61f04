package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// keptSecret is a text that no command can print without a confirmation.
const keptSecret = "kept-secret-5f1e"

// newHome returns a gate for a home directory with secrets in it and links to them, configured like the
// daemon's.
func newHome(t *testing.T) *testGate {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	own := filepath.Join(home, ".config/blunux-ai")
	d := newTestGate(t, func(o *tools.Options) {
		o.Home = home
		o.Checker = safety.New(safety.Options{
			Home: home, Dir: home, EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob,
			SecretPaths: []string{filepath.Join(own, "credentials"), filepath.Join(own, "approvals"), filepath.Join(own, "sessions")},
		})
	})
	d.dir = home
	for _, file := range []string{".ssh/id_ed25519", ".config/blunux-ai/credentials/claude", ".config/blunux-ai/sessions/s.jsonl", ".netrc", "notes/.env"} {
		file = filepath.Join(home, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte("x "+keptSecret+"\n"), 0o600))
	}
	for link, target := range map[string]string{
		"notes/readme": "../.ssh/id_ed25519", "notes/again": "readme", "docs": ".ssh", "notes/own": "../.config/blunux-ai/credentials",
		"notes/root": "/", "notes/up": "..", "notes/me": "/proc/self/environ", "notes/host": "/etc/shadow",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(home, link)))
	}
	return d
}

// TestThreat19SecretsAreNotPrintedUnasked: neither by their name, nor through links, globs, directories,
// substitutions or another spelling.
func TestThreat19SecretsAreNotPrintedUnasked(t *testing.T) {
	d := newHome(t)
	for _, text := range []string{
		"cat .ssh/id_ed25519", "cat ~/.ssh/id_ed25519", "cat $HOME/.ssh/id_ed25519", "head -c 99 .ssh/../.ssh/./id_ed25519", "cat " + d.dir + "//.ssh/id_ed25519",
		// Through links: to the file, to a link to it, to its directory, to a parent directory.
		"cat notes/readme", "cat notes/again", "cat docs/id_ed25519", "tail -n 5 notes/own/claude", "cat notes/up/.netrc", "cat notes/root" + d.dir + "/.netrc",
		"cat /proc/self/root" + d.dir + "/.netrc", "cat /proc/self/cwd/.netrc", "grep x notes/readme", "cat < notes/readme", "cd docs && cat id_ed25519", "cd notes; cat again",
		"cat notes/me", "cat notes/host", "xxd notes/again", "wc -l notes/again && sort notes/again",
		// Through globs, braces and words that are only known at run time.
		"cat .ssh/*", "cat ~/.s*/id*", "cat .s?h/id_ed2551[0-9]", "cat .*", "cat */readme", "cat .ss{h,x}/id_ed25519", "cat .net{rc,}",
		"cat notes/.e*", "f=.netrc; cat $f", `cat "$(echo .netrc)"`, "cat `ls -a | grep netrc`", "echo .netrc | xargs cat", `cat $'.netr\x63'`, `cat .net"rc"`,
		"cat notes/*", "cat notes/rea?me", "cat n*/readme", "head -n 3 notes/*", "grep x notes/[ra]*", `for f in notes/*; do cat "$f"; done`, "cat */*",
		// Through programs that walk directories, follow links or compare files.
		"grep -r x .", "rg x .ssh", "find . -name 'id*' -exec cat {} +", "diff .netrc /dev/null", "sed -n p .netrc", "awk 1 .netrc",
		"cat .config/blunux-ai/credentials/claude", "cat .config/blunux-ai/sessions/s.jsonl", "strings .config/blunux-ai/credentials/*", "while read l; do echo $l; done < .netrc",
	} {
		p := answering()
		out := d.call("run_command", command(text), p)
		require.NotContains(t, out.Text, keptSecret, text)
		if out.Output.Refusal == tools.RefusedMissing {
			continue // refused before the question
		}
		require.Len(t, p.shown, 1, "a person is asked: %s", text)
		require.Equal(t, tools.RefusedDenied, out.Output.Refusal, text)
	}
	out := d.call("run_command", command("cat notes/readme"), allowing())
	require.Contains(t, out.Text, keptSecret, "the secret is there, and a yes does show it")
}

// TestThreat19AnEditIsHeldToItToo: an edited command that only reads runs without another confirmation, unless
// it reads a secret.
func TestThreat19AnEditIsHeldToItToo(t *testing.T) {
	d := newHome(t)
	p := editing("cat notes/again")
	out := d.call("run_command", command("touch x"), p)
	require.Equal(t, []string{"touch x", "cat notes/again"}, p.saw())
	require.NotContains(t, out.Text, keptSecret)
}
