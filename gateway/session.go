package gateway

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/sorting"
)

// Session is a browser in which the page was opened, or, as Link, the link that opens it. It is stored among the tokens,
// so that it is listed and revoked like one.
type Session struct {
	Link    bool      `json:"link,omitempty"` // the SHA-256 is that of the link's code
	Expires time.Time `json:"expires"`
	Lang    i18n.Lang `json:"lang,omitempty"` // of the command that made the link
	// Host is the name under which a proxy of the person serves the page over HTTPS, "" for the loopback.
	Host string `json:"host,omitempty"`
}

const (
	// pageOwner owns the conversations of the page. No token has this name.
	pageOwner = "page"
	// linkTime is how long a link can be opened, sessionTime how long the page then stays open.
	linkTime    = time.Minute
	sessionTime = 12 * time.Hour
	// maxSessions bounds the sessions and links. A new one ends the oldest.
	maxSessions = 8
)

// ErrPageAddress reports an address at which the page cannot be served.
var ErrPageAddress = errors.New("the address of the page must be https://NAME without a path")

// errLink reports a code that is unknown, used or expired.
var errLink = errors.New("the link is used or expired")

// isExpired reports whether a session or link is over. Tokens do not expire.
func (t Token) isExpired(now time.Time) bool { return t.Page != nil && !now.Before(t.Page.Expires) }

// AddPageLink makes a link that opens the page once, within a minute. Base is the address at which a proxy of the person
// serves the gateway over HTTPS, such as https://desk.example.ts.net, or "" for the gateway's own address on the loopback.
// The code is in the link's fragment, which browsers do not send.
func AddPageLink(dir, base, address string, lang i18n.Lang, now time.Time) (link string, err error) {
	host := ""
	if base == "" {
		base = "http://" + address
	} else {
		u, err := url.Parse(base)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" || u.User != nil {
			return "", ErrPageAddress
		}
		host, base = strings.ToLower(u.Hostname()), "https://"+u.Host
	}
	code := randomSecret()
	err = changeTokens(dir, func(all []Token) ([]Token, error) {
		all = limitSessions(withoutExpired(all, now))
		name := ""
		for name == "" || slices.ContainsFunc(all, func(t Token) bool { return t.Name == name }) {
			name = randomID(pageOwner + "-")[:len(pageOwner)+5]
		}
		return append(all, Token{
			Name: name, Scope: Approve, SHA256: hashOf(code), Created: now.UTC().Truncate(time.Second),
			Page: &Session{Link: true, Expires: now.UTC().Add(linkTime), Lang: lang, Host: host},
		}), nil
	})
	return base + pagePath + "#" + code, err
}

// linkFile is the file that opens a link: other users can read the arguments of a browser, and not this file.
func linkFile(dir string) string { return filepath.Join(dir, "open.html") }

// WriteLink writes a file that opens a link, and returns its path. The file is removed when the link was opened.
func WriteLink(dir, link string) (path string, err error) {
	text := `<!doctype html><meta charset="utf-8"><title>blunux-ai</title><meta name="referrer" content="no-referrer">` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `"><a href="` + html.EscapeString(link) + `">blunux-ai</a>` + "\n"
	if err := renameio.WriteFile(linkFile(dir), []byte(text), 0o600, renameio.IgnoreUmask()); err != nil {
		return "", fmt.Errorf("cannot write the link: %w", err)
	}
	return linkFile(dir), nil
}

// randomSecret returns 256 random bits as text.
func randomSecret() string {
	b := make([]byte, tokenBytes)
	_, _ = rand.Read(b) // never fails, crypto/rand
	return hex.EncodeToString(b)
}

func withoutExpired(all []Token, now time.Time) []Token {
	return slices.DeleteFunc(slices.Clone(all), func(t Token) bool { return t.isExpired(now) })
}

// limitSessions drops the oldest sessions, so that there is room for one more.
func limitSessions(all []Token) []Token {
	var sessions []Token
	for _, t := range all {
		if t.Page != nil {
			sessions = append(sessions, t)
		}
	}
	if len(sessions) < maxSessions {
		return all
	}
	sorting.By(sessions, func(a, b Token) int { return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Name, b.Name)) })
	drop := sessions[:len(sessions)-maxSessions+1]
	return slices.DeleteFunc(all, func(t Token) bool {
		return slices.ContainsFunc(drop, func(d Token) bool { return d.Name == t.Name })
	})
}

// openSession exchanges the code of a link for a session, once. A client of the session shows both secrets: the cookie,
// which scripts cannot read, and the key, which browsers do not send to other ports of the same host.
func openSession(dir, code string, now time.Time) (cookie, key string, t Token, err error) {
	cookie, key = randomSecret(), randomSecret()
	err = changeTokens(dir, func(all []Token) ([]Token, error) {
		link, ok := match(all, code, func(t Token) bool { return t.Page != nil && t.Page.Link && !t.isExpired(now) })
		if !ok {
			return nil, errLink
		}
		all = slices.Clone(all)
		i := slices.IndexFunc(all, func(t Token) bool { return t.Name == link.Name })
		t = link
		t.SHA256 = hashOf(cookie + "." + key)
		t.Page = &Session{Expires: now.UTC().Add(sessionTime).Truncate(time.Second), Lang: link.Page.Lang, Host: link.Page.Host}
		all[i] = t
		return all, nil
	})
	if err == nil {
		_ = os.Remove(linkFile(dir)) // there is one only if the link was opened by it
	}
	return cookie, key, t, err
}

// findSession returns the session of a cookie and a key.
func (ts *tokens) findSession(cookie, key string) (found Token, ok bool) {
	all, err := ts.current()
	if err != nil {
		return Token{}, false
	}
	now := ts.now()
	return match(all, cookie+"."+key, func(t Token) bool { return t.Page != nil && !t.Page.Link && !t.isExpired(now) })
}

// servesHost reports whether a session or a link names a host.
func (ts *tokens) servesHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	all, err := ts.current()
	return err == nil && slices.ContainsFunc(all, func(t Token) bool {
		return t.Page != nil && t.Page.Host != "" && strings.EqualFold(t.Page.Host, host) && !t.isExpired(ts.now())
	})
}

// EndSessions ends all sessions of the page.
func EndSessions(dir string) error {
	return dropSessions(dir, func(t Token) bool { return t.Page != nil })
}

// removeExpired removes the sessions that are over.
func removeExpired(dir string, now time.Time) error {
	return dropSessions(dir, func(t Token) bool { return t.isExpired(now) })
}

// dropSessions removes sessions, and leaves the file as it is if there are none to remove.
func dropSessions(dir string, drop func(Token) bool) error {
	all, err := ReadTokens(dir)
	if err != nil || !slices.ContainsFunc(all, drop) {
		return err
	}
	return changeTokens(dir, func(all []Token) ([]Token, error) {
		if !slices.ContainsFunc(all, drop) {
			return nil, ErrNoToken
		}
		return slices.DeleteFunc(slices.Clone(all), drop), nil
	})
}
