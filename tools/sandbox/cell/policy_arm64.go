package cell

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// This architecture has none of the old calls.
var oldMetadataCalls, oldChangingCalls []uintptr

func filterOldOpen(*filter) {}

// OldOpen is the number of open(2), which this architecture lacks.
const OldOpen = -1
