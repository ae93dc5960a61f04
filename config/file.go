package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
)

// open opens a regular file for reading. It does not block, as opening a named pipe would.
func open(file string) (*os.File, error) { return openWith(file, 0) }

// openOwn is [open] for a file in the user's own directory, where a link could turn any file of the machine into
// a setting or a key (security, threat 15).
func openOwn(file string) (*os.File, error) {
	f, err := openWith(file, syscall.O_NOFOLLOW)
	if errors.Is(err, syscall.ELOOP) {
		return nil, errLink
	}
	return f, err
}

var (
	errLink       = i18n.FileLink.WithCause(nil)
	errNotRegular = i18n.FileOdd.WithCause(nil)
)

func openWith(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkWritable returns an error if others can change a settings file: its owner is neither the user nor root, or
// its mode lets others write.
func checkWritable(f *os.File) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if uid := ownerOf(fi); uid != 0 && uid != os.Getuid() {
		return i18n.FileForeign(uid, quote(f.Name())).WithCause(nil)
	}
	if fi.Mode().Perm()&0o022 != 0 {
		return i18n.FileOpen(fi.Mode().Perm(), quote(f.Name())).WithCause(nil)
	}
	return nil
}

func ownerOf(fi fs.FileInfo) int {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return os.Getuid()
}

// quote quotes a file name for a shell, because suggested commands are copied and pasted.
func quote(file string) string {
	if !strings.ContainsFunc(file, func(r rune) bool { return !plain(r) }) {
		return file
	}
	return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
}

func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._+-", r)
}

// maxLooked bounds how many files [Paths.InsecureFiles] visits.
const maxLooked = 20_000

// InsecureFiles returns the person's files and directories among the program's that group or others can read or change,
// except for the home itself. Settings contain no secrets, and editors leave them readable, so they count only if
// others can change them.
func (p Paths) InsecureFiles() []string {
	var found []string
	looked := 0
	for _, root := range []string{p.Home, p.Recall()} {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if looked++; looked > maxLooked {
				return fs.SkipAll
			}
			if err != nil || path == p.Home || !e.Type().IsRegular() && !e.IsDir() {
				return nil
			}
			fi, err := e.Info()
			if err == nil && ownerOf(fi) == os.Getuid() && fi.Mode().Perm()&p.forbiddenMode(path) != 0 && !slices.Contains(found, path) {
				found = append(found, path)
			}
			return nil
		})
	}
	return found
}

// forbiddenMode returns the permissions that a path must not have.
func (p Paths) forbiddenMode(path string) fs.FileMode {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, p.Home+"/"), "/")
	if slices.Contains([]string{"config.toml", "config.d", "automations.toml", "automations.d", "offline"}, first) {
		return 0o022
	}
	return 0o077
}

// maxFingerprint bounds how much of a file is hashed, in bytes. For longer files, the size and the modification
// time are hashed too.
const maxFingerprint = 1 << 20

// Fingerprint hashes everything that [Load] would read, and the files of further directories: contents, owners
// and modes. It changes when any of them does and does not reveal the contents.
func Fingerprint(src Source, dirs ...string) [sha256.Size]byte {
	h := sha256.New()
	sum(h, src.Distribution, open)
	sum(h, src.System, open)
	drop, err := dropIns(filepath.Join(src.Paths.Home, "config.d"))
	fmt.Fprintf(h, "%d %v\n", len(drop), err)
	for _, file := range append(drop, src.Paths.Config()) {
		sum(h, file, openOwn)
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		fmt.Fprintf(h, "%q %d %v\n", dir, len(entries), err)
		for _, e := range entries {
			sum(h, filepath.Join(dir, e.Name()), openOwn)
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// sum adds a file to a hash, or the error if it cannot be read.
func sum(h hash.Hash, file string, open func(string) (*os.File, error)) {
	f, err := open(file)
	if err != nil {
		fmt.Fprintf(h, "%q %v\n", file, err)
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		fmt.Fprintf(h, "%q %v\n", file, err)
		return
	}
	fmt.Fprintf(h, "%q %o %d %d\n", file, fi.Mode(), ownerOf(fi), fi.Size())
	if fi.Size() > maxFingerprint {
		fmt.Fprintf(h, "%d\n", fi.ModTime().UnixNano())
	}
	_, err = io.CopyN(h, f, maxFingerprint)
	fmt.Fprintf(h, "\n%v\n", err) // io.EOF on success
}

// Imported is the settings file that an import writes.
func (p Paths) Imported() string { return filepath.Join(p.Home, "config.d", "60-imported.toml") }

// WithText returns a source that reads text instead of one of the person's own files, which need not exist. With a
// nil text the file does not exist.
func (s Source) WithText(file string, text []byte) Source {
	s.overrides = maps.Clone(s.overrides)
	if s.overrides == nil {
		s.overrides = map[string][]byte{}
	}
	s.overrides[file] = text
	return s
}

// ownFiles returns the person's files in the order of reading.
func (s Source) ownFiles() ([]string, error) {
	dir := filepath.Join(s.Paths.Home, "config.d")
	drop, err := dropIns(dir)
	if err != nil {
		return nil, err
	}
	for file := range s.overrides {
		if filepath.Dir(file) == dir && strings.HasSuffix(file, ".toml") && !slices.Contains(drop, file) {
			drop = append(drop, file)
		}
	}
	slices.Sort(drop)
	return append([]string{s.Paths.Config()}, drop...), nil
}
