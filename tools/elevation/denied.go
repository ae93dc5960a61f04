package elevation

import "strings"

// refusals are what the programs say when they do not give rights, in lower
// case, the more special first. All were seen, in C.UTF-8, with sudo 1.9.13,
// pkexec 122 and systemd 252, or stand in the source of run0.
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

// refusal finds in what a program printed why it gave no rights.
func refusal(printed string) Reason {
	low := strings.ToLower(printed)
	for _, r := range refusals {
		if strings.Contains(low, r.says) {
			return r.why
		}
	}
	return ""
}

// Denied reports why a command got no rights, "" when that is not what made it
// fail. Only standard error is looked at, and only of a failure: what a
// program prints of its own accord is no proof.
func Denied(exit int, stderr string) Reason {
	if exit == 0 {
		return ""
	}
	return refusal(stderr)
}
