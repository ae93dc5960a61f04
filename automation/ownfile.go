package automation

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/renameio/v2"
)

// maxFile is the maximum size of a file of rules, in bytes.
const maxFile = 8 << 20

// openOwn opens a file that only the person can change. It does not follow links or block on pipes. The error is
// a [Problem].
func openOwn(file string, flags int) (*os.File, error) {
	f, err := os.OpenFile(file, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case errors.Is(err, syscall.ELOOP):
		return nil, Problem{File: file, Code: "link", Args: []any{shellQuote(file)}}
	case errors.Is(err, syscall.ENXIO):
		return nil, Problem{File: file, Code: "not_regular"}
	case err != nil:
		return nil, Problem{File: file, Code: "unreadable", Args: []any{err}}
	}
	fi, err := f.Stat()
	if err == nil {
		err = checkFile(file, fi)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkFile returns the reason not to use a file, or nil.
func checkFile(file string, fi fs.FileInfo) error {
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case !fi.Mode().IsRegular():
		return Problem{File: file, Code: "not_regular"}
	case ok && int(st.Uid) != os.Getuid():
		return Problem{File: file, Code: "owner", Args: []any{int(st.Uid), shellQuote(file)}}
	case fi.Mode().Perm()&0o022 != 0:
		return Problem{File: file, Code: "writable", Args: []any{fmt.Sprintf("%04o", fi.Mode().Perm()), shellQuote(file)}}
	case fi.Size() > maxFile:
		return Problem{File: file, Code: "too_large", Args: []any{maxFile >> 20}}
	}
	return nil
}

// readOwn reads a file. It fails with fs.ErrNotExist or a [Problem].
func readOwn(file string) ([]byte, error) {
	f, err := openOwn(file, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, Problem{File: file, Code: "unreadable", Args: []any{err}}
	case len(text) > maxFile: // it has grown
		return nil, Problem{File: file, Code: "too_large", Args: []any{maxFile >> 20}}
	}
	return text, nil
}

// writeOwn atomically replaces a file and syncs it to disk.
func writeOwn(file string, text []byte) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := renameio.WriteFile(file, text, 0o600, renameio.WithTempDir(dir)); err != nil {
		return err
	}
	return syncOwnDir(dir)
}

func syncOwnDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// shellQuote quotes a file name for a shell, because suggested commands are copied and pasted.
func shellQuote(file string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._+-", r)
	}
	if !strings.ContainsFunc(file, func(r rune) bool { return !plain(r) }) {
		return file
	}
	return "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
}
