package secret

import "strings"

// address finds the password in scheme://user:password@host (RFC 3986 section 3.2.1), and a token alone before
// the host.
func address() shape {
	var anchors []string
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		anchors = append(anchors, string(c)+"://")
	}
	return shape{anchors, rule{name: "url-password", find: userinfo, wide: true}}
}

// maxAuthority bounds how far a URL's user and host are scanned, in bytes.
const maxAuthority = 1 << 10

func userinfo(s string, at int) (start, end int, ok bool) {
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
	if colon := colonIn(user); colon >= 0 {
		password := user[colon+1:]
		return start + colon + 1, start + host, password != "" && !isMarker(password) && !placeholder(password)
	}
	return start, start + host, credential(user, made, false)
}

// colonIn returns the offset of the first colon outside markers, or -1.
func colonIn(user string) int {
	for i := 0; i < len(user); i++ {
		if end := strings.IndexByte(user[i:], ']'); end >= 0 && strings.HasPrefix(user[i:], markerStart) {
			i += end
		} else if user[i] == ':' {
			return i
		}
	}
	return -1
}

// bearer finds the token after the word Bearer (RFC 6750).
func bearer() shape {
	alphabet := alphabetOf("-._~+/=")
	return shape{[]string{"bear"}, rule{name: "bearer-token", wide: true, find: func(s string, at int) (int, int, bool) {
		start := blanks(s, at+len("bearer"))
		if !hasFold(s[at:], "bearer") || start == at+len("bearer") {
			return 0, 0, false
		}
		end := alphabet.run(s, start)
		return start, end, end-start >= 16 && classesOf(s[start:end]).digit
	}}}
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// header finds the value after Authorization: and the name of the scheme (RFC 9110 section 11.6.2).
func header() shape {
	const name, before = "authorization", len("autho")
	return shape{[]string{"riza"}, rule{name: "authorization", wide: true, find: func(s string, at int) (int, int, bool) {
		begin := at - before
		if begin < 0 || !hasFold(s[begin:], name) {
			return 0, 0, false
		}
		value, sign := signBehind(s, begin, begin+len(name))
		if sign != colon && sign != equals {
			return 0, 0, false
		}
		value += quoteAt(s, value)
		start := value
		for _, scheme := range []string{"bearer", "basic", "token", "apikey", "negotiate", "bot"} {
			if after := blanks(s, value+min(len(scheme), len(s)-value)); hasFold(s[value:], scheme) && after > value+len(scheme) {
				start = after
			}
		}
		end := start
		for end < len(s) && !endsValue(s, end) {
			end++
		}
		// Some schemes have a list of values, including the signature.
		for _, scheme := range []string{"digest ", "aws4-hmac-sha256 ", "hawk ", "oauth ", "signature "} {
			if hasFold(s[value:], scheme) {
				start = value + len(scheme)
				end = start + len(strings.TrimRight(firstLine(s[start:]), "'\" \t\r"))
				return start, end, end > start && !strings.HasPrefix(s[start:], markerStart)
			}
		}
		if start == value {
			return start, end, credential(s[start:end], made, false)
		}
		return start, end, end-start >= 8 && !isMarker(s[start:end]) && !placeholder(s[start:end])
	}}}
}

// firstLine returns a text up to its first line feed.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
