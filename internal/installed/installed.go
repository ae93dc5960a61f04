// Package installed finds the other programs of this installation.
package installed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotInstalled is the error of [Find].
var ErrNotInstalled = errors.New("not installed")

// Find returns the path of another program of the installation: in PREFIX/lib/blunux-ai if this program is in PREFIX/bin, in
// PREFIX/bin if it is in PREFIX/lib/blunux-ai, or next to this program.
func Find(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(self)
	places := []string{filepath.Join(dir, "../lib/blunux-ai", name), filepath.Join(dir, name)}
	if strings.HasSuffix(dir, "/lib/blunux-ai") {
		places = append(places, filepath.Join(dir, "../../bin", name))
	}
	for _, path := range places {
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is %w", name, ErrNotInstalled)
}
