package tui

import (
	"os"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
)

// suspend is Ctrl-Z: the shell has the terminal until the chat is called back.
func (m *model) suspend() tea.Cmd {
	if !m.stoppable() {
		m.notice = i18n.ChatNoSuspend.In(m.lang)
		return nil
	}
	return tea.Suspend
}

// underShell reports whether the program's parent is another job of this session. The
// kernel stops no process group without such a parent (signal(7), "orphaned"), and
// bubbletea would wait for ever to be called back.
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
