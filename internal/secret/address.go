package secret

import "strings"

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
