package gateway

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// page opens a WebSocket to its own server, to show that it can, and then to the gateway under two names, with and without
// a token in the address.
const page = `<!doctype html><script>
const tries = [location.origin.replace("http", "ws") + "/ws", "ws://%[1]s/", "ws://localhost:%[2]s/", "ws://%[1]s/?token=%[3]s"];
const open = address => new Promise(done => {
  const ws = new WebSocket(address);
  ws.onopen = () => done("open"); ws.onerror = () => done("error");
});
(async () => {
  const results = [];
  for (const address of tries) results.push(await open(address));
  try { await fetch("http://%[1]s/"); results.push("read"); } catch { results.push("error"); }
  await fetch("/results", {method: "POST", body: results.join(" ")});
})();
</script>`

func TestThreat32APageInARealBrowserCannotReachTheGateway(t *testing.T) {
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed")
	}
	d := newDesk(t, nil)
	_, port, err := net.SplitHostPort(d.address)
	require.NoError(t, err)
	results := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, d.address, port, d.tokens[Approve])
	})
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
		if ws, err := websocket.Accept(w, r, nil); err == nil {
			defer ws.CloseNow()
			_, _, _ = ws.Read(r.Context()) // until the page leaves
		}
	})
	mux.HandleFunc("POST /results", func(_ http.ResponseWriter, r *http.Request) {
		text := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(text)
		results <- string(text)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // ends with the test
	}()
	dir, err := os.MkdirTemp("", "gateway-page-")
	require.NoError(t, err)
	defer os.RemoveAll(dir) // as far as the browser's processes have ended
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	browser := exec.CommandContext(ctx, "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+dir, "http://"+l.Addr().String()+"/")
	browser.Env = append(os.Environ(), "HOME="+dir)
	browser.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	browser.Cancel = func() error { return syscall.Kill(-browser.Process.Pid, syscall.SIGKILL) }
	require.NoError(t, browser.Start())
	select {
	case got := <-results:
		require.Equal(t, "open error error error error", got)
	case <-ctx.Done():
		t.Error("the page did not finish")
	}
	cancel()
	_ = browser.Wait() // it was killed
	server.Close()
	<-served
	require.Empty(t, d.gateway.members())
	require.Zero(t, d.link.starts())
}
