// Package plan recognises commands that change this machine, and says how to check that each did what it is for. It
// runs nothing: callers take the looks that it names and pass their output back.
//
// A [Verb] is recognised from the literal words of one command. Its looks before and after the command are commands
// that only read. [Verb.Judge] compares them: a change is proved, not proved, or contradicted. What cannot be known is
// never reported as proved or failed.
package plan

import (
	"slices"
	"strings"
	"time"
)

// Action is what a verb does.
type Action string

// The actions.
const (
	Install Action = "install"
	Remove  Action = "remove"
	Upgrade Action = "upgrade" // of all packages
	Start   Action = "start"
	Stop    Action = "stop"
	Restart Action = "restart"
	Reload  Action = "reload"
	Enable  Action = "enable"
	Disable Action = "disable"
	Mask    Action = "mask"
	Unmask  Action = "unmask"

	Run    Action = "run"    // a command whose effect is not known
	Write  Action = "write"  // the text of a file
	Delete Action = "delete" // a file
	Set    Action = "set"    // of a setting
	Reboot Action = "reboot" // nothing can check it before the computer is back

	Open  Action = "open"  // a program, as a unit of its own
	Print Action = "print" // a file
	Leave Action = "leave" // the session, or the computer's run

	Firewall Action = "firewall" // rules, whose commands are the targets' words
	Link     Action = "link"     // switches a network interface off
	Display  Action = "display"  // screens, by xrandr
)

// Verb is a recognised change.
type Verb struct {
	Action  Action
	Targets []string // names of packages or units, or what has a setting; none for an upgrade
	User    bool     // of units: they are the user manager's
	Now     bool     // of Enable, Disable and Mask: the units are also started or stopped
	Setting string   // of Set: the name of the setting
	Value   string   // of Set: the wanted value
	Program string   // of Set: what sets it, which decides what shows it

	// Digest is the SHA-256 of the text that a file gets, in hexadecimal.
	Digest string

	// Services and UserServices are those that run and use what an upgrade replaces. The caller that knows them sets them.
	Services     []string `json:",omitempty"`
	UserServices []string `json:",omitempty"`

	// Versions are the versions that the names of package files promise, for each target; nil for names of packages.
	Versions []string
}

// maxTargets bounds how many packages or units a verb has.
const maxTargets = 100

// Recognize returns the verb of a command. It knows the commands only with options that do not change what the check
// shows: with any other option, a wildcard or a variable, nothing is recognised and nothing is claimed.
func Recognize(argv []string) (Verb, bool) {
	words, elevated := withoutElevation(argv)
	if len(words) == 0 {
		return Verb{}, false
	}
	switch programOf(words[0]) {
	case "pacman":
		return recognizePackages(words[1:], pacmanOptions)
	case "yay", "paru":
		if elevated { // they refuse to build as root
			return Verb{}, false
		}
		if len(words) == 1 { // yay(8), paru(8): without an operation they upgrade
			return Verb{Action: Upgrade}, true
		}
		return recognizePackages(words[1:], helperOptions)
	case "rm":
		return recognizeDelete(words[1:])
	case "nft", "iptables", "ip6tables", "ip", "xrandr":
		return recognizeCut(words)
	case "systemctl":
		if v, ok := recognizeUnits(words[1:]); ok {
			return v, !(v.User && elevated) // root's own manager
		}
	}
	if v, ok := recognizeDesktop(words, elevated); ok {
		return v, true
	}
	if isReboot(words) {
		return Verb{Action: Reboot}, true
	}
	return recognizeSetting(words, elevated)
}

// programOf returns the name of a program that is looked up in PATH or has the system's path, "" for any other.
func programOf(word string) string {
	if name, ok := strings.CutPrefix(word, "/usr/bin/"); ok {
		word = name
	}
	if strings.Contains(word, "/") {
		return ""
	}
	return word
}

// elevations are the programs that run the rest of a command with root's rights, and the options for which they still
// run exactly that.
var elevations = map[string][]string{
	"sudo": {"-n", "--non-interactive"}, "doas": {"-n"}, "run0": {"--no-ask-password"}, "pkexec": {"--disable-internal-agent"},
}

// withoutElevation returns a command without the prefix that raises its rights. The words are empty if the prefix has
// other options.
func withoutElevation(argv []string) (words []string, elevated bool) {
	if len(argv) == 0 {
		return nil, false
	}
	if argv[0] == "env" && len(argv) > 2 && strings.HasPrefix(argv[1], "PACMAN_AUTH=") && programOf(argv[2]) == "yay" {
		return argv[2:], false // yay raises the rights itself
	}
	options, ok := elevations[programOf(argv[0])]
	if !ok {
		return argv, false
	}
	words = argv[1:]
	for len(words) > 0 && slices.Contains(options, words[0]) {
		words = words[1:]
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	return words, true
}

// isOf reports whether a name consists of letters, digits and others, and begins with one of these that is in first.
func isOf(name, first, others string, limit int) bool {
	if name == "" || len(name) > limit {
		return false
	}
	for i := range len(name) {
		c := name[i]
		latin := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !latin && (i == 0 && strings.IndexByte(first, c) < 0 || i > 0 && strings.IndexByte(others, c) < 0) {
			return false
		}
	}
	return true
}

// IsPackageName reports whether a word can be the name of a package: PKGBUILD(5), pkgname.
func IsPackageName(word string) bool { return isOf(word, "@_+", "@._+-", 128) }

// IsUnitName reports whether a word can be the name of one unit: systemd.unit(5), "Unit names".
func IsUnitName(word string) bool { return isOf(word, "_", `:_.\@-`, 255) }

// Look is a command that was to be run to see a state, and what it printed.
type Look struct {
	Argv           []string
	Stdout, Stderr string
	Exit           int
	// Ran reports whether it ran, ended by itself and its whole output is known.
	Ran bool
}

// Before returns the looks to take before the command.
func (v Verb) Before() [][]string {
	switch v.Action {
	case Install, Reboot, Leave:
		return nil
	case Open, Print:
		return [][]string{v.desktopLook()}
	case Upgrade:
		return v.upgradeLooks()
	case Set:
		return v.settingLooks()
	case Remove:
		return [][]string{v.query(v.Targets)}
	case Run, Write, Delete, Firewall, Link, Display:
		return nil
	}
	return [][]string{v.show()}
}

// Next returns the look to take after those that were taken after the command, if there is another one. before are the looks of
// [Verb.Before].
func (v Verb) Next(before, after []Look) (argv []string, more bool) {
	switch v.Action {
	case Install:
		return v.nextInstalled(after)
	case Remove:
		return v.query(v.Targets), len(after) == 0
	case Upgrade:
		if looks := v.upgradedLooks(before, after); len(after) < len(looks) {
			return looks[len(after)], true
		}
		return nil, false
	case Write, Delete:
		return v.sum(), len(after) == 0
	case Run, Firewall, Link, Display, Reboot, Leave:
		return nil, false
	case Open, Print:
		return v.desktopLook(), len(after) == 0
	case Set:
		if looks := v.settingLooks(); len(after) < len(looks) {
			return looks[len(after)], true
		}
		return nil, false
	}
	return v.show(), len(after) == 0
}

// settle is how long a service that is not asked whether it is ready must live before it counts as running.
const settle = time.Second

// Settle returns how long to wait between the end of the command and the looks after it: a service that only has to
// be started is active for a moment even if it ends at once.
func (v Verb) Settle(before []Look) time.Duration {
	switch v.Action {
	case Set:
		return v.settle()
	case Open:
		return settle
	}
	if !v.starts() || len(before) == 0 {
		return 0
	}
	for _, unit := range unitsOf(before[0]) {
		if slices.Contains([]string{"simple", "exec", "idle"}, unit["Type"]) {
			return settle
		}
	}
	return 0
}

// starts reports whether the verb starts units.
func (v Verb) starts() bool {
	return v.Action == Start || v.Action == Restart || v.Action == Enable && v.Now
}

// Judge returns what the looks before and after a command prove about it. exit is its status, -1 if it did not end by
// itself.
func (v Verb) Judge(before, after []Look, exit int) []Proof {
	var proofs []Proof
	switch v.Action {
	case Install:
		proofs = v.judgeInstalled(after)
	case Remove:
		proofs = v.judgeRemoved(before, after)
	case Upgrade:
		proofs = v.judgeUpgraded(before, after, exit)
	case Write, Delete:
		proofs = v.judgeFile(after)
	case Set:
		proofs = v.judgeSetting(before, after)
	case Reboot:
		proofs = []Proof{{Outcome: Unproved, Code: Restarting}}
	case Open, Print, Leave:
		proofs = v.judgeDesktop(before, after)
	case Run, Firewall, Link, Display:
	default:
		proofs = v.judgeUnits(before, after)
	}
	for i := range proofs {
		p := &proofs[i]
		p.Action, p.User = v.Action, v.User
		if exit != 0 && p.Outcome != Failed && p.Code != NoLook {
			p.Outcome, p.Code = Unproved, CommandFailed
		}
	}
	return proofs
}
