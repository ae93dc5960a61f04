package cell

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// The architecture has none of the calls that newer ones replaced.
var oldMetadata, oldChanges []uintptr

func legacyOpen(*filter) {}

// OldOpen is the number of open(2), which this architecture does without.
const OldOpen = -1
