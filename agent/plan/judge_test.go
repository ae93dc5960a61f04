package plan

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools/shell"
)

func verbOf(t require.TestingT, command string) Verb {
	argv, literal := shell.ParseLiteral(command)
	require.True(t, literal)
	v, ok := Recognize(argv)
	require.True(t, ok, command)
	return v
}

// printed is a look that ran.
func printed(stdout, stderr string, exit int) Look {
	return Look{Stdout: stdout, Stderr: stderr, Exit: exit, Ran: true}
}

const missing = "error: package 'nosuch' was not found\n"

// TestPackagesAreJudged uses the output of pacman 6.0.2 in a private root, in which blunux-base provides git and is
// the only member of the group base.
const oneFailed = "  UNIT          LOAD   ACTIVE SUB    DESCRIPTION\n● nginx.service loaded failed failed A high performance web server\n\n1 loaded units listed.\n"

// noneFailed are the looks at failed units of a machine without any, and at its packages.
var noneFailed = []Look{
	printed("  UNIT LOAD ACTIVE SUB DESCRIPTION\n0 loaded units listed.\n", "", 0), printed("  UNIT LOAD ACTIVE SUB DESCRIPTION\n0 loaded units listed.\n", "", 0),
	printed("htop 3.3.0-1\nlinux 6.9.1.arch1-1\n", "", 0),
}

// soundAfter returns the looks after an upgrade, of which only the first one says something.
func soundAfter(updates Look) []Look {
	return []Look{updates, printed("No database errors have been found!\n", "", 0), noneFailed[0], noneFailed[1], noneFailed[2], {}}
}

func TestPackagesAreJudged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command string
		before, after []Look
		exit          int
		want          []Proof
	}{{
		name: "installed", command: "pacman -S htop", after: []Look{printed("htop 3.3.0-1\n", "", 0)},
		want: []Proof{{Subject: "htop", Outcome: Done, Code: Installed, State: "htop 3.3.0-1", Check: "pacman -Q htop"}},
	}, {
		name: "a virtual package", command: "pacman -S git htop", after: []Look{printed("blunux-base 2026.1-1\nhtop 3.3.0-1\n", "", 0)},
		want: []Proof{{Subject: "git, htop", Outcome: Done, Code: Installed, State: "git (blunux-base 2026.1-1), htop 3.3.0-1", Check: "pacman -Q git htop"}},
	}, {
		name: "a group", command: "pacman -S base",
		after: []Look{
			printed("", "error: package 'base' was not found\n", 1), printed("base blunux-base\n", "", 0), printed("blunux-base 2026.1-1\n", "", 0),
		},
		want: []Proof{{Subject: "base", Outcome: Done, Code: Installed, State: "base", Check: "pacman -Qg base"}},
	}, {
		name: "a part of a group", command: "pacman -S base",
		after: []Look{
			printed("", "error: package 'base' was not found\n", 1), printed("base blunux-base\nbase nosuch\n", "", 0), printed("blunux-base 2026.1-1\n", missing, 1),
		},
		want: []Proof{{Subject: "base", Outcome: Unproved, Code: Silent, State: "base", Check: "pacman -Qg base"}},
	}, {
		name: "not there although pacman says so", command: "pacman -S nosuch htop",
		after: []Look{printed("htop 3.3.0-1\n", missing, 1), printed("", "", 1)},
		want: []Proof{
			{Subject: "htop", Outcome: Done, Code: Installed, State: "htop 3.3.0-1", Check: "pacman -Q nosuch htop"},
			{Subject: "nosuch", Outcome: Failed, Code: NotInstalled, Check: "pacman -Q nosuch"},
		},
	}, {
		name: "partly, after a failure", command: "pacman -S nosuch htop", exit: 1,
		after: []Look{printed("htop 3.3.0-1\n", missing, 1), printed("", "", 1)},
		want: []Proof{
			{Subject: "htop", Outcome: Unproved, Code: CommandFailed, State: "htop 3.3.0-1", Check: "pacman -Q nosuch htop"},
			{Subject: "nosuch", Outcome: Failed, Code: NotInstalled, Check: "pacman -Q nosuch"},
		},
	}, {
		name: "groups are not known", command: "pacman -S nosuch",
		after: []Look{printed("", missing, 1), printed("", "warning: database file for 'core' does not exist (use '-Sy' to download)\n", 1)},
		want:  []Proof{{Subject: "nosuch", Outcome: Unproved, Code: Silent, State: "package 'nosuch' was not found", Check: "pacman -Q nosuch"}},
	}, {
		name: "no database", command: "pacman -S htop",
		after: []Look{printed("", "error: failed to initialize alpm library:\n(root: /, dbpath: /tmp/nodb)\ncould not find or read directory\n", 255)},
		want:  []Proof{{Subject: "htop", Outcome: Unproved, Code: NoLook, Check: "pacman -Q htop"}},
	}, {
		name: "the look did not run", command: "pacman -S htop", after: []Look{{}},
		want: []Proof{{Subject: "htop", Outcome: Unproved, Code: NoLook, Check: "pacman -Q htop"}},
	}, {
		name: "the file that it names", command: "pacman -U htop-3.3.0-1-any.pkg.tar.gz", after: []Look{printed("htop 3.3.0-1\n", "", 0), {}},
		want: []Proof{{Subject: "htop", Outcome: Done, Code: Installed, State: "htop 3.3.0-1", Check: "pacman -Q htop"}},
	}, {
		name: "a file with another content", command: "pacman -U htop-3.4.1-1-any.pkg.tar.gz", after: []Look{printed("htop 3.3.0-1\n", "", 0), {}},
		want: []Proof{{Subject: "htop", Outcome: Unproved, Code: Silent, State: "htop 3.3.0-1", Check: "pacman -Q htop"}},
	}, {
		name: "a kernel taken back, which does not start", command: "pacman -U linux-6.9.1.arch1-1-x86_64.pkg.tar.zst",
		after: []Look{
			printed("linux 6.9.1.arch1-1\n", "", 0),
			printed(`{"kernels":[],"entries":null,"findings":[{"code":"image-other","weight":"red","subject":"/boot/initramfs-linux.img"}]}`, "", 0),
		},
		want: []Proof{
			{Subject: "linux", Outcome: Done, Code: Installed, State: "linux 6.9.1.arch1-1", Check: "pacman -Q linux"},
			{Subject: "boot", Outcome: Failed, Code: NoNextStart, State: "image-other /boot/initramfs-linux.img", Check: "blunux-ai boot"},
		},
	}, {
		name: "removed", command: "pacman -Rns nosuch", before: []Look{printed("nosuch 1.0-1\n", "", 0)}, after: []Look{printed("", missing, 1)},
		want: []Proof{{Subject: "nosuch", Outcome: Done, Code: Removed, State: "package 'nosuch' was not found", Check: "pacman -Q nosuch"}},
	}, {
		name: "removed, and another one provides it", command: "pacman -R git",
		before: []Look{printed("git 2.45-1\n", "", 0)}, after: []Look{printed("blunux-base 2026.1-1\n", "", 0)},
		want: []Proof{{Subject: "git", Outcome: Done, Code: Removed, State: "package 'git' was not found", Check: "pacman -Q git"}},
	}, {
		name: "still there", command: "pacman -R htop", before: []Look{printed("htop 3.3.0-1\n", "", 0)}, after: []Look{printed("htop 3.3.0-1\n", "", 0)}, exit: 1,
		want: []Proof{{Subject: "htop", Outcome: Failed, Code: StillInstalled, State: "htop 3.3.0-1", Check: "pacman -Q htop"}},
	}, {
		name: "a removed group, or nothing", command: "pacman -R nosuch", before: []Look{printed("", missing, 1)}, after: []Look{printed("", missing, 1)},
		want: []Proof{{Subject: "nosuch", Outcome: Unproved, Code: Silent, State: "package 'nosuch' was not found", Check: "pacman -Q nosuch"}},
	}, {
		name: "up to date", command: "pacman -Syu", before: noneFailed, after: soundAfter(printed("", "", 1)),
		want: []Proof{{Outcome: Done, Code: Current, Check: "pacman -Qu"}},
	}, {
		name: "packages do not fit together, a unit fails, and the image is cut", command: "pacman -Syu", before: noneFailed,
		after: []Look{
			printed("", "", 1), printed("error: missing 'libx>=2' dependency for 'app'\n", "", 1), printed(oneFailed, "", 0), noneFailed[1], noneFailed[2],
			printed(`{"kernels":[{"package":"linux","release":"6.9.1"}],"entries":null,"findings":[{"code":"image-cut","weight":"red","subject":"/boot/initramfs-linux.img"}]}`, "", 0),
		},
		want: []Proof{
			{Outcome: Done, Code: Current, Check: "pacman -Qu"},
			{Outcome: Failed, Code: Inconsistent, Subject: "database", State: "error: missing 'libx>=2' dependency for 'app'", Check: "pacman -Dk"},
			{Outcome: Failed, Code: NewlyFailed, Subject: "units", State: "nginx.service", Check: "systemctl --failed"},
			{Outcome: Failed, Code: NoNextStart, Subject: "boot", State: "image-cut /boot/initramfs-linux.img", Check: "blunux-ai boot"},
		},
	}, {
		name: "a unit that failed before", command: "pacman -Syu", before: []Look{printed(oneFailed, "", 0), noneFailed[1], noneFailed[2]},
		after: []Look{printed("", "", 1), printed("No database errors have been found!\n", "", 0), printed(oneFailed, "", 0), noneFailed[1], noneFailed[2], {}},
		want:  []Proof{{Outcome: Done, Code: Current, Check: "pacman -Qu"}},
	}, {
		name: "a file of a changed package is missing", command: "pacman -Syu", before: noneFailed,
		after: []Look{
			printed("", "", 1), printed("No database errors have been found!\n", "", 0), noneFailed[0], noneFailed[1],
			printed("htop 3.4.1-1\nlinux 6.9.1.arch1-1\n", "", 0),
			{},
			printed("backup file: htop: /etc/htoprc (Size mismatch)\nhtop: 5 total files, 3 altered files\n", "warning: htop: /usr/share/man (Modification time mismatch)\n"+
				"warning: htop: /usr/bin/htop (No such file or directory)\nwarning: htop: /usr/share/htop (Permissions mismatch)\n", 1),
		},
		want: []Proof{
			{Outcome: Done, Code: Current, Check: "pacman -Qu"},
			{Outcome: Failed, Code: DamagedFiles, Subject: "files", State: "htop: /usr/bin/htop (No such file or directory)", Check: "pacman -Qkk"},
		},
	}, {
		name: "updates are left", command: "pacman -Syu", before: noneFailed, after: soundAfter(printed("htop 3.3.0-1 -> 3.4.1-1\nlinux 6.9.1.arch1-1 -> 6.10.2.arch1-1 [ignored]\n", "", 0)),
		want: []Proof{{Outcome: Failed, Code: NotCurrent, State: "htop 3.3.0-1 -> 3.4.1-1", Check: "pacman -Qu"}},
	}, {
		name: "only ignored ones are left", command: "pacman -Syu", before: noneFailed, after: soundAfter(printed("htop 3.3.0-1 -> 3.4.1-1 [ignored]\n", "", 0)),
		want: []Proof{{Outcome: Done, Code: CurrentIgnored, State: "htop 3.3.0-1 -> 3.4.1-1", Check: "pacman -Qu"}},
	}, {
		name: "nothing is known to be left after a failure", command: "pacman -Syu", before: noneFailed, after: soundAfter(printed("", "", 1)), exit: 1,
		want: []Proof{{Outcome: Unproved, Code: CommandFailed, Check: "pacman -Qu"}},
	}, {
		name: "no list of updates", command: "pacman -Syu", before: noneFailed, after: soundAfter(printed("", "error: failed to initialize alpm library:\n", 255)),
		want: []Proof{{Outcome: Unproved, Code: NoLook, Check: "pacman -Qu"}},
	}} {
		v := verbOf(t, c.command)
		for i := range c.want {
			c.want[i].Action = v.Action
		}
		require.Equal(t, len(v.Before()), len(c.before), c.name)
		c.before = slices.Clone(c.before)
		for i, argv := range v.Before() {
			c.before[i].Argv = argv
		}
		for i := range c.after { // exactly the looks that are asked for
			argv, more := v.Next(c.before, c.after[:i])
			require.True(t, more, "%s: look %d", c.name, i)
			c.after[i].Argv = argv
		}
		_, more := v.Next(c.before, c.after)
		require.False(t, more, c.name)
		require.Equal(t, c.want, v.Judge(c.before, c.after, c.exit), c.name)
	}
}

// units returns the recorded output of systemctl --user show of systemd 252 with the properties of the look.
func units(t testing.TB) map[string]Look {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/units.txtar")
	require.NoError(t, err)
	looks := map[string]Look{"": {}}
	for _, f := range archive.Files {
		exit := 0
		if strings.HasPrefix(string(f.Data), "Failed") {
			exit = 1
		}
		looks[f.Name] = printed(string(f.Data), "", exit)
	}
	return looks
}

func TestUnitsAreJudged(t *testing.T) {
	t.Parallel()
	looks := units(t)
	for _, c := range []struct {
		command, before, after string
		exit                   int
		outcome                Outcome
		code                   Code
		state                  string
	}{
		{command: "systemctl start ok", before: "inactive", after: "running", outcome: Done, code: Running, state: "active (running)"},
		{command: "systemctl start ok", before: "running", after: "running", outcome: Done, code: Running, state: "active (running)"},
		{command: "systemctl start soon", before: "soon-active", after: "soon-failed", outcome: Failed, code: NotRunning, state: "failed (exit-code)"},
		{command: "systemctl start soon", before: "", after: "soon-failed", exit: 1, outcome: Failed, code: NotRunning, state: "failed (exit-code)"},
		{command: "systemctl start loop", before: "", after: "loop", outcome: Failed, code: NotRunning, state: "activating (auto-restart, exit-code)"},
		{command: "systemctl start once", before: "once", after: "once", outcome: Unproved, code: Silent, state: "inactive (dead)"},
		{command: "systemctl start cond", before: "cond", after: "cond", outcome: Failed, code: NotRunning, state: "inactive (dead)"},
		{command: "systemctl start nosuch", before: "missing", after: "missing", exit: 5, outcome: Failed, code: NotRunning, state: "inactive (dead), not-found"},
		{command: "systemctl start ok", before: "inactive", after: "running", exit: 1, outcome: Unproved, code: CommandFailed, state: "active (running)"},
		{command: "systemctl start ok", before: "inactive", after: "", outcome: Unproved, code: NoLook},
		{command: "systemctl start tpl@", before: "template", after: "template", outcome: Unproved, code: NoLook},
		{command: "systemctl restart ok", before: "running", after: "restarted", outcome: Done, code: Restarted, state: "active (running)"},
		{command: "systemctl restart ok", before: "inactive", after: "running", outcome: Done, code: Restarted, state: "active (running)"},
		{command: "systemctl restart ok", before: "restarted", after: "reloaded", outcome: Failed, code: NotRestarted, state: "active (running)"},
		{command: "systemctl restart ok", before: "", after: "running", outcome: Unproved, code: Silent, state: "active (running)"},
		{command: "systemctl reload ok", before: "restarted", after: "reloaded", outcome: Done, code: Reloaded, state: "active (running)"},
		{command: "systemctl reload ok", before: "running", after: "running", outcome: Unproved, code: Silent, state: "active (running)"},
		{command: "systemctl stop ok", before: "running", after: "inactive", outcome: Done, code: Stopped, state: "inactive (dead)"},
		{command: "systemctl stop soon", before: "soon-active", after: "soon-failed", outcome: Done, code: Stopped, state: "failed (exit-code)"},
		{command: "systemctl stop ok", before: "running", after: "running", outcome: Failed, code: StillRunning, state: "active (running)"},
		{command: "systemctl stop loop", before: "loop", after: "loop", outcome: Failed, code: StillRunning, state: "activating (auto-restart, exit-code)"},
		{command: "systemctl enable ok", before: "inactive", after: "unmasked", outcome: Done, code: Enabled, state: "enabled"},
		{command: "systemctl enable ok", before: "inactive", after: "inactive", outcome: Failed, code: NotEnabled, state: "disabled"},
		{command: "systemctl enable once", before: "once", after: "static", outcome: Failed, code: NotEnabled, state: "static"},
		{command: "systemctl enable nosuch", before: "missing", after: "missing", exit: 1, outcome: Failed, code: NotEnabled, state: "not-found"},
		{command: "systemctl enable --now ok", before: "inactive", after: "unmasked", outcome: Failed, code: NotRunning, state: "enabled, inactive (dead)"},
		{command: "systemctl disable ok", before: "running", after: "running", outcome: Done, code: Disabled, state: "disabled"},
		{command: "systemctl disable ok", before: "unmasked", after: "unmasked", outcome: Failed, code: StillEnabled, state: "enabled"},
		{command: "systemctl disable once", before: "once", after: "once", outcome: Unproved, code: Silent, state: "static"},
		{command: "systemctl disable --now ok", before: "running", after: "disabled", outcome: Done, code: DisabledStopped, state: "disabled, inactive (dead)"},
		{command: "systemctl disable --now ok", before: "running", after: "running", outcome: Failed, code: StillRunning, state: "disabled, active (running)"},
		{command: "systemctl mask ok", before: "running", after: "masked", outcome: Done, code: Masked, state: "masked-runtime"},
		{command: "systemctl mask --now ok", before: "running", after: "masked", outcome: Done, code: MaskedStopped, state: "masked-runtime, inactive (dead)"},
		{command: "systemctl mask ok", before: "running", after: "running", exit: 1, outcome: Failed, code: NotMasked, state: "disabled"},
		{command: "systemctl unmask ok", before: "masked", after: "unmasked", outcome: Done, code: Unmasked, state: "enabled"},
		{command: "systemctl unmask ok", before: "masked", after: "masked", outcome: Failed, code: StillMasked, state: "masked-runtime"},
	} {
		v := verbOf(t, c.command)
		proofs := v.Judge([]Look{looks[c.before]}, []Look{looks[c.after]}, c.exit)
		require.Len(t, proofs, 1)
		p := proofs[0]
		require.Equal(t, []any{c.outcome, c.code, c.state}, []any{p.Outcome, p.Code, p.State}, "%s: %s → %s", c.command, c.before, c.after)
		require.Equal(t, v.Action, p.Action)
		if c.code != NoLook {
			require.True(t, strings.HasPrefix(p.Subject, v.Targets[0]+"."), p.Subject)
		}
		require.Equal(t, "systemctl show "+v.Targets[0], p.Check)
	}
}

func TestEachUnitIsJudged(t *testing.T) {
	t.Parallel()
	looks := units(t)
	v := verbOf(t, "systemctl --user enable --now tick.timer ok")
	require.Equal(t, []Proof{
		{Action: Enable, Subject: "tick.timer", User: true, Outcome: Done, Code: EnabledRunning, State: "enabled, active (waiting)", Check: "systemctl --user show tick.timer"},
		{Action: Enable, Subject: "ok.service", User: true, Outcome: Done, Code: EnabledRunning, State: "enabled, active (running)", Check: "systemctl --user show ok"},
	}, v.Judge(nil, []Look{looks["enabled-two"]}, 0))

	v = verbOf(t, "systemctl start tick.timer nosuch")
	proofs := v.Judge(nil, []Look{looks["running-and-missing"]}, 5)
	require.Equal(t, []Code{CommandFailed, NotRunning}, []Code{proofs[0].Code, proofs[1].Code})
	proofs = v.Judge(nil, []Look{looks["running"]}, 0) // fewer units than were asked about
	require.Equal(t, []Code{NoLook, NoLook}, []Code{proofs[0].Code, proofs[1].Code})
}

// TestOnlyStartedServicesSettle: systemd does not wait until such a service is ready.
func TestOnlyStartedServicesSettle(t *testing.T) {
	t.Parallel()
	looks := units(t)
	for command, want := range map[string]time.Duration{
		"systemctl start ok": settle, "systemctl restart ok": settle, "systemctl enable --now ok": settle,
		"systemctl enable ok": 0, "systemctl stop ok": 0, "systemctl reload ok": 0,
	} {
		require.Equal(t, want, verbOf(t, command).Settle([]Look{looks["inactive"]}), command)
	}
	require.Zero(t, verbOf(t, "systemctl start once").Settle([]Look{looks["once"]}))
	require.Zero(t, verbOf(t, "systemctl start once").Settle([]Look{{}}))
	require.Zero(t, verbOf(t, "pacman -S vlc").Settle(nil))
}

// TestNothingUnreadableIsProved: for any output of the looks, a change is only proved or contradicted by output in the
// program's format, and a failed command never succeeds.
func TestNothingUnreadableIsProved(t *testing.T) {
	t.Parallel()
	recorded := units(t)
	names := []string{}
	for name := range recorded {
		names = append(names, name)
	}
	slices.Sort(names)
	commands := []string{
		"pacman -S htop nosuch", "pacman -Rns htop", "pacman -Syu", "pacman -U htop-1-1-any.pkg.tar.zst", "systemctl start ok", "systemctl restart ok",
		"systemctl mask --now ok", "systemctl enable ok",
	}
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"htop 3.3.0-1\n", "", missing, "error: x\n", "a 1 -> 2\n", "base htop\n"}))
	look := rapid.Custom(func(t *rapid.T) Look {
		if rapid.Bool().Draw(t, "recorded") {
			return recorded[rapid.SampledFrom(names).Draw(t, "name")]
		}
		return Look{Stdout: text.Draw(t, "stdout"), Stderr: text.Draw(t, "stderr"), Exit: rapid.IntRange(0, 2).Draw(t, "exit"), Ran: rapid.Bool().Draw(t, "ran")}
	})
	rapid.Check(t, func(t *rapid.T) {
		v := verbOf(t, rapid.SampledFrom(commands).Draw(t, "command"))
		before := []Look{look.Draw(t, "before")}
		var after []Look
		for {
			argv, more := v.Next(nil, after)
			if !more {
				break
			}
			require.NotEmpty(t, argv)
			require.Less(t, len(after), 8)
			after = append(after, look.Draw(t, "after"))
		}
		exit := rapid.IntRange(-1, 1).Draw(t, "status")
		proofs := v.Judge(before, after, exit)
		require.NotEmpty(t, proofs)
		for _, p := range proofs {
			require.NotEmpty(t, p.Check)
			require.NotEmpty(t, p.Code)
			if exit != 0 {
				require.NotEqual(t, Done, p.Outcome)
			}
		}
		if !after[0].Ran {
			require.Equal(t, NoLook, proofs[0].Code)
		}
		require.NotEmpty(t, Latest(proofs))
	})
}

func TestALaterChangeOfTheSameThingCounts(t *testing.T) {
	t.Parallel()
	failed := Proof{Action: Restart, Subject: "nginx.service", Outcome: Failed, Code: NotRunning}
	started := Proof{Action: Start, Subject: "nginx.service", Outcome: Done, Code: Running}
	enabled := Proof{Action: Enable, Subject: "nginx.service", Outcome: Done, Code: Enabled}
	other := Proof{Action: Start, Subject: "cups.service", Outcome: Failed, Code: NotRunning}
	mine := Proof{Action: Stop, Subject: "nginx.service", User: true, Outcome: Done, Code: Stopped}
	require.Equal(t, []Proof{other, enabled, mine, started}, Latest([]Proof{failed, other, enabled, mine, started}))
	both := Proof{Action: Enable, Subject: "nginx.service", Outcome: Done, Code: EnabledRunning}
	require.Equal(t, []Proof{both}, Latest([]Proof{failed, enabled, both}))
	require.Equal(t, []Proof{both, started}, Latest([]Proof{both, started}))
	require.Empty(t, Latest(nil))
}

func TestListsAreBounded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a, a, a, a, a, a, a, a, … (+2)", list(slices.Repeat([]string{"a"}, 10)))
}

func TestOpeningPrintingAndLeavingAreProvedByWhatIsNew(t *testing.T) {
	t.Parallel()
	open := Verb{Action: Open, Targets: []string{"firefox", "https://a.b"}}
	print := Verb{Action: Print, Targets: []string{"/a.pdf"}}
	const copied = "printf %s 'a b' | xclip -quiet"
	shell, folder := Verb{Action: Open, Targets: []string{"sh", "-c", copied}}, Verb{Action: Open, Targets: []string{"thunar", "~/a"}}
	sh := func(script string) string {
		return "run-r3.service loaded active running /usr/bin/sh -c \"" + script + "\"\n"
	}
	const dbus, old = "dbus.service loaded active running D-Bus User Message Bus\n", "run-r1.service loaded active running /usr/bin/firefox\n"
	const now = "run-r2.service loaded active running /usr/bin/firefox https://a.b\n"
	for name, c := range map[string]struct {
		verb          Verb
		before, after Look
		exit          int
		outcome       Outcome
		code          Code
		state         string
	}{
		"a unit is there":             {open, looked(dbus), looked(dbus + now), 0, Done, Opened, "run-r2.service"},
		"another one ran already":     {open, looked(old), looked(old + now), 0, Done, Opened, "run-r2.service"},
		"another command of a shell":  {shell, looked(dbus), looked(dbus + sh("sleep 9")), 0, Unproved, NotSeen, ""},
		"the command of a shell":      {shell, looked(dbus), looked(dbus + sh("sleep 9") + sh(copied)), 0, Done, Opened, "run-r3.service"},
		"as newer versions name it":   {shell, looked(dbus), looked("run-r4.service loaded active running [systemd-run] /bin/sh -c " + copied), 0, Done, Opened, "run-r4.service"},
		"the home directory":          {folder, looked(dbus), looked("run-r5.service loaded active running /usr/bin/thunar /home/kim/a"), 0, Done, Opened, "run-r5.service"},
		"it passed its work on":       {open, looked(dbus + old), looked(dbus + old), 0, Unproved, NotSeen, ""},
		"the first look failed":       {open, Look{}, looked(now), 0, Unproved, NoLook, ""},
		"the second look failed":      {open, looked(dbus), Look{Ran: true, Exit: 1}, 0, Unproved, NoLook, ""},
		"the command failed":          {open, looked(dbus), looked(dbus), 1, Unproved, CommandFailed, ""},
		"a job is there":              {print, looked("O-11 kim 1024 Fri\n"), looked("O-12 kim 1024 Fri\nO-11 kim 1024 Fri\n"), 0, Done, Queued, "O-12"},
		"no job is new":               {print, looked("O-11 kim 1024 Fri\n"), looked("O-11 kim 1024 Fri\n"), 0, Unproved, NotSeen, ""},
		"CUPS does not answer":        {print, looked(""), Look{Ran: true, Exit: 1}, 0, Unproved, NoLook, ""},
		"a suspension is accepted":    {Verb{Action: Leave}, Look{}, Look{}, 0, Unproved, Accepted, ""},
		"a suspension is not allowed": {Verb{Action: Leave}, Look{}, Look{}, 1, Unproved, CommandFailed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.verb.Judge([]Look{c.before}, []Look{c.after}, c.exit)
			require.Len(t, p, 1)
			require.Equal(t, []any{c.outcome, c.code, c.state}, []any{p[0].Outcome, p[0].Code, p[0].State})
		})
	}
}

func looked(text string) Look { return Look{Ran: true, Stdout: text} }

func TestServicesThatUseReplacedLibrariesAreReported(t *testing.T) {
	t.Parallel()
	v := verbOf(t, "pacman -Syu")
	for _, name := range []string{"cups.service", "sshd.service", "dbus.service", "getty@tty1.service", "stopped.service"} {
		v.AddService(name, false)
	}
	v.AddService("plasma-kwin_wayland.service", true)
	v.AddService("no unit", false)
	shown := func(user bool, restarted string) Look {
		var rows []string
		for _, name := range v.servicesOf(user) {
			state, since := "active", "100"
			if name == "stopped.service" {
				state = "inactive"
			}
			if name == restarted {
				since = "200"
			}
			rows = append(rows, "Id="+name+"\nType=simple\nLoadState=loaded\nActiveState="+state+"\nActiveEnterTimestampMonotonic="+since+"\n")
		}
		return printed(strings.Join(rows, "\n"), "", 0)
	}
	before := append(slices.Clone(noneFailed), shown(false, ""), shown(true, ""))
	for i, argv := range v.Before() {
		before[i].Argv = argv
	}
	after := append(soundAfter(printed("", "", 1))[:5], shown(false, "sshd.service"), shown(true, ""), Look{})
	for i := range after {
		argv, more := v.Next(before, after[:i])
		require.True(t, more)
		after[i].Argv = argv
	}
	proofs := v.Judge(before, after, 0)
	require.Equal(t, []Proof{
		{Action: Upgrade, Outcome: Done, Code: Current, Check: "pacman -Qu"},
		{Action: Upgrade, Outcome: Done, Code: OldServices, Subject: "services", State: "cups.service", Check: "systemctl show"},
		{Action: Upgrade, Outcome: Done, Code: OldSession, Subject: "session", State: "dbus.service, getty@tty1.service", Check: "systemctl show"},
		{Action: Upgrade, Outcome: Done, Code: OldSession, Subject: "session", State: "plasma-kwin_wayland.service", Check: "systemctl --user show"},
	}, proofs)
	require.Len(t, v.Judge(before, after, 1), 1, "after a failure, nothing is said about them")
}
