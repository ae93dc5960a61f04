package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// shown returns the lines that a look printed, regardless of its exit status: grep(1) fails if a file is missing. ok is
// false if it
// did not run, or if a part is missing.
func (f *Facts) shown(look machine.Probe) (lines []string, ok bool) {
	out, ok := f.output(look)
	if !ok || out.Cut {
		return nil, false
	}
	return machine.Lines(out.Stdout), true
}

// unitStates are the properties of units, by name.
type unitStates map[string]map[string]string

// units returns the states of units. It is nil if they are not known.
func (f *Facts) units(look machine.Probe) unitStates {
	all, err := parse(f, look, machine.ParseUnitProperties)
	if err != nil || len(all) == 0 {
		return nil
	}
	states := unitStates{}
	for _, u := range all {
		states[u["Id"]] = u
	}
	return states
}

func (u unitStates) isActive(name string) bool {
	return slices.Contains([]string{"active", "activating", "reloading"}, u[name]["ActiveState"])
}

func (u unitStates) isMasked(name string) bool { return u[name]["LoadState"] == "masked" }

// isIdle reports whether a unit is installed and does not run.
func (u unitStates) isIdle(name string) bool {
	return u[name]["LoadState"] == "loaded" && slices.Contains([]string{"inactive", "failed"}, u[name]["ActiveState"])
}

// isDisabled reports whether a unit is installed and not enabled.
func (u unitStates) isDisabled(name string) bool {
	return u[name]["LoadState"] == "loaded" && u[name]["UnitFileState"] == "disabled"
}

// see shows the state of a unit.
func (u unitStates) see(look machine.Probe, name string) Evidence {
	state := u[name]["ActiveState"]
	switch {
	case u.isMasked(name):
		state = "masked"
	case u.isIdle(name) && u.isDisabled(name):
		state += ", disabled"
	}
	return see(look, i18n.DesktopUnit(name, cmp.Or(state, "unknown")))
}

// unmask returns the steps that allow a unit to start again, and start it.
func unmask(about i18n.Text, unit string, user bool) []Step {
	systemctl := "sudo -n systemctl"
	if user {
		systemctl = "systemctl --user"
	}
	show := strings.TrimPrefix(systemctl, "sudo -n ") + " show -p LoadState " + unit
	return []Step{
		run(about, systemctl+" unmask "+unit, show, "LoadState=loaded", systemctl+" mask "+unit),
		control(about, "start", unit, user),
	}
}

// start returns the step that starts a unit. If it does not run because it is not enabled, a step before enables it.
func (u unitStates) start(unit string, user bool) []Step {
	step := control(i18n.DesktopStart(unit), "start", unit, user)
	if !u.isDisabled(unit) {
		return []Step{step}
	}
	return []Step{control(i18n.UnitEnable(unit), "enable", unit, user), step}
}

// commentOut returns the step that makes a line of a file of the system a comment.
func commentOut(about i18n.Text, file, line string) Step {
	return run(about, "sudo -n sed -i '"+line+"s/^/#/' "+file, "sed -n "+line+"p "+file, "#",
		"sudo -n sed -i '"+line+"s/^#//' "+file)
}

// joinGroup returns the step that adds a person to a group.
func joinGroup(about i18n.Text, user, group string) Step {
	return run(about, "sudo -n gpasswd -a "+user+" "+group, "getent group "+group, user,
		"sudo -n gpasswd -d "+user+" "+group)
}

// inSession reports whether the session of the person has a group. known is false if that cannot be seen.
func (f *Facts) inSession(group string) (user string, member, known bool) {
	id, err := parse(f, machine.IDProbe, machine.ParseID)
	return plain(id.User), slices.Contains(id.Groups, group), err == nil && plain(id.User) != ""
}

// isWhole reports whether a text is a number.
func isWhole(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// numbered splits a line of grep -n -H: file, number, text.
func numbered(line string) (file, number, text string) {
	p := strings.SplitN(line, ":", 3)
	if len(p) != 3 || plain(p[0]) != p[0] || !isWhole(p[1]) {
		return "", "", ""
	}
	return p[0], p[1], strings.TrimSpace(p[2])
}

// firmwareLine returns the last line of the kernel's log that reports a missing firmware file for one of the drivers,
// "" if there
// is none: Linux, drivers/base/firmware_loader/main.c.
func (f *Facts) firmwareLine(drivers ...string) (look machine.Probe, line string) {
	look = machine.KernelLogProbe("firmware")
	lines, _ := f.shown(look)
	lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return lineWith([]string{line}, "error -2", "failed to load", "not found", "no suitable") == "" ||
			lineWith([]string{line}, drivers...) == ""
	})
	return look, lineWith(lines, "")
}

// when returns how a cause is found that counts only while something is so.
func when(so func(*Facts) bool, find func(*Facts) *Finding) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		if !so(f) {
			return nil
		}
		return find(f)
	}
}

// blocked returns how a blocked driver is found: see [Facts.blockedDriver].
func blocked(missing Evidence, drivers ...string) func(*Facts) *Finding {
	return func(f *Facts) *Finding { return f.blockedDriver(missing, drivers...) }
}

// masked returns how a unit is found that may not start.
func masked(look machine.Probe, user bool, names ...string) func(*Facts) *Finding {
	return func(f *Facts) *Finding {
		u := f.units(look)
		i := slices.IndexFunc(names, u.isMasked)
		if i < 0 {
			return nil
		}
		return proved(i18n.DesktopMasked(names[i]), u.see(look, names[i])).
			offer(i18n.DesktopStart(names[i]), unmask(i18n.DesktopUnmask(names[i]), names[i], user)...)
	}
}

// failed finds a unit that has failed. words are those of its log that say why.
func (f *Facts) failed(look machine.Probe, user bool, name string, log machine.Probe, words ...string) *Finding {
	u := f.units(look)
	if u[name]["ActiveState"] != "failed" {
		return nil
	}
	return proved(i18n.DesktopFailed(name), u.see(look, name)).showing(log, failureLine(f.lines(log), words...)).
		offer(i18n.DesktopStart(name), control(i18n.DesktopStart(name), "restart", name, user))
}

// showing adds a line that a look prints, if there is one.
func (f *Finding) showing(look machine.Probe, line string) *Finding {
	if line != "" {
		f.Evidence = append(f.Evidence, seeLine(look, line))
	}
	return f
}

// lostModules finds that the modules of the running kernel are gone, as after its update: no device that is plugged in
// later works.
func lostModules(f *Facts) *Finding {
	release := strings.TrimSpace(f.stdout(machine.KernelProbe))
	trees, err := parse(f, machine.ModuleTreesProbe, machine.ParseModuleTrees)
	if err != nil || plain(release) == "" || len(trees) == 0 || strings.Contains(fmt.Sprint(trees), release) {
		return nil
	}
	return proved(i18n.DesktopModules(release),
		see(machine.KernelProbe, i18n.DiagnoseLine(release)),
		seeLine(machine.ModuleTreesProbe, f.stdout(machine.ModuleTreesProbe))).advise(i18n.DesktopModulesAdvice)
}

// failureLine returns the last line of a log that reports a failure, without those of systemd, which give no reason.
func failureLine(lines []string, words ...string) string {
	return lineWith(slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return lineWith([]string{line}, "main process exited", "failed with result", "scheduled restart",
			"start request repeated", "failed to start ") != ""
	}), words...)
}

// blockedDriver finds a line of modprobe.d(5) that keeps one of the drivers away, and offers to take it out and load
// the driver.
func (f *Facts) blockedDriver(missing Evidence, drivers ...string) *Finding {
	lines, _ := f.shown(machine.BlockedDriversProbe)
	for _, line := range lines {
		file, number, text := numbered(line)
		w := strings.Fields(text)
		if len(w) < 2 || plain(w[1]) != w[1] || w[0] == "install" &&
			(len(w) < 3 || !slices.Contains([]string{"/bin/true", "/bin/false", "/usr/bin/true", "/usr/bin/false"}, w[2])) ||
			!slices.ContainsFunc(drivers, func(d string) bool { return strings.HasPrefix(w[1], d) }) {
			continue
		}
		return proved(i18n.DesktopBlocked(w[1], file, number), missing, seeLine(machine.BlockedDriversProbe, line)).
			offer(i18n.DesktopBlockedGoal(w[1]),
				commentOut(i18n.DesktopBlockedGoal(w[1]), file, number),
				run(i18n.DesktopBlockedLoad(w[1]), "sudo -n modprobe "+w[1], "ls -d /sys/module/"+strings.ReplaceAll(w[1], "-", "_"),
					"/sys/module", "sudo -n modprobe -r "+w[1]))
	}
	return nil
}

// asks reports whether the person wrote one of the words.
func (f *Facts) asks(words i18n.Text) bool { return hasWord(f.Text, words) }

// hasWord reports whether a text has one of the words, which a row of the catalogue lists with commas.
func hasWord(text string, words i18n.Text) bool {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		if lineWith([]string{text}, strings.Split(words.In(lang), ",")...) != "" {
			return true
		}
	}
	return false
}
