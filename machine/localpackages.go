package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LocalDatabase is pacman's database of installed packages: pacman.conf(5), DBPath.
const LocalDatabase = "/var/lib/pacman/local"

// LocalPackage is a package in the database of installed packages.
type LocalPackage struct {
	Name, Version string
	Dependency    bool // installed as a dependency of another one: pacman(8), --asdeps
	// Excludes are the names of packages that cannot be installed together with it: PKGBUILD(5), conflicts.
	Excludes []string
}

// LocalPackages reads the database of installed packages in a directory: a directory NAME-VERSION-RELEASE for each, whose
// desc has %REASON% 1 for dependencies (libalpm, be_local.c). Packages that cannot be read are left out, and reported.
func LocalPackages(dir string) ([]LocalPackage, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []LocalPackage
	var errs []error
	for _, e := range entries {
		if !e.IsDir() {
			continue // ALPM_DB_VERSION
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name(), "desc"))
		if err == nil {
			var p LocalPackage
			if p, err = ParseLocalPackage(data); err == nil {
				found = append(found, p)
				continue
			}
		}
		errs = append(errs, fmt.Errorf("%s: %w", e.Name(), err))
	}
	return found, errors.Join(errs...)
}

// LocalFiles returns the files and directories of an installed package, NAME-VERSION in the database of installed packages: below
// %FILES%, relative to the root (libalpm, be_local.c).
func LocalFiles(dir, entry string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, entry, "files")) // none if it cannot be read
	var files []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "/\n")
		if line == "" || line == "%BACKUP%" {
			break
		}
		if line != "%FILES%" {
			files = append(files, "/"+line)
		}
	}
	return files
}

// ParseLocalPackage parses a desc of the database of installed packages: blocks of %FIELD% and its lines (libalpm,
// be_local.c).
func ParseLocalPackage(text []byte) (LocalPackage, error) {
	var p LocalPackage
	lines := Lines(text)
	for i := 0; i+1 < len(lines); i++ {
		switch lines[i] {
		case "%NAME%":
			p.Name = lines[i+1]
		case "%VERSION%":
			p.Version = lines[i+1]
		case "%REASON%":
			p.Dependency = strings.TrimSpace(lines[i+1]) == "1"
		case "%CONFLICTS%":
			p.Excludes = namesBelow(lines[i+1:])
		}
	}
	return readable(p, p.Name != "" && p.Version != "", "desc")
}

// namesBelow returns the names of a field's dependencies, without their versions: up to the next field.
func namesBelow(lines []string) (names []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "%") {
			break
		}
		if name := line[:strings.IndexAny(line+"=", "<>=")]; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Replacing returns those of the names whose installed packages exclude one of the packages to bring back. It returns none if
// another installed package excludes one.
func Replacing(installed []LocalPackage, names, back []string) []string {
	var out []string
	for _, p := range installed {
		if !slices.ContainsFunc(p.Excludes, func(name string) bool { return name != p.Name && slices.Contains(back, name) }) {
			continue
		}
		if !slices.Contains(names, p.Name) {
			return nil
		}
		out = append(out, p.Name)
	}
	return out
}

// PacmanPaths are the places that pacman.conf(5) names.
type PacmanPaths struct {
	Installed string   // the database of installed packages, below DBPath
	Caches    []string // CacheDir: where the files of packages are kept
}

// ParsePacmanPaths parses DBPath and CacheDir of pacman.conf(5).
func ParsePacmanPaths(conf []byte) PacmanPaths {
	paths := PacmanPaths{Installed: LocalDatabase}
	for _, line := range Lines(conf) {
		name, value, ok := strings.Cut(line, "=")
		switch strings.TrimSpace(name) {
		case "CacheDir":
			paths.Caches = append(paths.Caches, strings.Fields(value)...)
		case "DBPath":
			if dir := strings.TrimSpace(value); ok && filepath.IsAbs(dir) {
				paths.Installed = filepath.Join(dir, "local")
			}
		}
	}
	if paths.Caches == nil {
		paths.Caches = []string{"/var/cache/pacman/pkg"}
	}
	return paths
}
