package cell

import (
	"fmt"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// MinLandlock is the first ABI that can stop a file from being truncated (landlock(7), ABI 3).
const MinLandlock = 3

// ScopedLandlock is the first ABI that can block signals to processes outside.
const ScopedLandlock = 6

// LandlockABI returns the kernel's Landlock version, or 0 if it has none.
func LandlockABI() int {
	v, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

const (
	looking = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	using   = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	// all are the rights of ABI 5. Each ABI's rights are the lowest bits of it.
	all = ll.AccessFSIoctlDev<<1 - 1
)

// handled returns the file rights of an ABI (landlock(7), "Landlock ABI versions"): 13 in ABI 1, one more with
// each of ABI 2, 3 and 5.
func handled(abi int) uint64 {
	rights := uint64(all)
	if abi < 5 {
		rights &^= ll.AccessFSIoctlDev
	}
	return rights
}

// landlock lets the process read everything, and write only to its temporary directory and to devices that
// store nothing. It applies to this thread only, which executes the command.
func (sp Spec) landlock() error {
	rights := handled(sp.Landlock)
	attr := ll.RulesetAttr{HandledAccessFS: rights}
	if sp.Landlock >= 4 && sp.Net < Reach {
		attr.HandledAccessNet = ll.AccessNetBindTCP | ll.AccessNetConnectTCP
	}
	if sp.Landlock >= ScopedLandlock {
		attr.Scoped = ll.ScopeAbstractUnixSocket | ll.ScopeSignal
	}
	// The call fails for rights that the kernel does not know, so none is silently ignored.
	ruleset, err := ll.LandlockCreateRuleset(&attr, 0)
	if err != nil {
		return fmt.Errorf("cannot make a Landlock ruleset: %w", err)
	}
	defer unix.Close(ruleset)
	if err := permit(ruleset, looking, true, "/"); err != nil {
		return err
	}
	if err := permit(ruleset, rights, true, sp.Tmp); err != nil {
		return err
	}
	devices := append([]string{"/dev/null", "/dev/zero", "/dev/full"}, sp.Devices...)
	if err := permit(ruleset, using&rights, false, devices...); err != nil {
		return err
	}
	if err := ll.LandlockRestrictSelf(ruleset, 0); err != nil {
		return fmt.Errorf("cannot restrict file access: %w", err)
	}
	return nil
}

// permit adds a rule for each path and everything below it. It skips missing paths unless must is set.
func permit(ruleset int, rights uint64, must bool, paths ...string) error {
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil && !must {
			continue
		}
		if err == nil {
			err = ll.LandlockAddPathBeneathRule(ruleset, &ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: rights}, 0)
			unix.Close(fd)
		}
		if err != nil {
			return fmt.Errorf("cannot permit %s: %w", path, err)
		}
	}
	return nil
}
