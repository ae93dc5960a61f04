package daemon

import (
	"crypto/sha256"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/watch"
)

// Watched are the directories where a change may change what [Wiring.Build]
// makes: those of every layer of the configuration, of the keys, and of the
// offline engine's own words, whether they are there or not.
func (w Wiring) Watched() []watch.Dir {
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

// Fingerprint identifies what [Wiring.Build] would read: it changes with the
// content, the owner and the mode of any of it.
func (w Wiring) Fingerprint() [sha256.Size]byte {
	return config.Fingerprint(w.Source, w.Paths.Credentials(), w.Paths.Offline())
}
