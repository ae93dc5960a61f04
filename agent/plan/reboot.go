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
