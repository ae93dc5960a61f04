package config

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/user"
	"path/filepath"

	"github.com/nidoit/blunux-ai/i18n"
)

// Paths are the places of the program's files, all below one directory of the user.
type Paths struct {
	Home string // $BLUNUX_AI_HOME, the directory itself
	// Caches is the directory of files that can be rebuilt. "" means below Home.
	Caches string
}

// FindPaths returns $BLUNUX_AI_HOME, else $XDG_CONFIG_HOME/blunux-ai, else ~/.config/blunux-ai. Caches are in
// $XDG_CACHE_HOME/blunux-ai or ~/.cache/blunux-ai, or below $BLUNUX_AI_HOME if that is set, to separate instances
// completely. It fails if none of the variables is set.
func FindPaths(getenv func(string) string) (Paths, error) {
	home := getenv("BLUNUX_AI_HOME")
	if home == "" {
		if base := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
			home = filepath.Join(base, "blunux-ai")
		} else if base := getenv("HOME"); base != "" {
			home = filepath.Join(base, ".config", "blunux-ai")
		}
	}
	if home == "" {
		return Paths{}, i18n.PlaceNone.WithCause(nil)
	}
	if !filepath.IsAbs(home) {
		return Paths{}, i18n.PlaceHalf(home).WithCause(nil)
	}
	return Paths{Home: filepath.Clean(home), Caches: caches(getenv)}, nil
}

func caches(getenv func(string) string) string {
	if getenv("BLUNUX_AI_HOME") != "" {
		return ""
	}
	if base := getenv("XDG_CACHE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "blunux-ai")
	}
	if base := getenv("HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, ".cache", "blunux-ai")
	}
	return ""
}

// Recall is the directory of the search index of notes, one for each home.
func (p Paths) Recall() string {
	if p.Caches == "" {
		return filepath.Join(p.Home, "cache", "recall")
	}
	sum := sha256.Sum256([]byte(p.Home))
	return filepath.Join(p.Caches, "recall-"+hex.EncodeToString(sum[:4]))
}

// Config is the user's settings file.
func (p Paths) Config() string { return filepath.Join(p.Home, "config.toml") }

// Setup is the settings file that the set-up writes. config.toml is left to the person.
func (p Paths) Setup() string { return filepath.Join(p.Home, "config.d", "50-setup.toml") }

// ChatHistory is the input history of the terminal chat.
func (p Paths) ChatHistory() string { return filepath.Join(p.Home, "chat_history") }

// Credentials is the directory of API keys.
func (p Paths) Credentials() string { return filepath.Join(p.Home, "credentials") }

// Offline is the directory of files with additional words for the built-in helper.
func (p Paths) Offline() string { return filepath.Join(p.Home, "offline") }

// Logs is the directory of the command log and the daemon's own log.
func (p Paths) Logs() string { return filepath.Join(p.Home, "logs") }

// CommandLog is the log of every command.
func (p Paths) CommandLog() string { return filepath.Join(p.Logs(), "commands.log") }

// LogWitness is the second copy of the command log's head, stored with the tasks.
func (p Paths) LogWitness() string { return filepath.Join(p.Home, "tasks", "audit.head") }

// Memory is the directory of the notes about machine and person.
func (p Paths) Memory() string { return filepath.Join(p.Home, "memory") }

// Sessions is the directory of conversations.
func (p Paths) Sessions() string { return filepath.Join(p.Home, "sessions") }

// Approvals is the directory of pending approvals.
func (p Paths) Approvals() string { return filepath.Join(p.Home, "approvals") }

// Usage is the ledger of model requests and their costs.
func (p Paths) Usage() string { return filepath.Join(p.Home, "usage", "usage.jsonl") }

// Outbox is the directory of texts that wait for a client.
func (p Paths) Outbox() string { return filepath.Join(p.Home, "outbox") }

// Runs is the directory of confirmed commands that are running or have an unreported result.
func (p Paths) Runs() string { return filepath.Join(p.Home, "runs") }

// Automations is the person's file of rules.
func (p Paths) Automations() string { return filepath.Join(p.Home, "automations.toml") }

// ManagedAutomations is the drop-in that commands write.
func (p Paths) ManagedAutomations() string {
	return filepath.Join(p.Home, "automations.d", "50-managed.toml")
}

// AutomationState is the directory of the automations' state: the ledger, the last valid files, signatures.
func (p Paths) AutomationState() string { return filepath.Join(p.Home, "automations") }

// Ensure creates the directory for the user only. An existing directory must belong to the user; permissions of
// others are removed.
func (p Paths) Ensure() error {
	if err := os.MkdirAll(p.Home, 0o700); err != nil {
		return i18n.PlaceNotMade(p.Home, err).WithCause(err)
	}
	fi, err := os.Stat(p.Home)
	if err != nil {
		return i18n.PlaceBad(p.Home, err).WithCause(err)
	}
	if uid := ownerOf(fi); uid != os.Getuid() {
		return i18n.PlaceForeign(p.Home, uid).WithCause(nil)
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := os.Chmod(p.Home, 0o700); err != nil {
			return i18n.PlaceOpen(p.Home, err).WithCause(err)
		}
	}
	return nil
}

// HomeDir returns the user's home directory: $HOME or the entry in the user database.
func HomeDir(getenv func(string) string) string {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Clean(home)
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return "/"
}
