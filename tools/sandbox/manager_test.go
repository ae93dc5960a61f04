package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/sandbox/bus"
	"github.com/nidoit/blunux-ai/tools/sandbox/cell"
)

// managed returns a sandbox in front of a real service manager and bus of the user. The end-to-end tests run
// this file on machines that have them, and set a variable.
func managed(t *testing.T, most *Level) *Sandbox {
	t.Helper()
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if os.Getenv("BLUNUX_AI_TEST_MANAGER") == "" {
		t.Skip("runs under a real systemd --user, from the end-to-end tests")
	}
	require.FileExists(t, filepath.Join(dir, "systemd/private"))
	b := bus.New(bus.Options{
		Dir: filepath.Join(dir, "reading"), RuntimeDir: dir, SessionAddress: os.Getenv("DBUS_SESSION_BUS_ADDRESS"),
	})
	t.Cleanup(b.Close)
	return New(Options{Dir: filepath.Join(dir, "reading"), RuntimeDir: dir, Bus: b, Helper: helper, MaxLevel: most})
}

func outside(t *testing.T, command string) string {
	t.Helper()
	out, _ := exec.Command("bash", "-c", command).CombinedOutput()
	return string(out)
}

// managers are commands that make a service do what they are not allowed to do, with %d for a directory.
var managers = []string{
	`systemd-run --user --wait touch %d/escape`, `systemd-run --user --scope touch %d/escape`, `systemd-run --user --pipe touch %d/escape`,
	`systemctl --user stop victim.service`, `systemctl --user kill victim.service`, `systemctl --user restart victim.service`,
	`systemctl --user mask victim.service`, `systemctl --user enable victim.service`, `systemctl --user edit --force --full x.service`,
	`systemctl --user set-environment BLUNUX=escape`, `systemctl --user import-environment HOME`, `systemctl --user daemon-reload`,
	`systemctl --user set-property victim.service CPUWeight=7`, `systemctl --user start second.service`, `systemctl --user link /etc/hostname`,
	`busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager StopUnit ss victim.service replace`,
	`busctl --user call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager SetEnvironment as 1 BLUNUX=escape`,
	`busctl --user set-property org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager LogLevel s debug`,
	`dbus-send --session --print-reply --dest=org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager.StopUnit string:victim.service string:replace`,
	`dbus-send --session --dest=org.freedesktop.systemd1 --type=method_call /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager.StopUnit string:victim.service string:replace`,
	`dbus-update-activation-environment BLUNUX=escape`,
	`DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus systemd-run --user touch %d/escape`,
	`logger blunux-escape`, `systemd-cat echo blunux-escape`, `echo blunux-escape | systemd-cat`, `systemd-notify READY=1`,
	`python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("%r/blunux.sock"); s.send(b"escape")'`,
}

func TestTheServiceManagerCannotBeUsedToEscape(t *testing.T) {
	strongest := Level{Namespaces: true, Landlock: cell.LandlockABI()}
	for _, l := range []Level{strongest, {Namespaces: true}} {
		s := managed(t, &l)
		dir := t.TempDir()
		outside(t, "systemd-run --user --unit=victim sleep 600")
		t.Cleanup(func() { outside(t, "systemctl --user stop victim.service") })
		state := func() string {
			_, err := os.Lstat(filepath.Join(dir, "escape"))
			return outside(t, "systemctl --user is-active victim.service; systemctl --user show -p MainPID,CPUWeight,UnitFileState victim.service;"+
				"systemctl --user show-environment | grep BLUNUX; systemctl --user show -p LogLevel;"+
				// Not the number of names, because the manager removes some over time.
				"systemctl --user list-units --all --no-legend --plain 'run-*' 'second.*' 'x.*'; journalctl --user --no-pager -o cat | grep -c blunux-escape;"+
				"ls -A ~/.config/systemd/user 2>/dev/null") + strings.Repeat("escaped ", map[bool]int{true: 1}[err == nil])
		}
		before := state()
		require.Contains(t, before, "active")
		for name, needs := range map[string]Needs{"closed": {}, "bus": {Bus: true}, "all": {Bus: true, Net: cell.View, Sockets: []string{"x11", "wayland", "pipewire"}}} {
			t.Run(l.String()+"/"+name, func(t *testing.T) {
				for _, command := range managers {
					command = strings.NewReplacer("%d", dir, "%r", os.Getenv("XDG_RUNTIME_DIR")).Replace(command)
					out, _ := confined(t, s, needs, "bash", "-c", command)
					require.Equal(t, before, state(), "%s\n%s", command, out)
				}
			})
		}
	}
}

// TestReadersSeeWhatTheySeeOutside compares each command's answer inside and outside of its cell.
func TestReadersSeeWhatTheySeeOutside(t *testing.T) {
	s := managed(t, nil)
	for _, command := range []string{
		"systemctl --user list-units --no-pager --all --type=socket", "systemctl --user show -p Version", "systemctl --user is-system-running",
		"systemctl --user cat dbus.service", "systemctl --user list-unit-files --no-pager", "systemctl --user --failed --no-pager", "systemctl --user get-default",
		"journalctl --user --no-pager -n 3", "busctl --user get-property org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager Version",
		"df -h", "mount", "findmnt", "lsblk", "cat /proc/mounts", "cat /proc/self/mountinfo", "id", "uname -a", "hostname", "hostname -I", "ip addr", "ip route", "ss -tln",
		"cat /proc/net/route", "ls -l /proc/$PPID/exe", "ls /sys/class/net", "ls -la /run", "cat /etc/resolv.conf", "stat -c %a /tmp", "ls /tmp",
		"ipcs", "du -s /etc 2>/dev/null", "find /etc -maxdepth 1 -newer /etc/hostname 2>/dev/null", "free -h | head -1", "who", "locale", "date +%F", "nproc", "lscpu | head -5",
		"diff <(ls /etc) <(ls /usr); echo $?", "cat <<< hello", "seq 100000 | sort -rn | tail -1", "getent passwd root", "ps -o pid= -p 1", "cat /proc/cpuinfo | head -5 2>/dev/null",
	} {
		t.Run(command, func(t *testing.T) {
			program, _, _ := strings.Cut(command, " ")
			needs := NeedsOf([]string{program}, command)
			require.NoError(t, s.CanConfine(needs))
			var want, got string
			for range 10 { // other users of this machine can add a port or a file in between
				want = outside(t, command)
				if got, _ = confined(t, s, needs, "bash", "-c", command); got == want {
					return
				}
			}
			require.Equal(t, want, got, "%s", needs)
		})
	}
}
