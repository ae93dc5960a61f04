package i18n

import (
	"errors"
	"slices"
	"strings"
)

// causes maps error texts of the system, the network and the Go library to plain texts.
var causes = []struct {
	text  Text
	words []string
}{
	{CausesNoFile, []string{"no such file or directory", "file does not exist"}},
	{CausesPermission, []string{"permission denied", "operation not permitted"}},
	{CausesExists, []string{"file exists", "file already exists"}},
	{CausesIsFolder, []string{"is a directory"}},
	{CausesNoFolder, []string{"not a directory"}},
	{CausesFolderNotEmpty, []string{"directory not empty"}},
	{CausesDiskFull, []string{"no space left on device", "disk quota exceeded"}},
	{CausesReadOnly, []string{"read-only file system"}},
	{CausesDiskError, []string{"input/output error"}},
	{CausesTooManyFiles, []string{"too many open files", "too many open files in system"}},
	{CausesLongName, []string{"file name too long"}},
	{CausesInUse, []string{
		"device or resource busy", "text file busy", "address already in use", "resource temporarily unavailable",
	}},
	{CausesNoMemory, []string{"cannot allocate memory"}},
	{CausesNoProgram, []string{"executable file not found in $PATH", "executable file not found"}},
	{CausesForeignProgram, []string{"exec format error"}},
	{CausesKilled, []string{"signal: killed", "killed"}},
	{CausesNoServer, []string{
		"no such host", "server misbehaving", "temporary failure in name resolution", "Temporary failure in name resolution", "no suitable address found",
	}},
	{CausesNoSocket, []string{"no socket there"}},
	{CausesEndedAtOnce, []string{"it ended at once"}},
	{CausesNotRunning, []string{"it is not"}},
	{CausesRefused, []string{"connection refused"}},
	{CausesNoNetwork, []string{
		"network is unreachable", "no route to host", "network is down", "host is down",
	}},
	{CausesCut, []string{
		"connection reset by peer", "broken pipe", "use of closed network connection", "unexpected EOF", "EOF", "connection aborted",
		"software caused connection abort", "the connection to the daemon was lost before the answer was complete", "server closed idle connection", "client connection lost", "transport endpoint is not connected",
	}},
	{CausesTimeout, []string{
		"i/o timeout", "context deadline exceeded", "connection timed out", "operation timed out", "deadline exceeded", "TLS handshake timeout", "it did not listen in time",
		"timeout awaiting response headers", "timed out", "signal: alarm clock",
	}},
	{CausesCancelled, []string{"context canceled", "operation was canceled", "request canceled", "interrupted system call"}},
	{CausesCertificate, []string{"x509"}},
	{CausesNoTls, []string{"tls", "remote error", "http: server gave HTTP response to HTTPS client"}},
	{CausesBadResponse, []string{
		"malformed HTTP response", "malformed HTTP status code", "net/http",
	}},
	{CausesBadAddress, []string{"unsupported protocol scheme", "missing protocol scheme", "no Host in request URL", "invalid port"}},
	{CausesBadJson, []string{"unexpected end of JSON input", "invalid character", "json"}},
	{CausesBadValue, []string{"invalid argument", "value too large for defined data type", "invalid syntax"}},
}

// causePrefixes maps the beginnings of error texts that are followed by a detail.
var causePrefixes = map[string]string{
	"invalid character '": "invalid character", "malformed HTTP": "malformed HTTP response", "unsupported protocol scheme": "unsupported protocol scheme",
	"nothing arrived for ": "timed out", "no complete answer after ": "timed out", "no answer in the time allowed": "timed out",
	"it did not listen within ": "it did not listen in time", "the connection was cut off": "EOF", "the answer was cut off": "EOF", "the answer took too long": "timed out", "invalid port ": "invalid port",
}

// goOps are the system calls and functions at the beginning of the Go library's errors.
var goOps = strings.Fields(`open openat read write writev stat lstat statx mkdir remove unlinkat unlink rename link symlink chmod chown chdir
	readdirent fdopendir readlink truncate sync fsync flock fcntl close fork/exec exec dial listen bind accept connect lookup getsockopt setsockopt
	socket copy_file_range sendto recvfrom Get Post Put Head Delete Patch`)

// Cause explains an error in plain words. A [Failure] has its own translations. Errors of the system, the
// network and the Go library are replaced. Other text is kept.
func Cause(err error, lang Lang) string {
	if err == nil {
		return ""
	}
	var told interface{ In(lang Lang) string }
	if errors.As(err, &told) && lang != English {
		return told.In(lang)
	}
	return PlainCause(err.Error(), lang)
}

// PlainCause does the same as [Cause] for an error that is only known as text.
func PlainCause(text string, lang Lang) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = plainLine(line, lang)
	}
	return strings.Join(lines, "\n")
}

// plainLine rewrites one error of the form "what: where: why".
func plainLine(line string, lang Lang) string {
	parts := strings.Split(line, ": ")
	at, why := findCause(parts, lang)
	if at < 0 {
		call := func(part string) bool { return strings.Contains(part, " ") && isGo(part) }
		if !slices.ContainsFunc(parts, call) {
			return line
		}
		at, why = slices.IndexFunc(parts, call)+1, NoCause.In(lang)
	}
	first := at
	for first > 0 && isGo(parts[first-1]) {
		first--
	}
	return join(parts[:first], subjectOf(parts[:at]), why, lang)
}

// join joins the operation, its subject and the cause. The operation is only used in English, because it is not
// translated.
func join(head []string, subject, why string, lang Lang) string {
	words := []string{}
	if said := strings.Join(head, ": "); said != "" && (lang == English || isTranslated(said)) {
		words = append(words, said)
		if strings.Contains(said, subject) {
			subject = ""
		}
	}
	if subject != "" {
		words = append(words, subject)
	}
	return strings.Join(append(words, why), ": ")
}

// isTranslated reports whether a text contains letters beyond ASCII, and therefore is translated already.
func isTranslated(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x1100 })
}

// findCause returns the index of the part that contains a known cause, and its text. The index is -1 if there is none.
func findCause(parts []string, lang Lang) (int, string) {
	for i, part := range parts {
		if status, ok := strings.CutPrefix(part, "exit status "); ok && strings.Trim(status, "0123456789") == "" {
			return i, EndedWith(status).In(lang)
		}
		word, _, _ := strings.Cut(part, " (")
		if word == "signal" || word == "http" {
			word = strings.Join(parts[i:], ": ")
		}
		for begin, means := range causePrefixes {
			if strings.HasPrefix(part, begin) {
				word = means
			}
		}
		for _, c := range causes {
			if slices.Contains(c.words, word) {
				return i, c.text.In(lang)
			}
		}
	}
	return -1, ""
}

// isGo reports whether a part of an error is a system call or Go function with its argument: "open /x", "dial
// tcp 127.0.0.1:9".
func isGo(part string) bool {
	op, with, _ := strings.Cut(part, " ")
	if !slices.Contains(goOps, op) {
		return false
	}
	first, _, more := strings.Cut(with, " ")
	switch {
	case op == "lookup", slices.Contains([]string{"tcp", "tcp4", "tcp6", "udp", "udp4", "udp6", "unix", "unixgram"}, first):
		return true
	case with == "":
		return op == strings.ToLower(op)
	}
	return !more || strings.HasPrefix(with, "/") || strings.HasPrefix(with, `"`)
}

// subjectOf returns the file, address or server named in parts of an error, or "". The last one is the closest
// to the cause.
func subjectOf(parts []string) string {
	for _, part := range slices.Backward(parts) {
		if name, ok := strings.CutPrefix(part, "lookup "); ok {
			name, _, _ = strings.Cut(name, " ")
			return name
		}
		for _, word := range slices.Backward(strings.Fields(part)) {
			if s := nameIn(word); s != "" {
				return s
			}
		}
		if op, name, ok := strings.Cut(part, " "); ok && slices.Contains([]string{"open", "stat", "lstat", "exec"}, op) && isGo(part) {
			return strings.Trim(name, `"`)
		}
	}
	return ""
}

// nameIn returns the file, address or server in a word.
func nameIn(word string) string {
	word = strings.Trim(word, `"'(),;`)
	if _, rest, ok := strings.Cut(word, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		return host
	}
	if _, to, ok := strings.Cut(word, "->"); ok {
		return to
	}
	host, port, ok := cutLast(word, ":")
	switch {
	case strings.HasPrefix(word, "/"), strings.HasPrefix(word, "~/"):
		return word
	case ok && host != "" && port != "" && strings.Trim(port, "0123456789") == "":
		return word
	}
	return ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
