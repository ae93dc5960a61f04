package doctor

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
var phone = regexp.MustCompile(`\+\d[\d -]{6,}\d|\d{7,15}@`)

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
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(len(b.from), len(a.from)) })
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
