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
	readRights   = ll.AccessFSExecute | ll.AccessFSReadFile | ll.AccessFSReadDir
	deviceRights = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	// allRights are the rights of ABI 5. Each ABI's rights are the lowest bits of it.
	allRights = ll.AccessFSIoctlDev<<1 - 1
)

// fileRights returns the file rights of an ABI (landlock(7), "Landlock ABI versions"): 13 in ABI 1, one more with
// each of ABI 2, 3 and 5.
func fileRights(abi int) uint64 {
	rights := uint64(allRights)
	if abi < 5 {
		rights &^= ll.AccessFSIoctlDev
	}
	return rights
}

// restrictFiles lets the process read everything, and write only to its temporary directory and to devices that
// store nothing. It applies to this thread only, which executes the command.
func (sp Spec) restrictFiles() error {
	rights := fileRights(sp.Landlock)
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
	if err := allowPaths(ruleset, readRights, true, "/"); err != nil {
		return err
	}
	if err := allowPaths(ruleset, rights, true, sp.Tmp); err != nil {
		return err
	}
	devices := append([]string{"/dev/null", "/dev/zero", "/dev/full"}, sp.Devices...)
	if err := allowPaths(ruleset, deviceRights&rights, false, devices...); err != nil {
		return err
	}
	if err := ll.LandlockRestrictSelf(ruleset, 0); err != nil {
		return fmt.Errorf("cannot restrict file access: %w", err)
	}
	return nil
}

// allowPaths adds a rule for each path and everything below it. It skips missing paths unless must is set.
func allowPaths(ruleset int, rights uint64, must bool, paths ...string) error {
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
