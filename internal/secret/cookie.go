package secret

import "strings"

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
