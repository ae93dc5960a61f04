package doctor

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names are what tells whose machine a text is from.
type Names struct {
	Home   string // the person's home directory
	Files  string // the program's own directory
	Users  []string
	Hosts  []string
	People []string // full names
	IDs    []string // of chats and users elsewhere
}

// phone is a telephone number: international, or as WhatsApp names a sender.
var phone = regexp.MustCompile(`\+\d[\d -]{6,}\d|\d{7,15}@`)

// anybodys are names that tell nothing of anybody.
var anybodys = []string{"/", "/root", "root", "localhost", "localdomain", "arch", "archlinux", "blunux", "linux", "user", "host", "person", "number", "files", "id", "mail", "ip", "name", "path"}

// Scrub returns text in which the names are replaced, whatever their case. A name
// counts where no letter or digit stands at either side of it, so that a user
// called "blu" leaves "blunux" alone.
func (n Names) Scrub(text string) string {
	type change struct{ from, to string }
	var changes []change
	add := func(to string, names ...string) {
		for _, name := range names {
			if name = strings.TrimSpace(name); utf8.RuneCountInString(name) > 1 && !slices.Contains(anybodys, strings.ToLower(name)) {
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
	for _, host := range n.Hosts { // and without its domain
		short, _, _ := strings.Cut(host, ".")
		add("[host]", short)
	}
	add("[person]", n.People...)
	add("[user]", n.Users...)
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(len(b.from), len(a.from)) })
	text = withoutNumbers(text)
	for before := ""; before != text; { // one name may have stood against another; no marker is a name
		before = text
		for _, c := range changes {
			text = replaceName(text, c.from, c.to)
		}
	}
	return withoutPlaces(text)
}

// withoutNumbers takes out telephone numbers.
func withoutNumbers(text string) string {
	return phone.ReplaceAllStringFunc(text, func(number string) string {
		if strings.HasSuffix(number, "@") {
			return "[number]@"
		}
		return "[number]"
	})
}

// replaceName replaces a name where it stands by itself.
func replaceName(text, name, with string) string {
	found := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(name))
	var b strings.Builder
	done := 0
	for _, at := range found.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if partOfName(before) && !escape(text[:at[0]]) || partOfName(after) {
			continue
		}
		b.WriteString(text[done:at[0]])
		b.WriteString(with)
		done = at[1]
	}
	return b.String() + text[done:]
}

// partOfName reports a letter or a digit; of Hangul none, because particles stand
// right behind a name.
func partOfName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && !unicode.Is(unicode.Hangul, r)
}

// escape reports that text ends with an escape such as \n, whose letter is none of
// the name behind it, or with %2F.
func escape(text string) bool {
	if len(text) >= 2 && text[len(text)-2] == '\\' {
		return true
	}
	return len(text) >= 3 && text[len(text)-3] == '%'
}
