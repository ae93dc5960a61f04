// Package installed finds the other programs of this installation.
package installed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNotInstalled is the error of [Find].
var ErrNotInstalled = errors.New("not installed")

// Find returns the path of a program that the others start: in PREFIX/lib/blunux-ai if this program is in PREFIX/bin, or next
// to this program.
func Find(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(self)
	for _, path := range []string{filepath.Join(dir, "../lib/blunux-ai", name), filepath.Join(dir, name)} {
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is %w", name, ErrNotInstalled)
}
