package setup

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
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

func (s *Setup) keyFile(e catalog.Entry) string {
	return filepath.Join(s.Paths.Credentials(), e.Keys.Credential)
}

// serverProblem returns what is wrong with a server's URL, or the zero sentence.
func serverProblem(text string) i18n.Text {
	if _, err := transport.BaseURL(text); err == nil {
		return i18n.Text{}
	}
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return i18n.ServerLooks
	case u.User != nil:
		return i18n.ServerNoUser
	}
	return i18n.ServerNoKey
}

// sendsUnencrypted reports whether a key would be sent unencrypted over the network, and to which host.
func sendsUnencrypted(server, key string) (host string, clear bool) {
	u, err := transport.BaseURL(server)
	if key == "" || err != nil || u.Scheme != "http" || transport.IsLoopback(server) {
		return "", false
	}
	return u.Host, true
}

// KnownProvider reports whether name is a provider or "auto".
func KnownProvider(name string) bool {
	name, _, _ = strings.Cut(name, ":") // scripted:FILE
	_, ok := catalog.Lookup(name)
	return ok || name == "" || name == "auto"
}

// Providers lists the names of the providers that can be chosen.
func Providers() []string {
	return slices.DeleteFunc(catalog.Names(), func(name string) bool { return name == "scripted" })
}

// withoutKey removes a key from a server's message. It also removes prefixes of the key, because
// some servers repeat its first characters.
func withoutKey(words, key string) string {
	for n := len(key); n >= min(8, len(key)) && n > 0; n-- {
		words = strings.ReplaceAll(words, key[:n], "***")
	}
	return words
}

// Verdict is the result of verifying a key.
type Verdict string

// The verdicts.
const (
	Valid       Verdict = "valid"
	Refused     Verdict = "refused"      // the key is invalid or has no permission
	NoNetwork   Verdict = "no_network"   // the server cannot be reached
	RateLimited Verdict = "rate_limited" // too many requests; the key is valid
	NoModel     Verdict = "no_model"     // the key is valid, the model does not exist
	Odd         Verdict = "odd"          // another error, with the server's message
)

// IsGood reports whether the key is valid.
func (v Verdict) IsGood() bool { return v == Valid || v == RateLimited }

// Check is the result of verifying a provider.
type Check struct {
	Verdict Verdict
	// Words is the server's message, without the key.
	Words string
	// Trouble is why the server cannot be reached.
	Trouble transport.Failure
	// Models are the server's models, if it lists them.
	Models []string
	// Spent reports that a short question was sent, because the server does not list its models.
	Spent bool
}

// verifyLimits limits the verification.
var verifyLimits = transport.Limits{Overall: 20 * time.Second, Idle: 10 * time.Second, MaxAnswer: 1 << 20}

// Verify requests the list of models from a provider's server, which is free. If there is no such
// list, it sends a short question.
func Verify(ctx context.Context, spec catalog.Spec) Check {
	spec.Limits = verifyLimits
	models, err := catalog.ListModels(ctx, spec)
	if err == nil {
		return Check{Verdict: Valid, Models: models}
	}
	if !hasNoModelList(err) {
		return checkOf(err)
	}
	c := askModel(ctx, spec)
	c.Spent = true
	return c
}

// hasNoModelList reports whether a server rejects listing models but not the key.
func hasNoModelList(err error) bool {
	var pe *providers.Error
	if !errors.As(err, &pe) {
		return false
	}
	return pe.Kind == providers.KindParse || pe.Kind == providers.KindModel || pe.Kind == providers.KindAPI && (pe.Status == 404 || pe.Status == 405 || pe.Status == 501)
}

// askModel sends a short question to the model.
func askModel(ctx context.Context, spec catalog.Spec) Check {
	model, err := catalog.Build(spec)
	if err != nil {
		return checkOf(err)
	}
	_, err = model.Complete(ctx, providers.Request{
		Messages:  []providers.Message{providers.UserText("hi")},
		MaxTokens: 16,
	}, nil)
	if err == nil || providers.KindOf(err) == providers.KindEmpty {
		return Check{Verdict: Valid}
	}
	return checkOf(err)
}

func checkOf(err error) Check {
	c := Check{Verdict: Odd, Words: err.Error()}
	var pe *providers.Error
	if errors.As(err, &pe) && pe.Message != "" {
		c.Words = pe.Message
	}
	switch providers.KindOf(err) {
	case providers.KindAuth:
		c.Verdict = Refused
	case providers.KindNetwork:
		c.Verdict, c.Trouble = NoNetwork, transport.FailureOf(err)
	case providers.KindRateLimit:
		c.Verdict = RateLimited
	case providers.KindModel:
		c.Verdict = NoModel
	}
	return c
}
