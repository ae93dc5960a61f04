package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Imported is the settings file that an import writes.
func (p Paths) Imported() string { return filepath.Join(p.Home, "config.d", "60-imported.toml") }

// Trying returns a source that reads text instead of one of the person's own files, which need not exist. With a
// nil text the file does not exist.
func (s Source) Trying(file string, text []byte) Source {
	s.instead = maps.Clone(s.instead)
	if s.instead == nil {
		s.instead = map[string][]byte{}
	}
	s.instead[file] = text
	return s
}

// own returns the person's files in the order of reading.
func (s Source) own() ([]string, error) {
	dir := filepath.Join(s.Paths.Home, "config.d")
	drop, err := dropIns(dir)
	if err != nil {
		return nil, err
	}
	for file := range s.instead {
		if filepath.Dir(file) == dir && strings.HasSuffix(file, ".toml") && !slices.Contains(drop, file) {
			drop = append(drop, file)
		}
	}
	slices.Sort(drop)
	return append([]string{s.Paths.Config()}, drop...), nil
}
