package plan

import (
	"slices"
	"strings"
)

// rebootCommand is the command of the verb reboot. It needs no more rights than the person at the computer has.
var rebootCommand = []string{"systemctl", "reboot"}

// reboots are the commands that do the same: systemctl(1), reboot(8), shutdown(8).
var reboots = []string{"systemctl reboot", "systemctl --no-ask-password reboot", "reboot", "shutdown -r now"}

func isReboot(words []string) bool {
	return slices.Contains(reboots, strings.Join(append([]string{programOf(words[0])}, words[1:]...), " "))
}

// PowersDown reports whether a command ends what runs on the computer, now or later, and whether the computer is then off:
// systemctl(1), reboot(8), poweroff(8), shutdown(8). A shutdown that is taken back or only announced is none.
func PowersDown(argv []string) (off, ok bool) {
	words, _ := withoutElevation(argv)
	if len(words) == 0 {
		return false, false
	}
	has := func(list ...string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool { return slices.Contains(list, w) })
	}
	switch programOf(words[0]) {
	case "systemctl":
		off = has("poweroff", "halt")
		return off, off || has("reboot", "kexec", "soft-reboot")
	case "reboot":
		off = has("-p", "--poweroff", "--halt")
		return off, true
	case "poweroff", "halt":
		return !has("--reboot"), true
	case "shutdown":
		return !has("-r", "--reboot"), !has("-c", "-k", "--show")
	}
	return false, false
}
