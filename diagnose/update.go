package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"

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

// isOnlyFromPackages reports whether a file is where only packages put files, so that one without a package is a
// leftover. The
// message that names it was not proved: no kernel, key or setting is moved because of it.
func isOnlyFromPackages(file string) bool {
	return slices.ContainsFunc([]string{"/usr/bin/", "/usr/share/", "/usr/lib/", "/usr/include/"},
		func(dir string) bool { return strings.HasPrefix(file, dir) }) &&
		!strings.HasPrefix(file, "/usr/lib/modules/")
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
