package elevation

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// agents are the programs that ask for polkit in a desktop session. polkit does not publish which agents are
// registered, so hasAgent looks for running processes by name.
var agents = []string{
	"gnome-shell", "cinnamon", "budgie-polkit-dialog", "phosh", "polkit-gnome-authentication-agent-1", "polkit-kde-authentication-agent-1",
	"polkit-mate-authentication-agent-1", "lxpolkit", "lxqt-policykit-agent", "xfce-polkit", "ukui-polkit-agent", "dde-polkit-agent",
	"polkit-dumb-agent", "mate-polkit", "hyprpolkitagent", "soteria", "ts-polkitagent", "cmd-polkit-agent", "polkit-efl-authentication-agent-1",
	"pantheon-agent-polkit", "io.elementary.desktop.agent-polkit", "deepin-polkit-agent", "quickshell", "noctalia-shell",
}

// hasAgent reports whether a process of this user in the proc file system at proc is a polkit agent.
func hasAgent(proc string) bool {
	lines, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "cmdline")) // fails only for a bad pattern
	for _, path := range lines {
		fi, err := os.Stat(path)
		if err != nil {
			continue // it has ended
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
			continue
		}
		if data, err := os.ReadFile(path); err == nil && isAgent(data) {
			return true
		}
	}
	return false
}

// isAgent reports whether a command line is an agent's, directly or run by an interpreter.
func isAgent(cmdline []byte) bool {
	words := bytes.Split(bytes.TrimRight(cmdline, "\x00"), []byte{0})
	for _, word := range words[:min(2, len(words))] {
		if slices.Contains(agents, strings.TrimSuffix(filepath.Base(string(word)), ".py")) {
			return true
		}
	}
	return false
}
