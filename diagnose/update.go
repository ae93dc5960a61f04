package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/machine"
)

// Update is the question why the system cannot be updated, or a package not be installed. It prepares the update from
// the lists
// that were fetched last, as an ordinary user.
func Update() Topic {
	return Topic{ID: "update", About: i18n.DiagnoseAboutUpdate, sound: updateSound, causes: append([]cause{
		{"configuration", wrongConfiguration},
		{"busy", databaseBusy},
		{"lock-open", lockOpen},
		{"lock-left", lockLeft},
		{"keyring-missing", keyringMissing},
		{"keyring-old", keyringOld},
		{"signature", badSignature},
		{"list-missing", listMissing},
		{"list-damaged", listDamaged},
		{"no-server", noServer},
		{"file-exists", fileExists},
		{"dependency", brokenDependency},
		{"conflict", conflict},
		{"no-room", noRoom},
	}, transactionCauses()...)}
}

// wrongConfiguration finds a pacman.conf that pacman refuses.
func wrongConfiguration(f *Facts) *Finding {
	look := machine.PacmanConfigurationProbe
	out, known := f.output(look)
	lines := machine.Lines([]byte(out.Stderr))
	if !known || out.Exit == 0 || len(lines) == 0 {
		return nil
	}
	line := machine.CleanLine(lines[0])
	return &Finding{
		Certain: true, Says: i18n.UpdateConfiguration, Evidence: []Evidence{{look, i18n.UpdateSays(line)}},
		Advice: i18n.UpdateConfigurationAdvice,
	}
}

// noServer finds a repository without a server.
func noServer(f *Facts) *Finding {
	repositories := strings.Fields(f.stdout(machine.RepositoriesProbe))
	if len(repositories) == 0 || plain(repositories[0]) != repositories[0] {
		return nil
	}
	look := machine.ServersProbe(repositories[0])
	if out, known := f.output(look); !known || out.Exit != 0 || strings.TrimSpace(out.Stdout) != "" {
		return nil
	}
	return &Finding{
		Certain: true, Says: i18n.UpdateNoServer(repositories[0]), Advice: i18n.UpdateNoServerAdvice,
		Evidence: []Evidence{{look, i18n.UpdateNoServerSeen}},
	}
}

// fileExists finds whose the file is that the person's message names.
func fileExists(f *Facts) *Finding {
	name, file := machine.ParseExisting(f.Text)
	if file == "" || plain(file) != file || path.Clean(file) != file {
		return nil
	}
	look := machine.PackageFileProbe(file)
	out, known := f.output(look)
	if !known {
		return nil
	}
	if owner, err := machine.ParsePackageFile([]byte(out.Stdout)); err == nil {
		return &Finding{
			Certain: true, Says: i18n.UpdateExistsOwned(file, owner.Name),
			Advice:   i18n.UpdateExistsOwnedAdvice(owner.Name, plain(name)),
			Evidence: []Evidence{{look, i18n.UpdateExistsOwner(owner.Name)}},
		}
	}
	there := machine.OwnersProbe(file)
	if _, kind, ok := f.owner(file); !ok || !strings.Contains(kind, "regular") || out.Exit == 0 {
		return nil
	}
	found := &Finding{
		Certain: true, Says: i18n.UpdateExists(file), Evidence: []Evidence{
			{look, i18n.UpdateExistsNobody},
			{there, i18n.UpdateExistsThere},
		},
	}
	if !isOnlyFromPackages(file) {
		found.Advice = i18n.UpdateExistsAdvice(file)
		return found
	}
	aside := file + ".old"
	found.Repair = &Repair{Goal: i18n.UpdateExistsGoal(file), Steps: []Step{{
		Step: plan.Step{
			Verb: "run", Args: map[string]string{"command": "sudo -n mv -n -- " + file + " " + aside},
			Check: "stat -c %n -- " + aside, Expect: aside, Undo: "sudo -n mv -n -- " + aside + " " + file,
		}, About: i18n.UpdateExistsAside(file, path.Base(aside)),
	}}}
	return found
}

// isOnlyFromPackages reports whether a file is where only packages put files, so that one without a package is a
// leftover. The
// message that names it was not proved: no kernel, key or setting is moved because of it.
func isOnlyFromPackages(file string) bool {
	return slices.ContainsFunc([]string{"/usr/bin/", "/usr/share/", "/usr/lib/", "/usr/include/"},
		func(dir string) bool { return strings.HasPrefix(file, dir) }) &&
		!strings.HasPrefix(file, "/usr/lib/modules/")
}

// refusals returns why pacman does not prepare an update, none if it does.
func (f *Facts) refusals() []machine.Refusal {
	out, known := f.output(machine.DownloadsProbe)
	if !known || out.Exit == 0 {
		return nil
	}
	return machine.ParseRefusals([]byte(out.Stdout + "\n" + out.Stderr))
}

// brokenDependency finds an installed package that keeps others from being updated.
func brokenDependency(f *Facts) *Finding {
	all := slices.DeleteFunc(f.refusals(), func(r machine.Refusal) bool { return r.Package == "" })
	if len(all) == 0 || plain(all[0].Package) == "" {
		return nil
	}
	r, look := all[0], machine.DownloadsProbe
	seen := i18n.UpdateDependencySeen(r.Package, r.Dependency)
	if r.Installing != "" {
		seen = i18n.UpdateDependencyBroken(r.Installing, r.Package, r.Dependency)
	}
	found := &Finding{
		Certain: true, Says: i18n.UpdateDependency(r.Package, r.Dependency), Evidence: []Evidence{{look, seen}},
		Advice: i18n.UpdateDependencyAdvice,
	}
	held := strings.Fields(f.stdout(machine.HeldProbe))
	switch {
	case slices.Contains(held, r.Package):
		found.Evidence = append(found.Evidence, Evidence{machine.HeldProbe, i18n.UpdateHeldSeen(r.Package)})
		found.Advice = i18n.UpdateHeldAdvice(r.Package)
	case f.isForeign(r.Package):
		found.Evidence = append(found.Evidence, Evidence{machine.ForeignProbe, i18n.UpdateForeignSeen(r.Package)})
		found.Advice = i18n.UpdateForeignAdvice(r.Package)
	}
	return found
}

// conflict finds two packages that exclude each other.
func conflict(f *Facts) *Finding {
	for _, r := range f.refusals() {
		if r.Conflict[0] != "" {
			return &Finding{
				Certain: true, Says: i18n.UpdateConflict(machine.CleanLine(r.Conflict[0]), machine.CleanLine(r.Conflict[1])),
				Advice:   i18n.UpdateConflictAdvice,
				Evidence: []Evidence{{machine.DownloadsProbe, i18n.UpdateConflictSeen}},
			}
		}
	}
	return nil
}

// noRoom finds that what an update fetches does not fit where it is put.
func noRoom(f *Facts) *Finding {
	dir := plain(strings.TrimRight(f.stdout(machine.CachesProbe), "/\n"))
	if dir == "" {
		return nil
	}
	sizes, err := parse(f, machine.DownloadsProbe, machine.ParseDownloads)
	look := machine.RoomProbe(dir)
	room, roomErr := parse(f, look, machine.ParseRoom)
	total := 0.0
	for _, size := range sizes {
		total += size
	}
	if err != nil || roomErr != nil || total <= room.Free {
		return nil
	}
	found := &Finding{
		Certain: true, Says: i18n.UpdateNoRoom(dir, room.Target), Advice: i18n.UpdateNoRoomAdvice(room.Target),
		Evidence: []Evidence{
			{machine.DownloadsProbe, i18n.UpdateNoRoomNeeded(i18n.CheckSize(int64(total)))},
			{look, i18n.UpdateNoRoomFree(i18n.CheckSize(int64(room.Free)))},
		},
	}
	return f.trimCache(found, dir, sizes)
}

// trimCache offers to remove old versions from the package cache: what paccache(8) would remove, or else files. The installed
// version and the one before stay, and what is needed to take changes back.
func (f *Facts) trimCache(found *Finding, dir string, wanted map[string]float64) *Finding {
	const keep = 2
	pinned := f.pinnedNames()
	look := machine.CacheProbe(keep, pinned...)
	if n, saved := machine.ParseCache([]byte(f.stdout(look))); n > 0 {
		found.Evidence = append(found.Evidence, see(look, i18n.UpdateCacheOld(n, saved, keep)))
		remove := "sudo -n paccache -rk" + strconv.Itoa(keep) + strings.TrimPrefix(look.String(), machine.CacheProbe(keep).String())
		return found.advise(i18n.Text{}).offer(i18n.UpdateCacheGoal, run(i18n.UpdateCacheStep(n), remove, look.String(), "no candidate packages found", ""))
	}
	files := machine.CachedFilesProbe(dir)
	old, size := f.oldFiles(files, wanted)
	if len(old) == 0 {
		return found
	}
	found.Evidence = append(found.Evidence, see(files, i18n.UpdateCacheFiles(i18n.CheckSize(int64(size)), path.Base(old[0]))))
	return found.advise(i18n.Text{}).offer(i18n.UpdateCacheGoal,
		run(i18n.UpdateCacheStep(len(old)), "sudo -n rm -- "+strings.Join(old, " "), machine.RoomProbe(dir).String(), "Avail", ""))
}

// pinnedNames returns the names of the pinned packages.
func (f *Facts) pinnedNames() (names []string) {
	for _, pin := range f.Pins {
		if name, _ := machine.CachedPackage(pin + "-any.pkg.tar."); name != "" && plain(name) == name && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// maxOldFiles bounds the files of one question.
const maxOldFiles = 20

// oldFiles returns the largest package files that nothing needs, and their size in bytes: not of the installed version, the
// last one before it, one that is wanted or one that is pinned.
func (f *Facts) oldFiles(look machine.Probe, wanted map[string]float64) (files []string, size float64) {
	all, _ := parse(f, look, machine.ParseFindSizes)
	packages, _ := parse(f, machine.AllInstalledProbe, machine.ParsePackages)
	installed, previous := map[string]string{}, map[string]string{}
	for _, p := range packages {
		installed[p.Name] = p.Version
	}
	for _, c := range all {
		name, version := machine.CachedPackage(path.Base(c.Path))
		if machine.CompareVersions(version, installed[name]) < 0 && (previous[name] == "" || machine.CompareVersions(version, previous[name]) > 0) {
			previous[name] = version
		}
	}
	for _, c := range all {
		name, version := machine.CachedPackage(path.Base(c.Path))
		has, known := installed[name]
		_, soon := wanted[name+" "+version]
		needed := soon || has == version || previous[name] == version || slices.Contains(f.Pins, name+"-"+version)
		if !known || needed || plain(c.Path) != c.Path || len(files) == maxOldFiles {
			continue
		}
		files, size = append(files, c.Path), size+c.Size
	}
	return files, size
}
