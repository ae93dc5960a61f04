package automation

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/i18n"
)

//go:embed default/*.toml
var defaultFiles embed.FS

// DefaultText is the file of rules that a person begins with.
func DefaultText(lang i18n.Lang) []byte {
	text, err := defaultFiles.ReadFile("default/" + string(lang) + ".toml")
	if err != nil {
		text, err = defaultFiles.ReadFile("default/en.toml")
	}
	if err != nil {
		panic(err) // it is part of the program
	}
	return text
}

// EnsureDefaults writes the file of rules that a person begins with, once: whoever
// deletes it is not given it again, and one that is there is left alone. state is
// the directory that remembers.
func EnsureDefaults(path, state string, lang i18n.Lang) (written bool, err error) {
	mark := filepath.Join(state, "defaults")
	if _, err := os.Lstat(mark); err == nil {
		return false, nil
	}
	written, err = createOwn(path, DefaultText(lang))
	if err == nil {
		err = writeOwn(mark, []byte("automations.toml was written once\n"))
	}
	if err != nil {
		return written, fmt.Errorf("cannot write the first rules to %s: %w", path, err)
	}
	return written, nil
}

// createOwn writes a whole file where there is none.
func createOwn(path string, text []byte) (created bool, err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Cleanup() }()
	if _, err := f.Write(text); err != nil {
		return false, err
	}
	if err := f.Sync(); err != nil {
		return false, err
	}
	// A link fails where a file has come meanwhile; a rename would replace it.
	if err := os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, syncOwnDir(dir)
}
