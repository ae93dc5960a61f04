package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
