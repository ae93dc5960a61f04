package main

import "golang.org/x/sys/unix"

// refuseNewCode has the kernel refuse this process memory that is or becomes
// executable: no code but the program's own ever runs in it (PR_SET_MDWE(2const),
// Linux 6.6; older kernels do not know it, which is no reason not to start). The
// commands it starts are free of it, unlike of a unit's MemoryDenyWriteExecute=,
// under which every program with a compiler of its own inside (java) fails.
func refuseNewCode() {
	_ = unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN|unix.PR_MDWE_NO_INHERIT, 0, 0, 0)
}
