package doctor

import (
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/nidoit/blunux-ai/providers/catalog"
)

// wellKnown are servers whose addresses do not identify their users. A leading dot matches all subdomains.
var wellKnown = sync.OnceValue(func() []string {
	hosts := []string{"archlinux.org", ".archlinux.org", "github.com", "localhost", "127.0.0.1", "[::1]", "[host]"}
	for _, e := range catalog.All() {
		if u, err := url.Parse(e.BaseURL); err == nil && u.Host != "" {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
})

// Patterns of addresses and names.
var (
	address      = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>\\|` + "`" + `]+`)
	mail         = regexp.MustCompile(`(?i)[\p{L}\d._%+-]+@[\p{L}\d-]+(\.[\p{L}\d-]+)+`)
	private      = regexp.MustCompile(`\b(10\.\d{1,3}|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d{1,3}\.\d{1,3}\b|(?i:\b(fe80|f[cd][0-9a-f]{2}):[0-9a-f:]+)|(?i:\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b)`)
	mobile       = regexp.MustCompile(`\b01[016789][- ]?\d{3,4}[- ]?\d{4}\b`)
	userPaths    = regexp.MustCompile(`(/home/|/run/media/|(?i:%2fhome%2f))([^\s/"'\\:,;%<>\[\]]+)`)
	unitInstance = regexp.MustCompile(`@[^.]*\.(service|socket|timer|path|scope|slice|target|mount)$`)
)

// withoutPlaces removes addresses of any kind.
func withoutPlaces(text string) string {
	text = address.ReplaceAllStringFunc(text, plainAddress)
	text = mail.ReplaceAllStringFunc(text, func(found string) string {
		if unitInstance.MatchString(found) {
			return found
		}
		return "[mail]"
	})
	text = private.ReplaceAllString(text, "[ip]")
	text = mobile.ReplaceAllString(text, "[number]")
	return userPaths.ReplaceAllString(text, "${1}[user]")
}

// plainAddress anonymizes a URL. For well-known servers it removes user name, password and query. For others it
// keeps only the scheme and the port.
func plainAddress(text string) string {
	scheme, rest, _ := strings.Cut(text, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, behind := rest[:end], rest[end:]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && strings.Trim(authority[i+1:], "0123456789") == "" {
		host, port = authority[:i], authority[i:]
	}
	if scheme == "unix" || scheme == "file" {
		return text // a path; Scrub replaces its names
	}
	if isWellKnown(host) && host != "[host]" {
		behind, _, _ = strings.Cut(behind, "?")
		behind, _, _ = strings.Cut(behind, "#")
		return scheme + "://" + host + port + behind
	}
	if strings.Trim(behind, "/") != "" {
		behind = "/[path]"
	}
	return scheme + "://[host]" + port + behind
}

func isWellKnown(host string) bool {
	host = strings.ToLower(host)
	for _, known := range wellKnown() {
		if host == known || known[0] == '.' && strings.HasSuffix(host, known) {
			return true
		}
	}
	return false
}

// Servers returns the hosts of addresses that could identify a user.
func Servers(addresses ...string) []string {
	var hosts []string
	for _, text := range addresses {
		if u, err := url.Parse(text); err == nil && u.Hostname() != "" && !isWellKnown(u.Hostname()) && u.Hostname() != "::1" {
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}
