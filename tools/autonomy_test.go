package tools_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// estate is a home directory with a workspace, files that must not be touched, and links between them.
type estate struct {
	*testGate
	root, home, ws string
	full           autonomy.Allowance
}

// marker is in every file that must not be touched, and in no other.
const marker = "not for the workspace"

// deep is a directory path so long that ".." never leaves the test's own directory.
const deep = "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"

func newEstate(t *testing.T, commands ...string) *estate {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root = filepath.Join(root, deep)
	e := &estate{root: root, home: filepath.Join(root, "home"), ws: filepath.Join(root, "home/ws")}
	e.build(t)
	e.full = autonomy.Allowance{
		Commands: commands, Workspace: e.ws, Blocked: []string{filepath.Join(e.ws, "private")},
		Protected: []string{filepath.Join(e.ws, "ours")},
	}
	e.open(t)
	return e
}

// build recreates the files of the estate.
func (e *estate) build(t require.TestingT) {
	require.NoError(t, os.RemoveAll(e.root))
	for name, text := range map[string]string{
		"outside/file": marker, "outside/dir/file": marker, "home/file": marker, "home/.ssh/id_ed25519": marker,
		"home/.config/autostart/x.desktop": marker, "home/ws/private/file": marker, "home/ws/ours/config.toml": marker,
		"home/ws/a.txt": "a", "home/ws/b.txt": "b", "home/ws/sub/a.txt": "c", "home/ws/repo/.git/hooks/x": marker,
		"home/ws/dots/bashrc": marker, "home/ws/server.key": "k", "home/ws/keys/deep/id_rsa": marker, "home/ws/linked/plain": "p", "home/ws/-o": "o",
	} {
		file := filepath.Join(e.root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(e.ws, "tool"), []byte("#!/bin/sh\n"), 0o755))
	for link, target := range map[string]string{
		"home/ws/out": "../../outside", "home/ws/outfile": "../../outside/file", "home/ws/dangling": "../../outside/new",
		"home/ws/in": "sub", "home/ws/loop": "loop", "home/ws/linked/out": e.root + "/outside/file",
		"home/.bashrc": "ws/dots/bashrc", "work": "home/ws", "home/ws/toprivate": "private",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(e.root, link)))
	}
}

// open creates a gate for the estate.
func (e *estate) open(t *testing.T, change ...func(*tools.Options)) {
	t.Helper()
	e.testGate = newTestGate(t, append([]func(*tools.Options){func(o *tools.Options) {
		o.Home, o.Full = e.home, e.full
		o.Checker = safety.New(safety.Options{Home: e.home, EvalSymlinks: filepath.EvalSymlinks})
		o.Executor = executor.New(executor.Options{
			Path: []string{filepath.Join(e.root, "bin"), "/usr/bin", "/bin"}, Sandbox: newSandbox(t),
			Getenv: func(name string) string { return map[string]string{"HOME": e.home}[name] },
		})
	}}, change...)...)
	e.testGate.dir = e.ws
}

// runsUnasked reports whether a command ran without a confirmation.
func (e *estate) runsUnasked(t require.TestingT, text string) bool {
	j, refused := e.Prepare(tools.Call{ID: "c", Name: "run_command", Input: mustJSON(t, command(text))}, "s", e.dir)
	require.Nil(t, refused, "%s", text)
	p := answering()
	out := e.Run(e.t.Context(), j, p, nil)
	if len(p.shown) > 0 {
		require.Equal(t, tools.RefusedDenied, out.Output.Refusal)
		return false
	}
	require.Empty(t, out.Output.Refusal, "%s: %s", text, out.Text)
	return true
}

func mustJSON(t require.TestingT, v any) []byte {
	return newCall(t, "", v).Input
}

func TestFullAutonomyRunsWhatStaysInTheWorkspace(t *testing.T) {
	e := newEstate(t, "mkdir", "touch", "cp", "mv", "ln", "rm", "dd", "tee", "echo", "chmod", "cat")
	for _, text := range []string{
		"mkdir new", "mkdir -p new/a/b", "mkdir ./new ../ws/new2", "touch 'x y'", `touch "x y"`, `touch x\ y`,
		"touch " + e.ws + "/x", "touch ~/ws/x", "touch " + e.root + "/work/x", "touch sub/../x", "touch in/x", "touch nothere/..x",
		"mkdir -p build && touch build/x", "cd sub && touch x", "cd sub; cd ./in2; touch x", "cd ~/ws/sub && touch x", "cd in/.. && touch x",
		"cp a.txt c.txt", "cp -r sub sub2", "mv a.txt d.txt", "ln -s a.txt l", "rm b.txt", "dd if=a.txt of=sub/z.txt status=none",
		"echo hi > out.txt", "echo hi >> sub/out", "echo hi >| x", "echo hi &> x", "tee x < a.txt", "touch x 2> /dev/null", "touch x 2>&1 >&-",
		"cat a.txt | tee x", "touch x || touch y", "touch sub/*", "rm sub/*.txt", "touch sub/[a]*", "chmod 600 -- a.txt", "touch 'a*'",
		"touch --date=@0 x", "touch '" + strings.Repeat("x", 300) + "'",
	} {
		e.build(t)
		require.True(t, e.runsUnasked(t, text), "%s", text)
		require.Contains(t, e.logged(), "CONFIRMED   "+canonical(t, text))
	}
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	tree, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, tree))
	return commandlog.Escape(strings.TrimRight(b.String(), "\n"))
}

func TestFullAutonomyAsksAboutTheRest(t *testing.T) {
	all := []string{
		"tool",
		"mkdir", "touch", "cp", "mv", "ln", "rm", "dd", "tee", "echo", "chmod", "cat", "sh", "bash", "python3", "xargs", "env", "tar", "find", "git",
		"eval", "source", "exec", "export", "timeout", "sed", "awk", "test",
	}
	for name, list := range map[string][]string{
		"not on the list": {"truncate -s 0 a.txt", "touch x; truncate -s 0 a.txt", "timeout 5 truncate -s 0 a.txt"},
		"a path to a program": {
			"/usr/bin/touch x", "./tool x", workspaceMark + "/tool x", "timeout 5 ./tool x", "'./tool' x", "tool/../tool x",
		},
		"outside": {
			"touch ../x", "touch /tmp/x", "touch ~", "touch ~/x", "touch ~/ws/../x", "touch sub/../../x", "mkdir -p /x", "touch ~root/x", "touch ~+/x",
			"cp ../file x", "cp a.txt ..", "cp -t.. a.txt", "cp --target-directory=.. a.txt", "cp --target-directory=/tmp a.txt", "dd if=a.txt of=../x",
			"dd if=../file of=x", "dd of=~/x if=a.txt", "ln -s ../file l", "ln -s ~/file l", "tar -cf../x a.txt",
			"tar -C.. -xf a.txt", "tar --directory=/ -xf a.txt", "touch a:/etc/x", "touch x,../y", "touch @../x", "touch 'see ../x'", "touch /", "touch ..",
		},
		"through a link": {
			"touch out/x", "touch outfile", "touch dangling", "touch loop/x", "touch loop", "touch in/../../x", "touch out/../x", "cp out/file x",
			"touch linked/*", "rm linked/*", "cp -rL linked sub", "chmod -R 700 linked", "echo x > dangling", "cp -tout a.txt", "touch toprivate/x", "mkdir -p dangling/x",
		},
		"a blocked path": {"touch private/x", "rm -r private", "touch private", "cp -r . /dev/null", "chmod -R 700 .", "touch ~/ws", "touch sub/../private/x", "touch *", "cd private && touch x"},
		"our own files":  {"touch ours/config.toml", "rm -r ours", "tee ours/x < a.txt"},
		"persistence":    {"touch repo/.git/hooks/x", "cp a.txt repo/.git/config", "mv repo sub", "rm -r repo", "chmod -R 700 dots", "touch dots/bashrc", "touch .envrc", "mkdir .git"},
		"a secret":       {"cp server.key x", "tee x < server.key", "touch server.key", "cp -r keys sub"},
		"redirections": {
			"echo x > ../x", "echo x >> ~/x", "echo x >| /tmp/x", "echo x &> ../x", "tee x < ../file", "tee x <> ../file", "echo x >& ../x",
			"echo x > *", "echo x > private/x", "echo x {fd}> y",
		},
		"what is not literal": {
			"touch $X", "touch $(echo x)", "touch `echo x`", "touch ${X:-/x}", "touch {a,b}", "touch {1..3}", "touch $'x'", `touch $"x"`, "touch ../{x,y}",
			"touch <(echo x)", "touch $((1))", "touch '$HOME'", "X=1 touch x", "X=1; touch x", "for f in a b; do touch x; done", "if true; then touch x; fi",
			"while false; do touch x; done", "f() { touch x; }; f", "(touch x)", "{ touch x; }", "touch x &", "! touch x", "time touch x",
			"cat > x <<E\nhi\nE", "cat > x <<< hi", "touch s*/x", "touch *[a]*/../x", "touch ../ws/sub/*/x", "case a in a) touch x;; esac", "touch a b > x > ../y",
			"[[ -f a.txt ]] && touch x", "touch @(a|b)", "coproc touch x", "touch x; touch *.txt", "rm *",
		},
		"commands in words": {
			"sh -c 'touch x'", "bash x", "eval touch x", "source a.txt", "exec touch x", "echo a | xargs touch", "env touch x", "env X=1 touch x",
			"python3 -c 'print(1)'", "sed 's/a/b/;w x' a.txt", "awk 'BEGIN { print > \"x\" }'", "find . -exec touch x ';'", "git -c core.pager='touch ../x' log",
			"timeout 5 sh -c 'touch x'", "export X=1; touch x", "tar --to-command='cat > ~/x' -xf a.txt",
		},
		"a directory that cannot be followed": {
			"cd; touch x", "cd -; touch x", "cd .. && touch x", "cd ~ && touch x", "cd out && touch x", "cd sub sub; touch x", "cd $HOME; touch x",
			"cd s*; touch x", "cd sub && touch ../../x", "cd sub; touch ../x ../../y", "cd sub; cd ..; touch x", "cd in && touch ../../x", "cd in/../..; touch x", "cd private/..; touch ../x",
		},
		"links made on the way": {
			"ln -s sub l && touch l/x", "mv in sub/in && touch sub/in/x", "cp -r sub sub2 && touch sub2/x", "touch x | mv a.txt b", "tar xf a.txt; touch x",
			"ln -s a l; ln -s b m",
		},
		"what is in the working directory": {"find -delete", "find sub -delete", "git add", "tar -xf a.tar", "find -name x -delete", "python3 server.py"},
		"blanks and signs of options":      {"touch -d " + strings.Repeat("x", 200) + " -" + strings.Repeat("r", 200)},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEstate(t, all...)
			for _, text := range list {
				text = strings.ReplaceAll(text, workspaceMark, e.ws)
				require.False(t, e.runsUnasked(t, text), "%s", text)
			}
		})
	}
}

// workspaceMark is a placeholder for the workspace.
const workspaceMark = "<workspace>"

func TestFullAutonomyNeverRunsWhatIsBlocked(t *testing.T) {
	e := newEstate(t, "rm", "dd", "mkfs")
	e.full.Workspace = "/"
	e.open(t)
	p := allowing()
	require.Equal(t, tools.RefusedBlocked, e.call("run_command", command("rm -rf /"), p).Output.Refusal)
	require.Equal(t, tools.RefusedBlocked, e.call("run_command", command(blockedCommand), p).Output.Refusal)
	require.Empty(t, p.shown)
}

func TestAnAllowanceIsAllOrNothing(t *testing.T) {
	for name, change := range map[string]func(*estate){
		"no workspace":                    func(e *estate) { e.full.Workspace = "" },
		"a workspace that is not there":   func(e *estate) { e.full.Workspace += "x" },
		"a relative workspace":            func(e *estate) { e.full.Workspace = "ws" },
		"no programs":                     func(e *estate) { e.full.Commands = nil },
		"another program":                 func(e *estate) { e.full.Commands = []string{"touch2", "Touch", "touch "} },
		"the workspace is blocked":        func(e *estate) { e.full.Blocked = []string{e.ws} },
		"the workspace is in a blocked":   func(e *estate) { e.full.Blocked = []string{e.home + "/"} },
		"blocked through a link":          func(e *estate) { e.full.Blocked = []string{e.root + "/work/sub"} },
		"the person is elsewhere":         func(e *estate) { e.dir = e.home },
		"the person is in a blocked path": func(e *estate) { e.dir = e.ws + "/private" },
		"the person is in a repository's": func(e *estate) { e.dir = e.ws + "/repo/.git" },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEstate(t, "touch")
			require.True(t, e.runsUnasked(t, "touch "+e.ws+"/sub/x"))
			change(e)
			dir := e.dir
			e.open(t)
			e.dir = dir
			require.False(t, e.runsUnasked(t, "touch "+e.ws+"/sub/x"))
		})
	}
	t.Run("the workspace through a link", func(t *testing.T) {
		e := newEstate(t, "touch")
		e.full.Workspace = e.root + "/work"
		e.open(t)
		require.True(t, e.runsUnasked(t, "touch x"))
		require.False(t, e.runsUnasked(t, "touch ../x"))
	})
}

func TestAProgramByItsPathMustBeListedByItsPath(t *testing.T) {
	e := newEstate(t)
	tool, other := filepath.Join(e.root, "bin/tool"), filepath.Join(e.ws, "sub/tool")
	for _, file := range []string{tool, other} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	}
	for _, tc := range []struct {
		entry string
		runs  map[string]bool
	}{
		{"tool", map[string]bool{"tool x": true, tool + " x": false, other + " x": false, "./tool x": false}},
		{tool, map[string]bool{"tool x": true, tool + " x": true, other + " x": false, "./tool x": false, tool + " tool": false}},
		{other, map[string]bool{"tool x": false, tool + " x": false, other + " x": true, "./tool x": false}},
	} {
		e.full.Commands = []string{tc.entry}
		e.open(t)
		e.dir = filepath.Join(e.ws, "sub")
		for text, want := range tc.runs {
			require.Equal(t, want && text != tool+" tool" || text == tool+" tool" && tc.entry == tool, e.runsUnasked(t, text), "%s with %s", text, tc.entry)
		}
	}
	e.full.Commands = []string{"timeout", other}
	e.open(t)
	e.dir = filepath.Join(e.ws, "sub")
	require.False(t, e.runsUnasked(t, "timeout 5 tool x"), "another file than the one that is listed")
}

func TestWhatGainsRightsAsksUnlessThatIsListedToo(t *testing.T) {
	e := newEstate(t, "touch", "yay")
	for _, program := range []string{"sudo", "pkexec", "yay"} {
		file := filepath.Join(e.root, "bin", program)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n[ \"$1\" = -n ] && shift\nexec \"$@\"\n"), 0o755))
	}
	require.False(t, e.runsUnasked(t, "sudo -n touch x"))
	require.False(t, e.runsUnasked(t, "pkexec touch x"))
	e.full.Commands = []string{"sudo"}
	e.open(t)
	require.False(t, e.runsUnasked(t, "sudo -n touch x"), "and so must what it starts")
	e.full.Commands = []string{"sudo", "touch"}
	e.open(t)
	require.False(t, e.runsUnasked(t, "sudo -n touch x"), "nor where it might touch what is blocked")
	e.dir = filepath.Join(e.ws, "sub")
	require.True(t, e.runsUnasked(t, "sudo -n touch x"))
	require.False(t, e.runsUnasked(t, "sudo -n touch ../../x"))
	require.False(t, e.runsUnasked(t, "pkexec touch x"))
	p := answering()
	e.call("install_package", map[string]any{"name": "htop"}, p)
	require.NotEmpty(t, p.shown, "packages ask")
}

func TestAProgramThatMayLookAroundRunsWhereNothingIsClosed(t *testing.T) {
	e := newEstate(t, "tool", "find", "git", "timeout")
	for dir, want := range map[string]bool{"": false, "sub": true, "repo": true, "keys": true} {
		e.dir = filepath.Join(e.ws, dir)
		require.Equal(t, want, e.runsUnasked(t, "git init"), dir)
	}
	e.build(t)
	for dir, want := range map[string]bool{"": false, "sub": true, "repo": false, "keys": false, "linked": false} {
		e.dir = filepath.Join(e.ws, dir)
		require.Equal(t, want, e.runsUnasked(t, "find -name nothing -delete"), dir)
		require.Equal(t, want, e.runsUnasked(t, "timeout 5 find -name nothing -delete"), dir)
	}
}

func TestAutonomySaysThatItDecided(t *testing.T) {
	e := newEstate(t, "touch")
	j, refused := e.Prepare(newCall(t, "run_command", command("touch x")), "s", e.ws)
	require.Nil(t, refused)
	out := e.Run(t.Context(), j, nil, e.observe)
	require.Empty(t, out.Output.Refusal, "nobody is needed")
	require.Equal(t, []string{"running", "done"}, e.states())
	require.Equal(t, "CONFIRM", e.events[0].Class, "it is no command that only reads")
	require.FileExists(t, filepath.Join(e.ws, "x"))
}

func TestARuleOrAWarningAsksDespiteFullAutonomy(t *testing.T) {
	for _, r := range []tools.Rules{
		{Own: []tools.Rule{own(tools.RuleConfirm, "touch")}}, {Own: []tools.Rule{own(tools.RuleWarn, "touch")}}, {Dangerous: []*regexp.Regexp{own(tools.RuleWarn, "touch").Pattern}},
	} {
		e := newEstate(t, "touch", "mkdir")
		e.open(t, withRules(r))
		require.False(t, e.runsUnasked(t, "touch x"), "a warning that nobody sees would be none")
		require.True(t, e.runsUnasked(t, "mkdir new"))
	}
}

func TestSupervisedAsksWhateverTheListsSay(t *testing.T) {
	e := newEstate(t, "touch")
	e.full = autonomy.Allowance{}
	e.open(t)
	require.False(t, e.runsUnasked(t, "touch x"))
	e.full = autonomy.Allowance{Commands: []string{"touch"}, Workspace: e.ws}
	e.open(t, func(o *tools.Options) { o.ReadOnly = true })
	p := allowing()
	require.Equal(t, tools.RefusedReadOnly, e.call("run_command", command("touch x"), p).Output.Refusal)
	require.Empty(t, p.shown)
}

// drawPath draws a path between any two places.
func drawPath(t *rapid.T, e *estate) string {
	name := rapid.SampledFrom([]string{
		"a.txt", "b.txt", "sub", "private", "ours", "out", "outfile", "dangling", "in", "loop", "linked", "plain", "new", "dir", "file", "..", ".", "repo",
		".git", "dots", "bashrc", "toprivate", "*", "s*", "a?txt", "-o", "two words", "ws", "home",
	})
	if rapid.Bool().Draw(t, "plain") { // otherwise hardly any command would run
		return rapid.SampledFrom([]string{"a.txt", "new", "sub", "sub/new", "in/new", "sub/a.txt", "sub/*", "./b.txt", "~/ws/new"}).Draw(t, "name")
	}
	parts := rapid.SliceOfN(name, 1, 4).Draw(t, "parts")
	start := rapid.SampledFrom([]string{"", "", "", "", "./", "../", "~/", "~/ws/", e.ws + "/", e.root + "/", e.root + "/outside/", e.root + "/work/"}).Draw(t, "start")
	return start + strings.Join(parts, "/")
}

// drawWord draws a path with any spelling of a command's word.
func drawWord(t *rapid.T, e *estate) string {
	path := drawPath(t, e)
	switch rapid.IntRange(0, 5).Draw(t, "quotes") {
	case 0:
		return "'" + path + "'"
	case 1:
		return `"` + path + `"`
	case 2:
		i := rapid.IntRange(0, len(path)).Draw(t, "cut")
		return strings.ReplaceAll(path[:i], " ", `\ `) + "'" + path[i:] + "'"
	case 3:
		return strings.Replace(strings.ReplaceAll(path, " ", `\ `), "a", `\a`, 1)
	}
	return strings.ReplaceAll(path, " ", `\ `)
}

func drawCommand(t *rapid.T, e *estate) string {
	w := func() string { return drawWord(t, e) }
	forms := []func() string{
		func() string { return "touch " + w() },
		func() string { return "touch -r" + w() + " " + w() },
		func() string { return "mkdir -p " + w() + " " + w() },
		func() string { return "cp " + w() + " " + w() },
		func() string { return "cp -rf -- " + w() + " " + w() },
		func() string { return "cp -t" + w() + " " + w() },
		func() string { return "cp --target-directory=" + w() + " a.txt" },
		func() string { return "mv -f " + w() + " " + w() },
		func() string { return "ln -sf " + w() + " " + w() },
		func() string { return "ln -f " + w() + " " + w() },
		func() string { return "rm -r -f " + w() },
		func() string { return "dd status=none if=" + w() + " of=" + w() },
		func() string { return "chmod -R 755 " + w() },
		func() string { return "echo text > " + w() },
		func() string { return "tee -a " + w() + " < " + w() },
		func() string { return "cat " + w() + " | tee " + w() },
		func() string { return "cd " + w() },
		func() string { return "rmdir " + w() },
		func() string { return "find " + w() + " -type f -delete" },
		func() string { return "find -name 'a*' -delete" },
	}
	var b strings.Builder
	for i := range rapid.IntRange(1, 3).Draw(t, "commands") {
		if i > 0 {
			b.WriteString(rapid.SampledFrom([]string{" && ", "; ", " || ", " | ", "\n"}).Draw(t, "joint"))
		}
		b.WriteString(rapid.SampledFrom(forms).Draw(t, "form")())
	}
	return b.String()
}

// TestWhatRunsUnaskedTouchesNothingElse runs commands in bash that full autonomy allows. Outside the workspace
// and in its closed places, no name, byte or mode can change, and no content of them can be copied into the
// workspace.
func TestWhatRunsUnaskedTouchesNothingElse(t *testing.T) {
	e := newEstate(t, "touch", "mkdir", "cp", "mv", "ln", "rm", "dd", "chmod", "echo", "tee", "cat", "rmdir", "find")
	e.open(t, func(o *tools.Options) {
		o.Records.Recorder = recorderFunc(func(commandlog.Class, string) error { return nil })
	})
	ran := 0
	rapid.Check(t, func(rt *rapid.T) {
		e.build(rt)
		e.dir = rapid.SampledFrom([]string{e.ws, e.ws, e.ws + "/sub", e.ws + "/in", e.root + "/work"}).Draw(rt, "directory")
		text := drawCommand(rt, e)
		before, _ := e.snapshot(rt)
		j, refused := e.Prepare(newCall(rt, "run_command", command(text)), "s", e.dir)
		require.Nil(rt, refused)
		p := answering()
		out := e.Run(t.Context(), j, p, nil)
		if len(p.shown) == 0 && out.Output.Refusal == "" && j.Class == safety.Confirm {
			ran++
		}
		after, leaked := e.snapshot(rt)
		require.Equal(rt, before, after, "%s", text)
		require.Empty(rt, leaked, "%s", text)
	})
	require.Positive(t, ran, "some of it must have run")
	t.Logf("%d ran unasked", ran)
}

// snapshot describes the files that must not be touched, and lists other files that have a copy of their
// content.
func (e *estate) snapshot(t require.TestingT) (closed []string, leaked []string) {
	err := filepath.WalkDir(e.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := entry.Info()
		if err != nil {
			return err
		}
		var text []byte
		if fi.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		rel, _ := filepath.Rel(e.ws, path)
		inside := !strings.HasPrefix(rel, "..")
		for _, place := range []string{"private", "ours", "repo/.git", "dots/bashrc", "server.key", "keys"} {
			inside = inside && rel != place && !strings.HasPrefix(rel, place+"/")
		}
		switch {
		case !inside:
			closed = append(closed, fmt.Sprintf("%s %s %d %s", rel, fi.Mode(), fi.ModTime().UnixNano(), text))
		case strings.Contains(string(text), marker):
			leaked = append(leaked, rel)
		}
		return nil
	})
	require.NoError(t, err)
	return closed, leaked
}
