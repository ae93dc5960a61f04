package wire

import "golang.org/x/sys/unix"

// refuseNewCode makes the kernel refuse this process memory that is or becomes executable, so that only the
// program's own code runs in it (PR_SET_MDWE(2const), Linux 6.6). Older kernels do not support it; the daemon
// starts anyway. The commands that it starts do not inherit this, unlike a unit's MemoryDenyWriteExecute=, with
// which every program with a JIT compiler (java) fails.
func refuseNewCode() {
	_ = unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN|unix.PR_MDWE_NO_INHERIT, 0, 0, 0)
}
