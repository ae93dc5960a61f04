package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Unit is the question why a unit does not start, or stops. The object is the unit's name; without it the failed units
// are meant.
func Unit() Topic {
	return Topic{ID: "unit", Object: AUnit, About: i18n.DiagnoseAboutUnit, causes: []cause{
		{"not-found", unitNotFound},
		{"masked", eachUnit(unitMasked)},
		{"bad-file", eachUnit(unitBadFile)},
		{"program-missing", eachUnit(unitProgramMissing)},
		{"program-mode", eachUnit(unitProgramMode)},
		{"interpreter-missing", eachUnit(unitInterpreter)},
		{"noexec", eachUnit(unitNoexec)},
		{"home-hidden", eachUnit(unitHomeHidden)},
		{"directory", eachUnit(unitDirectory)},
		{"user", eachUnit(unitUser)},
		{"group", eachUnit(unitGroup)},
		{"namespace", eachUnit(unitNamespace)},
		{"output", eachUnit(unitOutput)},
		{"environment-file", eachUnit(unitEnvironment)},
		{"port-taken", eachUnit(unitPortTaken)},
		{"low-port", eachUnit(unitLowPort)},
		{"no-space", eachUnit(unitNoSpace)},
		{"read-only", eachUnit(unitReadOnly)},
		{"permission", eachUnit(unitPermission)},
		{"library", eachUnit(unitLibrary)},
		{"python-module", eachUnit(unitPythonModule)},
		{"database-old", eachUnit(unitDatabaseOld)},
		{"configuration", eachUnit(unitConfiguration)},
		{"file-missing", eachUnit(unitFileMissing)},
		{"dependency", eachUnit(unitDependency)},
		{"condition", eachUnit(unitCondition)},
		{"memory", eachUnit(unitMemory)},
		{"watchdog", eachUnit(unitWatchdog)},
		{"not-ready", eachUnit(unitNotReady)},
		{"forking", eachUnit(unitForking)},
		{"timeout", eachUnit(unitTimeout)},
		{"signal", eachUnit(unitSignal)},
		{"reload", eachUnit(unitReload)},
		{"unknown-setting", eachUnit(unitUnknownSetting)},
		{"conflict", eachUnit(unitConflict)},
		{"disabled", eachUnit(unitDisabled)},
		{"linger", eachUnit(unitLinger)},
		{"start-limit", eachUnit(unitStartLimit)},
		{"exit", eachUnit(unitExit)},
	}}
}

// service is a unit with its properties.
type service struct {
	name    string
	user    bool
	limited bool // systemd has given up starting it
	machine.UnitDetails
}

func (s service) look() machine.Probe  { return machine.UnitProbe(s.user, s.name) }
func (s service) log() machine.Probe   { return machine.UnitLogProbe(s.user, s.name) }
func (s service) files() machine.Probe { return machine.UnitFilesProbe(s.user, s.name) }

// hasFailed reports whether the unit does not run because its last start failed.
func (s service) hasFailed() bool {
	switch s.Values["ActiveState"] {
	case "failed":
		return true
	case "active", "reloading", "deactivating":
		return false
	}
	return s.Values["SubState"] == "auto-restart" || s.Values["Result"] != "success" && s.Values["Result"] != ""
}

// account is the user that the service runs as.
func (s service) account() string {
	if s.user {
		return ""
	}
	if u := s.Values["User"]; u != "" {
		return plain(u)
	}
	return "root"
}

// shown is a property as evidence.
func (s service) shown(keys ...string) Evidence {
	var words []string
	for _, key := range keys {
		words = append(words, key+"="+s.Values[key])
	}
	return seeLine(s.look(), strings.Join(words, ", "))
}

// command returns a command of a person for the unit's manager.
func (s service) command(words string) string {
	if s.user {
		return "systemctl --user " + words
	}
	return "sudo systemctl " + words
}

// edit is what opens the unit's files: without copying one, if it is the administrator's.
func (s service) edit(file string) string {
	if strings.HasPrefix(file, "/etc/") && plain(file) == file {
		return "sudoedit " + file
	}
	return s.command("edit --full " + s.name)
}

// eachUnit returns the first finding for the units in question.
func eachUnit(find func(*Facts, service) *Finding) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		for _, s := range f.services() {
			if found := find(f, s); found != nil {
				return found
			}
		}
		return nil
	}
}

var unitKinds = []string{
	".service", ".socket", ".timer", ".mount", ".automount", ".path", ".target", ".swap", ".slice",
	".scope",
}

// unitName returns a name with its kind, "" if it cannot be one.
func unitName(name, kind string) string {
	if name = plain(name); name == "" || strings.Contains(name, "/") || slices.Contains(unitKinds, path.Ext(name)) {
		return strings.ReplaceAll(name, "/", "")
	}
	return name + kind
}

// services returns the units in question.
func (f *Facts) services() []service {
	if f.Object != "" {
		return f.unit(unitName(f.Object, ".service"))
	}
	var all []service
	for i, look := range []machine.Probe{
		machine.FailedUnitsProbe, machine.LoopingUnitsProbe,
		machine.FailedUserUnitsProbe,
	} {
		user := i == 2
		failed, _ := parse(f, look, machine.ParseUnits) // an error is no unit
		for _, u := range failed[:min(len(failed), 3)] {
			if s, ok := f.service(user, plain(u.Name)); ok {
				all = append(all, s)
			}
		}
	}
	return all
}

// unit returns the unit of a name, of the managers that have it: one that failed first.
func (f *Facts) unit(name string) (all []service) {
	for _, user := range []bool{false, true} {
		if s, ok := f.service(user, name); ok && s.Values["LoadState"] != "not-found" {
			all = append(all, s)
		}
	}
	if len(all) == 2 && all[1].hasFailed() && !all[0].hasFailed() {
		slices.Reverse(all)
	}
	return all
}

func (f *Facts) service(user bool, name string) (service, bool) {
	if name == "" {
		return service{}, false
	}
	details, err := parse(f, machine.UnitProbe(user, name), machine.ParseUnit)
	s := service{name: name, user: user, UnitDetails: details}
	if details.Values["ActiveState"] == "failed" {
		s.limited = details.Values["Result"] == "start-limit-hit" ||
			strings.Contains(f.stdout(s.log()), "Start request repeated too quickly")
	}
	return s, err == nil
}

// runOf returns the messages of the last start.
func (f *Facts) runOf(s service) []machine.LogLine {
	lines, _ := parse(f, s.log(), machine.ParseLog) // an error is no message
	return machine.LastRun(lines)
}

// said returns the last line of a failed program that has all words, in any case.
func (f *Facts) said(s service, words ...string) string {
	if !s.hasFailed() {
		return ""
	}
	for _, l := range slices.Backward(f.runOf(s)) {
		low := strings.ToLower(l.Text)
		if !l.IsOfManager() && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(low, w) }) {
			return l.Text
		}
	}
	return ""
}

// managerSaid returns the last message of systemd in the last start that contains a word.
func (f *Facts) managerSaid(s service, word string) string {
	for _, l := range slices.Backward(f.runOf(s)) {
		if l.Sender == "systemd" && strings.Contains(l.Text, word) {
			return l.Text
		}
	}
	return ""
}

// settings returns the lines of the unit's files with one of the keys.
func (f *Facts) settings(s service, keys ...string) (all []machine.UnitSetting) {
	lines, _ := parse(f, s.files(), machine.ParseUnitFiles) // an error is no line
	for _, l := range lines {
		if slices.Contains(keys, l.Key) {
			all = append(all, l)
		}
	}
	return all
}

// at adds where a value is set, and how to change it, if nothing else is advised.
func (f *Facts) at(found *Finding, s service, key, value string) *Finding {
	for _, l := range slices.Backward(f.settings(s, key)) {
		if strings.Contains(l.Value, value) {
			found.Evidence = append(found.Evidence, see(s.files(),
				i18n.UnitAt(l.File, l.Line, machine.CleanLine(l.Key+"="+l.Value))))
			if found.Repair == nil && found.Advice == (i18n.Text{}) {
				found.Advice = i18n.UnitEdit(l.File, l.Line, s.edit(l.File), s.command("daemon-reload"),
					s.command("restart "+s.name))
			}
			break
		}
	}
	return found
}

// absent reports whether a path is proved not to be there: a directory that is closed proves nothing.
func (f *Facts) absent(file string) bool {
	if file = plain(file); !strings.HasPrefix(file, "/") {
		return false
	}
	out, known := f.output(machine.OwnersProbe(file))
	return known && out.Exit != 0 && strings.Contains(out.Stderr, "No such file or directory")
}

// absentSeen is the evidence of it.
func absentSeen(file string) Evidence { return see(machine.OwnersProbe(file), i18n.UnitNoFile(file)) }

// again returns the steps that start a unit again. If systemd has given up, it has to forget the failed starts first.
func (s service) again(before ...Step) []Step {
	if s.limited {
		reset := "sudo -n systemctl reset-failed " + s.name
		if s.user {
			reset = "systemctl --user reset-failed " + s.name
		}
		before = append(before, run(i18n.UnitResetStep, reset, "", "", ""))
	}
	action := "restart"
	if s.hasFailed() {
		action = "start"
	}
	return append(before, control(i18n.UnitAgain(s.name), action, s.name, s.user))
}

// makeDirectory returns a step that makes a directory for the account of a service.
func (s service) makeDirectory(dir string) Step {
	command := "sudo -n install -d"
	if a := s.account(); a != "root" && a != "" && s.Values["DynamicUser"] != "yes" {
		command += " -o " + a
	}
	if s.user {
		return run(i18n.UnitMakeDirectory(dir), "mkdir -- "+dir, "stat -c %F -- "+dir, "directory", "rmdir -- "+dir)
	}
	return run(i18n.UnitMakeDirectory(dir), command+" -- "+dir, "stat -c %F -- "+dir, "directory", "sudo -n rmdir -- "+dir)
}

// failedCommand returns the command that systemd could not start for a reason: exit statuses of systemd.exec(5).
func (s service) failedCommand(status string) (machine.Exec, bool) {
	if !s.hasFailed() {
		return machine.Exec{}, false
	}
	for _, c := range s.Commands {
		if number, _, _ := strings.Cut(c.Status, "/"); c.Code == "exited" && number == status {
			return c, true
		}
	}
	return machine.Exec{}, false
}

// statusSeen is that status as evidence.
func (s service) statusSeen(c machine.Exec, status string) Evidence {
	return see(s.look(), i18n.UnitStatus(c.Setting, status))
}

// otherNames are the units of Arch under the names that they have elsewhere, or that people call them.
var otherNames = map[string]string{
	"ssh": "sshd", "cron": "cronie", "crond": "cronie", "apache": "httpd", "apache2": "httpd", "mysql": "mariadb",
	"mysqld": "mariadb", "network-manager": "NetworkManager",
	"networking": "NetworkManager", "libvirt": "libvirtd", "samba": "smb", "smbd": "smb", "nmbd": "nmb", "cupsd": "cups",
	"ntp": "systemd-timesyncd", "avahi": "avahi-daemon", "postgres": "postgresql",
	"bluetoothd": "bluetooth", "dns": "systemd-resolved", "resolved": "systemd-resolved", "isc-dhcp-server": "dhcpd4",
	"firewall": "firewalld",
}

// unitNotFound finds a name that no unit has, and one that is meant.
func unitNotFound(f *Facts) *Finding {
	name := unitName(f.Object, ".service")
	s, ok := f.service(false, name)
	if own, known := f.service(true, name); !ok || s.Values["LoadState"] != "not-found" || known &&
		own.Values["LoadState"] != "not-found" {
		return nil
	}
	found := proved(i18n.UnitNotFound(name), s.shown("LoadState"))
	list := machine.UnitNamesProbe(false, strings.TrimPrefix(path.Ext(name), "."))
	if other := similarUnit(name, machine.Lines(f.stdout(list))); other != "" {
		found.Says = i18n.UnitNotFoundSimilar(name, other)
		found.Evidence = append(found.Evidence, see(list, i18n.UnitInstalled(other)))
		return found
	}
	return found.advise(i18n.StartAbsentAdvice(strings.TrimSuffix(name, path.Ext(name))))
}

// similarUnit returns the installed unit that is meant by a name, "" if there is none.
func similarUnit(name string, rows []string) string {
	kind := path.Ext(name)
	stem := strings.ToLower(strings.TrimSuffix(name, kind))
	best, bestDistance := "", 3
	for _, row := range rows {
		unit, _, _ := strings.Cut(row, " ")
		other := strings.TrimSuffix(unit, kind)
		switch d := distance(stem, strings.ToLower(other)); {
		case plain(unit) == "" || strings.Contains(unit, "@."):
		case otherNames[stem] == other:
			return unit
		case d < bestDistance && d*5 <= len(stem)+1:
			best, bestDistance = unit, d
		}
	}
	return best
}

// distance returns how many letters differ: the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// unitMasked finds a unit that nothing may start.
func unitMasked(f *Facts, s service) *Finding {
	file := plain(s.Values["FragmentPath"])
	if s.Values["LoadState"] != "masked" || file == "" {
		return nil
	}
	found := proved(i18n.UnitMasked(s.name, file), s.shown("LoadState", "FragmentPath"))
	out, known := f.output(machine.LinkProbe(file))
	if !known {
		return nil
	}
	if out.Exit != 0 || strings.TrimSpace(out.Stdout) != "/dev/null" {
		return found.advise(i18n.UnitMaskedEmpty(file, s.command("daemon-reload")))
	}
	found.Evidence = append(found.Evidence, seeLine(machine.LinkProbe(file), out.Stdout))
	sudo := strings.Replace(s.command("unmask "+s.name), "sudo ", "sudo -n ", 1)
	check := strings.TrimPrefix(strings.Replace(s.command("show -p LoadState --value -- "+s.name), "sudo ", "", 1), " ")
	return found.offer(i18n.UnitGoal(s.name),
		s.again(run(i18n.UnitUnmask(s.name), sudo, check, "loaded", strings.Replace(sudo, "unmask", "mask", 1)))...)
}

// unitBadFile finds a unit file that systemd refuses.
func unitBadFile(f *Facts, s service) *Finding {
	if state := s.Values["LoadState"]; state != "bad-setting" && state != "error" {
		return nil
	}
	file := plain(s.Values["FragmentPath"])
	found := proved(i18n.UnitBadFile(s.name, file), s.shown("LoadState", "LoadError"))
	lines, _ := parse(f, s.log(), machine.ParseLog)
	line := ""
	for _, l := range slices.Backward(lines) {
		if l.Sender == "systemd" && !strings.Contains(l.Text, "has fatal error") &&
			(line == "" || strings.HasPrefix(l.Text, "/") && !strings.HasPrefix(line, "/")) {
			line = l.Text
		}
	}
	if line == "" {
		return found.advise(i18n.UnitVerify(s.name))
	}
	found.Says = i18n.UnitBadLine(s.name, line)
	found.Evidence = append(found.Evidence, seeLine(s.log(), line))
	if at, _, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(at, "/") {
		file = at
	}
	if strings.Contains(line, "more than one ExecStart=") && s.Values["DropInPaths"] != "" {
		file, _, _ = strings.Cut(s.Values["DropInPaths"], " ")
		found.Advice = i18n.UnitTwoCommands(file, s.edit(file), s.command("daemon-reload"))
		return found
	}
	return found.advise(i18n.UnitBadFileAdvice(file, s.edit(file), s.command("daemon-reload")))
}

// unitProgramMissing finds a command that does not exist.
func unitProgramMissing(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("203")
	if !ok || !f.absent(c.Path) {
		return nil
	}
	found := proved(i18n.UnitProgramMissing(s.name, c.Path), s.statusSeen(c, "203/EXEC"), absentSeen(c.Path))
	fragment := plain(s.Values["FragmentPath"])
	for _, l := range f.settings(s, c.Setting) {
		if l.File != fragment && strings.Contains(l.Value, c.Path) {
			found.Advice = i18n.UnitDropIn(l.File, s.edit(l.File), s.command("revert "+s.name))
		}
	}
	if name := f.packageOf(fragment); fragment != "" && name != "" && !f.isForeign(name) &&
		slices.Contains(machine.Lines(f.stdout(machine.PackageFilesProbe(name))), c.Path) {
		if found.Repair = f.reinstall(name); found.Repair != nil {
			found.Repair.Steps = s.again(found.Repair.Steps...)
			return found
		}
	}
	return f.at(found, s, c.Setting, c.Path)
}

// unitProgramMode finds a command that may not be executed.
func unitProgramMode(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("203")
	if !ok || plain(c.Path) == "" {
		return nil
	}
	o, kind, ok := f.owner(c.Path)
	if !ok || !strings.Contains(kind, "regular file") || strings.ContainsAny(o.Mode[max(0, len(o.Mode)-3):], "1357") {
		return nil
	}
	step := run(i18n.StartModeStep(c.Path), "sudo -n chmod a+x -- "+c.Path, "stat -c %A -- "+c.Path, "x",
		"sudo -n chmod "+o.Mode+" -- "+c.Path)
	return proved(i18n.UnitProgramMode(s.name, c.Path, o.Mode), s.statusSeen(c, "203/EXEC"),
		see(machine.OwnersProbe(c.Path), i18n.StartModeSeen(o.Mode, o.User))).
		offer(i18n.UnitGoal(s.name), s.again(step)...)
}

// unitInterpreter finds a script whose interpreter does not exist.
func unitInterpreter(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("203")
	if !ok || plain(c.Path) == "" {
		return nil
	}
	script, ok := f.script(c.Path)
	if !ok || !f.absent(script.Interpreter) {
		return nil
	}
	return proved(i18n.UnitInterpreter(s.name, c.Path, script.Interpreter), s.statusSeen(c, "203/EXEC"),
		see(machine.ScriptProbe(c.Path), i18n.StartInterpreterSeen(script.Interpreter)), absentSeen(script.Interpreter)).
		advise(i18n.UnitInterpreterAdvice(c.Path, script.Interpreter))
}

// unitNoexec finds a command on a mount that forbids to execute.
func unitNoexec(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("203")
	if !ok || plain(c.Path) == "" {
		return nil
	}
	look := machine.MountOfProbe(c.Path)
	m, err := parse(f, look, machine.ParseMountOf)
	if err != nil || !slices.Contains(m.Options, "noexec") {
		return nil
	}
	return proved(i18n.UnitNoexec(s.name, c.Path, m.Target), s.statusSeen(c, "203/EXEC"),
		see(look, i18n.UnitMountOption(m.Target, "noexec"))).
		advise(i18n.UnitNoexecAdvice(m.Target))
}

// unitHomeHidden finds a file in a home directory that the unit may not see.
func unitHomeHidden(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("203")
	file := c.Path
	if !ok {
		c, ok = s.failedCommand("200")
		file = s.Values["WorkingDirectory"]
	}
	hidden := s.Values["ProtectHome"]
	if !ok || hidden != "yes" && hidden != "tmpfs" || !strings.HasPrefix(file, "/home/") &&
		!strings.HasPrefix(file, "/root/") {
		return nil
	}
	if _, _, there := f.owner(plain(file)); plain(file) == "" || !there {
		return nil
	}
	return f.at(proved(i18n.UnitHomeHidden(s.name, file, hidden), see(s.look(), i18n.UnitStatus(c.Setting, c.Status)),
		see(machine.OwnersProbe(file), i18n.UpdateExistsThere)).
		advise(i18n.UnitHomeHiddenAdvice(s.command("edit "+s.name))), s, "ProtectHome", hidden)
}

// unitDirectory finds a working directory that does not exist, or that the account may not enter.
func unitDirectory(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("200")
	dir := plain(s.Values["WorkingDirectory"])
	if !ok || dir == "" {
		return nil
	}
	if f.absent(dir) {
		return f.at(proved(i18n.UnitDirectory(s.name, dir), s.statusSeen(c, "200/CHDIR"), absentSeen(dir)).
			offer(i18n.UnitGoal(s.name), s.again(s.makeDirectory(dir))...), s, "WorkingDirectory", dir)
	}
	b, ok := f.blocked(dir, s.account(), machine.MayEnter)
	if !ok {
		return nil
	}
	return proved(i18n.UnitDirectoryClosed(s.name, dir, b.Path, s.account()), s.statusSeen(c, "200/CHDIR"), b.seen()).
		advise(i18n.RightsEnterAdvice(s.account(), b.Path))
}

// unitUser finds a user that does not exist.
func unitUser(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("217")
	user := plain(s.Values["User"])
	if !ok || user == "" {
		return nil
	}
	look := machine.AccountProbe(user)
	if out, known := f.output(look); !known || out.Exit != 2 {
		return nil
	}
	found := proved(i18n.UnitUser(s.name, user), s.statusSeen(c, "217/USER"), see(look, i18n.UnitNoUser(user)))
	if f.ownSysusers(s) {
		return found.offer(i18n.UnitGoal(s.name),
			s.again(run(i18n.UnitSysusers(user), "sudo -n systemd-sysusers", look.String(), user+":", ""))...)
	}
	return f.at(found.advise(i18n.UnitUserAdvice(user)), s, "User", user)
}

// ownSysusers reports whether the unit's package brings its users.
func (f *Facts) ownSysusers(s service) bool {
	fragment := plain(s.Values["FragmentPath"])
	if fragment == "" {
		return false
	}
	name := f.packageOf(fragment)
	return name != "" && slices.ContainsFunc(machine.Lines(f.stdout(machine.PackageFilesProbe(name))),
		func(file string) bool {
			return strings.HasPrefix(file, "/usr/lib/sysusers.d/") && strings.HasSuffix(file, ".conf")
		})
}

// unitGroup finds a group that does not exist.
func unitGroup(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("216")
	group := plain(s.Values["Group"])
	if !ok || group == "" {
		return nil
	}
	look := machine.GroupProbe(group)
	if out, known := f.output(look); !known || out.Exit != 2 {
		return nil
	}
	return f.at(proved(i18n.UnitGroup(s.name, group), s.statusSeen(c, "216/GROUP"), see(look, i18n.UnitNoGroup(group))).
		advise(i18n.UnitGroupAdvice(group)), s, "Group", group)
}

// unitNamespace finds a path of the sandbox that does not exist.
func unitNamespace(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("226")
	if !ok {
		return nil
	}
	for _, l := range f.settings(s, "ReadWritePaths", "ReadOnlyPaths", "InaccessiblePaths", "ExecPaths", "BindPaths",
		"BindReadOnlyPaths", "RootDirectory") {
		for word := range strings.FieldsSeq(l.Value) {
			file, _, _ := strings.Cut(strings.TrimPrefix(word, "+"), ":")
			if strings.HasPrefix(file, "/") && f.absent(file) {
				return proved(i18n.UnitNamespace(s.name, file, l.Key), s.statusSeen(c, "226/NAMESPACE"), absentSeen(file),
					see(s.files(), i18n.UnitAt(l.File, l.Line, machine.CleanLine(l.Key+"="+l.Value)))).
					offer(i18n.UnitGoal(s.name), s.again(s.makeDirectory(file))...)
			}
		}
	}
	return nil
}

// unitOutput finds a log file whose directory does not exist.
func unitOutput(f *Facts, s service) *Finding {
	c, ok := s.failedCommand("209")
	status := "209/STDOUT"
	if !ok {
		c, ok = s.failedCommand("222")
		status = "222/STDERR"
	}
	if !ok {
		return nil
	}
	for _, l := range f.settings(s, "StandardOutput", "StandardError") {
		_, file, _ := strings.Cut(l.Value, ":")
		if dir := path.Dir(plain(file)); plain(file) != "" && f.absent(dir) {
			return proved(i18n.UnitOutput(s.name, file, dir), s.statusSeen(c, status), absentSeen(dir),
				see(s.files(), i18n.UnitAt(l.File, l.Line, machine.CleanLine(l.Key+"="+l.Value)))).
				offer(i18n.UnitGoal(s.name), s.again(s.makeDirectory(dir))...)
		}
	}
	return nil
}

// unitEnvironment finds a file with variables that does not exist.
func unitEnvironment(f *Facts, s service) *Finding {
	if !s.hasFailed() || s.Values["Result"] != "resources" {
		return nil
	}
	for _, l := range f.settings(s, "EnvironmentFile") {
		if f.absent(l.Value) { // one that may be missing begins with a hyphen
			return proved(i18n.UnitEnvironment(s.name, l.Value), s.shown("Result"), absentSeen(plain(l.Value)),
				see(s.files(), i18n.UnitAt(l.File, l.Line, machine.CleanLine(l.Key+"="+l.Value)))).
				advise(i18n.UnitEnvironmentAdvice(l.Value, s.command("restart "+s.name)))
		}
	}
	return nil
}
