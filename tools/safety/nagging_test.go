package safety

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestS14EverydayFormsAreNotAskedAbout: jq fields with the name of a function, both streams to /dev/null,
// attributes of a secret file.
func TestS14EverydayFormsAreNotAskedAbout(t *testing.T) {
	c := testChecker()
	for _, command := range []string{
		"jq .env package.json", "jq '.scripts.env' package.json", "jq '.[0].include' x.json", "jq '.a | .import, .debug' x.json", `jq '.["x"].env' x.json`, "jq '.x.env?' x.json",
		"df -h >& /dev/null", "df -h >&/dev/null", "namei -mo ~/.Xauthority", "namei -l /home/blu/.ssh/id_rsa",
	} {
		v := c.Judge(command)
		require.Equal(t, Safe, v.Class, "%q: %v", command, v.Reasons)
	}
	for _, command := range []string{
		"jq env x.json", "jq '. | env' x.json", "jq 'env.HOME' x.json", "jq '..env' x.json", "jq '1.env' x.json", "jq '. env' x.json", "jq '$ENV.x' x.json", "jq '.x, env' x.json", `jq '"\(env)"' x.json`,
		"jq '[.[]|env]' x.json", "jq 'include \"x\"; .' x.json", "jq '.$ENV' x.json", "jq '.a::env' x.json", "jq '{env}' x.json", "jq 'input_filename' x.json",
		"df -h >& x", "df -h 2>& /dev/null", "df -h >& /dev/sda", "df -h >& $x", "df -h >& /dev/stdin", "df -h <& /dev/null", "namei -l x --exec", "namei -l ~/.ssh/*",
	} {
		require.NotEqual(t, Safe, c.Judge(command).Class, command)
	}
}

// judgeAll checks that every command of the first list is Safe and none of the second is.
func judgeAll(t *testing.T, safe, asked []string) {
	t.Helper()
	c := testChecker()
	for _, command := range safe {
		v := c.Judge(command)
		require.Equal(t, Safe, v.Class, "%q: %v", command, v.Reasons)
		require.Equal(t, Safe, c.Judge(v.Source).Class, "the print %q of %q", v.Source, command)
	}
	for _, command := range asked {
		v := c.Judge(command)
		require.NotEqual(t, Safe, v.Class, "%q as %q", command, v.Source)
	}
}

// TestS14BatteriesFoundBySubstitution: upower lists object paths, and a quoted option value cannot become a
// second one.
func TestS14BatteriesFoundBySubstitution(t *testing.T) {
	judgeAll(t, []string{
		"upower -i $(upower -e | grep -m1 BAT)", `upower -i "$(upower -e | grep -m1 BAT)"`, "upower -i $(upower -e | grep -i bat | head -n1)", "b=$(upower -e | sed -n 1p); upower -i $b",
		"upower -e | grep BAT | xargs -r -n1 upower -i", "upower -e | grep battery | xargs -I{} upower -i {}", "for b in $(upower -e | grep -m1 BAT); do upower -i $b; done", "b=$(upower -e | tail -1); upower -i $b",
	}, []string{
		"upower -H $(cat f)", "upower $(cat f)", "upower $(upower -e)", "xargs upower -i < f", "cat f | xargs upower", "cat $(upower -e | sed s,x,/etc/shadow,)", "sudo upower -i $(upower -e)",
		"bash -c $(upower -e)", "upower -i $(rm x)", "upower -i $(cat x)", "upower -i $(upower -e | grep -o BAT)", "head -c 10 /dev/random", "upower -i $(upower -e | tee x)", "upower -i x$(cat f)", "sort -o $(cat f)", "dig -p $(cat f) example.org", "journalctl -D $(cat f) $(cat g)",
	})
	require.Contains(t, testChecker().Judge("b=$(upower -e | sed -n 1p); upower -i $b").Source, `upower -i "$b"`)
}

// TestS14EndlessDevicesAreReadWithABound: endless devices are only read with a byte count.
func TestS14EndlessDevicesAreReadWithABound(t *testing.T) {
	judgeAll(t, []string{
		"head -c 16 /dev/urandom | xxd", "head -c 1M /dev/zero | wc -c", "head -c16 /dev/urandom | base64", "head --bytes=32 /dev/urandom | sha256sum", "od -An -N4 -tu4 /dev/urandom", "od -N 16 -x /dev/zero", "xxd -l 16 -p /dev/urandom",
	}, []string{
		"cat /dev/urandom", "head /dev/urandom", "head -n 5 /dev/zero", "head -c -5 /dev/zero", "head -c 9G /dev/zero", "head -c 1T /dev/urandom", "head -c 16 /dev/sda", "head -c 16 /dev/mem", "head -c 16 /dev/zero /dev/sda", "head -c 16 -n 3 /dev/zero",
		"head -c $x /dev/zero", "head -c 16 $x", "od /dev/urandom", "od -N 4 -j 99 /dev/urandom", "od -N 4 /dev/input/event0", "xxd /dev/urandom", "xxd -l 16 /dev/urandom f", "tail -c 16 /dev/zero", "wc -c /dev/zero", "head -c 16 /dev/urandom > f", "head -c 16 /dev/zero > /dev/sda",
	})
}

// TestS14FailedUnitsAreShown: unit names can begin with a dash, so the print puts them after --.
func TestS14FailedUnitsAreShown(t *testing.T) {
	judgeAll(t, []string{
		`for u in $(systemctl --failed --no-legend --plain | awk '{print $1}'); do systemctl status "$u" --no-pager; done`,
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r systemctl status --no-pager",
		"systemctl --failed --no-legend --plain | cut -d' ' -f1 | xargs -r -n1 systemctl status",
		"systemctl --failed --no-legend | awk '{print $2}' | xargs -r systemctl status -n 5 --no-pager",
		"systemctl --user --failed --plain --no-legend | awk '{print $1}' | head -n 3 | xargs -I{} systemctl --user status {} --no-pager",
		"systemctl list-units --state=failed --plain --no-legend | awk '{print $1}' | sort | xargs -r systemctl show -p Result --",
		"systemctl status $(systemctl --failed --plain --no-legend | awk '{print $1}') --no-pager",
		`for u in $(systemctl --failed --plain --no-legend | awk '{print $1}'); do echo "== $u"; journalctl -u "$u" -n 20 --no-pager; done`,
	}, []string{
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r systemctl stop", "systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r systemctl reset-failed",
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r systemctl", "systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r sudo systemctl status",
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r sh -c", "systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r cat", "systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r loginctl show-user",
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r id --", "systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r -I{} systemctl -H {} status",
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r -I{} systemctl {} x", "systemctl --failed --no-legend --plain | sed s/x/-H/ | xargs -r systemctl status", "cat f | xargs -r systemctl status",
		"cat f | xargs -r systemctl status --", "systemctl --failed --no-legend --plain | awk '{print $5}' | xargs -r systemctl status", "systemctl --failed --plain | awk '{print $1}' | xargs -r systemctl status",
		`for u in $(systemctl --failed --no-legend --plain | awk '{print $1}'); do systemctl restart "$u"; done`, `for u in $(systemctl --failed --no-legend --plain | awk '{print $1}'); do systemctl $u; done`,
		`for u in $(systemctl --failed --no-legend --plain | awk '{print $1}'); do $u; done`, `for u in $(systemctl --failed --no-legend --plain | awk '{print $1}'); do systemctl status "$u" -H x; done`,
		`for u in $(cat f); do systemctl status $u; done`, `for u in $(systemctl --failed --no-legend --plain | awk '{print $1}'); do rm "$u"; done`, "systemctl -H x --failed --no-legend --plain | awk '{print $1}' | xargs -r systemctl status",
		`find . -exec systemctl status $(systemctl --failed --no-legend --plain | awk '{print $1}') \;`,
	})
	for command, print := range map[string]string{
		"systemctl --failed --no-legend --plain | awk '{print $1}' | xargs -r systemctl status --no-pager":         "| xargs -r systemctl status --no-pager --",
		"systemctl status $(systemctl --failed --plain --no-legend | awk '{print $1}') --no-pager":                 "systemctl status --no-pager -- $(systemctl",
		"u=$(systemctl --failed --plain --no-legend | awk '{print $1; exit}'); systemctl status \"$u\" --no-pager": `systemctl status --no-pager -- "$u"`,
	} {
		require.Contains(t, testChecker().Judge(command).Source, print)
	}
}

// TestS14ManualPagesAreShown: only the system's pages. No argument can select other pages, settings or a pager.
func TestS14ManualPagesAreShown(t *testing.T) {
	judgeAll(t, []string{
		"man pacman", "man 5 pacman.conf", "man -a intro", "man systemd.unit | head -40", "man 1 printf 2>/dev/null | grep -n FORMAT", "man git commit", "for p in ls cp; do man $p | head -3; done",
	}, []string{
		"man ./x", "man /tmp/x.1", "man -l x", "man -P sh ls", "man -H ls", "man -C x ls", "man -M . ls", "man -L x ls", "man -p g x", "man -T x", "man $(cat f)", "man */x", "MANOPT= man ls", "env -i man ls", "env -u MANOPT man ls",
		"unset MANOPT; man ls", "MANPATH=. man ls", "export MANOPT=-Px; man ls", "HOME=/tmp man ls",
	})
}

// TestS14ProcessesAreReadByPattern: patterns can match the files of /proc that ps shows, but not those with a
// process's memory or environment.
func TestS14ProcessesAreReadByPattern(t *testing.T) {
	judgeAll(t, []string{
		"cat /proc/*/comm", "cat /proc/[0-9]*/status", "grep -h VmRSS /proc/*/status", "for p in /proc/[0-9]*; do cat $p/comm; done", "cat /proc/self/task/1/children", "head -1 /proc/thread-self/comm",
	}, []string{
		"cat /proc/*/environ", "cat /proc/*/*", "cat /proc/self/task/1/environ", "cat /proc/self/task/*/env*", "cat /proc/self/task/*/*", "grep -r x /proc/self/task", "cat /proc/self/task/1/root/etc/passwd",
		"cat /proc/1/task/1/cwd/x", "cat /proc/1/task/1/fd/3", "cat /proc/thread-self/environ", "xxd /proc/1/task/1/mem",
	})
}

// TestWhatWasTypedOrCopiedIsNotShownUnasked: histories of shells and programs, and clipboard histories, in any
// place.
func TestWhatWasTypedOrCopiedIsNotShownUnasked(t *testing.T) {
	judgeAll(t, nil, []string{
		"cat ~/.config/fish/fish_history", "cat ~/.config/fish/fish_variables", "cat ~/.local/share/nushell/history.txt", "tail ~/.config/nushell/history.sqlite3", "strings ~/.ipython/profile_default/history.sqlite", "cat ~/.local/share/powershell/PSReadLine/ConsoleHost_history.txt",
		"cat ~/backup/fish_history", "strings ~/.cache/cliphist/db", "cat ~/.local/share/clipman.json", "cat ~/.local/share/klipper/history2.lst", "cat ~/.wget-hsts", "grep -r x ~/.local/share/gpaste",
	})
}

// TestS14PatternsThatMayMatchNothing: shopt -s nullglob, as in the Arch wiki's list of IOMMU groups. A pattern
// without a match does not change the meaning of the other operands.
func TestS14PatternsThatMayMatchNothing(t *testing.T) {
	judgeAll(t, []string{
		"shopt -s nullglob\nfor g in $(find /sys/kernel/iommu_groups/* -maxdepth 0 -type d | sort -V); do\n    echo \"IOMMU Group ${g##*/}:\"\n    for d in $g/devices/*; do\n        echo -e \"\\t$(lspci -nns ${d##*/})\"\n    done;\ndone;",
		"shopt -s nullglob; for g in /sys/kernel/iommu_groups/*; do echo ${g##*/}; done", "shopt -s nullglob; ls *.log", "shopt -s nullglob; for f in *.txt; do wc -l \"$f\"; done", "shopt -s nullglob; shopt -p",
	}, []string{
		"shopt -s extglob; ls", "shopt -s dotglob; ls", "shopt -s globstar nullglob; ls", "shopt -u nullglob; ls", "shopt -so nullglob; ls", "eval 'shopt -s nullglob'; ls *.x", "bash -c 'shopt -s nullglob; ls *'; ls", "x=nullglob; shopt -s $x; ls *",
		"shopt -s nullglob; date -s *.x", "shopt -s nullglob; sort -o *.x /etc/fstab", "shopt -s nullglob; env *.x rm y", "shopt -s nullglob; sed -i *.x s/a/b/ f", "shopt -s nullglob; find *.x -delete", "shopt -s nullglob; awk *.x 'BEGIN{system(\"x\")}'",
		"shopt -s nullglob; xargs *.x rm", "shopt -s nullglob; hostname *.x evil", "shopt -s nullglob; cat ~/.ssh/*", "shopt -s nullglob; timeout *.x rm y",
	})
}

// TestS14ListsComparedAndSessionsFound: comm on lists of packages, and the sessions of one user.
func TestS14ListsComparedAndSessionsFound(t *testing.T) {
	judgeAll(t, []string{
		"pacman -Qi $(comm -23 <(pacman -Qqe | sort) <(pacman -Qqg base-devel | sort))", "expac -H M '%m\t%n' $(comm -23 <(pacman -Qqen | sort) <(pacman -Qqg base-devel xorg | sort)) | sort -n", "pacman -Qi $(comm -12 <(pacman -Qqe | sort) <(pacman -Qqm | sort))",
		"loginctl show-session $(loginctl | grep $(whoami) | awk '{print $1}') -p Type", "loginctl show-session $(loginctl --no-legend | grep blu | awk '{print $1}' | head -1) -p Type --value",
	}, []string{
		"pacman -Qi $(comm -13 <(pacman -Qqe | sort) <(cat f))", "pacman -Qi $(comm <(pacman -Qqe) <(pacman -Qqm))", "pacman -Qi $(comm -3 <(pacman -Qqe) <(cat f))", "pacman -Qi $(comm -23 f g)", "pacman -Qi $(comm -23 <(cat f) <(pacman -Qqe))", "loginctl show-session $(loginctl | grep -r x . | awk '{print $1}')", "loginctl kill-session $(loginctl | grep blu | awk '{print $1}')",
		"loginctl show-session $(cat f | grep blu | awk '{print $1}')",
	})
}
