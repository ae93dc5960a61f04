package diagnose

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Sudo is the question why sudo refuses. The object is a user; without it the person.
func Sudo() Topic {
	return Topic{ID: "sudo", About: i18n.DiagnoseAboutSudo, causes: []cause{
		{"setuid", sudoSetuid},
		{"nosuid", sudoNosuid},
		{"configuration-mode", sudoersMode},
		{"configuration", sudoersSyntax},
		{"locked-out", lockedOut},
		{"relogin", sudoRelogin},
		{"wheel-off", sudoWheelOff},
		{"not-wheel", sudoNotWheel},
	}}
}

// Login is the question why a login is refused, or ends at once. The object is a user; without it the person.
func Login() Topic {
	return Topic{ID: "login", About: i18n.DiagnoseAboutLogin, causes: []cause{
		{"nologin", loginForbidden},
		{"locked-out", lockedOut},
		{"account-locked", accountLocked},
		{"expired", accountExpired},
		{"shell", loginShell},
		{"home-missing", loginHome},
		{"foreign-file", loginForeign},
		{"full", loginFull},
		{"tmp-mode", loginTmp},
		{"screen-failed", screenFailed},
		{"screen-off", screenOff},
		{"text-target", textTarget},
		{"keyring-locked", keyringLocked},
	}}
}

// person returns the user in question.
func (f *Facts) person() string {
	if f.Object != "" && strings.Trim(f.Object, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
		return plain(f.Object)
	}
	return f.me().User
}

const sudoFile = "/usr/bin/sudo"

// sudoSetuid finds a sudo that does not run as root.
func sudoSetuid(f *Facts) *Finding {
	o, kind, ok := f.owner(sudoFile)
	if !ok || !strings.Contains(kind, "regular") || o.User == "root" && len(o.Mode) == 4 &&
		strings.ContainsAny(o.Mode[:1], "4567") {
		return nil
	}
	return proved(i18n.SudoSetuid(o.User, o.Mode), see(machine.OwnersProbe(sudoFile),
		i18n.RightsSeen(sudoFile, o.User, o.Group, o.Mode))).advise(i18n.SudoSetuidAdvice)
}

// sudoNosuid finds a mount that takes the right from sudo.
func sudoNosuid(f *Facts) *Finding {
	look := machine.MountOfProbe(sudoFile)
	m, err := parse(f, look, machine.ParseMountOf)
	if err != nil || !slices.Contains(m.Options, "nosuid") {
		return nil
	}
	return proved(i18n.SudoNosuid(m.Target), see(look, i18n.UnitMountOption(m.Target, "nosuid"))).
		advise(i18n.SudoNosuidAdvice(m.Target))
}

// sudoersMode finds a configuration that sudo does not trust.
func sudoersMode(f *Facts) *Finding {
	for _, file := range []string{"/etc/sudoers", "/etc/sudoers.d"} {
		o, _, ok := f.owner(file)
		if ok && (o.UID != "0" || strings.ContainsAny(o.Mode[max(0, len(o.Mode)-1):], "2367")) {
			mode := "0440"
			if o.Directory {
				mode = "0750"
			}
			return proved(i18n.SudoersMode(file, o.User, o.Mode),
				see(machine.OwnersProbe(file), i18n.RightsSeen(file, o.User, o.Group, o.Mode))).
				advise(i18n.SudoersModeAdvice(file, mode))
		}
	}
	return nil
}

var (
	sudoLogProbe  = machine.Probe{"journalctl", "-t", "sudo", "-n", "20", "-o", "short", "--no-pager"}
	sudoersForm   = form(`(/etc/sudoers[A-Za-z0-9_./-]*):(\d+)(?::\d+)?: *(.*)`)
	sudoersOldest = form(`parse error in (/etc/sudoers[A-Za-z0-9_./-]*) near line (\d+)`)
)

// sudoLog returns what sudo said last.
func (f *Facts) sudoLog() []machine.LogLine {
	lines, _ := parse(f, sudoLogProbe, machine.ParseLog) // an error is no message
	return lines
}

// sudoersSyntax finds the line of sudoers that sudo does not understand. Only visudo and root may read the file.
func sudoersSyntax(f *Facts) *Finding {
	look := machine.Probe{"visudo", "-c"}
	out, _ := f.output(look)
	for _, line := range append(machine.Lines(out.Stdout), machine.Lines(out.Stderr)...) {
		if file, number, ok := sudoersPlace(line); ok {
			return proved(i18n.SudoersSyntax(file, number), seeLine(look, line)).advise(i18n.SudoersSyntaxAdvice(file))
		}
	}
	for _, l := range slices.Backward(f.sudoLog()) {
		if file, number, ok := sudoersPlace(l.Text); ok && l.Sender == "sudo" {
			return likely(i18n.SudoersSyntax(file, number), seeLine(sudoLogProbe, l.Text)).advise(i18n.SudoersSyntaxAdvice(file))
		}
	}
	if file, number, ok := sudoersPlace(f.Text); ok {
		return likely(i18n.SudoersSyntax(file, number), seeLine(look, machine.CleanLine(f.Text))).
			advise(i18n.SudoersSyntaxAdvice(file))
	}
	return nil
}

func sudoersPlace(line string) (file, number string, ok bool) {
	m := sudoersForm().FindStringSubmatch(line)
	if m == nil || strings.Contains(line, "parsed OK") {
		m = sudoersOldest().FindStringSubmatch(line)
	}
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

var denyForm = form(`(?m)^\s*deny\s*=\s*(\d+)`)

// lockedOut finds that too many wrong passwords locked an account: faillock(8), pam_faillock(8).
func lockedOut(f *Facts) *Finding {
	user := f.person()
	if user == "" {
		return nil
	}
	look, conf := machine.Probe{"faillock", "--user", user}, machine.Probe{"cat", "/etc/security/faillock.conf"}
	wrong, last := 0, ""
	for _, line := range f.lines(look) {
		if words := strings.Fields(line); len(words) > 3 && words[len(words)-1] == "V" {
			wrong, last = wrong+1, words[0]+" "+words[1]
		}
	}
	deny := 3
	if m := denyForm().FindStringSubmatch(f.stdout(conf)); m != nil {
		deny, _ = strconv.Atoi(m[1])
	}
	if wrong == 0 || wrong < deny || deny == 0 {
		return nil
	}
	return proved(i18n.LoginLockedOut(user, wrong, last), see(look, i18n.LoginWrong(wrong))).
		offer(i18n.LoginLockedGoal(user), run(i18n.LoginLockedStep(user), "faillock --user "+user+" --reset", look.String(),
			user+":", "")).
		advise(i18n.LoginLockedAdvice)
}

// inWheel reports whether the user may become root: now in this session, and according to the system.
func (f *Facts) inWheel(user string) (session, system, known bool) {
	id := f.me()
	now, err := parse(f, machine.UserProbe(user), machine.ParseID)
	if user == "" || err != nil {
		return false, false, false
	}
	return id.User != user || slices.Contains(id.Groups, "wheel"), slices.Contains(now.Groups, "wheel"), true
}

// notInSudoers returns the last refusal of a user who is in no rule.
func (f *Facts) notInSudoers(user string) string {
	for _, l := range slices.Backward(f.sudoLog()) {
		if l.Sender == "sudo" && strings.HasPrefix(strings.TrimSpace(l.Text), user+" : ") {
			if strings.Contains(l.Text, "user NOT in sudoers") {
				return l.Text
			}
			return ""
		}
	}
	return ""
}

// sudoRelogin finds a group that the session does not have yet.
func sudoRelogin(f *Facts) *Finding {
	user := f.person()
	session, system, known := f.inWheel(user)
	if !known || session || !system {
		return nil
	}
	return proved(i18n.SudoRelogin(user), see(machine.UserProbe(user), i18n.RightsMember(user, "wheel")),
		see(machine.IDProbe, i18n.RightsNotInSession("wheel"))).advise(i18n.RightsReloginAdvice)
}

// sudoWheelOff finds that the group has no rule.
func sudoWheelOff(f *Facts) *Finding {
	user := f.person()
	session, system, known := f.inWheel(user)
	if !known || !session || !system {
		return nil
	}
	line := f.notInSudoers(user)
	if line == "" {
		return nil
	}
	return proved(i18n.SudoWheelOff(user), seeLine(sudoLogProbe, line),
		see(machine.UserProbe(user), i18n.RightsMember(user, "wheel"))).advise(i18n.SudoWheelOffAdvice)
}

// sudoNotWheel finds a user who may not become root.
func sudoNotWheel(f *Facts) *Finding {
	user := f.person()
	_, system, known := f.inWheel(user)
	if !known || system || user == "root" {
		return nil
	}
	found := likely(i18n.SudoNotWheel(user), see(machine.UserProbe(user), i18n.RightsNotMember(user, "wheel")))
	if line := f.notInSudoers(user); line != "" {
		found = proved(i18n.SudoNotWheel(user), see(machine.UserProbe(user), i18n.RightsNotMember(user, "wheel")),
			seeLine(sudoLogProbe, line))
	}
	return found.advise(i18n.SudoNotWheelAdvice(user))
}

// loginForbidden finds the file that refuses every login but root's: pam_nologin(8).
func loginForbidden(f *Facts) *Finding {
	const file = "/etc/nologin"
	o, kind, ok := f.owner(file)
	if !ok || !strings.Contains(kind, "file") {
		return nil
	}
	aside := file + ".old"
	return proved(i18n.LoginForbidden(file), see(machine.OwnersProbe(file),
		i18n.RightsSeen(file, o.User, o.Group, o.Mode))).
		offer(i18n.LoginForbiddenGoal, run(i18n.UpdateExistsAside(file, "nologin.old"), "sudo -n mv -n -- "+file+" "+aside,
			"stat -c %n -- "+aside, aside, "sudo -n mv -n -- "+aside+" "+file))
}

// accountLocked finds a password that is locked, or missing: passwd(1), "-S".
func accountLocked(f *Facts) *Finding {
	user := f.person()
	if user == "" {
		return nil
	}
	look := machine.Probe{"passwd", "-S", user}
	words := strings.Fields(f.stdout(look))
	if len(words) < 3 || words[0] != user || words[1] != "L" && words[1] != "LK" && words[1] != "NP" {
		return nil
	}
	line := seeLine(look, strings.Join(words, " "))
	if words[1] == "NP" {
		return proved(i18n.LoginNoPassword(user), line).advise(i18n.LoginPasswordAdvice(user))
	}
	return proved(i18n.LoginAccountLocked(user), line).
		offer(i18n.LoginUnlockGoal(user), run(i18n.LoginUnlockStep(user), "sudo -n passwd -u "+user, look.String(), user+" P",
			"sudo -n passwd -l "+user))
}

// accountExpired finds an account or a password that is too old: chage(1), "-l".
func accountExpired(f *Facts) *Finding {
	user := f.person()
	if user == "" {
		return nil
	}
	look, clock := machine.Probe{"chage", "-l", user}, machine.Probe{"date", "-u", "+%F"}
	now, err := time.Parse(time.DateOnly, strings.TrimSpace(f.stdout(clock)))
	if err != nil {
		return nil
	}
	for _, line := range f.lines(look) {
		key, value, _ := strings.Cut(line, ":")
		end, err := time.Parse("Jan 02, 2006", strings.TrimSpace(value))
		if err != nil {
			end, err = time.Parse(time.DateOnly, strings.TrimSpace(value))
		}
		if err != nil || !end.Before(now) {
			continue
		}
		switch day := end.Format(time.DateOnly); strings.TrimSpace(key) {
		case "Account expires":
			return proved(i18n.LoginExpired(user, day), seeLine(look, line), seeLine(clock, now.Format(time.DateOnly))).
				offer(i18n.LoginUnlockGoal(user),
					run(i18n.LoginExpiredStep(user), "sudo -n chage -E -1 "+user, look.String(), "never",
						"sudo -n chage -E "+day+" "+user))
		case "Password expires", "Password inactive":
			return proved(i18n.LoginPasswordOld(user, day), seeLine(look, line), seeLine(clock, now.Format(time.DateOnly))).
				advise(i18n.LoginPasswordAdvice(user))
		}
	}
	return nil
}

// loginShell finds a shell that is not installed, or that ends at once.
func loginShell(f *Facts) *Finding {
	user := f.person()
	_, shell := f.account(user)
	if user == "" || shell == "" {
		return nil
	}
	look := machine.AccountProbe(user)
	step := run(i18n.LoginShellStep(user), "sudo -n usermod -s /bin/bash "+user, look.String(), ":/bin/bash",
		"sudo -n usermod -s "+shell+" "+user)
	if strings.HasSuffix(shell, "/nologin") || strings.HasSuffix(shell, "/false") {
		return proved(i18n.LoginShellNone(user, shell), see(look, i18n.LoginShellSeen(shell))).
			offer(i18n.LoginUnlockGoal(user), step)
	}
	if !f.absent(shell) {
		return nil
	}
	return proved(i18n.LoginShell(user, shell), see(look, i18n.LoginShellSeen(shell)), absentSeen(shell)).
		offer(i18n.LoginUnlockGoal(user), step)
}

// loginHome finds a home directory that does not exist.
func loginHome(f *Facts) *Finding {
	user := f.person()
	home, _ := f.account(user)
	if home == "" || !f.absent(home) {
		return nil
	}
	return proved(i18n.LoginHome(user, home), see(machine.AccountProbe(user), i18n.LoginHomeSeen(home)), absentSeen(home)).
		advise(i18n.LoginHomeAdvice(user, home))
}

// loginForeign finds a file of the user's that the desktop writes at the login, and that is somebody else's.
func loginForeign(f *Facts) *Finding {
	user := f.person()
	b, ok := f.foreignInHome(user)
	if !ok {
		return nil
	}
	return proved(i18n.LoginForeign(b.Path, b.User), b.seen()).offer(i18n.RightsGoal(b.Path), b.give(user))
}

// loginFull finds that the desktop can write nothing.
func loginFull(f *Facts) *Finding {
	home, _ := f.account(f.person())
	for _, dir := range []string{cmp.Or(home, "/home"), "/tmp", "/var/tmp"} {
		if full, look, ok := f.full(dir); ok {
			return proved(i18n.LoginFull(full.Target, full.Percent), see(look, i18n.UnitFull(full.Target, full.Percent))).
				advise(i18n.UpdateNoRoomAdvice(full.Target))
		}
	}
	return nil
}

// loginTmp finds a directory for temporary files in which users may write nothing.
func loginTmp(f *Facts) *Finding {
	const dir = "/tmp"
	o, kind, ok := f.owner(dir)
	if !ok || !strings.Contains(kind, "directory") || o.Mode == "1777" && o.User == "root" {
		return nil
	}
	found := proved(i18n.LoginTmp(o.Mode, o.User), see(machine.OwnersProbe(dir),
		i18n.RightsSeen(dir, o.User, o.Group, o.Mode)))
	steps := []Step{run(i18n.LoginTmpStep, "sudo -n chmod 1777 /tmp", "stat -c %a -- /tmp", "1777",
		"sudo -n chmod "+o.Mode+" /tmp")}
	if o.User != "root" && plain(o.User+o.Group) != "" {
		steps = append(steps, barrier{machine.Owner{Path: dir, Ownership: o.Ownership}, nil}.give("root"))
	}
	return found.offer(i18n.LoginTmpGoal, steps...)
}

var screens = []string{
	"sddm.service", "gdm.service", "lightdm.service", "ly.service", "lxdm.service", "greetd.service",
	"plasmalogin.service",
}

// screen returns the state of the login screen, and the installed ones.
func (f *Facts) screen() (enabled service, installed []map[string]string, look machine.Probe) {
	enabled, _ = f.service(false, "display-manager.service")
	all, look := f.states(false, screens...)
	for _, u := range all {
		if u["LoadState"] == "loaded" && plain(u["Id"]) != "" {
			installed = append(installed, u)
		}
	}
	return enabled, installed, look
}

// screenFailed finds a login screen that does not start.
func screenFailed(f *Facts) *Finding {
	s, _, _ := f.screen()
	if !s.hasFailed() {
		return nil
	}
	if id := plain(s.Values["Id"]); id != "" {
		s.name = id
	}
	found := proved(i18n.LoginScreenFailed(s.name, s.Values["Result"]),
		seeLine(machine.UnitProbe(false, "display-manager.service"),
			"ActiveState="+s.Values["ActiveState"]+", Result="+s.Values["Result"]))
	found.showing(s.log(), f.lastWords(s))
	return found.advise(i18n.UnitDependencyAdvice(s.name, "systemctl status "+s.name))
}

var targetProbe = machine.Probe{"systemctl", "get-default"}

// screenOff finds an installed login screen that nothing starts.
func screenOff(f *Facts) *Finding {
	s, installed, look := f.screen()
	if s.Values["LoadState"] != "not-found" || len(installed) == 0 {
		return nil
	}
	name := installed[0]["Id"]
	if installed[0]["ActiveState"] == "active" {
		return nil
	}
	return proved(i18n.LoginScreenOff(name), seeLine(machine.UnitProbe(false, "display-manager.service"),
		"LoadState=not-found"), seeLine(look, name+": "+installed[0]["UnitFileState"])).
		offer(i18n.UnitEnableGoal(name), control(i18n.UnitEnable(name), "enable", name, false))
}

// textTarget finds a computer that starts without its login screen.
func textTarget(f *Facts) *Finding {
	s, _, _ := f.screen()
	target := strings.TrimSpace(f.stdout(targetProbe))
	if s.Values["LoadState"] != "loaded" || s.Values["ActiveState"] == "active" || target == "graphical.target" ||
		target == "" || plain(target) != target {
		return nil
	}
	return proved(i18n.LoginTextTarget(target), seeLine(targetProbe, target),
		seeLine(machine.UnitProbe(false, "display-manager.service"), "ActiveState="+s.Values["ActiveState"])).
		offer(i18n.LoginTargetGoal, run(i18n.LoginTargetStep, "sudo -n systemctl set-default graphical.target",
			targetProbe.String(), "graphical.target", "sudo -n systemctl set-default "+target))
}

// keyringLocked finds that a login without a password leaves the keyring locked: pam_gnome_keyring and pam_kwallet5
// open it with the
// password of the login.
func keyringLocked(f *Facts) *Finding {
	if !f.mentions(i18n.LoginWordsKeyring) {
		return nil
	}
	lines, _ := f.shown(machine.AutologinProbe)
	message := lineWith(f.lines(machine.KeyringLogProbe), "no password is available", "couldn't get password",
		"couldn't unlock")
	for _, line := range lines {
		if file, _, text := numbered(line); file != "" {
			found := likely(i18n.LoginKeyring(file), seeLine(machine.AutologinProbe, line)).advise(i18n.LoginKeyringAdvice(file))
			_, user, _ := strings.Cut(text, "=")
			found.Certain = message != "" && user != ""
			return found.showing(machine.KeyringLogProbe, message)
		}
	}
	return nil
}
