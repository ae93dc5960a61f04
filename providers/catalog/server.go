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
