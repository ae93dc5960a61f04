package diagnose

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Start is the question why a program does not start. The object is the program's name.
func Start() Topic {
	return Topic{ID: "start", Object: AProgram, Requires: true, About: i18n.DiagnoseAboutStart, causes: []cause{
		{"not-installed", notInstalled},
		{"broken-link", brokenLink},
		{"empty-file", emptyFile},
		{"not-executable", notExecutable},
		{"library-missing", libraryMissing},
		{"interpreter-missing", interpreterMissing},
		{"python-moved", pythonMoved},
		{"crashed", crashed},
	}}
}

// named is the file that has the object's name.
func (f *Facts) named() string { return "/usr/bin/" + f.Object }

// command is the file that starts the object: the one of that name, or else one of its package.
func (f *Facts) command() string {
	if there, known := f.exists(f.named()); there || !known {
		return f.named()
	}
	best := f.named()
	for _, file := range machine.Lines([]byte(f.stdout(machine.PackageFilesProbe(f.packageName())))) {
		name, in := strings.CutPrefix(file, "/usr/bin/")
		if in && plain(name) == name && strings.Contains(name, f.Object) && (best == f.named() || len(file) < len(best)) {
			best = file
		}
	}
	return best
}

// exists reports whether a path is there, also as a link to nothing.
func (f *Facts) exists(file string) (there, known bool) {
	out, known := f.output(machine.FileProbe(file))
	if known && out.Exit != 0 {
		out, known = f.output(machine.LinkProbe(file))
	}
	return known && out.Exit == 0, known
}

func (f *Facts) packageName() string { return cmp.Or(f.Package, f.Object) }

// file returns the regular file behind the command, "" if there is none or it is not known yet.
func (f *Facts) file() string { return f.target(f.command()) }

// target returns where a path leads, through all links, "" if that is nothing, not known yet, or no plain word.
func (f *Facts) target(file string) string { return plain(f.stdout(machine.FileProbe(file))) }

// plain returns a text without blanks around it if it is safe as a word of a command, "" otherwise.
func plain(text string) string {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+:@-") != "" ||
		strings.HasPrefix(text, "-") {
		return ""
	}
	return text
}

// programFile returns the file that runs in the end: a wrapper leads to another one.
func (f *Facts) programFile() string {
	file := f.file()
	if file == "" {
		return ""
	}
	s, ok := f.script(file)
	if !ok || s.Starts == "" || path.Base(s.Starts) == "env" {
		return file
	}
	return f.target(s.Starts)
}

// script returns the beginning of a script.
func (f *Facts) script(file string) (machine.Script, bool) {
	out, _ := f.output(machine.ScriptProbe(file)) // the beginning is enough
	return machine.ParseScript([]byte(out.Stdout))
}

// setsLibraryPath reports whether the command is a wrapper that lets the loader look elsewhere.
func (f *Facts) setsLibraryPath() bool {
	file := f.file()
	return file != f.programFile() && strings.Contains(f.stdout(machine.ScriptProbe(file)), "LD_LIBRARY_PATH")
}

// owner returns the state of a file.
func (f *Facts) owner(file string) (o machine.Owner, kind string, ok bool) {
	text := f.stdout(machine.OwnersProbe(file))
	all, err := machine.ParseOwners([]byte(text))
	if err != nil || len(all) != 1 {
		return o, "", false
	}
	row, _, _ := strings.Cut(text, ":/")
	return all[0], row, true
}

// packageOf returns the package that has a file, "" if none has or it is not known yet.
func (f *Facts) packageOf(file string) string {
	p, _ := parse(f, machine.PackageFileProbe(file), machine.ParsePackageFile) // an error is no package
	return plain(p.Name)
}

// isForeign reports whether no repository has a package, so that pacman cannot update it.
func (f *Facts) isForeign(name string) bool {
	return slices.Contains(machine.Lines([]byte(f.stdout(machine.ForeignProbe))), name)
}

// upgrade updates everything, of which a package is the reason.
func (f *Facts) upgrade(name string) *Repair {
	return &Repair{Goal: i18n.StartUpgradeGoal(f.Object), Steps: []Step{{
		Step: plan.Step{Verb: "upgrade", Args: map[string]string{}}, About: i18n.StartUpgrade(name),
	}}}
}

// reinstall installs a package of a repository again. If there is a newer one, everything is updated: that package
// alone would be
// a partial upgrade. It returns nil while that is not known.
func (f *Facts) reinstall(name string) *Repair {
	out, known := f.output(machine.KnownUpdatesProbe)
	newer, err := machine.ParseUpdates([]byte(out.Stdout))
	switch {
	case !known || out.Cut || err != nil:
		return nil
	case slices.ContainsFunc(newer, func(u machine.Update) bool { return u.Name == name }):
		return f.upgrade(name)
	}
	return &Repair{Goal: i18n.StartReinstallGoal(name), Steps: []Step{{
		Step: plan.Step{
			Verb: "run", Args: map[string]string{"command": "sudo -n pacman -S --noconfirm " + name},
			Check: "pacman -Qk " + name, Expect: " 0 missing files",
		}, About: i18n.StartReinstall(name), Lost: true,
	}}}
}

// offerPackage offers to install the package of a damaged file again, or says how to build it again.
func (f *Facts) offerPackage(found *Finding, file string) *Finding {
	switch name := f.packageOf(file); {
	case name == "":
	case f.isForeign(name):
		found.Advice = i18n.StartRebuild(name)
	default:
		found.Repair = f.reinstall(name)
	}
	return found
}

// notInstalled finds that there is no such command, and no such package.
func notInstalled(f *Facts) *Finding {
	look, files := machine.FileProbe(f.named()), machine.PackageFilesProbe(f.packageName())
	if there, known := f.exists(f.named()); there || !known {
		return nil
	}
	if out, known := f.output(files); !known || out.Exit == 0 {
		return nil
	}
	found := proved(i18n.StartAbsent(f.named()), see(look, i18n.StartAbsentSeen), see(files, i18n.StartAbsentPackage(f.packageName())))
	return f.offerProvider(found)
}

// offerProvider offers to install the package of a repository that has the command, or says how to look for it.
func (f *Facts) offerProvider(found *Finding) *Finding {
	look := machine.ProvidersProbe(f.named())
	out, known := f.output(look)
	names := machine.ParseProviders([]byte(f.stdout(look)))
	switch {
	case len(names) == 0 && known && strings.Contains(out.Stderr, "-Fy"):
		return found.advise(i18n.StartAbsentFiles(f.Object))
	case len(names) == 0:
		return found.advise(i18n.StartAbsentAdvice(f.packageName()))
	}
	return found.offer(i18n.StartInstallGoal(names[0]), install(i18n.StartInstall(names[0]), names[0]))
}

// brokenLink finds a command that is a link to nothing.
func brokenLink(f *Facts) *Finding {
	if f.file() != "" {
		return nil
	}
	look := machine.LinkProbe(f.command())
	if there, known := f.exists(f.command()); !there || !known {
		return nil
	}
	target := machine.CleanLine(strings.TrimSpace(f.stdout(look)))
	if target == "" {
		return nil
	}
	return f.offerPackage(&Finding{
		Certain: true, Says: i18n.StartLink(f.command(), target), Evidence: []Evidence{{look, i18n.StartLinkSeen(target)}},
	}, f.command())
}

// emptyFile finds a file without content, as after a crash during an upgrade.
func emptyFile(f *Facts) *Finding {
	file := f.programFile()
	if file == "" {
		return nil
	}
	_, kind, ok := f.owner(file)
	if !ok || !strings.Contains(kind, "regular empty file") {
		return nil
	}
	return f.offerPackage(&Finding{
		Certain: true, Says: i18n.StartEmpty(file), Evidence: []Evidence{{machine.OwnersProbe(file), i18n.StartEmptySeen}},
	}, file)
}

// notExecutable finds a file that no one may execute. One that only some may execute is so on purpose.
func notExecutable(f *Facts) *Finding {
	file := f.programFile()
	if file == "" {
		return nil
	}
	o, kind, ok := f.owner(file)
	if !ok || !strings.Contains(kind, "regular file") || strings.ContainsAny(o.Mode[max(0, len(o.Mode)-3):], "1357") {
		return nil
	}
	found := &Finding{
		Certain: true, Says: i18n.StartMode(file, o.Mode),
		Evidence: []Evidence{{machine.OwnersProbe(file), i18n.StartModeSeen(o.Mode, o.User)}},
	}
	if o.User != "root" || !strings.HasPrefix(file, "/usr/") && !strings.HasPrefix(file, "/opt/") {
		return found
	}
	found.Repair = &Repair{Goal: i18n.StartModeGoal(file), Steps: []Step{{
		Step: plan.Step{
			Verb: "run", Args: map[string]string{"command": "sudo -n chmod a+rx " + file},
			Check: "stat -c %A " + file, Expect: "x", Undo: "sudo -n chmod " + o.Mode + " " + file,
		}, About: i18n.StartModeStep(file),
	}}}
	return found
}

// libraryMissing finds a library that the program needs and the loader does not find: after a partial upgrade, or for a
// foreign
// package that was built for an older version.
func libraryMissing(f *Facts) *Finding {
	file := f.programFile()
	if file == "" {
		return nil
	}
	look := machine.DynamicProbe(file)
	d, err := parse(f, look, machine.ParseDynamic)
	if err != nil {
		return nil
	}
	// The loader itself is not in its list. Other directories are not looked at.
	needed := slices.DeleteFunc(slices.Clone(d.Needed), func(name string) bool { return !machine.IsLibrary(name) })
	if len(needed) == 0 || len(d.Paths) > 0 || f.setsLibraryPath() {
		return nil
	}
	list := machine.LibrariesProbe(needed...)
	have, err := parse(f, list, machine.ParseLibraries)
	missing := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return have[name] != "" })
	if err != nil || len(missing) == 0 || len(missing) == len(needed) { // libc at least is there
		return nil
	}
	found := &Finding{
		Certain: true, Says: i18n.StartLibrary(f.Object, missing[0]),
		Evidence: []Evidence{
			{look, i18n.StartLibraryNeeded(file, strings.Join(missing, ", "))},
			{list, i18n.StartLibraryAbsent(missing[0])},
		},
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if machine.Stem(name) == machine.Stem(missing[0]) {
			found.Evidence[1].Text = i18n.StartLibraryOther(missing[0], have[name])
		}
	}
	switch name := f.packageOf(file); {
	case name == "":
		found.Advice = i18n.StartLibraryOwn(file)
	case f.isForeign(name):
		found.Advice = i18n.StartRebuild(name)
	default:
		found.Repair = f.upgrade(name)
	}
	return found
}

// interpreterMissing finds a script whose interpreter does not exist.
func interpreterMissing(f *Facts) *Finding {
	file := f.file()
	if file == "" {
		return nil
	}
	s, ok := f.script(file)
	if !ok {
		return nil
	}
	wanted := s.Interpreter
	if s.Program != "" {
		wanted = "/usr/bin/" + path.Base(s.Program)
	}
	if plain(wanted) != wanted {
		return nil
	}
	look := machine.FileProbe(wanted)
	if out, known := f.output(look); !known || out.Exit == 0 {
		return nil
	}
	found := &Finding{
		Certain: true, Says: i18n.StartInterpreter(f.Object, wanted),
		Evidence: []Evidence{
			{machine.ScriptProbe(file), i18n.StartInterpreterSeen(wanted)},
			{look, i18n.StartInterpreterAbsent(wanted)},
		},
	}
	if name := f.packageOf(file); name != "" && f.isForeign(name) {
		found.Advice = i18n.StartRebuild(name)
	}
	return found
}

// pythonMoved finds a foreign package whose modules are in the directory of another version of Python than the
// installed one.
func pythonMoved(f *Facts) *Finding {
	file := f.file()
	if file == "" {
		return nil
	}
	s, ok := f.script(file)
	if !ok || !strings.HasPrefix(path.Base(s.Interpreter), "python") && !strings.HasPrefix(s.Program, "python") {
		return nil
	}
	look := machine.FileProbe("/usr/bin/python3")
	now := path.Base(f.target("/usr/bin/python3"))
	name := f.packageOf(file)
	if name == "" || !strings.HasPrefix(now, "python3.") {
		return nil
	}
	files := machine.PackageFilesProbe(name)
	versions := machine.PythonVersions(machine.Lines([]byte(f.stdout(files))))
	if len(versions) == 0 || versions[now] {
		return nil
	}
	old := slices.Sorted(maps.Keys(versions))[0]
	found := &Finding{
		Certain: true, Says: i18n.StartPython(name, old, now),
		Evidence: []Evidence{{files, i18n.StartPythonOld(old)}, {look, i18n.StartPythonNow(now)}},
	}
	if f.isForeign(name) {
		found.Advice = i18n.StartRebuild(name)
		return found
	}
	found.Repair = f.upgrade(name)
	return found
}

// crashed finds that the program ended with a signal the last time.
func crashed(f *Facts) *Finding {
	file := f.programFile()
	if file == "" {
		return nil
	}
	look := machine.CoreDumpProbe(file)
	info, err := parse(f, look, machine.ParseFields)
	if err != nil || info["Executable"] != file || info["Signal"] == "" {
		return nil
	}
	return &Finding{
		Says:     i18n.StartCrashed(f.Object, info["Signal"], info["Timestamp"]),
		Evidence: []Evidence{{look, i18n.StartCrashedSeen}}, Advice: i18n.StartCrashedAdvice,
	}
}
