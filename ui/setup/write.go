package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/config"
)

// ErrKey reports that a text is not a single key on one line.
var ErrKey = errors.New("not one key on one line")

// CheckKey returns [ErrKey] if key cannot be a key.
func CheckKey(key string) error {
	if key == "" || len(key) > 4096 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f || r > 0x7f }) {
		return ErrKey
	}
	return nil
}

// Write writes all files of a plan, or none if that fails. Files get mode 0600 and directories
// 0700. Each file is replaced atomically.
func (p Plan) Write(paths config.Paths) error {
	return WriteFiles(paths, p.files())
}

// File is a file and its new content.
type File struct {
	Path string
	Text []byte
}

// WriteFiles writes files below the program's home directory like [Plan.Write].
func WriteFiles(paths config.Paths, files []File) error {
	if len(files) == 0 {
		return nil
	}
	if err := paths.Ensure(); err != nil {
		return err
	}
	var staged []*renameio.PendingFile
	defer func() {
		for _, f := range staged {
			_ = f.Cleanup() // no effect after the replacement
		}
	}()
	for _, f := range files {
		pending, err := stageFile(f.Path, f.Text)
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", f.Path, err)
		}
		staged = append(staged, pending)
	}
	var undo []func()
	for i, f := range files {
		open, err := restrictDir(filepath.Dir(f.Path))
		undo = append(undo, open)
		var back func()
		if err == nil {
			back, err = restorer(f.Path)
		}
		if err == nil {
			err = staged[i].CloseAtomicallyReplace()
		}
		if err != nil {
			for _, u := range undo {
				u()
			}
			return fmt.Errorf("cannot write %s: %w", f.Path, err)
		}
		undo = append(undo, back)
	}
	return nil
}

// files returns the files to write. The key comes first, so that settings never name a provider
// without a key.
func (p Plan) files() []File {
	var all []File
	if p.KeyFile != "" {
		all = append(all, File{p.KeyFile, []byte(p.Key + "\n")})
	}
	if p.Text != nil {
		all = append(all, File{p.File, p.Text})
	}
	return all
}

// restrictDir restricts a directory's mode to its owner. The returned function restores it.
func restrictDir(dir string) (open func(), err error) {
	fi, err := os.Stat(dir)
	if err != nil || fi.Mode().Perm()&0o077 == 0 {
		return func() {}, err
	}
	return func() { _ = os.Chmod(dir, fi.Mode().Perm()) }, os.Chmod(dir, 0o700)
}

// stageFile writes a temporary file next to its destination.
func stageFile(path string, text []byte) (*renameio.PendingFile, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Cleanup()
		return nil, err
	}
	return f, nil
}

// restorer returns a function that restores a file's current content.
func restorer(path string) (func(), error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return func() { _ = os.Remove(path) }, nil
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = renameio.WriteFile(path, text, 0o600) }, nil
}
