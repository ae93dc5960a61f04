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

// DefaultText returns the initial file of rules.
func DefaultText(lang i18n.Lang) []byte {
	text, err := defaultFiles.ReadFile("default/" + string(lang.Base()) + ".toml")
	if err != nil {
		text, err = defaultFiles.ReadFile("default/en.toml")
	}
	if err != nil {
		panic(err) // embedded, cannot fail
	}
	return text
}

// EnsureDefaults writes the initial file of rules once. It does not replace an existing file, and does not write
// it again after a person deleted it. state is the directory that records this.
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
		return written, fmt.Errorf("cannot write the default rules to %s: %w", path, err)
	}
	return written, nil
}

// createOwn atomically creates a file if it does not exist.
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
	// Link fails if the file was created meanwhile. Rename would replace it.
	if err := os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return true, syncOwnDir(dir)
}
