package plan

import (
	"slices"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Cause is why a command failed, as far as its ending shows.
type Cause string

// The causes.
const (
	CauseNotInstalled Cause = "not_installed" // a program that it needs is not there
	CauseNoRights     Cause = "no_rights"     // it needs rights that it did not have
	CauseNetwork      Cause = "network"       // a server cannot be reached, or is overloaded
	CauseMirror       Cause = "mirror"        // a mirror does not have the file that the package databases promise
	CauseLocked       Cause = "locked"        // another package operation is running
	CauseConflict     Cause = "conflict"      // what is there excludes what it does: files, packages, dependencies, jobs
	CauseNotFound     Cause = "not_found"     // what it was to act on does not exist under this name
	CauseDiskFull     Cause = "disk_full"     // no room, or no more of the quota
	CauseTimeout      Cause = "timeout"       // it took too long
	CauseRefused      Cause = "refused"       // a person, a program or a setting does not want it: never worked around
	CauseBlocked      Cause = "blocked"       // the checker never allows it: never worked around
	CauseUntrusted    Cause = "untrusted"     // a signature, a checksum or a certificate is not valid: never worked around
	CauseUnknown      Cause = "unknown"       // it failed, and nothing known says why
)

// Ending is what is known about how a command ended. The zero value is a command that succeeded.
//
// Messages are recognised in English: commands run with LC_ALL=C.UTF-8. sudo and pkexec pass that on. run0 does not:
// below it a program writes in the system's language, and its failure is then unknown.
type Ending struct {
	Argv   []string // its literal words; nil if they are not known or are more than one command
	Exit   int      // its exit status; -1 if it did not end by itself
	Stderr string
	// TimedOut reports that it was ended at its time limit.
	TimedOut bool
	// Missing is the program that is not installed, "" if none is.
	Missing string
	// Denied is the reason code why it got no rights (tools/elevation), "" if that is not why it failed.
	Denied string
	// Refusal is the gate's refusal code (tools) of a call that did not run.
	Refusal string
	// UnitResult is the property Result of the unit that it changed: org.freedesktop.systemd1(5).
	UnitResult string
	// Contradicted reports that the check shows that the change is not there, regardless of the exit status: yay 12 exits with
	// 0 if there is no such package.
	Contradicted bool
}

// failed reports whether the command failed, if it ran.
func (e Ending) failed() bool {
	unit := e.UnitResult != "" && e.UnitResult != "success"
	return e.Exit != 0 || e.Denied != "" || e.TimedOut || e.Contradicted || unit
}

// Classify returns why a command failed, "" if it did not. It reads only the standard error of a failed command: what a
// command prints for its reader proves nothing. Of several causes, those that are never worked around come first, and
// those that pass by themselves last, so that no further message can turn an abort into another try.
func Classify(e Ending) Cause {
	switch {
	case e.Refusal != "":
		return causeOf(refusals, e.Refusal, CauseRefused)
	case e.Missing != "":
		return CauseNotInstalled
	case !e.failed():
		return ""
	}
	programs := programsOf(e.Argv)
	said := causeOfMessage(programs, e.Stderr)
	switch {
	case said == CauseUntrusted || said == CauseRefused:
		return said
	case e.Denied != "":
		return causeOf(denials, e.Denied, CauseNoRights)
	case e.TimedOut:
		return CauseTimeout
	case e.Exit < 0: // killed from outside: what it did before is not known
		return CauseUnknown
	case said != "":
		return said
	}
	for _, row := range exits {
		if (row.program == "" || slices.Contains(programs, row.program)) && slices.Contains(row.statuses, e.Exit) {
			return row.cause
		}
	}
	return causeOf(unitResults, e.UnitResult, CauseUnknown)
}

func causeOf(table map[string]Cause, code string, otherwise Cause) Cause {
	if c, ok := table[code]; ok {
		return c
	}
	return otherwise
}

// programsOf returns the programs of a command: the first word, and what it runs with root's rights.
func programsOf(argv []string) []string {
	if len(argv) == 0 {
		return nil
	}
	programs := []string{programOf(argv[0])}
	if words, _ := withoutElevation(argv); len(words) > 0 {
		programs = append(programs, programOf(words[0]))
	}
	return programs
}

// refusals are the gate's refusal codes that are not somebody's refusal.
var refusals = map[string]Cause{
	"blocked": CauseBlocked, "missing": CauseNotInstalled, "no_rights": CauseNoRights, "away": CauseNetwork,
	"bad_input": CauseUnknown, "no_tool": CauseUnknown, "log": CauseUnknown, "left": CauseUnknown,
}

// denials are the reasons of tools/elevation with which the person or a setting refuses rights.
var denials = map[string]Cause{"dismissed": CauseRefused, "switched_off": CauseRefused}

// unitResults are the results of units (systemd: src/core/service.c, path.c and socket.c) that say why. A unit that was
// started too often is not started again: only systemctl reset-failed would, which is for a person to decide.
var unitResults = map[string]Cause{
	"timeout":         CauseTimeout,
	"start-limit-hit": CauseRefused, "unit-start-limit-hit": CauseRefused, "trigger-limit-hit": CauseRefused,
}

// exits are exit statuses that say why, for commands whose messages do not. The first match counts.
var exits = []struct {
	program  string // "" is any
	statuses []int
	cause    Cause
}{
	// pkexec(1): 126 if the person dismissed the dialog, 127 if they are not authorized.
	{"pkexec", []int{126}, CauseRefused},
	{"pkexec", []int{127}, CauseNoRights},
	// curl(1), EXIT CODES. 22 is any HTTP error, and the message has which.
	{"curl", []int{51, 60, 77, 83, 90, 91}, CauseUntrusted},
	{"curl", []int{9, 67}, CauseRefused},
	{"curl", []int{78}, CauseNotFound},
	{"curl", []int{28}, CauseTimeout},
	{"curl", []int{5, 6, 7, 16, 18, 52, 55, 56, 92}, CauseNetwork},
	// nmcli(1), EXIT STATUS. 2 is invalid input, 5 to 7 are failed disconnections and deletions, 8 is that
	// NetworkManager is not running.
	{"nmcli", []int{10}, CauseNotFound},
	{"nmcli", []int{3}, CauseTimeout},
	{"nmcli", []int{4}, CauseNetwork},
	// timeout(1)
	{"timeout", []int{124}, CauseTimeout},
	// bash(1), EXIT STATUS; env(1)
	{"", []int{126}, CauseNoRights},
	{"", []int{127}, CauseNotInstalled},
}

// named are the programs that have an own message for what they do not find: their "No such file or directory" is about
// one of the program's own files.
var named = []string{"pacman", "yay", "paru", "systemctl", "nmcli"}

// message is a message of a program that says why it failed.
type message struct {
	cause Cause
	// program is whose message it is; "" is any, and "-" any but those that are named.
	program string
	says    *lazyregexp.Regexp
}

func (m message) isOf(programs []string) bool {
	switch {
	case m.program == "" || len(programs) == 0:
		return true
	case m.program == "-":
		return !slices.ContainsFunc(programs, func(p string) bool { return slices.Contains(named, p) })
	}
	return slices.Contains(programs, m.program)
}

// causeOfMessage returns the cause that the first matching row names, "" if none matches.
func causeOfMessage(programs []string, stderr string) Cause {
	for _, m := range messages {
		if m.isOf(programs) && m.says.MatchString(stderr) {
			return m.cause
		}
	}
	return ""
}

// line returns an expression whose ^ and $ are the ends of a line.
func line(expr string) *lazyregexp.Regexp { return lazyregexp.New(`(?m)` + expr) }

// errno returns the expression for messages of strerror(3) at the end of a line.
func errno(texts string) *lazyregexp.Regexp { return line(`(?:[:-] |\()(?:` + texts + `)\)?\.?$`) }

// httpError returns the expression for statuses of HTTP as curl's lib/http.c and libalpm's dload.c write them.
func httpError(statuses string) *lazyregexp.Regexp {
	return line(`[Tt]he requested URL returned error: (?:` + statuses + `)\b`)
}

// messages are the messages that are recognised. libalpm's reasons are from lib/libalpm/error.c, and pacman puts them
// into parentheses (src/pacman/sync.c, remove.c, util.c); those of systemctl are from src/systemctl, src/shared and
// src/core; those of yay from its pkg/dep; those of makepkg from scripts/libmakepkg/integrity; those of curl from its
// lib. Endings of each kind are in testdata/causes.
var messages = []message{
	// Never worked around.
	{CauseUntrusted, "", line(`^error: .*\b(?:invalid or corrupted (?:package|database)|missing required signature|` +
		`(?:missing|invalid) PGP signature)\b`)},
	{CauseUntrusted, "", line(`^error: \S+: ` +
		`(?:signature from "|key "|signature format error|unsupported signature format)`)},
	{CauseUntrusted, "", line(`^error: (?:required key missing from keyring|key ".*" could not be )`)},
	{CauseUntrusted, "", line(`^==> ERROR: One or more ` +
		`(?:PGP signatures could not be verified|files did not pass the validity check)!`)},
	{CauseUntrusted, "", line(`SSL certificate problem: |server certificate verification failed|` +
		`certificate verify failed|failed to verify certificate|no alternative certificate subject name matches`)},
	{CauseRefused, "", line(`^warning: \S+ is designated as a HoldPkg\.`)},
	{CauseRefused, "", line(`^Failed to .*\b[Uu]nit (?:file )?\S+ is masked\.?$`)},
	{CauseRefused, "", line(`^Failed to .*: Operation refused, unit `)},
	{CauseRefused, "", line(`^Job for \S+ failed because start of the service was attempted too often\.`)},
	{CauseRefused, "nmcli", line(`^Error: .*Secrets were required, but not provided`)},
	{CauseRefused, "", httpError(`401|403|407|451`)},
	{CauseRefused, "", errno(`Read-only file system`)}, // often after an error of the disk

	// For a person to decide. Without a service manager, the rest of the line says why there is none.
	{CauseUnknown, "", line(`^Failed to connect to .*\bbus\b`)},
	{CauseDiskFull, "", line(`^error: (?:not enough free disk space|Partition .* too full: |` +
		`failed to commit transaction \(not enough free disk space\))`)},
	{CauseDiskFull, "", errno(`No space left on device|Disk quota exceeded`)},
	{CauseConflict, "", line(`^error: failed to (?:commit|prepare) transaction ` +
		`\((?:conflicting files|conflicting dependencies|could not satisfy dependencies)\)`)},
	{CauseConflict, "", line(`^Failed to .*\b` +
		`(?:[Ff]ile "?\S+"? already exists|Transaction for \S+ is destructive)\b`)},
	{CauseConflict, "", line(`^Job for \S+ canceled\.`)},
	{CauseNoRights, "", line(`^error: you cannot perform this operation unless you are root`)},
	{CauseNoRights, "", line(`^(?:Failed to|Could not) .*: (?:Access denied|Interactive authentication required)`)},
	{CauseNoRights, "nmcli", line(`^Error: .*(?:Insufficient privileges|Not authorized)`)},
	{CauseNoRights, "", line(`^mount: .*: must be superuser`)},
	{CauseNoRights, "", errno(`Permission denied|Operation not permitted`)},
	{CauseNotInstalled, "", line(`: command not found$`)},

	// An alternative can help. yay also says that there is no such package if it could not ask. A mirror without the
	// signature of a package is one that lacks a file: another one's signature is verified all the same.
	{CauseNetwork, "", line(`\bdial (?:tcp|udp)\b`)},
	{CauseMirror, "", line(`^error: failed retrieving file '[^']+' from .+ : ` +
		`(?:[Tt]he requested URL returned error: (?:404|410)|Couldn't open file|expected download size exceeded)`)},
	{CauseNotFound, "", line(`^error: (?:target not found: |package '.*' was not found|` +
		`'.*': could not find or read package|database not found: )`)},
	{CauseNotFound, "", line(`^(?:error:| ->) (?:could not find all required packages|No AUR package found for )`)},
	{CauseNotFound, "", line(`^==> ERROR: Could not resolve all dependencies\.`)},
	{CauseNotFound, "", line(`^Failed to .*\b[Uu]nit (?:file )?\S+ (?:not found|not loaded|does not exist)\.?$`)},
	{CauseNotFound, "", line(`^Unit \S+ could not be found\.$`)},
	{CauseNotFound, "", httpError(`404|410`)},
	{CauseNotFound, "-", errno(`No such file or directory`)},

	// These pass by themselves.
	{CauseLocked, "", line(`^error: could not lock database: File exists`)},
	{CauseLocked, "", line(`^error: failed to synchronize all databases \(unable to lock database\)`)},
	{CauseTimeout, "", line(`^Job for \S+ (?:failed because a timeout was exceeded|timed out)\.`)},
	{CauseTimeout, "", line(`\b(?:Connection|Operation|Resolving) timed out\b|\bOperation too slow\b`)},
	{CauseNetwork, "", httpError(`408|425|429|5\d\d`)},
	{CauseNetwork, "", line(`Could not resolve (?:host|proxy)|Failed to connect to \S+ port \d|` +
		`Couldn't connect to server|transfer closed with |Recv failure: |Empty reply from server`)},
	{CauseNetwork, "", errno(`Network is unreachable|No route to host|Connection refused|Connection reset by peer|` +
		`Temporary failure in name resolution|Name or service not known`)},
}
