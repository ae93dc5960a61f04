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
	{T("파일이나 폴더가 없어요", "there is no such file or folder", "文件或文件夹不存在"), []string{"no such file or directory", "file does not exist"}},
	{T("권한이 없어요", "permission denied", "没有权限"), []string{"permission denied", "operation not permitted"}},
	{T("이미 있어요", "it already exists", "已存在"), []string{"file exists", "file already exists"}},
	{T("파일이 아니라 폴더예요", "it is a folder, not a file", "是文件夹而不是文件"), []string{"is a directory"}},
	{T("폴더가 아니에요", "it is not a folder", "不是文件夹"), []string{"not a directory"}},
	{T("폴더가 비어 있지 않아요", "the folder is not empty", "文件夹不为空"), []string{"directory not empty"}},
	{T("디스크가 가득 찼어요", "the disk is full", "磁盘已满"), []string{"no space left on device", "disk quota exceeded"}},
	{T("읽기 전용 파일 시스템이에요", "the file system is read-only", "文件系统为只读"), []string{"read-only file system"}},
	{T("디스크를 읽거나 쓸 수 없어요", "the disk cannot be read or written", "磁盘无法读写"), []string{"input/output error"}},
	{T("열린 파일이 너무 많아요", "too many files are open", "打开的文件过多"), []string{"too many open files", "too many open files in system"}},
	{T("이름이 너무 길어요", "the name is too long", "名称过长"), []string{"file name too long"}},
	{T("다른 프로그램이 쓰고 있어요", "another program is using it", "正被其他程序使用"), []string{
		"device or resource busy", "text file busy", "address already in use", "resource temporarily unavailable",
	}},
	{T("메모리가 부족해요", "there is not enough memory", "内存不足"), []string{"cannot allocate memory"}},
	{T("프로그램이 설치돼 있지 않아요", "the program is not installed", "程序未安装"), []string{"executable file not found in $PATH", "executable file not found"}},
	{T("이 컴퓨터에서 실행할 수 없는 파일이에요", "this computer cannot run that file", "本机无法运行该文件"), []string{"exec format error"}},
	{T("강제로 종료됐어요", "it was killed", "被强制结束"), []string{"signal: killed", "killed"}},
	{T("서버를 찾을 수 없어요", "the server's name cannot be found", "找不到服务器"), []string{
		"no such host", "server misbehaving", "temporary failure in name resolution", "Temporary failure in name resolution", "no suitable address found",
	}},
	{T("소켓이 없어요", "no socket there", "没有套接字"), []string{"no socket there"}},
	{T("시작하자마자 끝났어요", "it ended at once", "启动后立即结束"), []string{"it ended at once"}},
	{T("실행 중이 아니에요", "it is not running", "未在运行"), []string{"it is not"}},
	{T("연결을 받아 주지 않아요", "the connection was refused", "连接被拒绝"), []string{"connection refused"}},
	{T("네트워크에 연결돼 있지 않아요", "there is no network connection", "没有网络连接"), []string{
		"network is unreachable", "no route to host", "network is down", "host is down",
	}},
	{T("연결이 끊어졌어요", "the connection was cut off", "连接中断"), []string{
		"connection reset by peer", "broken pipe", "use of closed network connection", "unexpected EOF", "EOF", "connection aborted",
		"software caused connection abort", "server closed idle connection", "client connection lost", "transport endpoint is not connected",
	}},
	{T("제때 응답이 없어요", "no answer in time", "未及时响应"), []string{
		"i/o timeout", "context deadline exceeded", "connection timed out", "operation timed out", "deadline exceeded", "TLS handshake timeout", "it did not listen in time",
		"timeout awaiting response headers", "timed out", "signal: alarm clock",
	}},
	{T("취소했어요", "cancelled", "已取消"), []string{"context canceled", "operation was canceled", "request canceled", "interrupted system call"}},
	{T("서버의 인증서를 믿을 수 없어요", "the server's certificate cannot be trusted", "无法信任服务器的证书"), []string{"x509"}},
	{T("안전한 연결을 만들 수 없어요", "no secure connection could be made", "无法建立安全连接"), []string{"tls", "remote error", "http: server gave HTTP response to HTTPS client"}},
	{T("서버의 응답을 이해할 수 없어요", "the server's answer makes no sense", "无法理解服务器的响应"), []string{
		"malformed HTTP response", "malformed HTTP status code", "net/http",
	}},
	{T("주소가 올바르지 않아요", "the address is not valid", "地址无效"), []string{"unsupported protocol scheme", "missing protocol scheme", "no Host in request URL", "invalid port"}},
	{T("올바른 JSON이 아니에요", "it is not valid JSON", "不是有效的 JSON"), []string{"unexpected end of JSON input", "invalid character", "json"}},
	{T("값이 올바르지 않아요", "the value is not accepted", "值无效"), []string{"invalid argument", "value too large for defined data type", "invalid syntax"}},
}

// causePrefixes maps the beginnings of error texts that are followed by a detail.
var causePrefixes = map[string]string{
	"invalid character '": "invalid character", "malformed HTTP": "malformed HTTP response", "unsupported protocol scheme": "unsupported protocol scheme",
	"nothing arrived for ": "timed out", "no complete answer after ": "timed out", "no answer in the time allowed": "timed out",
	"it did not listen within ": "it did not listen in time", "the connection was cut off": "EOF", "the answer was cut off": "EOF", "the answer took too long": "timed out", "invalid port ": "invalid port",
}

var (
	endedWith = T("상태 %s{으로/로} 끝났어요", "it ended with status %s", "以状态 %s 结束")
	noCause   = T("알 수 없는 까닭으로 실패했어요", "it failed for an unknown reason", "因未知原因失败")
)

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
		at, why = slices.IndexFunc(parts, call)+1, noCause.In(lang)
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

// findCause returns the index of the part that contains a known cause, and its text. The index is -1 if there
// is none.
func findCause(parts []string, lang Lang) (int, string) {
	for i, part := range parts {
		if status, ok := strings.CutPrefix(part, "exit status "); ok && strings.Trim(status, "0123456789") == "" {
			return i, endedWith.In(lang, status)
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
