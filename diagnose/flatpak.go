package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Flatpak is the question why an application of Flatpak does not work. The object is its id, or a part of it.
func Flatpak() Topic {
	return Topic{ID: "flatpak", Object: AProgram, About: i18n.DiagnoseAboutFlatpak, causes: []cause{
		{"no-namespaces", noNamespaces},
		{"no-remote", noRemote},
		{"not-installed", flatpakAbsent},
		{"runtime-missing", runtimeMissing},
		{"portal-stopped", (*Facts).brokenPortal},
		{"override", flatpakOverride},
		{"runtime-ended", runtimeEnded},
	}}
}

// noNamespaces finds that programs may not make the sandbox that bwrap(1) needs.
func noNamespaces(f *Facts) *Finding {
	lines, _ := f.shown(machine.NamespacesProbe)
	for _, line := range lines {
		file, value, _ := strings.Cut(line, ":")
		if value != "0" || plain(file) != file {
			continue
		}
		owner := machine.OwnersProbe("/usr/bin/bwrap")
		o, _, ok := f.owner("/usr/bin/bwrap")
		if !ok || len(o.Mode) == 4 { // bubblewrap-suid does without
			return nil
		}
		key := strings.ReplaceAll(strings.TrimPrefix(file, "/proc/sys/"), "/", ".")
		to := map[string]string{"max_user_namespaces": "31000"}[path.Base(file)]
		if to == "" {
			to = "1"
		}
		goal := i18n.FlatpakNamespacesGoal(key)
		return proved(i18n.FlatpakNamespaces(key), seeLine(machine.NamespacesProbe, line), seeLine(owner, o.Mode)).
			offer(goal, run(goal, "sudo -n sysctl -w "+key+"="+to, "cat "+file, to, "sudo -n sysctl -w "+key+"=0")).
			advise(i18n.FlatpakNamespacesAdvice(key))
	}
	return nil
}

func noRemote(f *Facts) *Finding {
	out, known := f.output(machine.FlatpakRemotesProbe)
	if !known || out.Exit != 0 || out.Cut || strings.TrimSpace(out.Stdout) != "" {
		return nil
	}
	return proved(i18n.FlatpakRemote, see(machine.FlatpakRemotesProbe, i18n.DesktopNone)).offer(i18n.FlatpakRemoteGoal,
		run(i18n.FlatpakRemoteGoal,
			"flatpak remote-add --user --if-not-exists flathub https://dl.flathub.org/repo/flathub.flatpakrepo",
			machine.FlatpakRemotesProbe.String(), "flathub", "flatpak remote-delete --user flathub"))
}

// flatpakApps returns the applications in question with their runtimes: all, or those that have the object in their id.
func (f *Facts) flatpakApps() (all [][2]string, some bool) {
	lines := f.lines(machine.FlatpakAppsProbe)
	for _, line := range lines {
		w := strings.Fields(line)
		if len(w) == 2 && plain(w[0]) != "" && plain(w[1]) != "" &&
			strings.Contains(strings.ToLower(w[0]), strings.ToLower(f.Object)) {
			all = append(all, [2]string{w[0], w[1]})
		}
	}
	return all, len(lines) > 0
}

func flatpakAbsent(f *Facts) *Finding {
	all, some := f.flatpakApps()
	name := plain(f.Object)
	if name == "" || !some || len(all) > 0 {
		return nil
	}
	return proved(i18n.FlatpakAbsent(name), seeLine(machine.FlatpakAppsProbe,
		strings.Join(f.lines(machine.FlatpakAppsProbe), ", "))).advise(i18n.FlatpakAbsentAdvice(name))
}

// runtimeMissing finds an application whose runtime is not installed.
func runtimeMissing(f *Facts) *Finding {
	all, _ := f.flatpakApps()
	have := f.lines(machine.FlatpakRuntimesProbe)
	for _, app := range all {
		if len(have) == 0 || slices.ContainsFunc(have,
			func(ref string) bool { return strings.TrimPrefix(strings.TrimSpace(ref), "runtime/") == app[1] }) {
			continue
		}
		goal := i18n.FlatpakRuntimeGoal(app[1])
		return proved(i18n.FlatpakRuntime(app[0], app[1]), seeLine(machine.FlatpakAppsProbe, app[0]+" "+app[1]),
			seeLine(machine.FlatpakRuntimesProbe, strings.Join(have, ", "))).
			offer(goal, run(goal, "flatpak install --noninteractive flathub runtime/"+app[1],
				machine.FlatpakRuntimesProbe.String(), app[1], "flatpak uninstall --noninteractive runtime/"+app[1]))
	}
	return nil
}

// flatpakOverride finds that the person's own settings deny an application something: flatpak-override(1).
func flatpakOverride(f *Facts) *Finding {
	all, _ := f.flatpakApps()
	if len(all) != 1 {
		return nil
	}
	look := machine.FlatpakOverridesProbe(all[0][0])
	lines, _ := f.shown(look)
	for _, line := range lines {
		file, number, text := numbered(line)
		if file == "" {
			continue
		}
		aside := file + ".off"
		found := likely(i18n.FlatpakOverride(all[0][0], file, number, machine.CleanLine(text)), seeLine(look, line))
		found.Certain = lineWith([]string{text}, "sockets=", "shared=", "devices=") != ""
		return found.offer(i18n.DesktopAside(file, aside),
			run(i18n.DesktopAside(file, aside), "mv -n -- "+file+" "+aside, "stat -c %n -- "+aside, aside,
				"mv -n -- "+aside+" "+file))
	}
	return nil
}

// runtimeEnded finds an application whose runtime gets no updates any more: flatpak-list(1), options, eol.
func runtimeEnded(f *Facts) *Finding {
	all, _ := f.flatpakApps()
	for _, app := range all {
		for _, line := range f.lines(machine.FlatpakOptionsProbe) {
			ref, options, _ := strings.Cut(strings.Join(strings.Fields(line), " "), " ")
			if strings.TrimPrefix(ref, "runtime/") != app[1] || !strings.Contains(options, "eol") {
				continue
			}
			goal := i18n.FlatpakEndedGoal(app[0])
			return likely(i18n.FlatpakEnded(app[0], app[1]), seeLine(machine.FlatpakAppsProbe, app[0]+" "+app[1]),
				seeLine(machine.FlatpakOptionsProbe, line)).
				offer(goal, run(goal, "flatpak update --noninteractive "+app[0], machine.FlatpakAppsProbe.String(), app[0], "")).
				advise(i18n.FlatpakEndedAdvice)
		}
	}
	return nil
}
