package database

import (
	"debug/elf"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/upgrade"
)

// libraryDirs are where the dynamic linker of Arch Linux looks: ld.so(8).
var libraryDirs = []string{"usr/lib/", "usr/lib32/", "usr/lib64/", "lib/", "lib64/"}

// The bounds of the search for libraries.
const (
	maxFiles = 20_000 // files of one package that are opened
	maxELF   = 1 << 30
)

// isLibrary reports whether a path is that of a shared library with a version, and returns its name.
func isLibrary(file string) (name string, ok bool) {
	dir, name := path.Split(file)
	return name, slices.Contains(libraryDirs, dir) && strings.Contains(name, ".so.")
}

// Lost are the libraries that changed packages no longer have.
type Lost struct {
	// ByLibrary is the package that had each library. Unknown are those of which only the lists of files would say it.
	ByLibrary, Unknown map[string]string
	// Python are the directories of versions of Python that lose their interpreter, with its package.
	Python map[string]string
	// Changed are all libraries of the changed packages, with their packages.
	Changed map[string]string
}

// pythonDir matches the directory of a version of Python.
var pythonDir = lazyregexp.New(`^usr/lib/python3\.\d+/$`)

// Losses compares the libraries of installed packages with those of their new versions. files returns the paths in a new
// version, relative to the root; ok is false if no list of files has it.
func (t *Transaction) Losses(files func(p *Package) (paths []string, ok bool)) (*Lost, error) {
	l := &Lost{ByLibrary: map[string]string{}, Unknown: map[string]string{}, Python: map[string]string{}, Changed: map[string]string{}}
	had, err := t.oldLibraries(l)
	if err != nil {
		return nil, err
	}
	var added []string // libraries that any new version provides or has
	for _, p := range t.Adds {
		for _, text := range p.Provides {
			if d := parseDependency(text); strings.HasSuffix(d.name, ".so") && d.version != "" {
				version, _, _ := strings.Cut(d.version, "-") // libx.so=2-64
				added = append(added, d.name+"."+version)
			}
		}
	}
	for name, lost := range had {
		for _, library := range lost {
			switch state := t.stateOf(name, library, added, files); state {
			case libraryGone:
				l.ByLibrary[library] = name
			case libraryUnknown:
				l.Unknown[library] = name
			}
		}
	}
	return l, nil
}

// oldLibraries returns the libraries of the installed versions of changed and removed packages, by package.
func (t *Transaction) oldLibraries(l *Lost) (map[string][]string, error) {
	had := map[string][]string{}
	for _, p := range slices.Concat(t.Adds, t.Removes) {
		old := t.Local.Packages[p.Name]
		if old == nil {
			continue
		}
		err := t.Local.Files(old, func(file string) {
			if name, ok := isLibrary(file); ok {
				had[p.Name] = append(had[p.Name], name)
				l.Changed[name] = p.Name
			}
			if pythonDir.MatchString(file) && p.Name == "python" && isOtherPython(old.Version, p.Version) {
				l.Python[file] = p.Name
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return had, nil
}

// isOtherPython reports whether two versions differ in what their directory is named by.
func isOtherPython(a, b string) bool {
	minor := func(v string) string {
		if _, version, hasEpoch := strings.Cut(v, ":"); hasEpoch {
			v = version
		}
		f := strings.SplitN(v, ".", 3)
		return strings.Join(f[:min(2, len(f))], ".")
	}
	return minor(a) != minor(b)
}

// libraryState is whether a library is still there after an upgrade.
type libraryState int

const (
	libraryStays libraryState = iota
	libraryGone
	libraryUnknown
)

// stateOf decides about a library of a package: by the list of files of the new version, else by what it provides. What an
// installed version does not provide either is unknown without a list.
func (t *Transaction) stateOf(name, library string, added []string, files func(*Package) ([]string, bool)) libraryState {
	if slices.Contains(added, library) {
		return libraryStays
	}
	unknown := false
	for _, p := range t.Adds {
		if p.Name != name && t.By[name] != p.Name {
			continue
		}
		paths, ok := files(p)
		if !ok {
			unknown = true
			continue
		}
		if slices.ContainsFunc(paths, func(f string) bool { n, is := isLibrary(f); return is && n == library }) {
			return libraryStays
		}
	}
	base, version, _ := strings.Cut(library, ".so.")
	if unknown && !providesOther(t.packagesFor(name), base+".so", version) {
		return libraryUnknown
	}
	return libraryGone
}

// packagesFor returns what replaces the installed version of a package.
func (t *Transaction) packagesFor(name string) (all []*Package) {
	for _, p := range t.Adds {
		if p.Name == name || t.By[name] == p.Name {
			all = append(all, p)
		}
	}
	return all
}

// providesOther reports whether packages provide another version of a library and not this one.
func providesOther(all []*Package, name, version string) bool {
	other := false
	for _, p := range all {
		for _, text := range p.Provides {
			if d := parseDependency(text); d.name == name && d.version != "" {
				have, _, _ := strings.Cut(d.version, "-")
				if have == version {
					return false
				}
				other = true
			}
		}
	}
	return other
}

// Broken returns the installed packages of no repository that need what is lost, and those of which that is unknown.
func (t *Transaction) Broken(root string, l *Lost) (broken, unknown []upgrade.Broken, err error) {
	for _, p := range t.Stays() {
		if t.Sync.Names[p.Name] {
			continue
		}
		if err := t.breaks(root, p, l, &broken, &unknown); err != nil {
			return nil, nil, err
		}
	}
	return broken, unknown, nil
}

// breaks adds what a package loses, once for each library.
func (t *Transaction) breaks(root string, p *Package, l *Lost, broken, unknown *[]upgrade.Broken) error {
	own := map[string]bool{} // libraries that it brings itself
	var files []string
	err := t.Local.Files(p, func(file string) {
		own[path.Base(file)] = true
		if len(files) < maxFiles && !strings.HasSuffix(file, "/") {
			files = append(files, file)
		}
	})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	add := func(list *[]upgrade.Broken, file, needs, because string) {
		if !seen[needs] {
			seen[needs] = true
			*list = append(*list, upgrade.Broken{Package: p.Name, File: "/" + file, Needs: needs, Because: because})
		}
	}
	for _, file := range files {
		for dir, because := range l.Python {
			if strings.HasPrefix(file, dir+"site-packages/") {
				add(broken, file, "/"+strings.TrimSuffix(dir, "/"), because)
			}
		}
		for _, library := range Needed(filepath.Join(root, file)) {
			switch {
			case own[library]:
			case l.ByLibrary[library] != "":
				add(broken, file, library, l.ByLibrary[library])
			case l.Unknown[library] != "":
				add(unknown, file, library, l.Unknown[library])
			}
		}
	}
	return nil
}

// Needed returns the shared libraries that an ELF file names (DT_NEEDED, elf(5)), none for other files.
func Needed(file string) []string {
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() < 64 || fi.Size() > maxELF {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil || string(magic[:]) != elf.ELFMAG {
		return nil
	}
	return readNeeded(f)
}

func readNeeded(f *os.File) []string {
	binary, err := elf.NewFile(f)
	if err != nil {
		return nil
	}
	defer binary.Close()
	needed, err := binary.ImportedLibraries()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil
	}
	return needed
}
