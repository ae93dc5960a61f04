package diagnose

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// form compiles a regular expression when it is first used. If it were inlined, each variable would have its own code.
//
//go:noinline
func form(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

var (
	numberForm  = form(`\d{2,5}`)
	pathForm    = form(`/[A-Za-z0-9_./+@:-]+`)
	libraryForm = form(`error while loading shared libraries: (\S+): cannot open`)
	moduleForm  = form(`No module named '?([A-Za-z0-9_.]+)'?`)
	// Programs name the file first ("/etc/a.conf:12", "/etc/a.conf line 12", "/etc/a.conf: line 12") or the line ("line 12
	// of /etc/a.conf").
	placeForm    = form(`(/[A-Za-z0-9_./+@-]+)["'\]]?(?::|:? line |,? ?\(?line )(\d+)`)
	placeOtherly = form(`[Ll]ine (\d+) (?:of|in|in file|of file) ["']?(/[A-Za-z0-9_./+@-]+)`)
)

// ports returns the numbers of a text that can be ports.
func ports(text string) (all []string) {
	for _, n := range numberForm().FindAllString(text, -1) {
		if value, err := strconv.Atoi(n); err == nil && value < 65536 && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// arguments returns the command lines of a service.
func (s service) arguments() string {
	var b strings.Builder
	for _, c := range s.Commands {
		b.WriteString(c.Arguments + "\n")
	}
	return b.String()
}

// unstoppable are services that nothing may stop for another's sake.
func unstoppable(unit string) bool {
	return unit == "" || !strings.HasSuffix(unit, ".service") || strings.HasPrefix(unit, "systemd-") ||
		strings.HasPrefix(unit, "user@") ||
		slices.Contains([]string{
			"sshd.service", "NetworkManager.service", "dbus.service", "dbus-broker.service",
			"polkit.service",
		}, unit)
}

// unitPortTaken finds who has the port that the service needs.
func unitPortTaken(f *Facts, s service) *Finding {
	line := f.said(s, "address already in use")
	if line == "" {
		return nil
	}
	look := machine.HoldersProbe
	holders, _ := parse(f, look, machine.ParseHolders) // an error is no holder
	for _, port := range ports(line + "\n" + s.arguments()) {
		at := slices.IndexFunc(holders, func(h machine.Holder) bool {
			return h.Port == port && h.Unit != s.name &&
				h.Name() != ""
		})
		if at < 0 {
			continue
		}
		h := holders[at]
		found := proved(i18n.UnitPortTaken(s.name, port, h.Name()), seeLine(s.log(), line),
			see(look, i18n.PortHolder(h.Name(), h.Address+":"+port)))
		if plain(h.Unit) != h.Unit || unstoppable(h.Unit) || s.user {
			return found.advise(i18n.UnitPortAdvice(port, h.Name()))
		}
		found.offer(i18n.UnitPortGoal(s.name, h.Unit), s.again(control(i18n.UnitStop(h.Unit), "stop", h.Unit, false))...)
		return found.advise(i18n.UnitPortBoth(h.Unit))
	}
	return likely(i18n.UnitPortSomebody(s.name), seeLine(s.log(), line))
}

// unitLowPort finds a port that only root may use.
func unitLowPort(f *Facts, s service) *Finding {
	line := f.said(s, "permission denied")
	isBind := f.said(s, "bind") != ""
	if line == "" || !isBind || s.account() == "root" ||
		strings.Contains(s.Values["AmbientCapabilities"], "cap_net_bind_service") {
		return nil
	}
	look := machine.Probe{"cat", "/proc/sys/net/ipv4/ip_unprivileged_port_start"}
	first, err := strconv.Atoi(strings.TrimSpace(f.stdout(look)))
	for _, port := range ports(f.said(s, "permission denied", "bind") + "\n" + s.arguments()) {
		if n, _ := strconv.Atoi(port); err == nil && n < first && n != 13 { // 13 is the number of the error
			found := proved(i18n.UnitLowPort(s.name, port, cmp.Or(s.account(), sessionUser)), seeLine(s.log(), line),
				s.shown("User", "AmbientCapabilities"), see(look, i18n.UnitFirstPort(first)))
			if s.user {
				return found.advise(i18n.UnitLowPortUser(port))
			}
			return found.advise(i18n.UnitLowPortAdvice(s.command("edit "+s.name), s.command("restart "+s.name)))
		}
	}
	return nil
}

// sessionUser is the account of a unit of the user manager.
const sessionUser = "user"

// pathIn returns the first path of a message that is not a program, "" if there is none.
func pathIn(line string) string {
	for _, p := range pathForm().FindAllString(line, -1) {
		isProgram := strings.HasPrefix(p, "/bin/") || strings.HasPrefix(p, "/usr/bin/")
		if p = strings.TrimRight(p, ".:,-"); strings.Count(p, "/") > 1 && plain(p) != "" && !isProgram {
			return path.Clean(p)
		}
	}
	return ""
}

// unitNoSpace finds a full file system.
func unitNoSpace(f *Facts, s service) *Finding {
	line := cmp.Or(f.said(s, "no space left on device"), f.said(s, "disk full"))
	if line == "" {
		return nil
	}
	if full, look, ok := f.full(pathIn(line)); ok {
		return proved(i18n.UnitNoSpace(s.name, full.Target), seeLine(s.log(), line),
			see(look, i18n.UnitFull(full.Target, full.Percent))).
			advise(i18n.UpdateNoRoomAdvice(full.Target))
	}
	return nil
}

// full returns the file system of a path, or of any if there is no path, if it has no room for blocks or files.
func (f *Facts) full(file string) (machine.Filesystem, machine.Probe, bool) {
	for _, look := range []machine.Probe{machine.DFProbe, machine.InodesProbe} {
		all, _ := parse(f, look, machine.ParseDF) // an error is no row
		var of machine.Filesystem
		for _, fs := range all {
			below := file != "" && (fs.Target == "/" || file == fs.Target || strings.HasPrefix(file, fs.Target+"/"))
			if below && len(fs.Target) > len(of.Target) || file == "" && fs.Percent >= 99 && isWritable(fs) && of.Target == "" {
				of = fs
			}
		}
		if of.Percent >= 99 {
			return of, look, true
		}
	}
	return machine.Filesystem{}, nil, false
}

// isWritable reports whether a file system can fill up: images are always full.
func isWritable(fs machine.Filesystem) bool {
	return !strings.HasPrefix(fs.Source, "/dev/loop") && !strings.HasPrefix(fs.Target, "/snap") &&
		!strings.HasPrefix(fs.Target, "/run/media") && fs.Source != "efivarfs"
}

// unitReadOnly finds what keeps the service from writing.
func unitReadOnly(f *Facts, s service) *Finding {
	line := f.said(s, "read-only file system")
	file := pathIn(line)
	if line == "" || file == "" {
		return nil
	}
	look := machine.MountOfProbe(path.Dir(file))
	m, err := parse(f, look, machine.ParseMountOf)
	protect := s.Values["ProtectSystem"]
	switch {
	case err != nil:
		return nil
	case slices.Contains(m.Options, "ro"):
		return proved(i18n.UnitMountedReadOnly(s.name, file, m.Target), seeLine(s.log(), line),
			see(look, i18n.UnitMountOption(m.Target, "ro"))).
			advise(i18n.RightsReadOnlyAdvice(m.Target))
	case protect == "strict" || (protect == "full" || protect == "yes") &&
		(strings.HasPrefix(file, "/usr/") || strings.HasPrefix(file, "/etc/")):
		return f.at(proved(i18n.UnitProtected(s.name, file, protect), seeLine(s.log(), line), s.shown("ProtectSystem"),
			see(look, i18n.UnitMountOption(m.Target, "rw"))).
			advise(i18n.UnitProtectedAdvice(s.command("edit "+s.name), path.Dir(file), s.command("restart "+s.name))), s,
			"ProtectSystem", protect)
	}
	return nil
}

// unitPermission finds the path that the account of the service may not use.
func unitPermission(f *Facts, s service) *Finding {
	line := f.said(s, "permission denied")
	file := pathIn(line)
	user := s.account()
	if file == "" || user == "" || user == "root" || s.Values["DynamicUser"] == "yes" {
		return nil
	}
	b, ok := f.blocked(file, user, machine.MayRead)
	if !ok {
		b, ok = f.blocked(file, user, machine.MayWrite)
	}
	if !ok {
		return nil
	}
	found := proved(i18n.UnitPermission(s.name, user, b.Path, b.User, b.Mode), seeLine(s.log(), line), b.seen())
	switch {
	case b.Path == file && isKey(file):
		return found.offer(i18n.UnitGoal(s.name),
			s.again(run(i18n.UnitKeyStep(user, file), "sudo -n setfacl -m u:"+user+":r -- "+file, "ls -ld -- "+file, "+ ",
				"sudo -n setfacl -x u:"+user+" -- "+file))...)
	case s.owns(b.Path):
		return found.offer(i18n.UnitGoal(s.name), s.again(b.give(user))...)
	}
	return found.advise(i18n.RightsEnterAdvice(user, b.Path))
}

// isKey reports whether a file is a certificate or a key, which other services may need as well.
func isKey(file string) bool {
	return slices.Contains([]string{".pem", ".key", ".crt", ".cer"}, path.Ext(file))
}

// stateRoots are the directories below which services keep their own data: systemd.exec(5), StateDirectory= and the
// like, and
// file-hierarchy(7).
var stateRoots = []string{"/var/lib/", "/var/cache/", "/var/log/", "/var/spool/", "/srv/", "/run/"}

// owns reports whether a path is a directory of the service's own, or directly in one: it has the name of the service
// or of its user, or
// the unit names it. What is below could be exchanged by the service for something else.
func (s service) owns(file string) bool {
	unit := strings.TrimSuffix(s.name, path.Ext(s.name))
	own := []string{strings.TrimPrefix(s.Values["WorkingDirectory"], "!")}
	for _, root := range stateRoots {
		names := strings.Fields(strings.Join([]string{
			unit, s.Values["User"], s.Values["StateDirectory"],
			s.Values["CacheDirectory"], s.Values["LogsDirectory"],
		}, " "))
		for _, name := range names {
			own = append(own, path.Join(root, name))
		}
	}
	isBelow := slices.ContainsFunc(stateRoots, func(root string) bool { return strings.HasPrefix(file, root) })
	return isBelow && (slices.Contains(own, file) || slices.Contains(own, path.Dir(file)))
}

// unitLibrary finds a library that the program needs and that is not there.
func unitLibrary(f *Facts, s service) *Finding {
	line := f.said(s, "error while loading shared libraries")
	m := libraryForm().FindStringSubmatch(line)
	if m == nil || len(s.Commands) == 0 {
		return nil
	}
	file := plain(s.Commands[len(s.Commands)-1].Path)
	found := proved(i18n.UnitLibrary(s.name, m[1]), seeLine(s.log(), line))
	if file == "" {
		return found
	}
	switch name := f.packageOf(file); {
	case name == "":
		return found.advise(i18n.StartLibraryOwn(file))
	case f.isForeign(name):
		return found.advise(i18n.StartRebuild(name))
	default:
		return found.offer(i18n.UnitGoal(s.name),
			s.again(Step{Step: plan.Step{Verb: "upgrade", Args: map[string]string{}}, About: i18n.StartUpgrade(name)})...)
	}
}

// unitPythonModule finds a module that Python does not find.
func unitPythonModule(f *Facts, s service) *Finding {
	line := f.said(s, "no module named")
	m := moduleForm().FindStringSubmatch(line)
	if m == nil || len(s.Commands) == 0 {
		return nil
	}
	found := proved(i18n.UnitModule(s.name, m[1]), seeLine(s.log(), line))
	if file := plain(s.Commands[len(s.Commands)-1].Path); file != "" {
		if name := f.packageOf(file); name != "" && f.isForeign(name) {
			return found.advise(i18n.StartRebuild(name))
		}
	}
	module, _, _ := strings.Cut(m[1], ".")
	return found.advise(i18n.UnitModuleAdvice(strings.ReplaceAll(strings.ToLower(module), "_", "-")))
}

// unitDatabaseOld finds a PostgreSQL cluster of an older version: postgresql-check-db-dir of the package, or the server
// itself.
func unitDatabaseOld(f *Facts, s service) *Finding {
	line := cmp.Or(f.said(s, "an old version of the database format was found"),
		f.said(s, "data directory was initialized by postgresql version"))
	if line == "" {
		return nil
	}
	return proved(i18n.UnitDatabaseOld(s.name), seeLine(s.log(), line)).advise(i18n.UnitDatabaseOldAdvice)
}

// place returns the file and the line of a configuration that a message names.
func place(text string) (file, line string) {
	if m := placeForm().FindStringSubmatch(text); m != nil {
		file, line = m[1], m[2]
	} else if m := placeOtherly().FindStringSubmatch(text); m != nil {
		file, line = m[2], m[1]
	}
	isConfiguration := strings.HasPrefix(file, "/etc/") ||
		slices.Contains([]string{".conf", ".cfg", ".ini", ".toml", ".yaml", ".yml", ".json"}, path.Ext(file))
	if !isConfiguration || strings.Contains(strings.ToLower(text), "warn") || plain(file) != file {
		return "", ""
	}
	return file, line
}

// unitConfiguration finds the line of a configuration that the program refuses.
func unitConfiguration(f *Facts, s service) *Finding {
	if !s.hasFailed() || s.Values["Result"] != "exit-code" {
		return nil
	}
	lines := f.runOf(s)
	for i, l := range lines {
		file, number := place(l.Text)
		if l.IsOfManager() || file == "" {
			continue
		}
		found := proved(i18n.UnitConfiguration(s.name, file, number), s.shown("Result"), seeLine(s.log(), l.Text))
		if i+1 < len(lines) && strings.HasSuffix(l.Text, ":") && !lines[i+1].IsOfManager() {
			found.Evidence = append(found.Evidence, seeLine(s.log(), lines[i+1].Text))
		}
		return found.advise(i18n.UnitConfigurationAdvice(file, number, s.command("restart "+s.name)))
	}
	return nil
}

// unitFileMissing finds a file that the program needs.
func unitFileMissing(f *Facts, s service) *Finding {
	line := f.said(s, "no such file or directory")
	if line == "" || strings.Contains(line, "shared librar") {
		return nil
	}
	for _, file := range pathForm().FindAllString(line, -1) {
		if file = strings.TrimRight(file, ".:,-"); strings.Count(file, "/") > 1 &&
			!slices.ContainsFunc(s.Commands, func(c machine.Exec) bool { return c.Path == file }) && f.absent(file) {
			return proved(i18n.UnitFileMissing(s.name, file), seeLine(s.log(), line), absentSeen(file)).
				advise(i18n.UnitFileMissingAdvice(file, s.command("restart "+s.name)))
		}
	}
	return nil
}
