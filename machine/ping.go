package machine

var pingTime = pattern(`(?:time|시간|时间)[=<]\s*([\d.]+)\s*(?:ms|밀리초|毫秒)?`)

// ParsePing returns the round trip of the first answer in ping's output (ping(8)), in milliseconds as printed.
func ParsePing(text []byte) (string, error) {
	m := pingTime().FindSubmatch(text)
	if m == nil {
		return "", &UnreadableError{Source: "ping"}
	}
	return string(m[1]), nil
}
