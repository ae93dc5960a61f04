package setup

import (
	"net/url"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
)

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
