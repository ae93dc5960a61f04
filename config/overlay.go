package config

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Imported is the settings file that an import writes.
func (p Paths) Imported() string { return filepath.Join(p.Home, "config.d", "60-imported.toml") }

// WithText returns a source that reads text instead of one of the person's own files, which need not exist. With a
// nil text the file does not exist.
func (s Source) WithText(file string, text []byte) Source {
	s.overrides = maps.Clone(s.overrides)
	if s.overrides == nil {
		s.overrides = map[string][]byte{}
	}
	s.overrides[file] = text
	return s
}

// ownFiles returns the person's files in the order of reading.
func (s Source) ownFiles() ([]string, error) {
	dir := filepath.Join(s.Paths.Home, "config.d")
	drop, err := dropIns(dir)
	if err != nil {
		return nil, err
	}
	for file := range s.overrides {
		if filepath.Dir(file) == dir && strings.HasSuffix(file, ".toml") && !slices.Contains(drop, file) {
			drop = append(drop, file)
		}
	}
	slices.Sort(drop)
	return append([]string{s.Paths.Config()}, drop...), nil
}
