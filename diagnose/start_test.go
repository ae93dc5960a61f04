package diagnose

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// world is a machine: what each command prints. "!" at the beginning is a failure, "?" a program that is not installed.
type world map[string]string

// conclude asks for looks as long as there are any, and returns the causes.
func (w world) conclude(t *testing.T, topic Topic, f *Facts) []Finding {
	t.Helper()
	for range 20 {
		found := topic.Conclude(f)
		needed := f.Needed()
		if len(needed) == 0 {
			return found
		}
		for _, look := range needed {
			f.Add(look, w.output(look))
		}
	}
	require.Fail(t, "it asks without end")
	return nil
}

func (w world) output(look machine.Probe) Output {
	text, ok := w[look.String()]
	switch {
	case !ok:
		return Output{Exit: 1}
	case text == "?":
		return Output{Unseen: true}
	case strings.HasPrefix(text, ">"):
		return Output{Exit: 1, Stderr: text[1:]}
	case text == "!2":
		return Output{Exit: 2}
	case strings.HasPrefix(text, "!"):
		return Output{Exit: 1, Stdout: text[1:]}
	}
	return Output{Stdout: text}
}

// with returns the world with other outputs.
func (w world) with(more world) world {
	all := world{}
	for _, part := range []world{w, more} {
		for command, text := range part {
			all[command] = text
		}
	}
	return all
}

const (
	dynamic = "\nDynamic section at offset 0x1d8 contains 27 entries:\n  Tag        Type                         Name/Value\n" +
		" 0x0000000000000001 (NEEDED)             Shared library: [libicuuc.so.74]\n" +
		" 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]\n" +
		" 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]\n"
	libraries = "412 libs found in cache `/etc/ld.so.cache'\n\tlibicuuc.so.74 (libc6,x86-64) => /usr/lib/libicuuc.so.74\n\tlibc.so.6 (libc6,x86-64) => /usr/lib/libc.so.6\n"
	newer     = "412 libs found in cache `/etc/ld.so.cache'\n\tlibicuuc.so.75 (libc6,x86-64) => /usr/lib/libicuuc.so.75\n\tlibc.so.6 (libc6,x86-64) => /usr/lib/libc.so.6\n"
	listed    = "ldconfig -p | grep -F -e libicuuc.so -e libc.so"
	fine      = "root root 0 0 755 regular file:/usr/bin/tool\n"
	owned     = "/usr/bin/tool is owned by tool 1.2-3\n"
)

// sound is a machine on which tool starts.
func sound() world {
	return world{
		"readlink -e -- /usr/bin/tool": "/usr/bin/tool\n", "head -n 20 -- /usr/bin/tool": "\x7fELF", "stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": fine,
		"readelf -d -- /usr/bin/tool": dynamic, listed: libraries, "pacman -Qo -- /usr/bin/tool": owned, "pacman -Qmq": "other\n",
	}
}

// script is a machine on which tool is a script of Python.
func script() world {
	return sound().with(world{
		"head -n 20 -- /usr/bin/tool": "#!/usr/bin/python\nimport tool\n", "readelf -d -- /usr/bin/tool": "!", "readlink -e -- /usr/bin/python": "/usr/bin/python3.13\n",
		"readlink -e -- /usr/bin/python3": "/usr/bin/python3.13\n", "pacman -Qlq -- tool": "/usr/\n/usr/lib/python3.13/site-packages/tool/__init__.py\n",
	})
}

func TestWhyAProgramDoesNotStart(t *testing.T) {
	const foreign = "tool\n"
	for name, c := range map[string]struct {
		world          world
		cause          string
		repair, advice string // a part of the step, or of the advice
	}{
		"a library of another version": {sound().with(world{listed: newer}), "library-missing", "upgrade", ""},
		"a foreign package":            {sound().with(world{listed: newer, "pacman -Qmq": foreign}), "library-missing", "", "yay -S --rebuild tool"},
		"a library of a program that no package has": {
			sound().with(world{listed: newer, "pacman -Qo -- /usr/bin/tool": "!"}), "library-missing", "", "belongs to no package",
		},
		"behind a wrapper": {sound().with(world{
			"head -n 20 -- /usr/bin/tool": "#!/bin/sh\nexec /usr/lib/tool/tool \"$@\"\n", "readlink -e -- /bin/sh": "/usr/bin/bash\n",
			"readlink -e -- /usr/lib/tool/tool": "/usr/lib/tool/tool\n", "stat -c '%U %G %u %g %a %F:%n' -- /usr/lib/tool/tool": "root root 0 0 755 regular file:/usr/lib/tool/tool\n",
			"readelf -d -- /usr/lib/tool/tool": dynamic, listed: newer, "pacman -Qo -- /usr/lib/tool/tool": "/usr/lib/tool/tool is owned by tool 1-1\n",
		}), "library-missing", "upgrade", ""},
		"an empty file of a package with an update": {
			sound().with(world{
				"stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": "root root 0 0 755 regular empty file:/usr/bin/tool\n", "readelf -d -- /usr/bin/tool": "!", "head -n 20 -- /usr/bin/tool": "",
				"pacman -Qu --color never": "tool 1.2-3 -> 1.3-1\n",
			}), "empty-file", "upgrade", "",
		},
		"an empty file": {
			sound().with(world{"stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": "root root 0 0 755 regular empty file:/usr/bin/tool\n", "readelf -d -- /usr/bin/tool": "!", "head -n 20 -- /usr/bin/tool": ""}),
			"empty-file", "pacman -S --noconfirm tool", "",
		},
		"not executable": {
			sound().with(world{"stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": "root root 0 0 644 regular file:/usr/bin/tool\n"}),
			"not-executable", "chmod a+rx /usr/bin/tool", "",
		},
		"a link to nothing": {
			world{"readlink -e -- /usr/bin/tool": "!", "readlink -- /usr/bin/tool": "/opt/tool/tool\n", "pacman -Qo -- /usr/bin/tool": owned, "pacman -Qmq": ""},
			"broken-link", "pacman -S --noconfirm tool", "",
		},
		"not installed": {world{}, "not-installed", "", "pacman -Ss tool"},
		"no interpreter": {
			script().with(world{"head -n 20 -- /usr/bin/tool": "#!/usr/bin/env lua5.1\n", "readlink -e -- /usr/bin/lua5.1": "!", "pacman -Qmq": foreign}),
			"interpreter-missing", "", "yay -S --rebuild tool",
		},
		"modules of the Python before": {
			script().with(world{"pacman -Qlq -- tool": "/usr/lib/python3.12/site-packages/tool/__init__.py\n", "pacman -Qmq": foreign}),
			"python-moved", "", "yay -S --rebuild tool",
		},
		"a crash": {
			sound().with(world{"coredumpctl --no-pager -1 info /usr/bin/tool": "       Signal: 11 (SEGV)\n    Timestamp: Fri 2026-11-27 10:00:00 KST\n   Executable: /usr/bin/tool\n"}),
			"crashed", "", "terminal",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFacts("tool")
			found := c.world.conclude(t, Start(), f)
			require.Len(t, found, 1)
			require.Equal(t, c.cause, found[0].Cause)
			require.Equal(t, c.cause != "crashed", found[0].Certain)
			require.NotEmpty(t, found[0].Evidence)
			require.Contains(t, found[0].Advice.In(i18n.English), c.advice)
			require.Equal(t, c.repair != "", found[0].Repair != nil)
			if c.repair != "" {
				step := found[0].Repair.Steps[0]
				require.Contains(t, step.Verb+" "+step.Args["command"], c.repair)
			}
		})
	}
}

// TestASoundProgramHasNoCause: and neither has one of which the looks could not be run, or whose libraries are elsewhere.
func TestASoundProgramHasNoCause(t *testing.T) {
	for name, w := range map[string]world{
		"a program": sound(), "a script": script(),
		"without readelf":           sound().with(world{"readelf -d -- /usr/bin/tool": "?", listed: newer}),
		"without ldconfig":          sound().with(world{listed: "?"}),
		"with libraries of its own": sound().with(world{"readelf -d -- /usr/bin/tool": dynamic + " 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../lib]\n", listed: newer}),
		"a wrapper that sets the path": sound().with(world{
			"head -n 20 -- /usr/bin/tool": "#!/bin/sh\nexport LD_LIBRARY_PATH=/opt/tool\nexec /opt/tool/tool\n", "readlink -e -- /bin/sh": "/usr/bin/bash\n", "readlink -e -- /opt/tool/tool": "/opt/tool/tool\n",
			"readelf -d -- /opt/tool/tool": dynamic, listed: newer,
		}),
		"of another name than its package": sound().with(world{
			"readlink -e -- /usr/bin/tool": "!", "pacman -Qlq -- tool": "/usr/bin/tool-stable\n", "readlink -e -- /usr/bin/tool-stable": "/usr/bin/tool-stable\n",
		}),
		"one that only a group may execute": sound().with(world{"stat -c '%U %G %u %g %a %F:%n' -- /usr/bin/tool": "root wireshark 0 150 750 regular file:/usr/bin/tool\n"}),
		"nothing can be looked at":          {"readlink -e -- /usr/bin/tool": "?", "readlink -- /usr/bin/tool": "?", "pacman -Qlq -- tool": "?"},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFacts("tool")
			require.Empty(t, w.conclude(t, Start(), f))
			require.NotEmpty(t, f.seen)
		})
	}
}

// TestWithoutOneEvidenceACauseIsNotCertain: each look that a cause names is needed for it.
func TestWithoutOneEvidenceACauseIsNotCertain(t *testing.T) {
	w := sound().with(world{listed: newer})
	found := w.conclude(t, Start(), NewFacts("tool"))
	require.Len(t, found, 1)
	for _, e := range found[0].Evidence {
		require.Empty(t, w.with(world{e.Look.String(): "?"}).conclude(t, Start(), NewFacts("tool")), "%s", e.Look)
	}
}

// TestLooksAndRepairsKeepOffWhatHarms: nothing is removed, forced or linked.
func TestLooksAndRepairsKeepOffWhatHarms(t *testing.T) {
	never := []string{"ln -s", "-Rdd", "--overwrite", "pip install", "--force", "rm ", "-Sy ", "777"}
	w := sound().with(world{listed: newer})
	for _, c := range w.conclude(t, Start(), NewFacts("tool")) {
		for _, lang := range []i18n.Lang{i18n.English, i18n.Korean, i18n.Chinese} {
			for _, bad := range never {
				require.NotContains(t, c.Says.In(lang)+c.Advice.In(lang), bad)
			}
		}
	}
}

// TestNamesOfFilesBecomeNoCommands: what a machine prints is untrusted.
func TestNamesOfFilesBecomeNoCommands(t *testing.T) {
	for _, bad := range []string{"/usr/bin/x;reboot", "/usr/bin/$(reboot)", "-rf", "/usr/bin/a b", "/usr/bin/a\nb", "/usr/bin/`x`", "/usr/bin/x|sh"} {
		for _, w := range []world{
			sound().with(world{"readlink -e -- /usr/bin/tool": bad}),
			sound().with(world{"head -n 20 -- /usr/bin/tool": "#!" + bad + "\n"}),
			sound().with(world{"head -n 20 -- /usr/bin/tool": "#!/usr/bin/env " + bad + "\n", "readlink -e -- /usr/bin/env": "/usr/bin/env"}),
			sound().with(world{"head -n 20 -- /usr/bin/tool": "#!/bin/sh\nexec " + bad + "\n", "readlink -e -- /bin/sh": "/usr/bin/bash"}),
			sound().with(world{"pacman -Qo -- /usr/bin/tool": "/usr/bin/tool is owned by " + bad + " 1-1\n", listed: newer}),
			sound().with(world{"readelf -d -- /usr/bin/tool": strings.ReplaceAll(dynamic, "libicuuc.so.74", bad)}),
			{"readlink -e -- /usr/bin/tool": "!", "pacman -Qlq -- tool": "/usr/bin/tool" + bad + "\n"},
		} {
			f := NewFacts("tool")
			for _, found := range w.conclude(t, Start(), f) {
				if found.Repair != nil {
					require.NotContains(t, found.Repair.Steps[0].Args["command"], bad)
				}
			}
			for command := range f.seen {
				require.Empty(t, strings.Trim(strings.ReplaceAll(strings.ReplaceAll(command, "ldconfig -p | grep -F", ""), "'%U %G %u %g %a %F:%n'", ""), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@- "), "%s", command)
			}
		}
	}
}
