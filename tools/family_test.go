package tools_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// newFamilyGate returns a gate that offers families, in a directory with files, and links to the outside.
func newFamilyGate(t *testing.T) *testGate {
	t.Helper()
	d := newTestGate(t, func(o *tools.Options) { o.Families = true })
	outside := t.TempDir()
	for _, file := range []string{"a", "b.gz", "sub/c", ".git/config"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(d.dir, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(d.dir, file), []byte("x"), 0o644))
	}
	require.NoError(t, os.Symlink(outside, filepath.Join(d.dir, "out")))
	require.NoError(t, os.Symlink("a", filepath.Join(d.dir, "link")))
	return d
}

func (d *testGate) judged(text string) tools.JudgedPlan {
	d.t.Helper()
	j, refused := d.Prepare(newCall(d.t, "run_command", command(text)), "s", d.dir)
	require.Nil(d.t, refused, text)
	return j
}

// granting allows a family once asked, and everything of it from then on, as a turn does.
type granting struct {
	family *tools.Family
	asked  []string
}

func (g *granting) Approve(_ context.Context, j tools.JudgedPlan) tools.Decision {
	if g.family == nil || j.Family == nil || *j.Family != *g.family {
		g.asked = append(g.asked, j.Command())
		return tools.Decision{Action: tools.Reject, Reason: tools.RefusedDenied}
	}
	return tools.Decision{Action: tools.AllowFamily, By: "family grant K7QX"}
}

func TestThreat10AFamilyLetsRunItsCommandsAndNothingElse(t *testing.T) {
	d := newFamilyGate(t)
	g := &granting{family: d.judged("mkdir -p one").Family}
	require.NotNil(t, g.family)
	require.Equal(t, "mkdir PATH…", g.family.Words)
	require.Equal(t, "-p -v", g.family.Options)
	require.Equal(t, d.dir, g.family.Dir)
	require.Equal(t, "/usr/bin/mkdir", g.family.Program)

	for _, text := range []string{"mkdir one", "mkdir -p sub/two", "mkdir 'three four'", `mkdir "five"`, "mkdir si\\x"} {
		out := d.call("run_command", command(text), g)
		require.Empty(t, out.Output.Refusal, text)
	}
	require.Empty(t, g.asked)
	for _, made := range []string{"one", "sub/two", "three four", "five", "six"} {
		require.DirExists(t, filepath.Join(d.dir, made))
	}
	require.Contains(t, d.logged()[0], "CONFIRMED   mkdir one")

	for _, text := range []string{
		"touch x", "mkdir -m 700 x", "mkdir -- x", "mkdir ../x", "mkdir out/x", "mkdir .git/x", "mkdir x; touch y", "mkdir x && mkdir y",
		"mkdir x | cat", "mkdir x > y", "mkdir x &", "! mkdir x", "LANG=C mkdir x", "PATH=. mkdir x", "mkdir $(echo x)", "mkdir $HOME/x", "mkdir `echo x`",
		"mkdir x*", "mkdir {x,y}", "mkdir ~/x", "env mkdir x", "sudo mkdir x", "nice mkdir x", "command mkdir x", "busybox mkdir x",
		"/usr/bin/mkdir x", "./mkdir x", "bash -c 'mkdir x'", "mkdir $'x'", "mkdir x # y\nrm -r z", "(mkdir x)", "if true; then mkdir x; fi", "xargs mkdir x", "time mkdir x",
		"mkdir() { rm x; }; mkdir x", "cd sub && mkdir x", "rm -rf /", "mkdir /dev/sda", "mkdir\tx\x01",
	} {
		asked := len(g.asked)
		out := d.call("run_command", command(text), g)
		require.NotEmpty(t, out.Output.Refusal, text)
		require.True(t, len(g.asked) > asked || out.Output.Refusal != tools.RefusedDenied, text)
	}
	require.NoDirExists(t, filepath.Join(d.dir, "x"))
}

func TestThreat10NoFamilyIsOfferedWhereAPersonMustLook(t *testing.T) {
	d := newFamilyGate(t)
	require.NotNil(t, d.judged("touch new").Family)
	offered := func(change func(*tools.Options), call tools.Call, dir string) bool {
		g := newTestGate(t, func(o *tools.Options) {
			o.Families = true
			change(o)
		})
		j, refused := g.Prepare(call, "s", dir)
		require.Nil(t, refused)
		return j.Family != nil
	}
	none := func(*tools.Options) {}
	touch := newCall(t, "run_command", command("touch new"))
	require.True(t, offered(none, touch, d.dir))
	require.False(t, offered(func(o *tools.Options) { o.Families = false }, touch, d.dir), "commands run as root")
	require.False(t, offered(func(o *tools.Options) { o.Protected = []string{d.dir} }, touch, d.dir), "our own files")
	require.False(t, offered(none, touch, "/etc"), "a directory of the system")
	for _, rules := range []tools.Rules{
		{Own: []tools.Rule{own(tools.RuleConfirm, `touch`)}}, {Dangerous: []*regexp.Regexp{regexp.MustCompile("touch")}},
	} {
		require.False(t, offered(withRules(rules), touch, d.dir), "the person's own rule is about it")
	}

	page := touch
	page.Pages = []string{"example.org"}
	require.False(t, offered(none, page, d.dir), "the conversation has read a page")
	planned := newCall(t, "plan", planOf(fields{"toolId": "system.run", "input": fields{"command": "touch new"}}))
	require.False(t, offered(none, planned, d.dir), "a plan")
}

// All that A lets run is made of the words that were shown: the program, its fixed words, listed options, and paths below
// the directory.
func TestThreat10WhatAFamilyLetsRunDiffersInTheListedPositionsOnly(t *testing.T) {
	d := newFamilyGate(t)
	grants := []*tools.Family{}
	for _, text := range []string{"mkdir x", "touch a", "cp -n a x", "mv -n a x", "gzip -k a", "brightnessctl set 5%", "pactl set-sink-volume 1 5%"} {
		if f := d.judged(text).Family; f != nil { // the program is installed
			grants = append(grants, f)
		}
	}
	require.GreaterOrEqual(t, len(grants), 5)
	word := rapid.OneOf(
		rapid.SampledFrom([]string{
			"a", "x", "sub", "sub/c", "sub/x", "b.gz", "'a b'", `"x"`, "x\\ y", "-p", "-v", "-n", "-k", "-9", "-f", "--", "-pv", "--parents", "-t", "set", "5%", "1", "-S", "-d",
			"..", "../x", ".", "./a", "out", "out/x", "link", ".git/config", "/etc/passwd", "~", "$HOME", "$(id)", "`id`", "*", "a?", "{a,b}", ">", "x>y", "<a", "|", "&&", ";", "&", "#", "\n", "$'x'",
			"set-sink-volume", "-C", "--exec-path=.", "-c", "alias.x=!id", "A=1",
		}),
		rapid.StringMatching(`[a-c./ '"$-]{0,6}`),
	)
	rapid.Check(t, func(rt *rapid.T) {
		program := rapid.SampledFrom([]string{
			"mkdir", "touch", "cp", "cp -n", "mv -n", "mv", "gzip -k", "gzip", "brightnessctl set", "pactl set-sink-volume", "rm", "git", "env mkdir", "sudo touch", "A=1 mkdir", "/usr/bin/touch", "'mkdir'",
		}).Draw(rt, "program")
		text := program + " " + strings.Join(rapid.SliceOfN(word, 0, 5).Draw(rt, "words"), " ")
		j, refused := d.Prepare(newCall(rt, "run_command", command(text)), "s", d.dir)
		if refused != nil || j.Family == nil || !slices.ContainsFunc(grants, func(f *tools.Family) bool { return *f == *j.Family }) {
			return
		}
		require.Equal(rt, safety.Confirm, j.Class, text)
		argv, ok := shell.ParseLiteral(text)
		require.True(rt, ok, text)
		requireFamily(rt, *j.Family, argv)
	})
}

// requireFamily checks words against the line that a person saw, in another way than the table does.
func requireFamily(t require.TestingT, f tools.Family, argv []string) {
	options, words := strings.Fields(f.Options), strings.Fields(f.Words)
	var fixed, kinds []string
	for _, w := range words {
		if strings.ToUpper(w) == w && w[0] != '-' {
			kinds = append(kinds, w)
		} else {
			fixed = append(fixed, w)
		}
	}
	require.Equal(t, fixed[0], argv[0])
	operands := argv[1:]
	for len(operands) > 0 && (slices.Contains(options, operands[0]) || slices.Contains(fixed, operands[0])) {
		operands = operands[1:]
	}
	head := slices.DeleteFunc(slices.Clone(argv[:len(argv)-len(operands)]), func(w string) bool { return slices.Contains(options, w) })
	require.Equal(t, fixed, head, argv)
	require.GreaterOrEqual(t, len(operands), len(kinds))
	isPath := strings.Contains(strings.Join(kinds, " "), "PATH") || strings.Contains(strings.Join(kinds, " "), "FILE")
	for _, word := range operands {
		require.NotEqual(t, byte('-'), word[0], argv)
		if !isPath {
			require.NotContains(t, word, "/", argv)
			continue
		}
		require.NotContains(t, "/"+strings.TrimPrefix(word, f.Dir), "/.", argv)
		path := word
		if !filepath.IsAbs(path) {
			path = f.Dir + "/" + path
		}
		for at := path; at != f.Dir; at = filepath.Dir(at) {
			require.Greater(t, len(at), len(f.Dir), argv)
			if fi, err := os.Lstat(at); err == nil {
				require.Zero(t, fi.Mode()&os.ModeSymlink, argv)
			}
		}
	}
}

// No command that misuses a program, as GTFOBins lists them, is let run by any family: not as it is listed, and not with
// its paths moved into the directory.
func TestThreat10NoFamilyCoversWhatGTFOBinsLists(t *testing.T) {
	d := newFamilyGate(t)
	list, err := os.ReadFile("safety/testdata/gtfobins.txt")
	require.NoError(t, err)
	moved := strings.NewReplacer("/etc/shadow", "a", "/etc/y", "new", "/dev/stdout", "new", "/tmp/x", "a", "/etc/passwd", "a", "/x/y", "a", "x/y", "new")
	checked := 0
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		for _, text := range []string{line, moved.Replace(line), strings.ReplaceAll(line, "/etc/shadow", d.dir+"/a")} {
			j, refused := d.Prepare(newCall(t, "run_command", command(text)), "s", d.dir)
			if refused == nil {
				require.Nil(t, j.Family, text)
				checked++
			}
		}
	}
	require.Greater(t, checked, 900)
}

// A link that appears between the question and the start is noticed.
func TestThreat10APathThatLeadsElsewhereMeanwhileIsNotUsed(t *testing.T) {
	d := newFamilyGate(t)
	j := d.judged("touch sub/new")
	require.NotNil(t, j.Family)
	outside := t.TempDir()
	swapping := approverFunc(func(tools.JudgedPlan) tools.Decision {
		require.NoError(t, os.Rename(filepath.Join(d.dir, "sub"), filepath.Join(d.dir, "old")))
		require.NoError(t, os.Symlink(outside, filepath.Join(d.dir, "sub")))
		return tools.Decision{Action: tools.AllowFamily, By: "family grant K7QX"}
	})
	out := d.Run(t.Context(), j, swapping, nil)
	require.Equal(t, tools.RefusedMismatch, out.Output.Refusal)
	require.NoFileExists(t, filepath.Join(outside, "new"))
}

type approverFunc func(tools.JudgedPlan) tools.Decision

func (f approverFunc) Approve(_ context.Context, j tools.JudgedPlan) tools.Decision { return f(j) }
