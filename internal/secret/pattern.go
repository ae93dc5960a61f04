package secret

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// pattern is a secret that needs a regular expression in addition to an anchor.
type pattern struct {
	name string
	// anchors are the texts that trigger it, at offset back from its beginning.
	anchors []string
	back    int
	// form begins with ^. Its first group, or else the whole match, is the secret.
	form string
}

// patterns are the forms, as documented by their makers or used by gitleaks.
func patterns() []pattern {
	return []pattern{
		{"hook-url", []string{"hooks.slack.com"}, 0, `^hooks\.slack\.com/(?:services|workflows|triggers)/([\w/+-]{20,})`},
		{"hook-url", []string{"/api/webhooks/"}, 0, `^/api/(?:v\d+/)?webhooks/(\d{15,20}/[\w-]{40,})`},
		{"hook-url", []string{"webhook.office.com/"}, 0, `^webhook\.office\.com/(?:webhookb2/)?([\w@-]+/IncomingWebhook/[\w/-]+)`},
		{"hook-url", []string{"hooks.zapier.com"}, 0, `^hooks\.zapier\.com/hooks/catch/(\d+/\w+)`},
		{"hook-url", []string{"maker.ifttt.com"}, 0, `^maker\.ifttt\.com/trigger/[\w-]+/(?:json/)?with/key/([\w-]{20,})`},
		{"url-token", []string{"&token=", "?token=", "&sig=", "?sig="}, 0, `^[&?](?:token|sig)=([\w%.+/=~-]{16,})`},
		// learn.microsoft.com, client secrets of Entra ID; gitleaks azure.go.
		{"azure-secret", azureAnchors(), 3, `^[\w~.]{3}\dQ~[\w~.-]{31,34}`},
		{"sendgrid-key", anchorsOf("SG."), 0, `^SG\.[\w-]{16,32}\.[\w-]{16,64}`},
		{"mailgun-key", []string{"key-"}, 0, `^key-[0-9a-f]{32}\b`},
		{"mailchimp-key", []string{"-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"}, 32, `^[0-9a-f]{32}-us\d{1,2}\b`},
		{"newrelic-key", []string{"FFFFNRAL"}, 36, `^[0-9a-fA-F]{36}FFFFNRAL`},
		{"twilio-key", twilioAnchors(), 0, `^SK[0-9a-f]{32}\b`},
		{"paypal-token", []string{"access_token$"}, 0, `^access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}`},
		{"terraform-token", []string{".atlasv1."}, 14, `^[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{40,}`},
		{"cloudflare-key", []string{"v1.0-"}, 0, `^v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}`},
		{"airtable-token", anchorsOf("pat"), 0, `^pat[0-9A-Za-z]{14}\.[0-9a-f]{64}`},
		{"onepassword-key", anchorsOf("A3-"), 0, `^A3-[0-9A-Z]{6}-(?:[0-9A-Z]{5,6}-?){4,6}`},
		{"matrix-token", []string{"syt_"}, 0, `^syt_[\w=-]+_[0-9A-Za-z]{16,}_[0-9A-Za-z]{6}`},
		{"slack-token", []string{"xoxd-"}, 0, `^xoxd-[\w%+/=-]{20,}`},
		{"google-token", []string{"1//0"}, 0, `^1//0[\w-]{40,}`},
		{"doppler-token", anchorsOf("dp."), 0, `^dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[0-9A-Za-z]{40,}`},
		// crypt(5): the method, options and salt, the hash.
		{"password-hash", hashAnchors(), 0, `^\$(?:[1567y]|gy|2[abxy]|sha1|argon2(?:i|d|id))\$(?:[\w./=,-]+\$){0,3}[\w./+-]{22,}`},
		// pgpass: host, port, database, user, password (PostgreSQL, "The Password File").
		{"password", []string{":543", ":643"}, 0, `^:(?:5432|5433|6432):[^\s:]+:[^\s:]+:((?:\\.|[^\s:]){4,})$`},
		{"password", []string{"*:*:", ":*:*"}, 0, `^:?\*:\*:(?:\*:)?[^\s:*]+:((?:\\.|[^\s:]){4,})$`},
	}
}

func (p pattern) shape() shape {
	form := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(p.form) })
	anchors := map[string]bool{}
	for _, a := range p.anchors {
		anchors[a[:anchorLen]] = true
	}
	var list []string
	for a := range anchors {
		list = append(list, a)
	}
	return shape{list, rule{name: p.name, find: func(s string, at int) (int, int, bool) {
		start := at - p.back
		if start < 0 || classesOf(s[start:start+1]).isAlphanumeric() && !isTokenStart(s, start) && s[start-1] != '-' && s[start-1] != '_' {
			return 0, 0, false
		}
		near := s[start:min(len(s), start+maxValue)]
		m := form().FindStringSubmatchIndex(strings.TrimRight(near, "\r\n"))
		if m == nil {
			return 0, 0, false
		}
		group := m[len(m)-2:]
		return start + group[0], start + group[1], !isMarker(near[group[0]:group[1]])
	}}}
}

func (c classes) isAlphanumeric() bool { return c.hasLetter() || c.digit }

func azureAnchors() []string {
	var list []string
	for _, digit := range "0123456789" {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789_~.-" {
			list = append(list, string(digit)+"Q~"+string(c))
		}
	}
	return list
}

func twilioAnchors() []string {
	const hex = "0123456789abcdef"
	var list []string
	for _, a := range hex {
		for _, b := range hex {
			list = append(list, "SK"+string(a)+string(b))
		}
	}
	return list
}

func hashAnchors() []string {
	list := []string{"$gy$", "$2a$", "$2b$", "$2x$", "$2y$", "$sha1$", "$argon2"}
	for _, method := range "1567y" {
		for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789./" {
			list = append(list, "$"+string(method)+"$"+string(c))
		}
	}
	return list
}

// authShape finds the value of "auth" in Docker's and npm's configuration: user and password in base64.
func authShape() shape {
	digits := alphabetOf("+/=")
	return shape{[]string{"auth"}, rule{name: "secret", find: func(s string, at int) (int, int, bool) {
		start, end := nameAround(s, at)
		if name := strings.ToLower(s[start:end]); !strings.HasSuffix(name, "auth") || len(name) > len("_auth") && !strings.HasSuffix(name, "_auth") {
			return 0, 0, false
		}
		value, sign := separatorAfter(s, start, end)
		if sign == none {
			return 0, 0, false
		}
		value += quoteLength(s, value)
		stop := digits.run(s, value)
		plain, err := base64.StdEncoding.DecodeString(s[value:stop])
		_, password, both := strings.Cut(string(plain), ":")
		return value, stop, err == nil && both && password != ""
	}}}
}

// findVaultToken finds the older form of Vault's tokens (s. and 24 characters) by its dot.
func findVaultToken(s string, at int) (start, end int, ok bool) {
	if s[at] != '.' || !followsS(s, at) {
		return 0, 0, false
	}
	end = at + 1
	for end < len(s) && isWord(s[end]) {
		end++
	}
	c := classesOf(s[at+1 : end])
	return at - 1, end, end-at-1 == 24 && c.digit && c.lower && c.upper && !c.other
}

// followsS reports whether the byte before an offset is an s at the beginning of a word.
func followsS(s string, at int) bool { return at > 0 && s[at-1] == 's' && isTokenStart(s, at-1) }

// puttyShape finds the line before the private part of a PuTTY key. block removes that part.
func puttyShape() shape {
	return shape{[]string{"Private-Lines"}, rule{name: "private-key", find: func(s string, at int) (int, int, bool) {
		if !opensPutty(s[at:]) {
			return 0, 0, false
		}
		start := at + len(puttyMark)
		end := start
		for end < len(s) && '0' <= s[end] && s[end] <= '9' {
			end++
		}
		return start, end, true
	}}}
}

const puttyMark = "Private-Lines: "

// opensPutty reports whether text begins with the line before the private part of a PuTTY key.
func opensPutty(text string) bool {
	rest, ok := strings.CutPrefix(text, puttyMark)
	return ok && rest != "" && '0' <= rest[0] && rest[0] <= '9'
}

// The delimiters of a private key block (RFC 7468). Those of OpenSSH and PGP have words before or after PRIVATE KEY.
const (
	beginMark = "-----BEGIN "
	endMark   = "-----END "
	keyMark   = "PRIVATE KEY"
	dashes    = "-----"
)

// blockShape finds a private key's first line, and the whole key if it is on one line, as in JSON.
func blockShape() shape {
	return shape{[]string{"-beg"}, rule{name: "private-key", find: func(s string, at int) (int, int, bool) {
		start := at - len(dashes) + 1
		if start < 0 || !opensBlock(s[start:]) {
			return 0, 0, false
		}
		end := len(strings.TrimRight(s, "\r\n"))
		if behind, ok := blockEnd(s[start:]); ok {
			end = start + behind
		}
		return start, end, true
	}}}
}

// opensBlock reports whether text begins with a private key's first line.
func opensBlock(text string) bool {
	rest, ok := strings.CutPrefix(text, beginMark)
	label, _, closed := strings.Cut(rest, dashes)
	return ok && closed && len(label) <= 64 && strings.Contains(label, keyMark)
}

// blockEnd returns the offset after a block's last line.
func blockEnd(text string) (int, bool) {
	end := strings.Index(text, endMark)
	if end < 0 {
		return 0, false
	}
	if closing := strings.Index(text[end+len(endMark):], dashes); closing >= 0 {
		return end + len(endMark) + closing + len(dashes), true
	}
	return end + len(endMark), true
}

// block is the state of a private key block that spans lines.
type block struct {
	open    bool
	prefix  string // text before the key, such as a timestamp or file name
	headers int    // header lines before the key
	lines   int    // lines of the key
	width   int    // length of the key's first line; the last can be shorter
	last    bool
}

// Limits of a key's lines. A 16384-bit RSA key has about 200 lines of 64 characters.
const (
	minWidth   = 16
	maxLines   = 1000
	maxHeaders = 8
)

// begin checks whether a key block is open at the end of a line.
func (b *block) begin(text string) {
	*b = block{}
	if at := strings.Index(text, puttyMark); at >= 0 && opensPutty(text[at:]) {
		b.open, b.prefix, b.headers = true, strings.TrimSpace(text[:at]), maxHeaders
		return
	}
	for at := strings.Index(text, beginMark); at >= 0; {
		if opensBlock(text[at:]) {
			behind, closed := blockEnd(text[at:])
			if !closed {
				b.open, b.prefix = true, strings.TrimSpace(text[:at])
				return
			}
			at += behind
		} else {
			at += len(beginMark)
		}
		next := strings.Index(text[at:], beginMark)
		if next < 0 {
			return
		}
		at += next
	}
}

// consume processes a line inside a key block and returns the part of it that is not the key. inside is false
// if the line does not belong to the key or continues after its end. The caller must then scan left.
func (b *block) consume(line string) (left string, inside bool) {
	text := strings.TrimRight(line, "\r\n")
	if at := strings.Index(text, endMark); at >= 0 {
		behind, _ := blockEnd(text)
		b.open = false
		left = strings.TrimRight(prefixOf(text[:at]), " \t") + text[behind:]
		if strings.TrimSpace(left) == "" {
			return "", false
		}
		return left + line[len(text):], false
	}
	if b.lines == 0 && b.headers < maxHeaders && isBlockHeader(text) {
		b.headers++
		return "", true
	}
	prefix := prefixOf(text)
	if !b.continues(strings.TrimSpace(prefix)) || !b.takesLine(text[len(prefix):]) {
		b.open = false
		return line, false
	}
	if prefix = strings.TrimSpace(prefix); prefix != "" {
		return prefix + line[len(text):], true
	}
	return "", true
}

// continues reports whether a line's prefix resembles the first one. Its numbers can have more digits.
func (b *block) continues(prefix string) bool {
	return prefix == "" || b.prefix != "" && max(len(prefix), len(b.prefix))-min(len(prefix), len(b.prefix)) <= 2
}

// prefixOf returns the text before the last word of a line: a line number, file name or journal timestamp.
func prefixOf(line string) string {
	return line[:strings.LastIndexAny(line, " \t:|>")+1]
}

// takesLine reports whether a line's last word is the key's next line.
func (b *block) takesLine(word string) bool {
	pgpSum := b.last && len(word) == 5 && word[0] == '='
	if !pgpSum && (b.last || b.lines >= maxLines || len(word) == 0) || strings.Trim(word, base64Digits) != "" {
		return false
	}
	switch {
	case b.lines == 0:
		if len(word) < minWidth {
			return false
		}
		b.width = len(word)
	case len(word) > b.width:
		return false
	}
	b.lines++
	b.last = len(word) < b.width || pgpSum
	return true
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

// isBlockHeader recognizes the headers of old keys (RFC 1421 section 4.4) and the empty line after them.
func isBlockHeader(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return strings.TrimSpace(line) == "" ||
		ok && len(name) <= 20 && (strings.Contains(name, "-") || name == "Comment" || name == "Version" || name == "Hash") &&
			strings.Trim(name, "-"+base64Digits[:52]) == ""
}
