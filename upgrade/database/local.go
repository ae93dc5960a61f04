package database

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Local are the installed packages of a database directory.
type Local struct {
	dir      string
	Packages map[string]*Package
	// Damaged are the entries without a readable desc.
	Damaged []string
}

// OpenLocal reads the installed packages in a directory, DBPath/local. A damaged entry is no error.
func OpenLocal(dir string) (*Local, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the installed packages: %w", err)
	}
	l := &Local{dir: dir, Packages: make(map[string]*Package, len(entries))}
	for _, e := range entries {
		if !e.IsDir() {
			continue // ALPM_DB_VERSION
		}
		text, err := readBounded(filepath.Join(dir, e.Name(), "desc"))
		var p *Package
		if err == nil {
			p, err = ParseDesc(text)
		}
		if err == nil {
			p.Backup, err = Backups(dir, e.Name())
		}
		if err != nil || p.Name+"-"+p.Version != e.Name() {
			l.Damaged = append(l.Damaged, e.Name())
			continue
		}
		l.Packages[p.Name] = p
	}
	return l, nil
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDesc+1))
	if err == nil && len(text) > maxDesc {
		err = ErrTooLarge
	}
	return text, err
}

// Backups reads the %BACKUP% of an entry of DBPath/local, which is at the end of its files (be_local.c, local_db_read).
func Backups(dir, entry string) (all []Backup, err error) {
	const tail = 64 << 10
	f, err := os.Open(filepath.Join(dir, entry, "files"))
	if errors.Is(err, os.ErrNotExist) { // of a package without files
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, fi.Size()-tail), io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, tail))
	if err != nil {
		return nil, err
	}
	_, list, found := strings.Cut(string(text), "%BACKUP%\n")
	for line := range strings.Lines(list) {
		file, digest, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		if !found || !ok {
			break
		}
		all = append(all, Backup{file, digest})
	}
	return all, nil
}

// Files calls each with the paths of an installed package's files, relative to the root; directories end with a slash.
func (l *Local) Files(p *Package, each func(path string)) error {
	if err := Files(l.dir, p.Name+"-"+p.Version, each); err != nil {
		return fmt.Errorf("cannot read the files of %s: %w", p.Name, err)
	}
	return nil
}

// Files calls each with the paths of the files of an entry of DBPath/local.
func Files(dir, entry string, each func(path string)) error {
	f, err := os.Open(filepath.Join(dir, entry, "files"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	in := false
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "%FILES%":
			in = true
		case line == "":
			in = false
		case in:
			each(line)
		}
	}
	return lines.Err()
}
