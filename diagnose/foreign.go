package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Foreign is the question why programs that no repository updates fail after an update: of the AUR, of Java, Flatpak or
// as AppImage.
// The object is the program, or the file of an AppImage.
func Foreign() Topic {
	return Topic{ID: "foreign", Object: AProgram, About: i18n.DiagnoseAboutForeign, causes: []cause{
		{"appimage-fuse", appImageFuse},
		{"appimage-mode", appImageMode},
		{"java-unset", javaUnset},
		{"electron-gone", electronGone},
		{"library-gone", libraryGone},
		{"runtime-missing", flatpakRuntime},
		{"python-old", pythonOld},
		{"node-moved", nodeMoved},
	}}
}

// pythonOld finds packages whose modules are in the directory of a version of Python that is no longer installed.
func pythonOld(f *Facts) *Finding {
	look := machine.FileProbe("/usr/bin/python3")
	now := path.Base(f.target("/usr/bin/python3"))
	if !strings.HasPrefix(now, "python3.") {
		return nil
	}
	for _, dir := range f.lines(machine.PythonTreesProbe) {
		old := plain(path.Base(dir))
		if old == now || old == "" || !strings.HasPrefix(old, "python3.") {
			continue
		}
		owners := machine.OwnersOfProbe(plain(dir) + "/site-packages")
		var names []string
		for _, name := range f.lines(owners) {
			if plain(name) == name && f.isForeign(name) {
				names = append(names, name)
			}
		}
		if len(names) == 0 || f.Object != "" && f.named() != "" && !slices.Contains(names, f.packageName()) &&
			f.packageOf(f.named()) != "" && !slices.Contains(names, f.packageOf(f.named())) {
			continue
		}
		all := strings.Join(names, " ")
		return proved(i18n.ForeignPython(all, old, now), seeLine(owners, all), seeLine(look, now),
			seeLine(machine.ForeignProbe, all)).advise(i18n.ForeignRebuild(all))
	}
	return nil
}

// libraryGone finds a foreign program that needs a library that is gone.
func libraryGone(f *Facts) *Finding {
	if f.Object == "" || strings.Contains(f.Object, "/") || plain(f.Object) != f.Object {
		return nil
	}
	name := f.packageOf(f.file())
	if f.file() == "" || name == "" || !f.isForeign(name) {
		return nil
	}
	return libraryMissing(f)
}

// javaUnset finds Java without a default version.
func javaUnset(f *Facts) *Finding {
	look := machine.JavaProbe
	j, err := parse(f, look, machine.ParseJava)
	if err != nil || len(j.Installed) == 0 || j.Default != "" || plain(j.Installed[0]) == "" {
		return nil
	}
	newest := slices.MaxFunc(j.Installed, func(a, b string) int {
		if machine.IsNewerKernel(a, b) {
			return 1
		}
		return -1
	})
	return proved(i18n.ForeignJava(strings.Join(j.Installed, ", ")), seeLine(look, strings.Join(j.Installed, ", "))).
		offer(i18n.ForeignJavaGoal(newest), run(i18n.ForeignJavaGoal(newest), "sudo -n archlinux-java set "+plain(newest),
			"archlinux-java get", newest, "sudo -n archlinux-java unset"))
}

// electronGone finds a program that is started with a version of Electron that is not installed.
func electronGone(f *Facts) *Finding {
	if f.Object == "" || plain(f.Object) != f.Object || strings.Contains(f.Object, "/") || f.file() == "" {
		return nil
	}
	if _, isScript := f.script(f.file()); !isScript {
		return nil
	}
	look := machine.WrapperProbe(f.file())
	lines := f.lines(look)
	if len(lines) == 0 || plain(lines[0]) == "" {
		return nil
	}
	version := lines[0]
	there := machine.FileProbe("/usr/bin/" + version)
	if out, known := f.output(there); !known || out.Exit == 0 {
		return nil
	}
	about := i18n.MountHelperGoal(version)
	return proved(i18n.ForeignElectron(f.Object, version), seeLine(look, version),
		see(there, i18n.StartInterpreterAbsent("/usr/bin/"+version))).offer(about, install(about, version))
}

// flatpakRuntime finds a program of Flatpak whose runtime is not installed.
func flatpakRuntime(f *Facts) *Finding {
	programs, _ := parse(f, machine.FlatpakAppsProbe, machine.ParseFlatpakPrograms)
	if len(programs) == 0 {
		return nil
	}
	out, known := f.output(machine.FlatpakBranchesProbe)
	if !known || out.Exit != 0 || out.Cut {
		return nil
	}
	for _, p := range programs {
		id, branch, _ := strings.Cut(p.Runtime, "/")
		branch = branch[strings.LastIndex(branch, "/")+1:]
		has := slices.ContainsFunc(machine.Lines(out.Stdout),
			func(line string) bool { return slices.Equal(strings.Fields(line), []string{id, branch}) })
		if has || plain(p.Runtime) != p.Runtime || branch == "" || f.Object != "" &&
			!strings.Contains(strings.ToLower(p.ID), strings.ToLower(f.Object)) {
			continue
		}
		about := i18n.MountHelperGoal(p.Runtime)
		return proved(i18n.ForeignRuntime(p.ID, p.Runtime), seeLine(machine.FlatpakAppsProbe, p.ID+" "+p.Runtime),
			see(machine.FlatpakBranchesProbe, i18n.StartAbsentPackage(p.Runtime))).
			offer(about, run(about, "flatpak install -y --noninteractive flathub runtime/"+p.Runtime,
				"flatpak list --runtime --columns=application,branch", id, ""))
	}
	return nil
}

// appImage returns the file of an AppImage in question, "" if it is about something else.
func (f *Facts) appImage() string {
	if !strings.HasPrefix(f.Object, "/") || !strings.HasSuffix(strings.ToLower(f.Object), ".appimage") ||
		plain(f.Object) != f.Object {
		return ""
	}
	return f.Object
}

// appImageFuse finds that the library that AppImages are mounted with is not installed.
func appImageFuse(f *Facts) *Finding {
	file := f.appImage()
	if file == "" && !strings.Contains(f.Text, "libfuse.so.2") && !strings.Contains(strings.ToLower(f.Text), "appimage") {
		return nil
	}
	look := machine.FileProbe("/usr/lib/libfuse.so.2")
	if out, known := f.output(look); !known || out.Exit == 0 {
		return nil
	}
	about := i18n.MountHelperGoal("fuse2")
	return proved(i18n.ForeignFuse, see(look, i18n.StartInterpreterAbsent("/usr/lib/libfuse.so.2"))).
		offer(about, install(about, "fuse2"))
}

// appImageMode finds an AppImage that no one may execute.
func appImageMode(f *Facts) *Finding {
	file := f.appImage()
	if file == "" {
		return nil
	}
	o, kind, ok := f.owner(file)
	if !ok || !strings.Contains(kind, "regular file") || strings.ContainsAny(o.Mode[max(0, len(o.Mode)-3):], "1357") {
		return nil
	}
	about := i18n.StartModeGoal(file)
	return proved(i18n.StartMode(file, o.Mode), seeLine(machine.OwnersProbe(file), o.Mode)).
		offer(about, run(about, "chmod u+x -- "+file, "stat -c %A -- "+file, "x", "chmod "+o.Mode+" -- "+file))
}

// nodeMoved finds a module of Node.js that was built for another version: node, src/node_binding.cc.
func nodeMoved(f *Facts) *Finding {
	if !strings.Contains(f.Text, "NODE_MODULE_VERSION") && !strings.Contains(f.Text, "different Node.js version") {
		return nil
	}
	version := strings.TrimSpace(f.stdout(machine.NodeProbe))
	if plain(version) == "" {
		return nil
	}
	return proved(i18n.ForeignNode(version), seeLine(machine.NodeProbe, version)).advise(i18n.ForeignNodeAdvice)
}
