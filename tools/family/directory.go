package family

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"github.com/nidoit/blunux-ai/tools/place"
)

// Directory is a directory in which commands of a family run.
type Directory struct {
	// Path is its absolute path without links.
	Path string
	uid  int
	// closed are absolute paths that no operand may be, be in, or contain.
	closed   []string
	isSecret func(path string) bool
}

// systemPlaces are places that decide what the machine runs, or that show what other processes do.
const systemPlaces = `/etc /usr /boot /efi /bin /sbin /lib /lib64 /opt /var /run /dev /proc /sys`

// removable is where desktops mount what a person plugs in.
const removable = "/run/media"

// ownersOnly are the permissions that other users must not have.
const ownersOnly = 0o022

// Open returns a directory, or false if commands in it belong to no family: others could change where its paths lead, or
// it decides what runs later. Protected are further absolute paths that no command may use.
func Open(dir, home string, protected []string, isSecret func(path string) bool) (*Directory, bool) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) || !isPlain(real) {
		return nil, false
	}
	d := &Directory{Path: real, uid: os.Geteuid(), isSecret: isSecret}
	for _, p := range slices.Concat(place.InHome(home), protected) {
		d.closed = append(d.closed, filepath.Clean(p))
		if real, err := place.RealPath(filepath.Clean(p)); err == nil {
			d.closed = append(d.closed, real)
		}
	}
	for _, p := range strings.Fields(systemPlaces) {
		if place.Within(real, p) && !place.Within(real, removable) {
			return nil, false
		}
	}
	return d, real != "/" && !d.isHidden(real[1:]) && !d.isClosed(real) && d.isOurs(real) && d.isSteady(real)
}

// isOurs reports whether a directory is the person's own and only they can write to it.
func (d *Directory) isOurs(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir() && fi.Mode().Perm()&ownersOnly == 0 && ownerOf(fi) == d.uid
}

// isSteady reports whether no other user can rename a directory above a path.
func (d *Directory) isSteady(path string) bool {
	for path != "/" {
		path = filepath.Dir(path)
		fi, err := os.Lstat(path)
		if err != nil || !slices.Contains([]int{0, d.uid}, ownerOf(fi)) {
			return false
		}
		if fi.Mode().Perm()&ownersOnly != 0 && fi.Mode()&fs.ModeSticky == 0 {
			return false
		}
	}
	return true
}

// contains reports whether a word is the path of something below the directory: a regular file, or anything that a
// command can make or change there. No part of it is hidden, a link or open to others.
func (d *Directory) contains(word string, file bool) bool {
	rest := word
	if filepath.IsAbs(word) {
		var below bool
		if rest, below = strings.CutPrefix(word, d.Path+"/"); !below {
			return false
		}
	}
	if !isPlain(rest) || d.isHidden(rest) {
		return false
	}
	path := filepath.Join(d.Path, rest)
	if d.isClosed(path) || d.isSecret(path) {
		return false
	}
	parts := strings.Split(rest, "/")
	at := d.Path
	for i, part := range parts {
		at += "/" + part
		fi, err := os.Lstat(at)
		last := i == len(parts)-1
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return !file // nothing below it exists either
		case err != nil:
			return false
		case fi.IsDir():
			if last && file || !d.isOurs(at) {
				return false
			}
		case !last || !d.isOwnFile(fi):
			return false
		}
	}
	return true
}

// canReceive reports whether the files can be put to a target: if that is a directory, each gets a path below it. Several
// need a directory.
func (d *Directory) canReceive(files []string, target string) bool {
	path := target
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.Path, path)
	}
	fi, err := os.Lstat(path)
	switch {
	case err != nil || !fi.IsDir():
		return true
	}
	return !slices.ContainsFunc(files, func(file string) bool { return !d.contains(target+"/"+filepath.Base(file), false) })
}

// isOwnFile reports whether a file is a regular one of the person that has no other name.
func (d *Directory) isOwnFile(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && fi.Mode().IsRegular() && int(st.Uid) == d.uid && st.Nlink == 1
}

// isClosed reports whether a path is in a closed place or above one.
func (d *Directory) isClosed(path string) bool {
	return slices.ContainsFunc(d.closed, func(p string) bool {
		return place.Within(path, p) || path != d.Path && place.Within(p, path)
	})
}

// isHidden reports whether a part of a relative path is empty or begins with a dot, as those of version control and of
// settings do, or with a sign that programs expand.
func (d *Directory) isHidden(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || strings.ContainsRune(".~", rune(part[0])) {
			return true
		}
	}
	return false
}

// maxPath bounds a path, in bytes.
const maxPath = 1024

// isPlain reports whether a path has only printable characters that are visible and cannot be mistaken for others by a
// program.
func isPlain(path string) bool {
	bad := func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) || strings.ContainsRune("\\$`*?[]{}<>|&;\"'", r)
	}
	return path != "" && len(path) <= maxPath && !strings.ContainsFunc(path, bad)
}

func ownerOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
