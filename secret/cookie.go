package secret

import "strings"

// cookies finds the values of Cookie: and Set-Cookie: headers (RFC 6265), and the last field of lines in cookie
// files of curl and browser exports.
func cookies() []shape {
	return []shape{
		{[]string{"cookie"}, rule{name: "cookie", find: cookieHeader}},
		{[]string{"\ttrue", "\tfalse"}, rule{name: "cookie", find: cookieLine}},
	}
}

func cookieHeader(s string, at int) (start, end int, ok bool) {
	if !hasFold(s[at:], "cookie") {
		return 0, 0, false
	}
	value, sign := signBehind(s, at, at+len("cookie"))
	if sign != colon {
		return 0, 0, false
	}
	value += quoteAt(s, value)
	end = value + endOfHeader(s[value:])
	equals := strings.IndexByte(s[value:end], '=')
	if equals <= 0 || strings.ContainsAny(s[value:value+equals], " ,\t") {
		return 0, 0, false
	}
	start = value + equals + 1
	if at >= len("set-") && hasFold(s[at-len("set-"):], "set-") { // its attributes are not secret
		if stop := strings.IndexByte(s[start:end], ';'); stop >= 0 {
			end = start + stop
		}
	}
	return start, end, end > start && !isMarker(s[start:end])
}

// endOfHeader returns the end of a header's value: the end of the line or the closing quote.
func endOfHeader(s string) int {
	if end := strings.IndexAny(s, "\"'\r\n"); end >= 0 {
		return end
	}
	return len(s)
}

func cookieLine(s string, at int) (start, end int, ok bool) {
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
