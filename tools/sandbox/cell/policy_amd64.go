package cell

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var (
	oldMetadataCalls = []uintptr{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}
	oldChangingCalls = []uintptr{
		unix.SYS_CREAT, unix.SYS_RENAME, unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_UNLINK, unix.SYS_RMDIR,
		unix.SYS_MKDIR, unix.SYS_MKNOD,
	}
)

func filterOldOpen(f *filter) {
	f.allowWithoutBits(unix.SYS_OPEN, 1, writeFlags, unix.SECCOMP_RET_USER_NOTIF)
}

// OldOpen is the number of open(2), which newer architectures lack.
const OldOpen = unix.SYS_OPEN
