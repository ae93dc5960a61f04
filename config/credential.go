package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// ErrNoCredential reports that the key was not found.
var ErrNoCredential = errors.New("no key found")

// CredentialError reports a key that must not be used, with the command that fixes the problem.
type CredentialError struct {
	File    string
	Problem string // in English, for logs
	Fix     string // one shell command

	text i18n.Text
}

// Error returns the problem and the command.
func (e *CredentialError) Error() string {
	return fmt.Sprintf("%s: %s; run: %s", e.File, e.Problem, e.Fix)
}

// In returns the text of [CredentialError.Error] in a language.
func (e *CredentialError) In(lang i18n.Lang) string {
	return i18n.KeyFileRepair(e.File, e.ProblemIn(lang), e.Fix).In(lang)
}

// ProblemIn returns the Problem in a language. Errors of the system are not translated.
func (e *CredentialError) ProblemIn(lang i18n.Lang) string {
	if e.text.IsZero() {
		return e.Problem
	}
	return e.text.In(lang)
}

// Credentials finds API keys, which are never in a settings file.
type Credentials struct {
	Dir       string // the credentials directory
	SystemDir string // $CREDENTIALS_DIRECTORY, systemd.exec(5); may be ""
	Getenv    func(string) string
}

// Key returns the first key found: a file of that name in the systemd credentials directory, one of the environment
// variables in order, a file of that name in the credentials directory. It returns [ErrNoCredential] if there is none,
// or a [CredentialError] for a file that others can read, a link, or a file that does not contain exactly one key.
func (c Credentials) Key(name string, env ...string) (string, error) {
	if c.SystemDir != "" {
		// systemd creates these files with mode 0400 in a private directory.
		key, err := readKey(filepath.Join(c.SystemDir, name), open, nil)
		if !errors.Is(err, ErrNoCredential) {
			return key, err
		}
	}
	for _, v := range env {
		if key := strings.TrimSpace(c.Getenv(v)); key != "" {
			return key, nil
		}
	}
	return readKey(filepath.Join(c.Dir, name), openOwn, checkPrivate)
}

// readKey reads a key file. check may be nil; it returns a problem with the file and the command that fixes it.
func readKey(file string, open func(string) (*os.File, error), check func(fs.FileInfo) (problem i18n.Text, fix string)) (string, error) {
	bad := func(problem i18n.Text, fix string) error {
		return &CredentialError{File: file, Problem: problem.In(i18n.English), Fix: fix + " " + quote(file), text: problem}
	}
	f, err := open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", ErrNoCredential
	case errors.Is(err, errLink):
		return "", bad(i18n.KeyFileLink, "rm")
	case errors.Is(err, errNotRegular):
		return "", bad(i18n.FileOdd, "rm -d")
	case err != nil:
		return "", bad(i18n.CauseOf(err), "ls -l")
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return "", bad(i18n.CauseOf(err), "ls -l")
	}
	if check != nil {
		if problem, fix := check(fi); !problem.IsZero() {
			return "", bad(problem, fix)
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return "", bad(i18n.CauseOf(err), "ls -l")
	}
	key := strings.TrimSpace(string(data))
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", bad(i18n.KeyFileNoKey, "rm")
	}
	return key, nil
}

// checkPrivate returns what is wrong with a key file's owner or mode, and the command that fixes it.
func checkPrivate(fi fs.FileInfo) (problem i18n.Text, fix string) {
	switch uid := ownerOf(fi); {
	case uid != os.Getuid():
		return i18n.KeyFileForeign(uid), "sudo chown $(id -u)"
	case fi.Mode().Perm()&0o077 != 0:
		return i18n.KeyFileOpen(fi.Mode().Perm()), "chmod 600"
	}
	return problem, ""
}

// AllKeys returns all keys, so that they can be kept out of logs, prompts and answers: the values of the given
// environment variables, and the usable files of the credential directories.
func (c Credentials) AllKeys(env ...string) []string {
	var keys []string
	for _, name := range env {
		if v := c.Getenv(name); v != "" {
			keys = append(keys, v)
		}
	}
	keys = append(keys, keysIn(c.Dir, openOwn)...)
	if c.SystemDir != "" {
		keys = append(keys, keysIn(c.SystemDir, open)...)
	}
	return keys
}

// keysIn returns the keys in a directory, including those in files that must not be used as keys.
func keysIn(dir string, open func(string) (*os.File, error)) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // no keys
	}
	var keys []string
	for _, e := range entries {
		if key, err := readKey(filepath.Join(dir, e.Name()), open, nil); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
