package config

import (
	"os"
	"path/filepath"
)

// Known returns every key there is, whoever it is for, so that it can be kept
// out of logs, prompts and answers: the values of the environment variables
// named, and each file of the credential directories that can be used.
func (c Credentials) Known(env ...string) []string {
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

// keysIn returns the keys of a directory. A file that must not be used as a key
// may hold one all the same.
func keysIn(dir string, open func(string) (*os.File, error)) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there are none
	}
	var keys []string
	for _, e := range entries {
		if key, err := readKey(filepath.Join(dir, e.Name()), open, nil); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
