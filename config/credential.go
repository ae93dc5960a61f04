package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNoCredential reports that none of the places holds the key.
var ErrNoCredential = errors.New("no key found")

// CredentialError is a key that is there but must not be used, and the
// command that mends it.
type CredentialError struct {
	File    string
	Problem string
	Fix     string // one shell command
}

// Error tells the problem and the command.
func (e *CredentialError) Error() string {
	return fmt.Sprintf("%s: %s; run: %s", e.File, e.Problem, e.Fix)
}

// Credentials finds API keys; they never stand in a settings file.
type Credentials struct {
	Dir       string // credentials/ of the program's files
	SystemDir string // $CREDENTIALS_DIRECTORY, systemd.exec(5); may be ""
	Getenv    func(string) string
}

// Key returns the first key found: a file of that name in the systemd
// credentials directory, one of the environment variables in order, a file of
// that name in the credentials directory. It returns [ErrNoCredential] or a
// [CredentialError] for a file that others can read, a link, or an empty one.
func (c Credentials) Key(name string, env ...string) (string, error) {
	if c.SystemDir != "" {
		// systemd gives these files with mode 0400 in a directory of its own.
		if key, err := os.ReadFile(filepath.Join(c.SystemDir, name)); err == nil {
			return strings.TrimSpace(string(key)), nil
		}
	}
	for _, v := range env {
		if key := strings.TrimSpace(c.Getenv(v)); key != "" {
			return key, nil
		}
	}
	return readPrivate(filepath.Join(c.Dir, name))
}

// readPrivate reads a key file that is the user's own and closed to others.
func readPrivate(file string) (string, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", ErrNoCredential
	case errors.Is(err, syscall.ELOOP):
		return "", &CredentialError{File: file, Problem: "is a symbolic link", Fix: "rm " + file}
	case err != nil:
		return "", &CredentialError{File: file, Problem: err.Error(), Fix: "ls -l " + file}
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", &CredentialError{File: file, Problem: err.Error(), Fix: "ls -l " + file}
	}
	if problem, fix := notPrivate(fi); problem != "" {
		return "", &CredentialError{File: file, Problem: problem, Fix: fix + " " + file}
	}
	data, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return "", &CredentialError{File: file, Problem: err.Error(), Fix: "ls -l " + file}
	}
	key := strings.TrimSpace(string(data))
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", &CredentialError{File: file, Problem: "does not hold one key on one line", Fix: "rm " + file}
	}
	return key, nil
}

// notPrivate tells what is wrong with a key file and the command that mends
// it.
func notPrivate(fi fs.FileInfo) (problem, fix string) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case !fi.Mode().IsRegular():
		return "is not a regular file", "rm"
	case ok && int(st.Uid) != os.Getuid():
		return fmt.Sprintf("belongs to uid %d, not to you", st.Uid), "sudo chown $(id -u)"
	case fi.Mode().Perm()&0o077 != 0:
		return fmt.Sprintf("other users can read it (mode %04o)", fi.Mode().Perm()), "chmod 600"
	}
	return "", ""
}
