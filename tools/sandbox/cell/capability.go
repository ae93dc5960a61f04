package cell

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// dropCapabilities drops every capability that could be gained by executing a file. Root only keeps the right
// to read other users' files, and in cells that inspect processes the right to look into theirs. The filter
// prevents any other use of them.
func (sp Spec) dropCapabilities() error {
	keep := map[int]bool{}
	if sp.Root {
		keep[unix.CAP_DAC_READ_SEARCH] = true
		keep[unix.CAP_SYS_PTRACE] = sp.Strict
		keep[unix.CAP_SYSLOG] = !sp.Namespaces
	}
	var held [2]unix.CapUserData
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if keep[c] {
			held[c/32].Permitted |= 1 << (c % 32)
			held[c/32].Effective |= 1 << (c % 32)
			continue
		}
		// EPERM: without CAP_SETPCAP and new privileges, the process cannot gain a capability anyway. EINVAL:
		// the kernel does not know this capability.
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("cannot drop capability %d: %w", c, err)
		}
	}
	// EINVAL: kernels before 4.3 have no ambient capabilities.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("cannot drop the ambient capabilities: %w", err)
	}
	hdr := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have [2]unix.CapUserData
	if err := unix.Capget(&hdr, &have[0]); err != nil {
		return fmt.Errorf("cannot read the capabilities: %w", err)
	}
	for i := range held {
		held[i].Permitted &= have[i].Permitted
		held[i].Effective &= have[i].Permitted
	}
	if err := unix.Capset(&hdr, &held[0]); err != nil {
		return fmt.Errorf("cannot drop the capabilities: %w", err)
	}
	return nil
}
