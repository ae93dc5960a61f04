package daemon

import (
	"crypto/sha256"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/watch"
)

// WatchDirs returns the directories whose changes can affect [Wiring.Build]: those of all layers of the
// configuration, of the keys and of the built-in helper's own words. They need not exist.
func (w Wiring) WatchDirs() []watch.Dir {
	dirs := []watch.Dir{
		{Path: filepath.Join(w.Paths.Home, "config.d"), Match: func(name string) bool { return strings.HasSuffix(name, ".toml") }},
		{Path: w.Paths.Credentials()},
		{Path: w.Paths.Offline()},
	}
	for _, file := range []string{w.Source.Distribution, w.Source.System, w.Paths.Config()} {
		if abs, err := filepath.Abs(file); err == nil && file != "" {
			dirs = append(dirs, watch.Dir{Path: filepath.Dir(abs), Match: func(name string) bool { return name == filepath.Base(abs) }})
		}
	}
	return dirs
}

// Fingerprint identifies what [Wiring.Build] would read. It changes with the content, owner and mode of any of the
// files.
func (w Wiring) Fingerprint() [sha256.Size]byte {
	return config.Fingerprint(w.Source, w.Paths.Credentials(), w.Paths.Offline())
}
