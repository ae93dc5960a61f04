package config

import (
	"os"
	"path/filepath"
)

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
