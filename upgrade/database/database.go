// Package database reads pacman's databases in a directory tree: the packages of the repositories and those that are
// installed. It changes nothing and starts no program.
//
// A database of a repository is a compressed tar with a directory NAME-VERSION-RELEASE for each package and a file desc in
// it (libalpm, lib/libalpm/be_sync.c; repo-add(8)); one of installed packages is a tree of such directories (be_local.c). A
// desc has blocks of %FIELD%, lines and an empty line.
package database

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// Package is a package of a repository or an installed one.
type Package struct {
	Name, Version string
	Base          string
	Download      int64 // bytes of its file
	Installed     int64 // bytes of the files in it
	Provides      []string
	Replaces      []string
	Conflicts     []string
	Depends       []string
	Groups        []string
	Backup        []Backup // of installed packages
	Dependency    bool     // of installed packages: no person asked for it
	BuiltAt       int64    // Unix time
}

// Backup is a configuration file with the MD5 that it had in the package: PKGBUILD(5), backup.
type Backup struct{ Path, Digest string }

// The bounds of a database. The largest one of Arch Linux has 15,000 packages and 60 MB.
const (
	maxDesc     = 1 << 20 // bytes of one desc
	maxDatabase = 1 << 30 // bytes of one database, unpacked
	maxPackages = 200_000
)

var (
	// ErrNotDatabase reports a file that is no database, for example a mirror's HTML page.
	ErrNotDatabase = errors.New("not a package database")
	// ErrIncomplete reports a database that ends early.
	ErrIncomplete = errors.New("the package database is incomplete")
	// ErrTooLarge reports a database that is larger than any real one.
	ErrTooLarge = errors.New("the package database is too large")
)

// Unpack returns the tar in a database: of a plain tar and one compressed by gzip. For other methods it calls other with the
// file's beginning and the rest; a nil other makes them [ErrNotDatabase].
func Unpack(file io.Reader, other func(io.Reader) (io.ReadCloser, error)) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(file, 1<<16)
	head, err := in.Peek(262)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil, ErrIncomplete
	case len(head) == 0:
		return nil, err
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			return nil, ErrIncomplete
		}
		return unpacked, nil
	case isOtherMethod(head) && other != nil:
		return other(in)
	case len(head) == 262 && string(head[257:262]) == "ustar":
		return io.NopCloser(in), nil
	}
	return nil, ErrNotDatabase
}

// isOtherMethod reports whether a file begins as those of zstd, xz, bzip2 or lz4 do.
func isOtherMethod(head []byte) bool {
	for _, magic := range []string{"\x28\xb5\x2f\xfd", "\xfd7zXZ\x00", "BZh", "\x04\x22\x4d\x18"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return false
}

// Read calls each with the packages of an unpacked database; those that are not wanted have only a name and a version, which
// their directory has. It returns [ErrNotDatabase], [ErrIncomplete] or [ErrTooLarge].
func Read(unpacked io.Reader, wanted func(name, version string) bool, each func(*Package)) error {
	limited := &io.LimitedReader{R: unpacked, N: maxDatabase}
	archive := tar.NewReader(limited)
	for count := 0; ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return readError(err, limited, count)
		}
		if header.Typeflag != tar.TypeReg || !strings.HasSuffix(header.Name, "/desc") {
			continue
		}
		if count++; count > maxPackages || header.Size > maxDesc {
			return ErrTooLarge
		}
		name, version := splitEntry(path.Dir(header.Name))
		if name != "" && !wanted(name, version) {
			each(&Package{Name: name, Version: version})
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return readError(err, limited, count)
		}
		p, err := ParseDesc(text)
		if err != nil {
			return err
		}
		each(p)
	}
}

// splitEntry splits the name of a directory, NAME-VERSION-RELEASE; name is "" if it is none.
func splitEntry(entry string) (name, version string) {
	w := strings.Split(entry, "-")
	if len(w) < 3 {
		return "", ""
	}
	n := len(w) - 2
	return strings.Join(w[:n], "-"), strings.Join(w[n:], "-")
}

// readError returns why a database cannot be read.
func readError(err error, limited *io.LimitedReader, count int) error {
	switch {
	case limited.N <= 0:
		return ErrTooLarge
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.EOF), count > 0:
		return ErrIncomplete
	case errors.Is(err, tar.ErrHeader), errors.Is(err, gzip.ErrHeader):
		return ErrNotDatabase
	}
	return fmt.Errorf("cannot read the package database: %w", err)
}

// ParseDesc parses a desc. It is an error if it has no name or version.
func ParseDesc(text []byte) (*Package, error) {
	p := &Package{}
	fields := map[string]*string{"%NAME%": &p.Name, "%VERSION%": &p.Version, "%BASE%": &p.Base}
	numbers := map[string]*int64{"%CSIZE%": &p.Download, "%ISIZE%": &p.Installed, "%SIZE%": &p.Installed, "%BUILDDATE%": &p.BuiltAt}
	lists := map[string]*[]string{
		"%PROVIDES%": &p.Provides, "%REPLACES%": &p.Replaces, "%CONFLICTS%": &p.Conflicts, "%DEPENDS%": &p.Depends, "%GROUPS%": &p.Groups,
	}
	field := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "":
			field = ""
			continue
		case field == "":
			field = line
			continue
		}
		switch {
		case fields[field] != nil:
			*fields[field] = line
		case numbers[field] != nil:
			n, err := strconv.ParseInt(line, 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("%w: %s is %q", ErrNotDatabase, field, line)
			}
			*numbers[field] = n
		case lists[field] != nil:
			*lists[field] = append(*lists[field], line)
		case field == "%REASON%":
			p.Dependency = line == "1"
		case field == "%BACKUP%":
			if file, digest, ok := strings.Cut(line, "\t"); ok {
				p.Backup = append(p.Backup, Backup{file, digest})
			}
		}
	}
	if p.Name == "" || p.Version == "" {
		return nil, fmt.Errorf("%w: a package has no name or version", ErrNotDatabase)
	}
	return p, nil
}
