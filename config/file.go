package config

import (
	"errors"
	"io/fs"
	"os"
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
