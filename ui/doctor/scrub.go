package doctor

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// Names identify the machine and its users in a text.
type Names struct {
	Home   string // home directory
	Files  string // directory of the program
	Users  []string
	Hosts  []string
	People []string // full names
	IDs    []string // ids of chats and users of messengers
}

// phone matches a telephone number: international, or WhatsApp's name of a sender.
var phone = lazyregexp.New(`\+\d[\d -]{6,}\d|\d{7,15}@`)

// genericNames are generic names, which identify no person.
var genericNames = []string{"/", "/root", "root", "localhost", "localdomain", "arch", "archlinux", "blunux", "linux", "user", "host", "person", "number", "files", "id", "mail", "ip", "name", "path"}

// Scrub replaces the names in a text, ignoring case. A name must not be adjacent to a letter or a digit: the user
// "blu" leaves "blunux" unchanged.
func (n Names) Scrub(text string) string {
	type change struct{ from, to string }
	var changes []change
	add := func(to string, names ...string) {
		for _, name := range names {
			if name = strings.TrimSpace(name); utf8.RuneCountInString(name) > 1 && !slices.Contains(genericNames, strings.ToLower(name)) {
				changes = append(changes, change{name, to})
			}
		}
	}
	add("~", n.Home)
	if n.Home == "" || !strings.HasPrefix(n.Files, n.Home+"/") {
		add("[files]", n.Files)
	}
	add("[id]", n.IDs...)
	add("[host]", n.Hosts...)
	for _, host := range n.Hosts { // also without the domain
		short, _, _ := strings.Cut(host, ".")
		add("[host]", short)
	}
	add("[person]", n.People...)
	add("[user]", n.Users...)
	sorting.Stably(changes, func(a, b change) int { return cmp.Compare(len(b.from), len(a.from)) })
	text = withoutNumbers(text)
	for before := ""; before != text; { // repeat, because a replacement can free an adjacent name; markers are not names
		before = text
		for _, c := range changes {
			text = replaceName(text, c.from, c.to)
		}
	}
	return withoutPlaces(text)
}

// withoutNumbers replaces telephone numbers.
func withoutNumbers(text string) string {
	return phone.ReplaceAllStringFunc(text, func(number string) string {
		if strings.HasSuffix(number, "@") {
			return "[number]@"
		}
		return "[number]"
	})
}

// replaceName replaces a name that is not part of a longer one.
func replaceName(text, name, with string) string {
	found := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(name))
	var b strings.Builder
	done := 0
	for _, at := range found.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if isPartOfName(before) && !endsWithEscape(text[:at[0]]) || isPartOfName(after) {
			continue
		}
		b.WriteString(text[done:at[0]])
		b.WriteString(with)
		done = at[1]
	}
	return b.String() + text[done:]
}

// isPartOfName reports whether r can continue a name. Hangul cannot, because particles directly follow names.
func isPartOfName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Hangul, r)
}

// endsWithEscape reports whether a text ends with an escape such as \n or %2F, whose letters are not part of the
// following name.
func endsWithEscape(text string) bool {
	if len(text) >= 2 && text[len(text)-2] == '\\' {
		return true
	}
	return len(text) >= 3 && text[len(text)-3] == '%'
}

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
	address      = lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>\\|` + "`" + `]+`)
	mail         = lazyregexp.New(`(?i)[\p{L}\d._%+-]+@[\p{L}\d-]+(\.[\p{L}\d-]+)+`)
	private      = lazyregexp.New(`\b(10\.\d{1,3}|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d{1,3}\.\d{1,3}\b|(?i:\b(fe80|f[cd][0-9a-f]{2}):[0-9a-f:]+)|(?i:\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b)`)
	mobile       = lazyregexp.New(`\b01[016789][- ]?\d{3,4}[- ]?\d{4}\b`)
	userPaths    = lazyregexp.New(`(/home/|/run/media/|(?i:%2fhome%2f))([^\s/"'\\:,;%<>\[\]]+)`)
	unitInstance = lazyregexp.New(`@[^.]*\.(service|socket|timer|path|scope|slice|target|mount)$`)
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
	return slices.ContainsFunc(wellKnown(), func(known string) bool {
		return host == known || known[0] == '.' && strings.HasSuffix(host, known)
	})
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
