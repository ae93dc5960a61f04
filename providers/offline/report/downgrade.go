package report

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// maxTogether bounds how many packages go back with one whose older version they exclude.
const maxTogether = 8

// packageArchive has every version that Arch Linux released: wiki.archlinux.org, "Arch Linux Archive".
const packageArchive = "https://archive.archlinux.org/packages/"

// cachedFile is the file of a package in a cache. isOnly reports that the file of the present version is in no cache.
type cachedFile struct {
	path, name, version string
	isOnly              bool
}

// downgrade proposes to put one package back to the latest earlier version in the cache, with the packages that need this one's
// present version. It names what would break and does not propose that.
func (q *inquiry) downgrade(name string) Reply {
	installed, ok := q.installedVersion(name)
	switch {
	case !ok:
		return Reply{}
	case installed == "":
		return Reply{Text: q.say(i18n.HelperPackagesInstalledNo(name))}
	}
	file, ok := q.olderFile(name, installed)
	switch {
	case !ok:
		return Reply{}
	case file == nil:
		return Reply{Text: q.say(i18n.HelperDowngradeNone(name, installed, packageArchive+name[:1]+"/"+name+"/"))}
	}
	files := []cachedFile{*file}
	for range maxTogether {
		refused, complete := q.refusals(files)
		if !complete {
			return Reply{}
		}
		next, why, complete := q.alsoBack(files, refused)
		switch {
		case !complete:
			return Reply{}
		case why != (i18n.Text{}):
			return Reply{Text: joinBlocks(q.say(i18n.HelperDowngradeFound(name, installed, file.version)), q.say(why))}
		case next == nil:
			return q.proposeDowngrade(installed, files)
		}
		files = append(files, *next)
	}
	return Reply{Text: q.say(i18n.HelperDowngradeTooMany(name, file.version, maxTogether))}
}

// installedVersion returns the version of an installed package, "" if it is not installed. ok is false while the look is missing.
func (q *inquiry) installedVersion(name string) (version string, ok bool) {
	look := command(machine.InstalledProbe(name).String())
	if !q.collect(look) {
		return "", false
	}
	for _, p := range read(machine.ParsePackages, q.stdout(look)) {
		if p.Name == name {
			return p.Version, true
		}
	}
	return "", true
}

// olderFile returns the file of the latest version in the caches that is older than one, nil if there is none. ok is false while
// looks are missing.
func (q *inquiry) olderFile(name, than string) (file *cachedFile, ok bool) {
	if !q.collect(cacheFolders) {
		return nil, false
	}
	folders := filter(machine.Lines(q.stdout(cacheFolders)), func(dir string) bool { return strings.HasPrefix(dir, "/") && quoteWord(dir) == dir })
	if len(folders) == 0 || !isPackage(name) {
		return nil, true
	}
	look := command("find " + strings.Join(folders, " ") + " -maxdepth 1 -name '" + name + "-*.pkg.tar.*'")
	if !q.collect(look) {
		return nil, false
	}
	lines := machine.Lines(q.anyStdout(look))
	for _, line := range lines {
		found := cachedFile{path: path.Clean(line)}
		found.name, found.version = machine.CachedPackage(path.Base(line))
		if found.name != name || !isPackage(found.version) || quoteWord(found.path) != found.path || strings.HasSuffix(line, ".sig") ||
			machine.CompareVersions(found.version, than) >= 0 {
			continue
		}
		if file == nil || machine.CompareVersions(found.version, file.version) > 0 {
			file = &found
		}
	}
	if file != nil {
		file.isOnly = !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(path.Base(line), name+"-"+than+"-") })
	}
	return file, true
}

// refusals returns why pacman does not install these files together, none if it does. It installs nothing: pacman(8), --print.
func (q *inquiry) refusals(files []cachedFile) (all []machine.Refusal, ok bool) {
	look := command(machine.InstallFilesProbe(each(files, func(f cachedFile) string { return f.path })...).String())
	if !q.collect(look) {
		return nil, false
	}
	s := q.resultOf(look).usableStep()
	if s.Exit == 0 {
		return nil, true
	}
	if all = machine.ParseRefusals([]byte(s.Stdout + "\n" + s.Stderr)); len(all) == 0 {
		all = []machine.Refusal{{Dependency: machine.CleanLine(essentialLines(s.Stderr, 1))}}
	}
	return all, true
}

// alsoBack returns the file of a further package that has to go back, because its present version refuses the others; nil if
// none has. why is set if there is no such file. ok is false while looks are missing.
func (q *inquiry) alsoBack(files []cachedFile, refused []machine.Refusal) (next *cachedFile, why i18n.Text, ok bool) {
	if len(refused) == 0 {
		return nil, i18n.Text{}, true
	}
	r := refused[0] // those that remain are found when pacman is asked again
	needs := i18n.HelperDowngradeBreaks(r.Package, r.Dependency)
	switch {
	case r.Package == "":
		return nil, i18n.HelperDowngradeRefused(r.Dependency), true
	case slices.ContainsFunc(files, func(f cachedFile) bool { return f.name == r.Package }):
		return nil, needs, true
	}
	version, known := q.installedVersion(r.Package)
	if !known {
		return nil, i18n.Text{}, false
	}
	next, ok = q.olderFile(r.Package, version)
	switch {
	case !ok:
		return nil, i18n.Text{}, false
	case next == nil:
		return nil, needs, true
	}
	return next, i18n.Text{}, true
}

// proposeDowngrade proposes to install the files in one transaction.
func (q *inquiry) proposeDowngrade(installed string, files []cachedFile) Reply {
	first := files[0]
	f := &finding{verdict: q.say(i18n.HelperDowngradeFound(first.name, installed, first.version))}
	if len(files) > 1 {
		rest := each(files[1:], func(f cachedFile) string { return f.name + " " + f.version })
		f.note(q.say(i18n.HelperDowngradeTogether(strings.Join(rest, ", "))))
	}
	f.note(q.say(i18n.HelperDowngradePartial))
	if slices.Contains(kernelPackages, first.name) {
		f.note(q.say(i18n.HelperDowngradeKernel))
	}
	versions := each(files, func(f cachedFile) string { return f.name + " " + f.version })
	rep := q.proposeRepair(f, installOlder(strings.Join(versions, ", "), files)).reply()
	rep.GoesBack = true
	return rep
}

// installOlder installs package files in the place of later versions.
func installOlder(versions string, files []cachedFile) diagnose.Repair {
	paths := each(files, func(f cachedFile) string { return f.path })
	return diagnose.Repair{Goal: i18n.HelperDowngradeGoal(versions), Steps: []diagnose.Step{{
		Step:  plan.Step{Verb: "install", Args: map[string]string{"file": strings.Join(paths, " ")}},
		About: i18n.HelperDowngradeStep(versions),
		Lost:  slices.ContainsFunc(files, func(f cachedFile) bool { return f.isOnly }),
	}}}
}
