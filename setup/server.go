package setup

import (
	"net/url"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
)

// badServer tells what is wrong with a server's address; the zero sentence where
// nothing is.
func badServer(text string) i18n.Sentence {
	if _, err := transport.BaseURL(text); err == nil {
		return i18n.Sentence{}
	}
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return i18n.ServerLooks.With()
	case u.User != nil:
		return i18n.ServerNoUser.With()
	}
	return i18n.ServerNoKey.With()
}

// inClear reports whether a key would go over the network for everybody on the
// way to read, and where to.
func inClear(server, key string) (host string, clear bool) {
	u, err := transport.BaseURL(server)
	if key == "" || err != nil || u.Scheme != "http" || transport.Loopback(server) {
		return "", false
	}
	return u.Host, true
}

// KnownProvider reports whether there is a provider of that name, or "auto".
func KnownProvider(name string) bool {
	name, _, _ = strings.Cut(name, ":") // scripted:FILE
	_, ok := catalog.Lookup(name)
	return ok || name == "" || name == "auto"
}

// Providers are the names of those who can be chosen.
func Providers() string {
	var names []string
	for _, name := range catalog.Names() {
		if name != "scripted" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// withoutKey takes a key out of a server's words, and pieces of its beginning: some
// repeat the first characters of what they refuse.
func withoutKey(words, key string) string {
	for n := len(key); n >= min(8, len(key)) && n > 0; n-- {
		words = strings.ReplaceAll(words, key[:n], "***")
	}
	return words
}
