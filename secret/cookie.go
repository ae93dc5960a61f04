package secret

import "strings"

// cookies finds what Cookie: and Set-Cookie: carry, RFC 6265, and the last field
// of a line of a cookie file as curl and browsers' exports write it.
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
	if at >= len("set-") && hasFold(s[at-len("set-"):], "set-") { // its attributes are no secret
		if stop := strings.IndexByte(s[start:end], ';'); stop >= 0 {
			end = start + stop
		}
	}
	return start, end, end > start && !isMarker(s[start:end])
}

// endOfHeader returns where a header's value ends: at the line's end, or at the
// quote that the header stands in.
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
