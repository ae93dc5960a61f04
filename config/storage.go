package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
)

// Storage is the [storage] table: where files are kept.
type Storage struct {
	Sessions string `toml:"sessions"` // directory of conversations, absolute or below ~/; "" means in the program's own
}

// sessionsKey is the key of [Storage.Sessions].
const sessionsKey = "storage.sessions"

// PathsFor returns p with the configured directory of conversations.
func (s Storage) PathsFor(p Paths, home string) Paths {
	p.conversations = ExpandHome(s.Sessions, home)
	return p
}

// ExpandHome replaces a leading ~ with the home directory.
func ExpandHome(path, home string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[1:])
	}
	return path
}

// bad returns what is wrong with the directory that a layer sets. A directory that does not exist is created with the
// first conversation.
func (s Storage) bad(l layer) problem {
	if _, here := l.place(sessionsKey); !here || s.Sessions == "" {
		return problem{}
	}
	if !isWholePath(s.Sessions) {
		return notAbsolute(sessionsKey, s.Sessions)
	}
	if err := checkPrivateDir(filepath.Clean(ExpandHome(s.Sessions, l.home))); err != nil {
		return problem{sessionsKey, i18n.SettingSessions(s.Sessions, err)}
	}
	return problem{}
}

// checkPrivateDir reports why conversations cannot be kept in a directory: it, or the nearest existing one above it, is
// not a directory, belongs to another user, is not writable, or can be changed by others.
func checkPrivateDir(dir string) error {
	exact := true
	for {
		fi, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != "/" {
			exact, dir = false, filepath.Dir(dir)
			continue
		}
		switch {
		case err != nil:
			return err
		case !fi.IsDir():
			return i18n.SessionsNoDir(dir).WithCause(nil)
		case fi.Mode().Perm()&0o022 != 0 && (exact || fi.Mode()&fs.ModeSticky == 0):
			return i18n.SessionsOpen(dir, fi.Mode().Perm()).WithCause(nil)
		case exact && ownerOf(fi) != os.Getuid():
			return i18n.SessionsForeign(dir).WithCause(nil)
		}
		if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		return nil
	}
}

// warnLeft returns the warning that earlier conversations are in the usual directory, which are not moved.
func (c *Config) warnLeft(p Paths, home string) *Error {
	there := c.Storage.PathsFor(p, home).Sessions()
	usual := p.Sessions()
	if there == usual || !hasEntries(usual) || hasEntries(there) {
		return nil
	}
	at := c.sessionsAt
	return newError(at.File, place{at.Line, at.Col}, i18n.SettingSessionsLeft(usual, moveCommand(usual, there)))
}

// moveCommand returns the command that moves the files of a directory.
func moveCommand(from, to string) string {
	return fmt.Sprintf("mkdir -p %s && mv %s/* %s/", quote(to), quote(from), quote(to))
}

func hasEntries(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}
