package chat

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
)

// suspend handles Ctrl-Z.
func (m *model) suspend() tea.Cmd {
	if !m.stoppable() {
		m.notice = i18n.ChatNoSuspend.In(m.lang)
		return nil
	}
	return tea.Suspend
}

// underShell reports whether the parent process is another job of this session. The kernel does not
// stop a process group without such a parent (signal(7), "orphaned"), and bubbletea would wait
// forever for the continue signal.
func underShell() bool {
	parent := os.Getppid()
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	theirs, err := unix.Getsid(parent)
	if err != nil || theirs != own {
		return false
	}
	group, err := unix.Getpgid(parent)
	return err == nil && group != unix.Getpgrp()
}
