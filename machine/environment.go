package machine

import (
	"bytes"
	"slices"
	"strings"
)

// InputEnvironmentProbe represents a look of this program itself at how the running processes of a program were started:
// their variables of input methods and of the display. [ParseInputEnvironments] reads it.
func InputEnvironmentProbe(program string) Probe {
	return Probe{"blunux-aictl", "environment", program}
}

// shownVariables are the only variables of an environment that are ever shown. Of those that are false, only that they are set is reported.
var shownVariables = map[string]bool{
	"GTK_IM_MODULE": true, "QT_IM_MODULE": true, "QT_IM_MODULES": true, "QT4_IM_MODULE": true, "CLUTTER_IM_MODULE": true, "SDL_IM_MODULE": true,
	"GLFW_IM_MODULE": true, "XMODIFIERS": true, "XDG_SESSION_TYPE": true, "WAYLAND_DISPLAY": false, "QT_QPA_PLATFORM": true, "GDK_BACKEND": true,
}

// maxShownValue bounds a value, in bytes. Longer values, and those with other characters than names have, are reported as set only.
const maxShownValue = 32

// InputEnvironment returns the variables of input methods and of the display in an environment (proc_pid_environ(5)), as
// NAME=VALUE, or NAME alone if only that it is set is reported. It returns nothing else of the environment.
func InputEnvironment(environ []byte) (shown []string) {
	for one := range bytes.SplitSeq(environ, []byte{0}) {
		name, value, ok := strings.Cut(string(one), "=")
		hasValue, isShown := shownVariables[name]
		if !ok || !isShown || value == "" {
			continue
		}
		isPlain := len(value) <= maxShownValue && strings.Trim(value, "abcdefghijklmnopqrstuvwxyz0123456789@=;,_-") == ""
		if hasValue && isPlain {
			name += "=" + value
		}
		shown = append(shown, name)
	}
	slices.Sort(shown)
	return slices.Compact(shown)
}

// StartedWith is a process with the variables that [InputEnvironment] shows of the environment that it was started with.
type StartedWith struct {
	PID       string
	Variables []string
}

// String returns the line of the process in the output of [InputEnvironmentProbe].
func (s StartedWith) String() string {
	return strings.Join(append([]string{s.PID}, s.Variables...), " ")
}

// Has reports whether the process was started with a variable.
func (s StartedWith) Has(name string) bool {
	return slices.ContainsFunc(s.Variables, func(v string) bool { return v == name || strings.HasPrefix(v, name+"=") })
}

// ParseInputEnvironments parses [InputEnvironmentProbe]: the number of a process and its variables, a process a line.
func ParseInputEnvironments(text []byte) ([]StartedWith, error) {
	return allRows(text, "environment", func(line string) (s StartedWith, ok bool) {
		f := strings.Fields(line)
		if len(f) == 0 || !isNumber(f[0]) {
			return s, false
		}
		return StartedWith{f[0], f[1:]}, true
	})
}
