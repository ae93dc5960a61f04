package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/nidoit/blunux-ai/tools/mcpclient/dial"
)

func TestMain(m *testing.M) {
	if how := os.Getenv("SERVER"); how != "" {
		serve(how)
		return
	}
	os.Exit(m.Run())
}

// serve is a server process. It starts a child that must end with it.
func serve(how string) {
	child := exec.Command("sleep", "3600")
	_ = child.Start()
	_ = os.WriteFile("child", []byte(strconv.Itoa(child.Process.Pid)), 0o600)
	fmt.Fprintln(os.Stderr, "hello \x1b[2Jfrom the server")
	if how == "garbage" {
		fmt.Println("this is no JSON")
		time.Sleep(time.Hour)
	}
	m := server("read")
	m.AddTool(&mcp.Tool{Name: how, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			switch how {
			case "crash":
				os.Exit(3)
			case "flood":
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("flood\n", 1<<20)}}}, nil
			case "stubborn": // neither reads nor exits
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
				select {} // the signal may reach this thread last
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Join(os.Environ(), "\n")}}}, nil
		})
	_ = m.Run(context.Background(), &mcp.StdioTransport{})
	if how == "stays" {
		time.Sleep(time.Hour)
	}
}

// program is a stage with one real server process.
func program(t *testing.T, how string) (s *stage, dir string) {
	t.Setenv("A_KEY", "sk-not-for-you")
	s, dir = newStage(t, nil), t.TempDir()
	s.use(dial.Dialer{}, mcpclient.Options{StartTimeout: 10 * time.Second, ListTimeout: 10 * time.Second})
	s.Configure([]mcpclient.Server{{Name: "p", Command: []string{os.Args[0]}, Dir: dir, Env: []string{"SERVER=" + how, "PATH=/usr/bin:/bin"}, Timeout: time.Minute}}, nil, clean)
	return s, dir
}

// requireGone waits until the server's child has ended.
func requireGone(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "child"))
	require.NoError(t, err)
	pid, err := strconv.Atoi(string(text))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, time.Minute, 5*time.Millisecond, "what the server started is still there")
}

func TestThreat33AServerGetsItsOwnEnvironmentAndGoesWithAllItStarted(t *testing.T) {
	for _, how := range []string{"env", "stays"} {
		t.Run(how, func(t *testing.T) {
			s, dir := program(t, how)
			var out strings.Builder
			failed, err := s.Call(t.Context(), s.callOf(how), &out)
			require.NoError(t, err)
			require.False(t, failed)
			require.Contains(t, out.String(), "SERVER="+how)
			require.NotContains(t, out.String(), "sk-not-for-you")
			s.Close()
			requireGone(t, dir)
			require.Contains(t, s.logText(), "p: stderr: hello [2Jfrom the server")
		})
	}
}

func TestAProgramThatCrashesInACallIsToldAndOthersGoOn(t *testing.T) {
	for how, want := range map[string]string{"crash": "server p does not answer", "flood": "server p does not answer"} {
		t.Run(how, func(t *testing.T) {
			s, dir := program(t, how)
			_, err := s.Call(t.Context(), s.callOf(how), &strings.Builder{})
			require.ErrorContains(t, err, want)
			require.Eventually(t, func() bool { return len(s.Problems()) == 1 }, time.Minute, 5*time.Millisecond)
			requireGone(t, dir)
		})
	}
}

func TestAProgramThatStopsReadingIsEndedWithItsCall(t *testing.T) {
	s, dir := program(t, "stubborn")
	call := s.callOf("stubborn")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.Call(ctx, call, &strings.Builder{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	requireGone(t, dir)
}

func TestAProgramThatSpeaksSomethingElseIsTold(t *testing.T) {
	s, dir := program(t, "garbage")
	require.Empty(t, s.Tools())
	require.ErrorContains(t, s.Ready(t.Context(), action.ForeignCall{Server: "p"}), "server p does not answer")
	requireGone(t, dir)
}

func TestAProgramThatIsNotThereIsTold(t *testing.T) {
	s, _ := program(t, "env")
	s.Configure([]mcpclient.Server{{Name: "p", Command: []string{"there-is-no-such-program"}, Env: []string{"PATH=/usr/bin"}}}, nil, clean)
	require.Empty(t, s.Tools())
	require.Equal(t, []string{"server p does not answer: the program there-is-no-such-program is not installed"}, s.Problems())
}

func TestAServerWithAnAddressIsCalledThere(t *testing.T) {
	m := server("read")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return m }, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	s, _ := program(t, "env")
	s.Configure([]mcpclient.Server{{Name: "web", URL: web.URL, Timeout: time.Minute}}, nil, clean)
	var out strings.Builder
	_, err := s.Call(t.Context(), s.callOf("read"), &out)
	require.NoError(t, err)
	require.Equal(t, "read{\"a\":1}\n", out.String())
	s.Close()

	elsewhere := httptest.NewServer(http.RedirectHandler(web.URL, http.StatusTemporaryRedirect))
	t.Cleanup(elsewhere.Close)
	s, _ = program(t, "env")
	s.Configure([]mcpclient.Server{{Name: "web", URL: elsewhere.URL}}, nil, clean)
	require.Empty(t, s.Tools())
	require.Contains(t, s.Problems()[0], "redirect to another server refused")
}
