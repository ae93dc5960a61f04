package secret

import (
	"slices"
	"strings"
)

// addressShape finds the password in scheme://user:password@host (RFC 3986 section 3.2.1), and a token alone before
// the host.
func addressShape() shape {
	var anchors []string
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		anchors = append(anchors, string(c)+"://")
	}
	return shape{anchors, rule{name: "url-password", find: findUserinfo, isWide: true}}
}

// maxAuthority bounds how far a URL's user and host are scanned, in bytes.
const maxAuthority = 1 << 10

func findUserinfo(s string, at int) (start, end int, ok bool) {
	start = at + anchorLen
	rest := s[start:min(len(s), start+maxAuthority)]
	if stop := strings.IndexAny(rest, "/?# \t\r\n\"'`<>\\|"); stop >= 0 {
		rest = rest[:stop]
	}
	host := strings.LastIndexByte(rest, '@')
	if host < 0 {
		return 0, 0, false
	}
	user := rest[:host]
	if colon := findColon(user); colon >= 0 {
		password := user[colon+1:]
		return start + colon + 1, start + host, password != "" && !isMarker(password) && !isPlaceholder(password)
	}
	return start, start + host, credential(user, generatedSecret, false)
}

// findColon returns the offset of the first colon outside markers, or -1.
func findColon(user string) int {
	for i := 0; i < len(user); i++ {
		if end := strings.IndexByte(user[i:], ']'); end >= 0 && strings.HasPrefix(user[i:], markerStart) {
			i += end
		} else if user[i] == ':' {
			return i
		}
	}
	return -1
}

// bearerShape finds the token after the word Bearer (RFC 6750).
func bearerShape() shape {
	alphabet := alphabetOf("-._~+/=")
	return shape{[]string{"bear"}, rule{name: "bearer-token", isWide: true, find: func(s string, at int) (int, int, bool) {
		start := skipBlanks(s, at+len("bearer"))
		if !hasPrefixFold(s[at:], "bearer") || start == at+len("bearer") {
			return 0, 0, false
		}
		end := alphabet.run(s, start)
		return start, end, end-start >= 16 && classesOf(s[start:end]).digit
	}}}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// headerShape finds the value after Authorization: and the name of the scheme (RFC 9110 section 11.6.2).
func headerShape() shape {
	const name, before = "authorization", len("autho")
	return shape{[]string{"riza"}, rule{name: "authorization", isWide: true, find: func(s string, at int) (int, int, bool) {
		begin := at - before
		if begin < 0 || !hasPrefixFold(s[begin:], name) {
			return 0, 0, false
		}
		value, sign := separatorAfter(s, begin, begin+len(name))
		if sign != colon && sign != equals {
			return 0, 0, false
		}
		value += quoteLength(s, value)
		start := value
		for _, scheme := range []string{"bearer", "basic", "token", "apikey", "negotiate", "bot"} {
			if after := skipBlanks(s, value+min(len(scheme), len(s)-value)); hasPrefixFold(s[value:], scheme) && after > value+len(scheme) {
				start = after
			}
		}
		end := start
		for end < len(s) && !endsValue(s, end) {
			end++
		}
		// Some schemes have a list of values, including the signature.
		for _, scheme := range []string{"digest ", "aws4-hmac-sha256 ", "hawk ", "oauth ", "signature "} {
			if hasPrefixFold(s[value:], scheme) {
				start = value + len(scheme)
				end = start + len(strings.TrimRight(firstLine(s[start:]), "'\" \t\r"))
				return start, end, end > start && !strings.HasPrefix(s[start:], markerStart)
			}
		}
		if start == value {
			return start, end, credential(s[start:end], generatedSecret, false)
		}
		return start, end, end-start >= 8 && !isMarker(s[start:end]) && !isPlaceholder(s[start:end])
	}}}
}

// firstLine returns a text up to its first line feed.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// loginShapes finds the password in -u NAME:PASSWORD and --user NAME:PASSWORD (curl(1)). Other programs use the form
// for users and groups (docker run -u 1000:1000), so without curl the value must look like a password.
func loginShapes() []shape {
	of := func(option string) shape {
		return shape{[]string{option[:anchorLen]}, rule{name: "url-password", isWide: true, find: func(s string, at int) (int, int, bool) {
			if !strings.HasPrefix(s[at:], option) {
				return 0, 0, false
			}
			from, to, _ := valueExtent(s, at+len(option))
			user, password, both := strings.Cut(s[from:to], ":")
			if !both || user == "" || strings.ContainsAny(user, "/[") {
				return 0, 0, false
			}
			sure := strings.Contains(s[max(0, at-maxName):at], "curl")
			return from + len(user) + 1, to, credential(password, chosenSecret, sure)
		}}}
	}
	return []shape{of(" -u "), of(" --user "), of(" --user="), of(" --proxy-user ")}
}

// hasBareValue reports whether a name's value follows after one blank, as in nmcli's "password X". Prose has other
// words in between.
func hasBareValue(s string, start, end, value int) bool {
	name := s[start:end]
	return value == end+1 && (name == "password" || name == "passphrase" || strings.HasSuffix(name, "-sec.psk") || strings.HasSuffix(name, "security.psk"))
}

// isCertainValue reports whether the text after a name without an equals sign is certainly its value: after a
// command option, in NetworkManager and netrc syntax, in a header.
func isCertainValue(s string, start, end, from, to int, sign separator) bool {
	name := s[start:end]
	switch {
	case strings.HasSuffix(name, "security.psk"), strings.HasSuffix(name, "-sec.psk"), strings.Contains(name, "security.wep-key"):
		return true // 802-11-wireless-security.psk: KEY
	case sign == colon:
		return hasPrefixFold(name, "x-")
	case strings.HasPrefix(name, "--"):
		return from == end+1
	}
	line := s[strings.LastIndexByte(s[:start], '\n')+1 : start]
	behind, _, _ := strings.Cut(s[to:], "\n")
	alone := strings.TrimSpace(line) == "" && strings.TrimSpace(behind) == ""
	return alone || strings.Contains(line, "nmcli ") || strings.Contains(line, "login ") && strings.Contains(line, "machine ")
}

// isProse reports whether a word after a name without separator belongs to a sentence or manual.
func isProse(v string) bool {
	return slices.Contains(proseWords, strings.ToLower(strings.Trim(v, ".,;:!?()")))
}

var proseWords = strings.Fields("with when from instead option flag argument that this will must should only then into have were been does also " +
	"mismatch unchanged changed updated accepted rejected authentication prompt protected manager policy reset login store expiry expires entry field " +
	"hash hashes protection strength request requests database aging which length rules check checks quality requirements verification stored saved using " +
	"over after before input dialog retry tries attempts hint again twice correct wrong matches agent generator managers vault auth based")

// cookieShapes finds the values of Cookie: and Set-Cookie: headers (RFC 6265), and the last field of lines in cookie
// files of curl and browser exports.
func cookieShapes() []shape {
	return []shape{
		{[]string{"cookie"}, rule{name: "cookie", find: findCookieHeader}},
		{[]string{"\ttrue", "\tfalse"}, rule{name: "cookie", find: findCookieLine}},
	}
}

func findCookieHeader(s string, at int) (start, end int, ok bool) {
	if !hasPrefixFold(s[at:], "cookie") {
		return 0, 0, false
	}
	value, sign := separatorAfter(s, at, at+len("cookie"))
	if sign != colon {
		return 0, 0, false
	}
	value += quoteLength(s, value)
	end = value + headerEnd(s[value:])
	equals := strings.IndexByte(s[value:end], '=')
	if equals <= 0 || strings.ContainsAny(s[value:value+equals], " ,\t") {
		return 0, 0, false
	}
	start = value + equals + 1
	if at >= len("set-") && hasPrefixFold(s[at-len("set-"):], "set-") { // its attributes are not secret
		if stop := strings.IndexByte(s[start:end], ';'); stop >= 0 {
			end = start + stop
		}
	}
	return start, end, end > start && !isMarker(s[start:end])
}

// headerEnd returns the end of a header's value: the end of the line or the closing quote.
func headerEnd(s string) int {
	if end := strings.IndexAny(s, "\"'\r\n"); end >= 0 {
		return end
	}
	return len(s)
}

func findCookieLine(s string, at int) (start, end int, ok bool) {
	from := strings.LastIndexByte(s[:at], '\n') + 1
	line, _, _ := strings.Cut(s[from:], "\n")
	line = strings.TrimRight(line, "\r")
	fields := strings.Split(line, "\t")
	if len(fields) != 7 || !isFlag(fields[1]) || !isFlag(fields[3]) || strings.Trim(fields[4], "0123456789") != "" {
		return 0, 0, false
	}
	end = from + len(line)
	return end - len(fields[6]), end, fields[6] != "" && !isMarker(fields[6])
}

func isFlag(s string) bool { return s == "TRUE" || s == "FALSE" }
