package elevation

import "strings"

// refusals are the messages of programs that refuse rights, in lower case, more specific ones first. All were
// observed in C.UTF-8 with sudo 1.9.13, pkexec 122 and systemd 252, or are taken from the source of run0.
var refusals = []struct {
	says string
	why  Reason
}{
	{`"no new privileges" flag is set`, NoNewRights},
	{"must be setuid root", NoNewRights},
	{"a password is required", Password},
	{"a terminal is required to", Password},
	{"no askpass program", Password},
	{"no tty present", Password},
	{"request dismissed", Dismissed},
	{"error creating textual authentication agent", NoAgent},
	{"no authentication agent found", NoAgent},
	{"interactive authentication required", NoAgent},
	{"interactive authorization required", NoAgent},
	{"is not in the sudoers file", NotAllowed},
	{"may not run sudo", NotAllowed},
	{"is not allowed to execute", NotAllowed},
	{"is not allowed to run sudo", NotAllowed},
	{"not authorized", NotAllowed},
	{"failed to start transient service unit: access denied", NotAllowed},
	{"you cannot perform this operation unless you are root", NotAllowed},
}

// refusalReason returns the reason that a program printed for refusing rights, or "" if there is none.
func refusalReason(printed string) Reason {
	low := strings.ToLower(printed)
	for _, r := range refusals {
		if strings.Contains(low, r.says) {
			return r.why
		}
	}
	return ""
}

// DenialReason returns the reason why a command got no rights, or "" if missing rights did not make it fail. It only
// looks at the standard error of a failed command: other output proves nothing.
func DenialReason(exit int, stderr string) Reason {
	if exit == 0 {
		return ""
	}
	return refusalReason(stderr)
}
