package plan

import (
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
)

// consistency shows whether the database of installed packages is consistent: pacman(8), -Dk.
var consistency = machine.Probe{"pacman", "-Dk"}

// failedUnits are the looks before and after an upgrade that show which units have failed.
func failedUnits() [][]string {
	return [][]string{slices.Clone(machine.FailedUnitsProbe), slices.Clone(machine.FailedUserUnitsProbe)}
}

// maxServices bounds the services that are looked at after an upgrade.
const maxServices = 60

// AddService adds a service that runs and uses what an upgrade replaces.
func (v *Verb) AddService(name string, user bool) {
	list := &v.Services
	if user {
		list = &v.UserServices
	}
	if IsUnitName(name) && len(*list) < maxServices && !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
}

// upgradeLooks are the looks that are taken before and after an upgrade: the failed units, the packages, and the services that use
// what it replaces.
func (v Verb) upgradeLooks() [][]string {
	looks := append(failedUnits(), slices.Clone(machine.AllInstalledProbe))
	for _, user := range []bool{false, true} {
		if names := v.servicesOf(user); len(names) > 0 {
			looks = append(looks, machine.UnitsProbe(user, names...))
		}
	}
	return looks
}

func (v Verb) servicesOf(user bool) []string {
	if user {
		return v.UserServices
	}
	return v.Services
}

// maxChecked bounds the packages of one look at files, which must end in time.
const maxChecked = 50

// upgradedLooks are the looks after an upgrade: what remains, whether the packages fit together, what was looked at before, whether
// the computer will start again, and whether the files of the changed packages are whole.
func (v Verb) upgradedLooks(before, after []Look) [][]string {
	looks := [][]string{slices.Clone(machine.KnownUpdatesProbe), slices.Clone(consistency)}
	looks = append(append(looks, v.upgradeLooks()...), slices.Clone(machine.NextStartProbe))
	installed := machine.AllInstalledProbe
	for names := range slices.Chunk(changedPackages(findLook(before, installed), findLook(after, installed)), maxChecked) {
		looks = append(looks, machine.FileChecksProbe(names...))
	}
	return looks
}

// findLook returns the look with a command, one that did not run if there is none.
func findLook(looks []Look, argv []string) Look {
	if i := slices.IndexFunc(looks, func(l Look) bool { return slices.Equal(l.Argv, argv) }); i >= 0 {
		return looks[i]
	}
	return Look{}
}

// changedPackages returns the packages that are installed in another version than before.
func changedPackages(before, after Look) (names []string) {
	was, unread := machine.ParsePackages([]byte(before.Stdout))
	is, failed := machine.ParsePackages([]byte(after.Stdout))
	if !before.Ran || !after.Ran || unread != nil || failed != nil {
		return nil
	}
	for _, p := range is {
		if IsPackageName(p.Name) && !slices.Contains(was, p) {
			names = append(names, p.Name)
		}
	}
	return names
}

// judgeUpgraded judges an upgrade of all packages. What is sound besides the versions is not reported.
func (v Verb) judgeUpgraded(before, after []Look, exit int) []Proof {
	proofs := []Proof{judgeCurrent(after)}
	if look := findLook(after, consistency); look.Ran && look.Exit != 0 && strings.TrimSpace(look.Stdout+look.Stderr) != "" {
		proofs = append(proofs, Proof{
			Outcome: Failed, Code: Inconsistent, Subject: "database", Check: "pacman -Dk",
			State: list(machine.Lines([]byte(look.Stderr + look.Stdout))),
		})
	}
	if p, ok := judgeFiles(after); ok {
		proofs = append(proofs, p)
	}
	for i, argv := range failedUnits() {
		if names := newlyFailed(findLook(before, argv), findLook(after, argv)); len(names) > 0 {
			proofs = append(proofs, Proof{
				Outcome: Failed, Code: NewlyFailed, Subject: "units", User: i == 1, State: list(names),
				Check: strings.Join(argv[:len(argv)-1], " "),
			})
		}
	}
	if p, ok := judgeNextStart(findLook(after, machine.NextStartProbe)); ok {
		proofs = append(proofs, p)
	}
	if exit == 0 {
		proofs = append(proofs, v.judgeServices(before, after)...)
	}
	return proofs
}

// judgeFiles returns the proof that files of the changed packages are missing or have other contents, if that is so.
func judgeFiles(after []Look) (p Proof, ok bool) {
	var damaged []string
	for _, look := range after {
		if len(look.Argv) > 2 && look.Argv[1] == machine.FileChecksProbe()[1] && look.Ran {
			damaged = append(damaged, machine.ParseFileChecks([]byte(look.Stderr))...)
		}
	}
	return Proof{
		Outcome: Failed, Code: DamagedFiles, Subject: "files", Check: "pacman -Qkk", State: list(damaged),
	}, len(damaged) > 0
}

// sessionUnits are what a session or the computer runs in: their restart ends the session, so only a logout or a reboot renews
// them. A * ends a pattern.
var sessionUnits = []string{
	"dbus", "dbus-broker", "display-manager", "sddm", "gdm", "lightdm", "lxdm", "ly", "greetd", "plasmalogin", "systemd-*", "user@*",
	"user-runtime-dir@*", "getty@*", "org.gnome.*", "gnome-*", "plasma-*", "cosmic-*", "xfce4-*", "sway*", "hyprland*", "niri*", "wayland-*",
	"labwc*", "river*", "mutter*", "xorg*", "init",
}

// EndsSession reports whether a restart of a unit ends the person's session or what all others need.
func EndsSession(name string) bool {
	name = strings.TrimSuffix(name, ".service")
	base, _, _ := strings.Cut(name, "@")
	return slices.ContainsFunc(sessionUnits, func(s string) bool {
		prefix, isPattern := strings.CutSuffix(s, "*")
		return isPattern && strings.HasPrefix(name, prefix) || s == name || s == base
	})
}

// judgeServices returns which services have gone on since before the upgrade with what it replaced.
func (v Verb) judgeServices(before, after []Look) (proofs []Proof) {
	for _, user := range []bool{false, true} {
		names := v.servicesOf(user)
		argv := machine.UnitsProbe(user, names...)
		was, is := unitsOf(findLook(before, argv)), unitsOf(findLook(after, argv))
		var old, session []string
		for i := range min(len(was), len(is), len(names)) {
			ran, _ := was[i].judgeRunning()
			runs, _ := is[i].judgeRunning()
			differs, known := is[i].differs(was[i], "ActiveEnterTimestampMonotonic")
			switch {
			case ran != Done || runs != Done || differs || !known:
			case EndsSession(names[i]):
				session = append(session, names[i])
			default:
				old = append(old, names[i])
			}
		}
		check := strings.TrimSpace(Verb{User: user}.shownUnit(""))
		if len(old) > 0 {
			proofs = append(proofs, Proof{Outcome: Done, Code: OldServices, Subject: "services", User: user, State: strings.Join(old, " "), Check: check})
		}
		if len(session) > 0 {
			proofs = append(proofs, Proof{Outcome: Done, Code: OldSession, Subject: "session", User: user, State: list(session), Check: check})
		}
	}
	return proofs
}

// newlyFailed returns the units that have failed since the look before.
func newlyFailed(before, after Look) (names []string) {
	was, unread := machine.ParseUnits([]byte(before.Stdout))
	is, failed := machine.ParseUnits([]byte(after.Stdout))
	if !before.Ran || !after.Ran || unread != nil || failed != nil {
		return nil
	}
	for _, u := range is {
		if !slices.ContainsFunc(was, func(w machine.Unit) bool { return w.Name == u.Name }) {
			names = append(names, u.Name)
		}
	}
	return names
}

// judgeNextStart returns the proof that the computer will not start again, if that is so.
func judgeNextStart(look Look) (p Proof, ok bool) {
	next, err := machine.ParseNextStart([]byte(look.Stdout))
	if !look.Ran || err != nil || next.Worst() != machine.BootRed {
		return p, false
	}
	var found []string
	for _, f := range next.Findings {
		if f.Weight == machine.BootRed {
			found = append(found, machine.CleanLine(strings.TrimSpace(string(f.Code)+" "+f.Subject)))
		}
	}
	return Proof{Outcome: Failed, Code: NoNextStart, Subject: "boot", Check: "blunux-ai boot", State: list(found)}, true
}

// judgeCurrent judges whether all packages are current: pacman -Qu lists the updates that remain in the repositories, and exits with 1 if that
// is nothing.
func judgeCurrent(after []Look) Proof {
	p := Proof{Outcome: Unproved, Code: NoLook, Check: "pacman -Qu"}
	if len(after) == 0 || !after[0].Ran || after[0].Stdout == "" && strings.TrimSpace(after[0].Stderr) != "" {
		return p
	}
	rows, err := machine.ParseUpdates([]byte(after[0].Stdout))
	if err != nil || (after[0].Exit == 0) != (len(rows) > 0) {
		return p
	}
	var left, ignored []string
	for _, u := range rows {
		row := u.Name + " " + u.From + " -> " + u.To
		if u.Ignored {
			ignored = append(ignored, row)
		} else {
			left = append(left, row)
		}
	}
	switch {
	case len(left) > 0:
		p.Outcome, p.Code, p.State = Failed, NotCurrent, list(left)
	case len(ignored) > 0:
		p.Outcome, p.Code, p.State = Done, CurrentIgnored, list(ignored)
	default:
		p.Outcome, p.Code = Done, Current
	}
	return p
}
