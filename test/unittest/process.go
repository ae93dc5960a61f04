package unittest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// PIDs returns the process ids in the output of a command.
func PIDs(t *testing.T, text string) []int {
	t.Helper()
	var list []int
	for _, word := range strings.Fields(text) {
		pid, err := strconv.Atoi(word)
		require.NoError(t, err, text)
		list = append(list, pid)
	}
	return list
}

// WaitEnded waits until a process has ended, and fails the test if it does not.
func WaitEnded(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return
	}
	require.NoError(t, err)
	defer unix.Close(fd)
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 10_000)
		if err == unix.EINTR {
			continue
		}
		require.NoError(t, err)
		if n == 0 { // leave no process running
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
		require.Equal(t, 1, n, "process %d still runs", pid)
		return
	}
}
