package setup

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// Way is how a provider is available.
type Way string

// The ways.
const (
	WayKey   Way = "key"   // a key exists
	WayLogin Way = "login" // `claude` is installed and logged in
	WayLocal Way = "local" // a model server on this computer
)

// Found is a provider that is ready to use.
type Found struct {
	Provider string // catalog name
	Way      Way
	// Env is the variable that contains the key, or "" if the key is in a file. A daemon started by
	// the service manager does not have the variable.
	Env    string
	Models []string // of a local server, the best first
}

// Find searches for available providers: keys in the environment and in files, a logged-in
// `claude`, a local model server. It sends no requests to other computers.
func (s *Setup) Find(ctx context.Context) []Found {
	var all []Found
	seen := map[string]bool{}
	for _, e := range catalog.All() {
		if e.Keys.IsEmpty() || e.Keys.Optional || seen[e.Keys.Credential] {
			continue
		}
		seen[e.Keys.Credential] = true
		if key, env := s.key(e); key != "" {
			all = append(all, Found{Provider: e.Name, Way: WayKey, Env: env})
		}
	}
	if s.Claude != nil && s.Claude.LoggedIn() {
		all = append(all, Found{Provider: "claude-code", Way: WayLogin})
	}
	if s.Local != nil {
		if models := s.Local(ctx); len(models) > 0 {
			all = append(all, Found{Provider: catalog.LocalServer().Name, Way: WayLocal, Models: models})
		}
	}
	return all
}

// key returns a provider's usable key, or "", and the variable that contains it, if any.
func (s *Setup) key(e catalog.Entry) (key, env string) {
	if e.Keys.IsEmpty() {
		return "", ""
	}
	c := config.Credentials{Dir: s.Paths.Credentials(), SystemDir: s.Getenv("CREDENTIALS_DIRECTORY"), Getenv: s.Getenv}
	key, err := c.Key(e.Keys.Credential, e.Keys.Env...)
	if err != nil {
		return "", ""
	}
	if env = s.inEnv(e); env != "" && strings.TrimSpace(s.Getenv(env)) != key {
		env = "" // the service manager set a different one
	}
	return key, env
}

// inEnv returns the variable that contains a provider's key, or "".
func (s *Setup) inEnv(e catalog.Entry) string {
	for _, name := range e.Keys.Env {
		if strings.TrimSpace(s.Getenv(name)) != "" {
			return name
		}
	}
	return ""
}

// keyFile returns the path of a provider's key file.
func (s *Setup) keyFile(e catalog.Entry) string {
	return filepath.Join(s.Paths.Credentials(), e.Keys.Credential)
}
