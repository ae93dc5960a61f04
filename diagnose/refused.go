package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// refusals returns why pacman does not do an update, and the look that shows it: with new lists if the person quotes such a
// refusal, which may be that of a preview, else with the lists that were fetched last.
func (f *Facts) refusals() (look machine.Probe, all []machine.Refusal) {
	look = machine.DownloadsProbe
	out, known := f.output(look)
	if !known {
		return look, nil
	}
	all = machine.ParseRefusals([]byte(out.Stdout + "\n" + out.Stderr))
	if out.Exit != 0 && len(all) > 0 {
		return look, all
	}
	quoted := f.mentions(i18n.UpdateWordsRefused)
	if !quoted && (out.Exit != 0 || strings.TrimSpace(out.Stdout) == "") {
		return look, nil
	}
	look = machine.PreviewProbe(!quoted)
	all, _ = parse(f, look, machine.ParsePreview)
	return look, all
}

// brokenDependency finds installed packages that keep others from being updated. Those that are held are updated too, and
// those of no repository are removed, as no one updates them.
func brokenDependency(f *Facts) *Finding {
	look, all := f.refusals()
	all = slices.DeleteFunc(slices.Clone(all), func(r machine.Refusal) bool { return r.Package == "" || plain(r.Package) != r.Package })
	if len(all) == 0 {
		return nil
	}
	r := all[0]
	seen := i18n.UpdateDependencySeen(r.Package, r.Dependency)
	if r.Installing != "" {
		seen = i18n.UpdateDependencyBroken(r.Installing, r.Package, r.Dependency)
	}
	found := proved(i18n.UpdateDependency(r.Package, r.Dependency), see(look, seen)).advise(i18n.UpdateDependencyAdvice)
	var held, foreign []string
	for _, r := range all {
		switch word := f.heldWord(r.Package, machine.DependencyName(r.Dependency)); {
		case word != "":
			held = append(held, word)
		case f.isForeign(r.Package):
			foreign = append(foreign, r.Package)
		default:
			return found
		}
	}
	return f.unblock(found, sorted(held), sorted(foreign))
}

// unblock offers to release and to remove packages, and to update everything.
func (f *Facts) unblock(found *Finding, held, foreign []string) *Finding {
	var steps []Step
	var goal i18n.Text
	if len(held) > 0 {
		goal = i18n.UpdateReleaseGoal(strings.Join(held, " "))
		release := f.release(found, held)
		if release == nil {
			return found
		}
		steps = append(steps, release...)
	}
	if len(foreign) > 0 {
		names := strings.Join(foreign, " ")
		goal = i18n.UpdateRemoveGoal(names)
		found.Evidence = append(found.Evidence, see(machine.ForeignProbe, i18n.UpdateForeignSeen(names)))
		found.Advice = i18n.UpdateForeignAdvice(names)
		remove, needed := f.remove(foreign...)
		switch {
		case len(needed) > 0:
			found.Advice = i18n.UpdateNeeded(names, strings.Join(needed, ", "))
			return found
		case remove == nil:
			return found
		}
		steps = append(steps, *remove)
	}
	return found.offer(goal, append(steps, upgrade(i18n.UpdateListFetch))...)
}

// heldWord returns the word of IgnorePkg that matches one of the packages, "" if none does: pacman.conf(5).
func (f *Facts) heldWord(packages ...string) string {
	for _, word := range strings.Fields(f.stdout(machine.HeldProbe)) {
		for _, name := range packages {
			if matches, err := path.Match(word, name); err == nil && matches && name != "" {
				return word
			}
		}
	}
	return ""
}

// release returns the steps that take words out of IgnorePkg, nil if a line cannot be edited here.
func (f *Facts) release(found *Finding, words []string) (steps []Step) {
	lines := f.lines(machine.HoldLinesProbe)
	for _, word := range words {
		found.Evidence = append(found.Evidence, see(machine.HeldProbe, i18n.UpdateHeldSeen(word)))
		found.Advice = i18n.UpdateHeldAdvice(word)
		i := slices.IndexFunc(lines, func(line string) bool { return slices.Contains(strings.Fields(line), word) })
		if i < 0 || plain(strings.NewReplacer(" ", "", "=", "", "\t", "").Replace(lines[i])) == "" {
			return nil
		}
		number, old, _ := strings.Cut(lines[i], ":")
		key, value, _ := strings.Cut(old, "=")
		rest := slices.DeleteFunc(strings.Fields(value), func(w string) bool { return w == word })
		text := strings.TrimSpace(key) + " = " + strings.Join(rest, " ")
		if len(rest) == 0 {
			text = "#" + old
		}
		lines[i] = number + ":" + text
		found.Evidence = append(found.Evidence, see(machine.HoldLinesProbe, i18n.UpdateHeldLine(number, old)))
		steps = append(steps, Step{
			Step: plan.Step{
				Verb: "edit_file", Args: map[string]string{"path": "/etc/pacman.conf", "old": old, "new": text},
			},
			About: i18n.UpdateRelease(word, number),
		})
	}
	return steps
}

// heldPackage finds that the package of the question is one that updates leave out: pacman.conf(5), IgnorePkg.
func heldPackage(f *Facts) *Finding {
	for _, name := range strings.Fields(f.stdout(machine.HeldProbe)) {
		if plain(name) == name && f.quotes(strings.ToLower(name)) {
			return f.unblock(proved(i18n.TransactionHeld(name)), []string{name}, nil)
		}
	}
	return nil
}

// remove returns the step that removes packages, nil if that is not possible or not known. needed are packages that need
// them.
func (f *Facts) remove(names ...string) (step *Step, needed []string) {
	look := machine.NeededProbe(names...)
	out, known := f.output(look)
	if !known || out.Exit != 0 {
		for _, r := range machine.ParseRefusals([]byte(out.Stdout + "\n" + out.Stderr)) {
			needed = append(needed, machine.CleanLine(r.Package))
		}
		return nil, sorted(needed)
	}
	all := strings.Join(names, " ")
	return &Step{
		Step:  plan.Step{Verb: "remove", Args: map[string]string{"name": all, "only": "true"}},
		About: i18n.UpdateRemove(all), Lost: !f.areCached(names),
	}, nil
}

// areCached reports whether the package cache has the installed versions of packages, so that a removal can be taken back.
func (f *Facts) areCached(names []string) bool {
	dir := plain(strings.TrimRight(f.stdout(machine.CachesProbe), "/\n"))
	if dir == "" {
		return false
	}
	files, _ := parse(f, machine.CachedFilesProbe(dir), machine.ParseFindSizes)
	packages, _ := parse(f, machine.AllInstalledProbe, machine.ParsePackages)
	return !slices.ContainsFunc(packages, func(p machine.Package) bool {
		return slices.Contains(names, p.Name) && !slices.ContainsFunc(files, func(file machine.SizedPath) bool {
			name, version := machine.CachedPackage(path.Base(file.Path))
			return name == p.Name && version == p.Version
		})
	})
}

// conflict finds two packages that exclude each other. pacman replaces an installed one only if it may remove it.
func conflict(f *Facts) *Finding {
	look, all := f.refusals()
	i := slices.IndexFunc(all, func(r machine.Refusal) bool { return r.Conflict[0] != "" })
	if i < 0 {
		return nil
	}
	one, other := all[i].Conflict[0], all[i].Conflict[1]
	found := proved(i18n.UpdateConflict(machine.CleanLine(one), machine.CleanLine(other)), see(look, i18n.UpdateConflictSeen)).
		advise(i18n.UpdateConflictAdvice)
	r := all[i]
	goes, comes := plain(r.Removing), plain(r.Installing)
	switch {
	case goes == "" || comes == "" || len(all) > 1:
		return found
	case len(r.Needed) > 0:
		return found.advise(i18n.UpdateNeeded(goes, machine.CleanLine(strings.Join(r.Needed, ", "))))
	}
	step := upgrade(i18n.UpdateReplace(goes, comes))
	step.Args["replaces"], step.Lost = goes, !f.areCached([]string{goes})
	return found.advise(i18n.UpdateKeep(goes)).offer(i18n.UpdateReplaceGoal(goes, comes), step)
}

// maxAside bounds the files that one plan moves.
const maxAside = 20

// fileExists finds whose the files are that the person's message names. Those of no package are moved aside.
func fileExists(f *Facts) *Finding {
	name, files := machine.ParseExisting(f.Text)
	if len(files) == 0 || slices.ContainsFunc(files, func(file string) bool { return plain(file) != file || path.Clean(file) != file }) {
		return nil
	}
	files = sorted(files)
	shown := files[:min(len(files), maxAside)]
	var found *Finding
	for _, file := range shown {
		look := machine.PackageFileProbe(file)
		out, known := f.output(look)
		if !known {
			continue
		}
		if owner, err := machine.ParsePackageFile([]byte(out.Stdout)); err == nil {
			return proved(i18n.UpdateExistsOwned(file, owner.Name), see(look, i18n.UpdateExistsOwner(owner.Name))).
				advise(i18n.UpdateExistsOwnedAdvice(owner.Name, plain(name)))
		}
		_, kind, ok := f.owner(file)
		if !ok || out.Exit == 0 || !strings.Contains(kind, "regular") && !strings.Contains(kind, "symbolic link") {
			continue
		}
		if found == nil {
			found = proved(i18n.UpdateExists(file))
		}
		found.Evidence = append(found.Evidence, see(look, i18n.UpdateExistsNobody), see(machine.OwnersProbe(file), i18n.UpdateExistsThere))
	}
	switch other := slices.IndexFunc(files, func(file string) bool { return !isOnlyFromPackages(file) }); {
	case found == nil || len(found.Evidence) < 2*len(shown):
		return nil // some are not what the message says, or that is not known
	case other >= 0:
		return found.advise(i18n.UpdateExistsAdvice(files[other]))
	case len(files) > maxAside:
		return found.advise(i18n.UpdateExistsMany(len(files)))
	}
	return f.moveAside(found, name, files)
}

// moveAside offers to rename files of no package, and to do what pacman refused.
func (f *Facts) moveAside(found *Finding, name string, files []string) *Finding {
	var steps []Step
	for _, file := range files {
		aside := file + ".old"
		steps = append(steps, run(i18n.UpdateExistsAside(file, path.Base(aside)), "sudo -n mv -n -- "+file+" "+aside,
			"stat -c %n -- "+aside, aside, "sudo -n mv -n -- "+aside+" "+file))
	}
	packages, _ := parse(f, machine.AllInstalledProbe, machine.ParsePackages)
	isNew := name != "" && plain(name) == name && !slices.ContainsFunc(packages, func(p machine.Package) bool { return p.Name == name })
	switch {
	case len(packages) == 0:
	case isNew:
		if out, known := f.output(machine.FromRepositoryProbe(name)); known && out.Exit == 0 { // else the person goes on with yay
			steps = append(steps, install(i18n.UpdateExistsInstall(name), name))
		}
	default:
		steps = append(steps, upgrade(i18n.UpdateListFetch))
	}
	return found.offer(i18n.UpdateExistsGoal(files[0]), steps...)
}
