package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// hostileMachine is a machine whose outputs contain names that would be harmful in a command.
func hostileMachine(t *testing.T) machine {
	m := laptop(t)
	for key := range m {
		m[key] = ok("x\n-rf\n/etc/shadow\n$(reboot)\n../../x\n; rm -rf /\nthermal_zone0\nBAT0\nBAT0; rm\n" + m[key].Stdout + "\n`x`\n/etc/a b;c.crt\n")
	}
	m["lsblk"] = ok(`{"blockdevices":[{"path":"/dev/sda; rm -rf /","type":"disk"},{"path":"-x","type":"disk"},{"path":"/dev/sda","type":"disk"}]}`)
	m["find -H /home"] = ok("/home/kim/.config/a.crt\n/home/kim/.config/;rm -rf.crt\n-x.crt\n/home/kim/.ssh/b.crt\n/home/kim/\x1b[2J.crt\n")
	m["find /sys/class/thermal"] = ok("thermal_zone0\n../../etc\nthermal_zone0/../../../etc\n")
	m["ip"] = ok(`[{"dst":"default","gateway":"-f"}]`)
	m["uname"] = ok("6.17.7-arch1-1\n")
	return m
}

func TestEveryCommandIsSafe(t *testing.T) {
	var asked [][]string
	worlds := []check.Runner{
		laptop(t), hostileMachine(t),
		failingRunner{check.ErrMissing},
		failingRunner{check.ErrRefused},
		failingRunner{errBroken},
		laptop(t).with(machine{"sensors": fails(1, "No sensors found!")}),
		laptop(t).with(machine{"systemctl": ok("not JSON")}),
		laptop(t).with(machine{"checkupdates": fails(1, "==> ERROR: Cannot fetch updates")}),
		withoutPrograms(laptop(t), "checkupdates", "arch-audit"),
	}
	for _, name := range check.Names() {
		for _, world := range worlds {
			for _, paths := range [][]string{nil, {"/", "/home/kim/백업 폴더", "~/.config", "/mnt/-x", "/mnt/a;b$(c)`d`'e\"f"}} {
				c, _ := check.Lookup(name)
				p := check.Params{Now: now, Zone: seoul, Home: "/home/kim", Paths: paths}
				if c.Validate(p) != nil {
					continue
				}
				_, err := c.Run(t.Context(), recorder{world, &asked}, p)
				require.NoError(t, err)
			}
		}
	}
	require.Greater(t, len(asked), 300)
	for _, argv := range asked {
		v := judge().JudgeArgv("", argv)
		if argv[0] == "openssl" && v.Class == safety.Confirm && strings.HasPrefix(argv[len(argv)-1], "/home/kim/.ssh/") {
			continue // a certificate in a directory of keys: refused, and reported so
		}
		require.Equal(t, safety.Safe, v.Class, "%q: %v", argv, v.Reasons)
	}
	require.True(t, slices.ContainsFunc(asked, func(a []string) bool { return a[0] == "smartctl" && slices.Contains(a, "/dev/sda") }))
}

// withoutPrograms returns a machine without some programs.
func withoutPrograms(m machine, programs ...string) machine {
	for key := range m {
		for _, p := range programs {
			if strings.HasPrefix(key, p) {
				delete(m, key)
			}
		}
	}
	return m
}
