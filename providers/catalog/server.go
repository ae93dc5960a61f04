package catalog

import (
	"net"
	"net/url"
	"strings"

	"github.com/nidoit/blunux-ai/providers/transport"
)

// ollamaPort is Ollama's default port.
const ollamaPort = "11434"

// Server returns the base URL that the environment sets for a provider (OPENAI_BASE_URL, ANTHROPIC_BASE_URL,
// ZAI_BASE_URL, OLLAMA_HOST, …), or "". A configured base_url takes precedence.
func (e Entry) Server(getenv func(string) string) string {
	for _, name := range e.ServerEnv {
		value := strings.TrimSpace(getenv(name))
		switch {
		case value == "":
		case name == "OLLAMA_HOST":
			return ollamaServer(value)
		default:
			return value
		}
	}
	return ""
}

// ollamaServer converts OLLAMA_HOST to a base URL. The variable can be only a host or only a port ("Ollama
// FAQ"). It can also be a listen address: 0.0.0.0 is replaced with 127.0.0.1.
func ollamaServer(value string) string {
	scheme, rest, found := strings.Cut(value, "://")
	if !found {
		scheme, rest = "http", value
	}
	hostport, path, _ := strings.Cut(rest, "/")
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), ollamaPort
		if found && scheme == "https" {
			port = "443"
		}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: "/" + strings.Trim(path, "/")}
	if u.Path == "/" {
		u.Path = "/v1"
	}
	return u.String()
}

// dialectAt returns the dialect and authentication style for a base URL. In addition to its own API, Gemini has
// a compatible endpoint, whose path ends in /openai.
func (e Entry) dialectAt(baseURL string) (Dialect, transport.AuthStyle) {
	if e.Dialect != DialectGemini {
		return e.Dialect, e.AuthStyle
	}
	u, err := transport.BaseURL(baseURL)
	if err == nil && (strings.HasSuffix(u.Path, "/openai") || strings.HasSuffix(u.Path, "/openai/chat/completions")) {
		return DialectChat, transport.AuthBearer
	}
	return e.Dialect, e.AuthStyle
}

// DetectInput is the input of [Detect]. A nil function finds nothing.
type DetectInput struct {
	Configured  string              // configured provider; "" or "auto" for none
	Environment string              // LLM_PROVIDER
	HasKey      func(KeyNames) bool // called only for providers that need a key
	// Claude reports whether `claude` is installed and logged in.
	Claude func() bool
	// Local returns a model of the server on this computer, and whether there is one.
	Local func() (model string, ok bool)
}

// Choice is a chosen provider and the reason for the choice.
type Choice struct {
	Provider string
	Model    string // "" means the configured or catalog default
	Reason   Reason
}

// Reason is a reason code for a choice.
type Reason string

// The reasons, in the order they are tried.
const (
	ReasonConfigured  Reason = "configured"
	ReasonEnvironment Reason = "environment" // LLM_PROVIDER
	ReasonKey         Reason = "key"
	ReasonLogin       Reason = "login"
	ReasonLocal       Reason = "local"
	ReasonFallback    Reason = "nothing" // offline
)

// Detect chooses a provider: the configured one, else the one in LLM_PROVIDER, else the first of [All] whose
// key is present, else the logged-in `claude`, else the model server on this computer, else offline. It returns
// an unknown name unchanged: [Build] reports it.
func Detect(s DetectInput) Choice {
	if name, ok := configuredName(s.Configured); ok {
		return Choice{Provider: name, Reason: ReasonConfigured}
	}
	if name, ok := configuredName(s.Environment); ok {
		return Choice{Provider: name, Reason: ReasonEnvironment}
	}
	for _, e := range rows() {
		// A local or custom server is not chosen because of a key alone.
		if s.HasKey != nil && !e.Keys.IsEmpty() && !e.Keys.Optional && s.HasKey(e.Keys) {
			return Choice{Provider: e.Name, Reason: ReasonKey}
		}
	}
	if s.Claude != nil && s.Claude() {
		return Choice{Provider: "claude-code", Reason: ReasonLogin}
	}
	if s.Local != nil {
		if model, ok := s.Local(); ok {
			return Choice{Provider: LocalServer().Name, Model: model, Reason: ReasonLocal}
		}
	}
	return Choice{Provider: "offline", Reason: ReasonFallback}
}

// configuredName returns the provider of a setting and whether the setting names one.
func configuredName(setting string) (string, bool) {
	setting = strings.TrimSpace(setting)
	return setting, setting != "" && !strings.EqualFold(setting, "auto")
}
