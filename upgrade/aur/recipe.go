package aur

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Recipe is the files of a package of the AUR.
type Recipe struct {
	Files map[string][]byte // by their names in the recipe, with slashes
	Large []string          // names of files that are larger than maxFile and were not read
	Links []string          // names of links, which are not followed
}

// Bounds of a recipe. The AUR takes no file that is larger than 250 KiB.
const (
	maxFile  = 256 << 10 // bytes of a file
	maxFiles = 1000
	maxTotal = 16 << 20 // bytes of all files
)

// pkgbuild is the file that makepkg reads.
const pkgbuild = "PKGBUILD"

// ErrNoPKGBUILD reports a directory or archive that is no recipe.
var ErrNoPKGBUILD = errors.New("there is no PKGBUILD")

// ErrTooMuch reports a recipe with more files or bytes than any package has.
var ErrTooMuch = errors.New("the recipe has too many files")

// names returns the names of the files, sorted.
func (r Recipe) names() []string {
	list := make([]string, 0, len(r.Files))
	for name := range r.Files {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// add reads a file into the recipe.
func (r *Recipe) add(name string, size int64, in io.Reader) error {
	if len(r.Files)+len(r.Large) >= maxFiles {
		return ErrTooMuch
	}
	if size > maxFile {
		r.Large = append(r.Large, name)
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", name, err)
	}
	if len(text) > maxFile { // it grew
		r.Large = append(r.Large, name)
		return nil
	}
	r.Files[name] = text
	return nil
}

// complete returns the recipe if it has a PKGBUILD.
func (r Recipe) complete() (Recipe, error) {
	if _, ok := r.Files[pkgbuild]; !ok && !slices.Contains(r.Large, pkgbuild) {
		return r, ErrNoPKGBUILD
	}
	return r, nil
}

// ignored reports whether makepkg or git made a directory, so that it is not part of the recipe: they hold what was
// fetched and built.
func ignored(name string) bool { return name == ".git" || name == "src" || name == "pkg" }

// ReadDir reads the recipe in a directory. Links and special files are named and not followed.
func ReadDir(dir string) (Recipe, error) {
	r := Recipe{Files: map[string][]byte{}}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return r, fmt.Errorf("cannot open the directory: %w", err)
	}
	defer root.Close()
	if fi, err := root.Lstat(pkgbuild); err != nil || !fi.Mode().IsRegular() {
		return r, ErrNoPKGBUILD
	}
	if err := r.readTree(root); err != nil {
		return r, err
	}
	return r.complete()
}

// readTree adds the files below a root, those of the recipe's own directory first. Downloaded sources, which helpers
// keep in that directory, are archives or directories; the latter end with their .git or are bare.
func (r *Recipe) readTree(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("cannot read %s: %w", name, err)
		case d.IsDir():
			if ignored(name) || name != "." && isRepository(root, name) {
				return fs.SkipDir
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			r.Links = append(r.Links, name)
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		return r.readFile(root, name)
	})
}

// isRepository reports whether a directory is a clone that makepkg keeps: bare, or with its .git.
func isRepository(root *os.Root, name string) bool {
	for _, mark := range []string{"HEAD", ".git", ".hg", ".svn", ".bzr"} {
		if _, err := root.Lstat(filepath.Join(name, mark)); err == nil {
			return true
		}
	}
	return false
}

func (r *Recipe) readFile(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("cannot open %s: %w", name, err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return err
	}
	return r.add(name, fi.Size(), f)
}

// ReadSnapshot reads a recipe from the archive (tar.gz) that the AUR serves. Nothing is unpacked to the disk.
func ReadSnapshot(in io.Reader) (Recipe, error) {
	r := Recipe{Files: map[string][]byte{}}
	plain, err := gzip.NewReader(in)
	if err != nil {
		return r, fmt.Errorf("cannot read the archive: %w", err)
	}
	defer plain.Close()
	archive := tar.NewReader(io.LimitReader(plain, maxTotal))
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return r.complete()
		}
		if err != nil {
			return r, fmt.Errorf("cannot read the archive: %w", err)
		}
		_, name, inside := strings.Cut(path.Clean(h.Name), "/") // the first part is the package
		if !inside {
			continue
		}
		switch h.Typeflag {
		case tar.TypeReg:
			if err := r.add(name, h.Size, archive); err != nil {
				return r, err
			}
		case tar.TypeSymlink, tar.TypeLink:
			r.Links = append(r.Links, name)
		}
	}
}
