package machine

import (
	"path"
	"slices"
	"strings"
)

// UnitProbe shows what is set and what happened for a unit, of the user manager or of the system's.
func UnitProbe(user bool, name string) Probe {
	return systemctl(user, "show", "-p", "Id,LoadState,LoadError,ActiveState,SubState,Result,Type,UnitFileState,FragmentPath,DropInPaths,NeedDaemonReload,"+
		"ConditionResult,NRestarts,ExecMainCode,ExecMainStatus,ExecCondition,ExecStartPre,ExecStart,User,Group,DynamicUser,WorkingDirectory,StateDirectory,CacheDirectory,LogsDirectory,"+
		"ProtectSystem,ProtectHome,MemoryMax,AmbientCapabilities,WatchdogUSec,TimeoutStartUSec,Requires,BindsTo,Requisite,Conflicts,TriggeredBy,"+
		"ActiveEnterTimestamp,Triggers,Persistent,TimersCalendar,TimersMonotonic,NextElapseUSecRealtime,NextElapseUSecMonotonic,LastTriggerUSec", "--", name)
}

// UnitFilesProbe shows the files of a unit, with their names.
func UnitFilesProbe(user bool, name string) Probe {
	return systemctl(user, "cat", "--no-pager", "--", name)
}

// UnitNamesProbe lists the installed units of a kind, such as service.
func UnitNamesProbe(user bool, kind string) Probe {
	return systemctl(user, "list-unit-files", "--no-legend", "--no-pager", "--type="+kind)
}

// UnitLogProbe shows the last messages of a unit and of systemd about it.
func UnitLogProbe(user bool, name string) Probe {
	p := Probe{"journalctl"}
	if user {
		p = append(p, "--user")
	}
	return append(p, "-u", name, "-n", "60", "-o", "short", "--no-pager")
}

// LoopingUnitsProbe lists the services that wait for their next start (systemctl(1), --state=).
var LoopingUnitsProbe = Probe{"systemctl", "list-units", "--no-pager", "--type=service", "--state=auto-restart"}

// FailedUserUnitsProbe lists the failed units of the user manager.
var FailedUserUnitsProbe = Probe{"systemctl", "--user", "--failed", "--no-pager"}

func systemctl(user bool, words ...string) Probe {
	p := Probe{"systemctl"}
	if user {
		p = append(p, "--user")
	}
	return append(p, words...)
}

// Exec is a command of a service and how it ended the last time.
type Exec struct {
	Setting         string // ExecStart, ExecStartPre
	Path, Arguments string // the arguments with the program's name
	Code, Status    string // "exited" and "203", "killed" and "11/SEGV", "(null)" and "0/0" if it has not ended
}

var execForm = pattern(`^(Exec\w+)=\{ path=(.*?) ; argv\[\]=(.*) ; ignore_errors=(?:yes|no) ; .* ; code=(\S+) ; status=(\S+) \}$`)

// UnitDetails are the properties of a unit and its commands.
type UnitDetails struct {
	Values   map[string]string
	Commands []Exec
}

// ParseUnit parses [UnitProbe]: systemctl(1), "show". The values of a setting that is shown more than once are joined by a blank.
// Without a state it is an error.
func ParseUnit(text []byte) (UnitDetails, error) {
	values := map[string]string{}
	var execs []Exec
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if m := execForm().FindStringSubmatch(line); m != nil {
			execs = append(execs, Exec{m[1], m[2], m[3], m[4], m[5]})
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok {
			values[key] = strings.TrimSpace(values[key] + " " + value)
		}
	}
	return readable(UnitDetails{values, execs}, values["LoadState"] != "" && values["ActiveState"] != "", "systemctl show")
}

// UnitSetting is a line of a unit's files.
type UnitSetting struct {
	File       string
	Line       int
	Key, Value string
}

// ParseUnitFiles parses [UnitFilesProbe]: systemctl(1), "cat": "# /usr/lib/systemd/system/x.service" before the lines of each file.
func ParseUnitFiles(text []byte) ([]UnitSetting, error) {
	var out []UnitSetting
	file, number := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# /"); ok && strings.Contains(name, "systemd/") && !strings.Contains(name, " ") {
			file, number = "/"+name, 0
			continue
		}
		number++
		key, value, ok := strings.Cut(line, "=")
		if file != "" && ok && !strings.ContainsAny(key[:min(1, len(key))], "#;") {
			out = append(out, UnitSetting{file, number, strings.TrimSpace(key), strings.TrimSpace(value)})
		}
	}
	return readable(out, file != "", "systemctl cat")
}

// LogLine is a message of the journal.
type LogLine struct{ Sender, Text string }

var shortForm = pattern(`^\w{3} [ \d]\d \d\d:\d\d:\d\d \S+ ([^:]+?)(?:\[\d+\])?: (.*)$`)

// ParseLog parses the journal in its short form (journalctl(1), "-o short"): "Nov 27 06:47:37 host sh[194]: TEXT". Further lines of
// a message are indented.
func ParseLog(text []byte) ([]LogLine, error) {
	var out []LogLine
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch m := shortForm().FindStringSubmatch(line); {
		case m != nil:
			out = append(out, LogLine{m[1], CleanLine(m[2])})
		case len(out) > 0 && strings.HasPrefix(line, "   "):
			out = append(out, LogLine{out[len(out)-1].Sender, CleanLine(strings.TrimSpace(line))})
		}
	}
	none := strings.HasPrefix(strings.TrimSpace(string(text)), "-- ") || len(Lines(text)) == 0
	return readable(out, len(out) > 0 || none, "journalctl")
}

// IsOfManager reports whether systemd wrote the message, not the program.
func (l LogLine) IsOfManager() bool { return l.Sender == "systemd" || strings.HasPrefix(l.Sender, "(") }

// LastRun returns the messages of the last start that left any: those since the end of the one before.
func LastRun(all []LogLine) []LogLine {
	var runs [][]LogLine
	var run []LogLine
	for _, l := range all {
		run = append(run, l)
		if l.Sender == "systemd" && containsAny(l.Text, ": Failed with result '", ": Deactivated successfully.", ": Succeeded.") {
			runs, run = append(runs, run), nil
		}
	}
	runs = append(runs, run)
	for _, run := range slices.Backward(runs) {
		if slices.ContainsFunc(run, func(l LogLine) bool {
			return !l.IsOfManager() || containsAny(l.Text, "process exited", "timed out", "Failed to", "condition check", "Dependency failed", "asserts failed")
		}) && !onlyLimit(run) {
			return run
		}
	}
	return run
}

// onlyLimit reports whether a run ended before it began, because there were too many.
func onlyLimit(run []LogLine) bool {
	return slices.ContainsFunc(run, func(l LogLine) bool { return strings.Contains(l.Text, "Start request repeated too quickly") }) ||
		!slices.ContainsFunc(run, func(l LogLine) bool { return !hasAnyPrefix(l.Text, "Failed to start ") })
}

// HoldersProbe lists the ports on which programs listen, with the service of each: it shows also those of other users.
var HoldersProbe = Probe{"ss", "-tulpn", "--cgroup"}

// Holder listens on a port at an address.
type Holder struct {
	Protocol, Address, Port string
	Program, Unit           string // "" if they are not known
}

var holderUnit = pattern(`cgroup:\S*/([^/\s]+\.(?:service|socket|scope))`)

// ParseHolders parses [HoldersProbe]: ss(8), Netid State Recv-Q Send-Q Local Peer Process cgroup:PATH.
func ParseHolders(text []byte) ([]Holder, error) {
	var out []Holder
	for _, line := range rawLines(text) {
		f := strings.Fields(line)
		if len(f) < 5 || f[0] != "tcp" && f[0] != "udp" {
			continue
		}
		i := strings.LastIndexByte(f[4], ':')
		if i < 0 || !isNumber(f[4][i+1:]) {
			continue
		}
		h := Holder{Protocol: f[0], Address: f[4][:i], Port: f[4][i+1:]}
		if m := socketUsers().FindStringSubmatch(line); m != nil {
			h.Program = m[1] + " (PID " + m[2] + ")"
		}
		if m := holderUnit().FindStringSubmatch(line); m != nil {
			h.Unit = m[1]
		}
		out = append(out, h)
	}
	return readable(out, len(out) > 0 || strings.HasPrefix(string(text), "Netid"), "ss")
}

// Name is what a person can recognize a holder by.
func (h Holder) Name() string {
	switch {
	case h.Program == "":
		return h.Unit
	case h.Unit == "":
		return h.Program
	}
	return h.Program + ", " + h.Unit
}

// IsLocal reports whether only this computer can reach it.
func (h Holder) IsLocal() bool {
	return hasAnyPrefix(h.Address, "127.", "[::1]", "localhost", "[::ffff:127.")
}

// rawLines returns the lines of an output that contains longer ones than people read.
func rawLines(text []byte) (out []string) {
	for line := range strings.Lines(string(text)) {
		out = append(out, strings.TrimRight(line, "\n"))
	}
	return out
}

// Parents returns a path and the directories above it, the root first.
func Parents(file string) []string {
	all := []string{file}
	for file != "/" && file != "." {
		file = path.Dir(file)
		all = append(all, file)
	}
	slices.Reverse(all)
	return all
}

// MountOfProbe shows on which mount a path is, with its options.
func MountOfProbe(file string) Probe {
	return Probe{"findmnt", "-n", "-r", "-o", "TARGET,SOURCE,OPTIONS", "-T", file}
}

// MountOf is the mount of a path.
type MountOf struct {
	Target, Source string
	Options        []string
}

// ParseMountOf parses [MountOfProbe]: findmnt(8), one row, of which the last mount of the place is the upper one.
func ParseMountOf(text []byte) (MountOf, error) {
	lines := Lines(text)
	if len(lines) == 0 {
		return MountOf{}, &UnreadableError{Source: "findmnt"}
	}
	f := strings.Fields(lines[len(lines)-1])
	if len(f) != 3 || !strings.HasPrefix(f[0], "/") {
		return MountOf{}, &UnreadableError{"findmnt", lines[0]}
	}
	return MountOf{f[0], f[1], strings.Split(f[2], ",")}, nil
}

// UserProbe shows the groups of a user, as the system knows them now.
func UserProbe(name string) Probe { return Probe{"id", "--", name} }

// AccountProbe shows the account of a user: passwd(5).
func AccountProbe(name string) Probe { return Probe{"getent", "passwd", "--", name} }

// GroupProbe shows a group and its members: group(5).
func GroupProbe(name string) Probe { return Probe{"getent", "group", "--", name} }

// AttributesProbe shows the attributes of a file.
func AttributesProbe(file string) Probe { return Probe{"lsattr", "-d", "--", file} }

// CertificateEndProbe shows when a certificate expires.
func CertificateEndProbe(file string) Probe {
	return Probe{"openssl", "x509", "-noout", "-enddate", "-in", file}
}
