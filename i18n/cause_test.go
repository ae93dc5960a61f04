package i18n

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// goWords matches words that users must not see in any language.
const goWords = `dial tcp|dial unix|\bEOF\b|context (deadline|canceled)|i/o timeout|lookup |no such host|Get "|Post "|fork/exec|` +
	`unmarshal|invalid character|x509|tls:|exit status|syscall|goroutine|nil pointer|open /|stat /|connect:|read:|write:|errno`

// failures returns real errors of the system and the Go library.
func failures(t *testing.T) map[string]error {
	t.Helper()
	dir := t.TempDir()
	_, noFile := os.Open(filepath.Join(dir, "none"))
	_, isDir := os.ReadFile(dir)
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := closed.Addr().String()
	closed.Close()
	_, refused := net.Dial("tcp", address)
	_, web := http.Get("http://" + address + "/v1/models")
	_, noSocket := net.Dial("unix", filepath.Join(dir, "s.sock"))
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, tooLate := (&net.Dialer{}).DialContext(late, "tcp", address)
	noProgram := exec.Command("blunux-no-such-program").Run()
	noPath := exec.Command(filepath.Join(dir, "none")).Run()
	status := exec.Command("sh", "-c", "exit 3").Run()
	var v struct{ A int }
	return map[string]error{
		"no file": noFile, "a directory": isDir, "refused": refused, "web": web, "no socket": noSocket, "late": tooLate,
		"no program": noProgram, "no path": noPath, "status": status,
		"syntax": json.Unmarshal([]byte(`{"a"`), &v), "character": json.Unmarshal([]byte(`xyz`), &v), "type": json.Unmarshal([]byte(`{"a":"b"}`), &v),
		"eof": io.EOF, "unexpected eof": fmt.Errorf("cannot read the answer: %w", io.ErrUnexpectedEOF), "deadline": context.DeadlineExceeded,
		"wrapped deadline": fmt.Errorf(`Post "https://api.example.org/v1": %w (Client.Timeout exceeded while awaiting headers)`, context.DeadlineExceeded),
		"cancelled":        fmt.Errorf("asking: %w", context.Canceled),
		"no host":          &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "api.example.org", Server: "127.0.0.53:53"}},
		"reset":            &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
		"full":             &fs.PathError{Op: "write", Path: "/home/blu/notes", Err: syscall.ENOSPC},
		"no rights":        fmt.Errorf("cannot keep the log: %w", &fs.PathError{Op: "open", Path: "/home/blu/log", Err: syscall.EACCES}),
		"link":             &os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: syscall.EXDEV},
		"certificate":      errors.New(`Get "https://h/": tls: failed to verify certificate: x509: certificate signed by unknown authority`),
		"unknown":          errors.New(`dial tcp: something new`),
		"timeout":          &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}, Err: os.ErrDeadlineExceeded},
		"joined":           errors.Join(noFile, io.EOF),
	}
}

func TestU2GoErrorsReachNoPersonInAnyLanguage(t *testing.T) {
	for name, err := range failures(t) {
		for _, lang := range []Lang{Korean, English, Chinese} {
			for _, said := range []string{
				Cause(err, lang), PlainCause(err.Error(), lang), CannotReadStdin(err).In(lang), ErrorText(err, lang), ErrorText(CannotReadStdin(err).WithCause(err), lang),
			} {
				require.NotRegexp(t, goWords, said, "%s in %s: %v", name, lang, err)
				require.NotEmpty(t, said)
				if lang != English {
					require.True(t, isTranslated(said), "%s in %s: %q", name, lang, said)
				}
			}
		}
	}
}

func TestU2CausesKeepWhatTheyAreAbout(t *testing.T) {
	for _, c := range []struct{ in, ko, en, zh string }{
		{
			"cannot open the key: open /home/blu/key: permission denied", "/home/blu/key: 권한이 없어요",
			"cannot open the key: /home/blu/key: permission denied", "/home/blu/key: 没有权限",
		},
		{
			"dial tcp: lookup api.example.org on 127.0.0.53:53: no such host", "api.example.org: 서버를 찾을 수 없어요",
			"api.example.org: cannot find the server", "api.example.org: 找不到服务器",
		},
		{
			`Post "http://127.0.0.1:9/v1": dial tcp 127.0.0.1:9: connect: connection refused`, "127.0.0.1:9: 연결이 거부됐어요",
			"127.0.0.1:9: connection refused", "127.0.0.1:9: 连接被拒绝",
		},
		{"connect: no socket there", "소켓이 없어요", "no socket", "没有套接字"},
		{"/usr/bin/blunux-ai daemon: it ended at once", "/usr/bin/blunux-ai: 시작하자마자 끝났어요", "/usr/bin/blunux-ai daemon: exited immediately", "/usr/bin/blunux-ai: 启动后立即结束"},
		{"exit status 7", "종료 코드 7로 끝났어요", "exited with status 7", "以退出码 7 结束"},
		{"your balance is too low", "your balance is too low", "your balance is too low", "your balance is too low"},
		{"Permission denied for this key", "Permission denied for this key", "Permission denied for this key", "Permission denied for this key"},
		{"열 수 없어요: open /x: file exists", "열 수 없어요: /x: 이미 있어요", "열 수 없어요: /x: already exists", "열 수 없어요: /x: 已存在"},
	} {
		require.Equal(t, c.ko, PlainCause(c.in, Korean))
		require.Equal(t, c.en, PlainCause(c.in, English))
		require.Equal(t, c.zh, PlainCause(c.in, Chinese))
	}
	require.Empty(t, Cause(nil, Korean))
	require.Contains(t, Cause(&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}, Err: os.ErrDeadlineExceeded}, English), "10.0.0.1:443")
	require.Equal(t, "no response in time", Cause(context.DeadlineExceeded, English))
}
