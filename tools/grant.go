package tools

import (
	"slices"
	"strings"
)

// runners start other programs or read a program's text from somewhere else:
// what they do can change although the command stays the same.
var runners = strings.Fields(`
	sh bash dash zsh fish ksh mksh busybox env xargs find parallel watch script timeout nice ionice nohup setsid stdbuf
	chrt taskset flock unshare nsenter chroot systemd-run command exec builtin eval source . time trap
	sudo doas su pkexec run0 ssh docker podman distrobox flatpak make ninja just npm npx yarn pnpm cargo go pip pipx uv
	python perl ruby node deno bun lua php tclsh awk gawk mawk git at batch crontab`)

// Grantable reports whether a plan may be allowed for a whole session: one that
// gains no rights and whose programs do the same thing every time
// (security: a grant must not cover sudo, shells, interpreters or wrappers).
func (j Judged) Grantable() bool {
	if j.Privileged || j.unparsed || j.vague {
		return false
	}
	for _, code := range j.Reasons {
		switch code {
		case ReasonUntrustedNote, ReasonForgetNote, ReasonRewriteNote: // a note is looked at each time
			return false
		case ReasonNewAutomation, ReasonChangeAutomation, ReasonPauseAutomation, ReasonRemoveAutomation, ReasonLeaves:
			return false
		case "interpreter", "wrapper", "script", "path-program", "unknown-command", "function", "too-long", "sudo", "substitution":
			return false
		}
	}
	return !slices.ContainsFunc(j.Programs, func(p string) bool {
		return slices.Contains(runners, strings.TrimRight(p, "0123456789."))
	})
}
