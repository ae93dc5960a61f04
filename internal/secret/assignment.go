package secret

import (
	"slices"
	"strings"
)

type secretKind int

const (
	notSecret       secretKind = iota
	chosenSecret               // chosen by a person: can be short and plain
	generatedSecret            // generated: long and random
)

// secretNames are the endings of names whose value is a secret, in lower case and without "-", "_" and dots.
var secretNames = []struct {
	end   string
	worth secretKind
}{
	{"password", chosenSecret},
	{"passwd", chosenSecret},
	{"passphrase", chosenSecret},
	{"passwort", chosenSecret},
	{"psk", chosenSecret},
	{"presharedkey", generatedSecret},
	{"privatekey", generatedSecret},
	{"secretkey", generatedSecret},
	{"accesskey", generatedSecret},
	{"apikey", generatedSecret},
	{"appkey", generatedSecret},
	{"authkey", generatedSecret},
	{"accountkey", generatedSecret},
	{"licensekey", generatedSecret},
	{"keydata", generatedSecret},
	{"masterkey", generatedSecret},
	{"encryptionkey", generatedSecret},
	{"signingkey", generatedSecret},
	{"sharedkey", generatedSecret},
	{"secret", generatedSecret},
	{"token", generatedSecret},
}

// foreignNames are standalone names in other scripts.
var foreignNames = []string{"비밀번호", "암호", "密码", "密碼", "口令"}

// assignmentShapes finds the value in password=…, "api_key": "…", --token …, PrivateKey = …, psk="…" and similar texts.
func assignmentShapes() []shape {
	anchors := []string{
		"pass", "secr", "toke", "_pwd", "-pwd", ".pwd", "apik", "skey", "ekey", "rkey", "nkey", "hkey", "gkey", "dkey", "tkey", "_key", "-key", ".key",
		"psk=", "psk:", "psk ", "psk\"", "psk'", "pwd=", "_auth", "wep-",
	}
	find := func(s string, at int) (int, int, bool) {
		start, end := nameAround(s, at)
		return valueOf(s, start, end, secretKindOf(s[start:end]))
	}
	var all []shape
	all = append(all, shape{anchors, rule{name: "secret", find: find, isWide: true}})
	for _, name := range foreignNames {
		all = append(all, shape{[]string{name[:anchorLen]}, rule{name: "secret", isWide: true, find: func(s string, at int) (int, int, bool) {
			if !strings.HasPrefix(s[at:], name) {
				return 0, 0, false
			}
			return valueOf(s, at, at+len(name), chosenSecret)
		}}})
	}
	return all
}

// maxName bounds the length of a name, in bytes.
const maxName = 80

func isName(c byte) bool { return isWord(c) || c == '.' }

func nameAround(s string, at int) (start, end int) {
	start, end = at, at
	for start > 0 && at-start < maxName && isName(s[start-1]) {
		start--
	}
	for end < len(s) && end-at < maxName && isName(s[end]) {
		end++
	}
	return start, end
}

// secretKindOf returns the kind of secret that a name indicates. The working directory's variable (PWD) is not a
// secret.
func secretKindOf(name string) secretKind {
	if len(name) < 3 {
		return notSecret
	}
	plain := strings.ToLower(joined.Replace(name))
	for _, n := range secretNames {
		if strings.HasSuffix(plain, n.end) {
			return n.worth
		}
	}
	switch {
	case strings.HasSuffix(plain, "pwd"), plain == "pass", strings.HasSuffix(plain, "sshpass"), plain == "rediscliauth":
		return chosenSecret
	case strings.HasSuffix(name, "_PASS"), strings.HasSuffix(name, "_pass"), strings.HasSuffix(name, "-pass"):
		return chosenSecret
	case strings.HasSuffix(strings.TrimRight(plain, "0123"), "security.wepkey"), strings.HasSuffix(strings.TrimRight(plain, "0123"), "wepkey"):
		return chosenSecret
	}
	return notSecret
}

// valueOf returns the value after a name if it looks like a secret.
func valueOf(s string, start, end int, w secretKind) (from, to int, ok bool) {
	if w == notSecret {
		return 0, 0, false
	}
	at, sign := separatorAfter(s, start, end)
	if sign == none {
		return 0, 0, false
	}
	// The beginning of a very long value decides whether it is a secret. Examining all of it after every name
	// would take minutes for a few megabytes.
	near := s[:min(len(s), at+maxValue)]
	from, to, quoted := valueExtent(near, at)
	sure := sign == equals || quoted || isCertainValue(s, start, end, from, to, sign)
	if sign == blank && isProse(near[from:to]) {
		return 0, 0, false
	}
	ok = credential(near[from:to], w, sure)
	if ok && len(near) < len(s) && to >= len(near)-1 {
		from, to, _ = valueExtent(s, at)
	}
	return from, to, ok
}

// Sets of bytes in names and values.
var (
	joined     = strings.NewReplacer("_", "", "-", "", ".", "")
	dashed     = alphabetOf("_-")
	wordy      = alphabetOf("_")
	dottedWord = alphabetOf("_.")
)

// maxValue is how much of a value is examined, in bytes.
const maxValue = 512

// separator is what separates name and value.
type separator int

const (
	none   separator = iota
	equals           // = or =>
	colon            // : which also occurs in prose
	blank            // a blank, as in --name value and password value
)

// separatorAfter returns the separator after a name, and the offset of the value.
func separatorAfter(s string, start, end int) (at int, what separator) {
	at = end
	if n := quoteLength(s, at); n > 0 {
		at += n
		if at < len(s) && s[at] == ']' {
			at++
		}
	}
	afterBlank := skipBlanks(s, at)
	rest := s[afterBlank:]
	switch {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "=~"), strings.HasPrefix(rest, "://"):
		return at, none
	case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, ":="):
		return skipBlanks(s, afterBlank+2), equals
	case strings.HasPrefix(rest, "="):
		return skipBlanks(s, afterBlank+1), equals
	case strings.HasPrefix(rest, ":"):
		return skipBlanks(s, afterBlank+1), colon
	case strings.HasPrefix(rest, "："):
		return skipBlanks(s, afterBlank+len("：")), colon
	case strings.HasPrefix(s[start:], "--no-"): // switches something off and takes no value
		return at, none
	case afterBlank > end && strings.HasPrefix(s[start:], "--"), hasBareValue(s, start, end, afterBlank):
		return afterBlank, blank
	}
	return at, none
}

// skipBlanks returns the first offset that is not a blank, within maxName bytes.
func skipBlanks(s string, at int) int {
	for n := 0; at < len(s) && (s[at] == ' ' || s[at] == '\t') && n < maxName; n++ {
		at++
	}
	return at
}

// quoteLength returns the length of the quote at an offset, 0 for none. Quotes inside a quoted text have a
// backslash before them.
func quoteLength(s string, at int) int {
	switch {
	case at < len(s) && strings.IndexByte("\"'`", s[at]) >= 0:
		return 1
	case at+1 < len(s) && s[at] == '\\' && (s[at+1] == '"' || s[at+1] == '\''):
		return 2
	}
	return 0
}

// valueExtent returns the value at an offset. A quoted value ends at the same quote, others at a blank or at the end
// of a list item. quoted is true only if both quotes are present, because a quote after a colon can be the end
// of a preceding text.
func valueExtent(s string, at int) (from, to int, quoted bool) {
	if n := quoteLength(s, at); n > 0 {
		quote := s[at : at+n]
		from = at + n
		for to = from; to < len(s) && s[to] != '\n' && !strings.HasPrefix(s[to:], quote); to++ {
			if n == 1 && s[to] == '\\' && to+1 < len(s) && s[to+1] != '\n' {
				to++
			}
		}
		return from, min(to, len(s)), to < len(s) && s[to] != '\n'
	}
	for to = at; to < len(s) && !endsValue(s, to); to++ {
	}
	if !isMarker(s[at:to]) {
		to = at + len(strings.TrimRight(s[at:to], ")]},;"))
	}
	return at, to, false
}

// endsValue reports whether an unquoted value ends before an offset. A comma, a semicolon or an ampersand can
// be part of it, unless another value follows.
func endsValue(s string, at int) bool {
	switch c := s[at]; c {
	case ' ', '\t', '\n', '\r', '"', '\'', '`', '<', '>':
		return true
	case '\\':
		return at+1 < len(s) && strings.IndexByte(`"'nrt`, s[at+1]) >= 0
	case ',', ';', '&':
		end := at + 1
		for end < len(s) && end-at < maxName && isName(s[end]) {
			end++
		}
		if end == at+1 {
			return end == len(s) || strings.IndexByte(" \t\r\n", s[end]) >= 0
		}
		return end < len(s) && (s[end] == '=' || s[end] == ':')
	}
	return false
}

// credential reports whether a value is a secret, and not a word, a path, a reference to a secret, or code.
// sure is set for values after an equals sign or in quotes.
func credential(v string, w secretKind, sure bool) bool {
	if len(v) < 4 || isMarker(v) || isPlaceholder(v) || strings.Contains(v[:min(len(v), 512)], "://") {
		return false
	}
	c := classesOf(v[:min(len(v), 512)])
	switch {
	case w == chosenSecret && sure:
		return c.hasLetter() || c.digit
	case w == chosenSecret:
		return len(v) >= 8 && !strings.Contains(v, " ") && c.hasLetter() && (c.digit || c.lower && c.upper && strings.ContainsAny(v, "!@#$%^&*?+"))
	case !sure && len(v) < 16 || len(v) < 8:
		return false
	}
	return c.hasLetter() && c.digit && !strings.HasPrefix(v, "0x") || len(v) >= 24 && c.lower && c.upper && !strings.ContainsAny(v, " _")
}

// placeholderWords are values that are not secrets.
var placeholderWords = []string{
	"password", "passwd", "pass", "passphrase", "secret", "token", "apikey", "your", "yourpassword", "example", "changeme", "none", "null", "nil", "true",
	"false", "yes", "no", "off", "required", "requisite", "sufficient", "optional", "include", "default", "unset", "empty",
	"hidden", "redacted", "string", "text", "prompt", "ask", "files", "file", "user", "username", "enabled", "disabled",
	"unknown", "failed", "invalid", "incorrect", "expired", "locked", "never", "missing", "undefined", "value", "keyring",
}

// isPlaceholder reports whether a value is visibly not the secret itself.
func isPlaceholder(v string) bool {
	plain := strings.ToLower(strings.Trim(v, "<>()[]{}*.,;:!?_-%…•\"'` "))
	c := classesOf(v)
	switch {
	case slices.Contains(placeholderWords, plain), strings.Trim(plain, "x") == "":
		return true
	case !c.digit && !c.lower && dashed.run(v, 0) == len(v): // FILE, MY_PASSWORD, SEC_ERROR_BASE
		return true
	case !c.digit && (strings.Contains(plain, "password") || strings.Contains(plain, "passwd")): // my_password
		return true
	}
	return v != strings.TrimSpace(v) || isReference(v) || isPath(v) || isCode(v)
}

// isReference reports whether a value names the place of the secret.
func isReference(v string) bool {
	for _, start := range []string{"{", "$(", "${", "%(", "%{", "<", "(", `\f`, "&lt;", "&#", "@/", "env:", "file:"} {
		if strings.HasPrefix(v, start) {
			return true
		}
	}
	name, ok := strings.CutPrefix(v, "$")
	if !ok || name == "" || !(name[0] == '_' || classesOf(name[:1]).hasLetter()) {
		return false
	}
	rest := name[wordy.run(name, 0):]
	return rest == "" || strings.HasPrefix(rest, "->") || strings.IndexByte("[{(.:", rest[0]) >= 0
}

// isPath reports whether a value is a path or an IPv6 address. Base64 secrets can begin with a slash too, for
// example AWS secret keys, which have 40 characters.
func isPath(v string) bool {
	for _, start := range []string{"~/", "./", "../"} {
		if strings.HasPrefix(v, start) {
			return true
		}
	}
	if strings.Contains(v, "::") && strings.Trim(v, "0123456789abcdefABCDEF:.") == "" {
		return true
	}
	c := classesOf(v)
	return strings.HasPrefix(v, "/") && !(len(v) == 40 && c.digit && c.lower && c.upper && !strings.ContainsAny(v, "._-"))
}

// isCode reports whether a value is an expression: a call, an index, or names joined by dots.
func isCode(v string) bool {
	name := dottedWord.run(v, 0)
	if name == 0 || !(classesOf(v[:1]).hasLetter() || v[0] == '_') {
		return false
	}
	if name < len(v) {
		return v[name] == '(' || v[name] == '['
	}
	return strings.Contains(v, ".") && !classesOf(v).digit && !strings.HasSuffix(v, ".")
}
