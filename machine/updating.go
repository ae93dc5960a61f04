package machine

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// PacmanConfigurationProbe reads pacman.conf(5) and fails if it is wrong.
var PacmanConfigurationProbe = Probe{"pacman-conf"}

// RepositoriesProbe lists the configured repositories.
var RepositoriesProbe = Probe{"pacman-conf", "--repo-list"}

// HeldProbe lists the packages that an update leaves out.
var HeldProbe = Probe{"pacman-conf", "IgnorePkg"}

// ServersProbe lists the servers of a repository.
func ServersProbe(repository string) Probe {
	return Probe{"pacman-conf", "--repo=" + repository, "Server"}
}

// MirrorList is where the servers of Arch's repositories are listed.
const MirrorList = "/etc/pacman.d/mirrorlist"

// MirrorLinesProbe shows the lines of the list that name a server.
func MirrorLinesProbe(host string) Probe { return Probe{"grep", "-nHF", "--", host, MirrorList} }

// HostProbe looks up a host's name: getent(1) exits with 2 if no one knows it.
func HostProbe(host string) Probe { return Probe{"getent", "hosts", "--", host} }

// FileHeadProbe shows how a file begins.
func FileHeadProbe(file string) Probe { return Probe{"head", "-c", "64", "--", file} }

// IsPage reports whether a file that begins so is a web page.
func IsPage(head string) bool {
	head = strings.ToLower(strings.TrimSpace(head))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// RoomProbe shows the free bytes where a directory is.
func RoomProbe(dir string) Probe { return Probe{"df", "-B1", "--output=avail,target", "--", dir} }

// Room is the free space of a file system.
type Room struct {
	Free   float64 // bytes that ordinary programs can use
	Target string  // where it is mounted
}

// ParseRoom parses [RoomProbe]: df(1), a heading and a row.
func ParseRoom(text []byte) (Room, error) {
	for _, line := range Lines(text) {
		number, target, ok := strings.Cut(strings.TrimSpace(line), " ")
		if free, err := strconv.ParseFloat(number, 64); ok && err == nil {
			return Room{free, strings.TrimSpace(target)}, nil
		}
	}
	return Room{}, &UnreadableError{Source: "df"}
}

// CacheProbe shows how much of the package cache can be removed, if so many versions of each package stay, and all of some: it
// removes nothing.
func CacheProbe(keep int, all ...string) Probe {
	p := Probe{"paccache", "-dk" + strconv.Itoa(keep)}
	if len(all) > 0 {
		p = append(p, "--ignore", strings.Join(all, ","))
	}
	return p
}

// AllInstalledProbe lists what is installed.
var AllInstalledProbe = Probe{"pacman", "-Q", "--color", "never"}

// LocalEntries is where libalpm keeps an entry for each installed package: a directory NAME-VERSION-RELEASE with the files
// desc, files and mtree (lib/libalpm/be_local.c).
const LocalEntries = "/var/lib/pacman/local/"

var (
	// ConsistencyProbe checks that the local database is complete and that all dependencies are installed: pacman(8), -Dk.
	ConsistencyProbe = Probe{"pacman", "-Dk"}
	// EmptyEntriesProbe lists files of the local database without content: what a power cut leaves of files that were not
	// written to the disk yet.
	EmptyEntriesProbe = Probe{"find", "/var/lib/pacman/local/", "-mindepth", "2", "-maxdepth", "2", "-size", "0", "-not", "-name", "mtree", "-not", "-name", "install", "-not", "-name", "changelog", "-printf", `%s %p\n`}
	// MissingFilesProbe lists the missing files of installed packages: "NAME FILE" (pacman(8), -Qk and -q).
	MissingFilesProbe = Probe{"pacman", "-Qkq", "--color", "never"}
)

// ChangedEntriesProbe lists the entries of the local database that changed after a time of pacman's log.
func ChangedEntriesProbe(since string) Probe {
	return Probe{"find", LocalEntries, "-mindepth", "1", "-maxdepth", "1", "-type", "d", "-newermt", since, "-printf", `%s %p\n`}
}

// FromRepositoryProbe succeeds if a repository has a package of this name.
func FromRepositoryProbe(name string) Probe {
	return Probe{"pacman", "-Si", "--", name}
}

// LocalEntry is an entry of the local database.
type LocalEntry struct {
	Name string // of the package
	Dir  string // NAME-VERSION-RELEASE
}

var (
	entryForm   = pattern(`^([a-zA-Z0-9@_+][a-zA-Z0-9@._+-]*)-[a-zA-Z0-9@._+:~^]+-[a-zA-Z0-9._]+$`)
	damagedForm = pattern(`^error: '([^'/\s]+)': (?:description file|file list) is missing$`)
)

// ParseLocalEntry returns the entry of a path below [LocalEntries].
func ParseLocalEntry(file string) (e LocalEntry, ok bool) {
	dir, inside := strings.CutPrefix(file, LocalEntries)
	dir, _, _ = strings.Cut(dir, "/")
	m := entryForm().FindStringSubmatch(dir)
	if !inside || m == nil {
		return LocalEntry{}, false
	}
	return LocalEntry{Name: m[1], Dir: dir}, true
}

// ParseDamagedEntries returns the entries that lack a file, from the errors of [ConsistencyProbe] (pacman, src/pacman/check.c
// and database.c, check_db_missing_deps).
func ParseDamagedEntries(text []byte) (all []LocalEntry) {
	for _, line := range Lines(text) {
		if m := damagedForm().FindStringSubmatch(line); m != nil {
			if e, ok := ParseLocalEntry(LocalEntries + m[1]); ok && !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
	}
	return all
}

// ParseMissingFiles returns the packages that lack a file, from [MissingFilesProbe].
func ParseMissingFiles(text []byte) (names []string) {
	for _, line := range Lines(text) {
		name, file, ok := strings.Cut(line, " ")
		if ok && strings.HasPrefix(file, "/") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

var logTimeForm = pattern(`^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4})\] \[ALPM\] `)

// ParseLogTime returns the time of a line of pacman's log as it is written there.
func ParseLogTime(line string) (when string, ok bool) {
	if m := logTimeForm().FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	return "", false
}

// TransactionsProbe shows when the last transactions began and ended (libalpm, lib/libalpm/trans.c).
var TransactionsProbe = Probe{"grep", "-E", `\[ALPM\] transaction (started|completed|failed|interrupted)`, "/var/log/pacman.log", "|", "tail", "-n", "4"}

// PackageProgramsProbe lists the running programs that change packages.
var PackageProgramsProbe = Probe{
	"ps", "-C", "pacman,yay,paru,pikaur,trizen,pamac,pamac-daemon,pamac-manager,packagekitd,makepkg", "-o", "pid=,comm=",
}

// SigLevelProbe shows which signatures pacman checks: pacman.conf(5), SigLevel.
var SigLevelProbe = Probe{"pacman-conf", "SigLevel"}

// DownloadUserProbe shows the user as whom pacman fetches: pacman.conf(5).
var DownloadUserProbe = Probe{"pacman-conf", "DownloadUser"}

// CachedFilesProbe shows the packages in a cache, with their sizes.
func CachedFilesProbe(dir string) Probe {
	return Probe{"find", dir, "-maxdepth", "1", "-type", "f", "-name", "[!.]*.pkg.tar.*", "-not", "-name", "[!.]*.sig", "-printf", `%s %p\n`}
}

// CachedPackage returns the name and the version of a package's file: NAME-VERSION-RELEASE-ARCH.pkg.tar.EXT (makepkg.conf(5), PKGEXT).
func CachedPackage(file string) (name, version string) {
	base, _, ok := strings.Cut(file, ".pkg.tar.")
	w := strings.Split(base, "-")
	if n := len(w); ok && n >= 4 {
		return strings.Join(w[:n-3], "-"), w[n-3] + "-" + w[n-2]
	}
	return "", ""
}

var cacheRow = pattern(`(\d+) candidates? \(disk space saved: ([^)]+)\)`)

// ParseCache parses [CacheProbe]: paccache(8), "==> finished dry run: 3 candidates (disk space saved: 120.5 MiB)". Without a
// candidate, the number is 0.
func ParseCache(text []byte) (candidates int, room string) {
	if m := cacheRow().FindSubmatch(text); m != nil {
		candidates, _ = strconv.Atoi(string(m[1])) // digits
		room = string(m[2])
	}
	return candidates, room
}

// HoldLinesProbe shows the lines that hold packages: pacman.conf(5), IgnorePkg.
var HoldLinesProbe = Probe{"grep", "-nE", "^[[:space:]]*IgnorePkg[[:space:]]*=", "--", "/etc/pacman.conf"}

// NeededProbe shows whether packages can be removed without others that need them. It removes nothing: pacman(8), --print.
func NeededProbe(names ...string) Probe { return append(Probe{"pacman", "-Rp", "--"}, names...) }

// DependencyName returns the name in a dependency: PKGBUILD(5), depends.
func DependencyName(dependency string) string {
	if i := strings.IndexAny(dependency, "<>="); i >= 0 {
		return dependency[:i]
	}
	return dependency
}

// PreviewProbe shows what an upgrade would do, with new lists or with those that were fetched last. pacman -Sup does not look
// for conflicts.
func PreviewProbe(offline bool) Probe {
	p := Probe{"blunux-ai", "preview", "--json", "--brief"}
	if offline {
		p = append(p, "--offline")
	}
	return p
}

// PacmanSettings is the file of pacman's settings.
const PacmanSettings = "/etc/pacman.conf"

// PreviewAfterProbe is [PreviewProbe] for the computer without some packages, and with names taken out of IgnorePkg.
func PreviewAfterProbe(without, released []string) Probe {
	p := PreviewProbe(false)
	if len(without) > 0 {
		p = append(p, "--without="+strings.Join(without, ","))
	}
	if len(released) > 0 {
		p = append(p, "--released="+strings.Join(released, ","))
	}
	return p
}

// ParsePreview parses [PreviewProbe] for why pacman will not do the upgrade.
func ParsePreview(text []byte) ([]Refusal, error) {
	var p struct {
		Digest   string
		Refusals []Refusal
	}
	err := json.Unmarshal(text, &p)
	return readable(p.Refusals, err == nil && p.Digest != "", "blunux-ai preview")
}

// RefusalLines returns at most four lines of a transaction that name the conflicting files and packages. pacman prints them on
// standard output, and only the summary as an error.
func RefusalLines(stdout string) string {
	lines := slices.DeleteFunc(Lines(stdout), func(l string) bool {
		return !containsAny(l, "exists in filesystem", "breaks dependency", "required by", "are in conflict")
	})
	return strings.Join(lines[:min(4, len(lines))], "\n")
}

// StaleMirror is the age in days from which a list that was fetched now means that the mirror is behind. Arch Linux changes
// its lists several times a day.
const StaleMirror = 3

// ParseListAge parses [PreviewProbe] for the age of the lists in days, 0 if they are not old.
func ParseListAge(text []byte) (days int, err error) {
	var p struct {
		Digest string
		Stale  int `json:"stale_days"`
	}
	err = json.Unmarshal(text, &p)
	return readable(p.Stale, err == nil && p.Digest != "", "blunux-ai preview")
}

// Refusal is why pacman does not prepare a transaction.
type Refusal struct {
	// Package needs Dependency, which the new version Installing of another package does not fulfil; "" if it is not there.
	Package, Dependency, Installing string
	// Removing is the package whose removal takes the dependency away.
	Removing string
	// Conflict are two packages that exclude each other. In a preview, Installing takes the place of Removing, which Needed need.
	Conflict [2]string
	Needed   []string
}

var (
	breaksForm   = pattern(`installing (\S+) \(\S+\) breaks dependency '([^']+)' required by (\S+)`)
	removesForm  = pattern(`removing (\S+) breaks dependency '([^']+)' required by (\S+)`)
	unableForm   = pattern(`unable to satisfy dependency '([^']+)' required by (\S+)`)
	conflictForm = pattern(`:: (\S+) and (\S+) are in conflict`)
)

// ParseRefusals parses what pacman prints in the C locale if it cannot prepare a transaction: pacman, src/pacman/util.c,
// print_broken_dep, and src/pacman/callback.c. It returns none if there is another reason.
func ParseRefusals(text []byte) (all []Refusal) {
	for _, line := range Lines(text) {
		if m := breaksForm().FindStringSubmatch(line); m != nil {
			all = append(all, Refusal{Installing: m[1], Dependency: m[2], Package: m[3]})
		} else if m := removesForm().FindStringSubmatch(line); m != nil {
			all = append(all, Refusal{Removing: m[1], Dependency: m[2], Package: m[3]})
		} else if m := unableForm().FindStringSubmatch(line); m != nil {
			all = append(all, Refusal{Dependency: m[1], Package: m[2]})
		} else if m := conflictForm().FindStringSubmatch(line); m != nil {
			all = append(all, Refusal{Conflict: [2]string{m[1], strings.TrimSuffix(m[2], ".")}})
		}
	}
	return all
}

var existsForm = pattern(`(?:(\S+): )?(/\S+) exists in filesystem`)

// ParseExisting returns the package and the files of libalpm's messages "PACKAGE: FILE exists in filesystem" (lib/libalpm/conflict.c).
func ParseExisting(text string) (name string, files []string) {
	for _, m := range existsForm().FindAllStringSubmatch(text, -1) {
		name = cmp.Or(name, m[1])
		files = append(files, m[2])
	}
	return name, files
}
