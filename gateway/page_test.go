package gateway

import (
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// pageCode makes a link to the page, and returns its code.
func (d *desk) pageCode(now time.Time) string {
	d.t.Helper()
	link, err := AddPageLink(d.dir, "", d.address, i18n.Korean, now)
	require.NoError(d.t, err)
	base, code, _ := strings.Cut(link, "#")
	require.Equal(d.t, "http://"+d.address+"/page", base)
	return code
}

// send sends a request as a browser could, and returns the status, the body and the headers.
func (d *desk) send(method, path, body string, header http.Header) (int, string, http.Header) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, "http://"+d.address+path, strings.NewReader(body))
	require.NoError(d.t, err)
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	require.NoError(d.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(d.t, err)
	return answer.StatusCode, string(text), answer.Header
}

// session opens a session, and returns its cookie and key.
func (d *desk) session() (cookie, key string) {
	d.t.Helper()
	status, body, header := d.send("POST", "/page/session", d.pageCode(time.Now()), http.Header{"Origin": {"http://" + d.address}})
	require.Equal(d.t, 200, status, body)
	cookie, _, _ = strings.Cut(header.Get("Set-Cookie"), ";")
	_, key, _ = strings.Cut(body, `"key":"`)
	key, _, _ = strings.Cut(key, `"`)
	require.Len(d.t, key, 64)
	return cookie, key
}

func TestThreat32ThePagesLinkOpensOneSessionWithinAMinute(t *testing.T) {
	d := newDesk(t, nil)
	own := http.Header{"Origin": {"http://" + d.address}}
	code := d.pageCode(time.Now())
	stored, err := os.ReadFile(TokensPath(d.dir))
	require.NoError(t, err)
	require.NotContains(t, string(stored), code)

	status, _, _ := d.send("POST", "/page/session", code, nil)
	require.Equal(t, 403, status) // from no page
	status, _, _ = d.send("POST", "/page/session", code, http.Header{"Origin": {"http://localhost:3000"}})
	require.Equal(t, 403, status)
	status, _, header := d.send("POST", "/page/session", code, own)
	require.Equal(t, 200, status)
	cookie := header.Get("Set-Cookie")
	require.Contains(t, cookie, "; HttpOnly")
	require.Contains(t, cookie, "; SameSite=Strict")
	require.Contains(t, cookie, "Path=/page;")
	status, _, _ = d.send("POST", "/page/session", code, own)
	require.Equal(t, 401, status, "a code opens one session")

	for name, code := range map[string]string{
		"late": d.pageCode(time.Now().Add(-linkTime)), "none": "", "another": strings.Repeat("0", 64), "a token": d.tokens[Approve], "long": strings.Repeat("0", 1000),
	} {
		status, _, _ := d.send("POST", "/page/session", code, own)
		require.Contains(t, []int{400, 401}, status, name)
	}
	status, _, _ = d.send("GET", "/page?code="+d.pageCode(time.Now()), "", nil)
	require.Equal(t, 400, status)

	fresh := d.pageCode(time.Now())
	var group sync.WaitGroup
	opened := make(chan int, 20)
	for range cap(opened) {
		group.Go(func() {
			_, _, _, err := openSession(d.dir, fresh, time.Now())
			if err == nil {
				opened <- 1
			}
		})
	}
	group.Wait()
	require.Len(t, opened, 1, "at the same time too")
}

func TestThreat32ThePageNeedsItsOriginItsCookieAndItsKey(t *testing.T) {
	d := newDesk(t, nil)
	cookie, key := d.session()
	protocols := "blunux-ai-page, key." + key + ", lang.ko"
	good := func() http.Header {
		return http.Header{"Origin": {"http://" + d.address}, "Cookie": {cookie}, "Sec-Websocket-Protocol": {protocols}}
	}
	with := func(name string, values ...string) http.Header {
		h := good()
		h[name] = values
		return h
	}
	require.Equal(t, 101, d.handshake("/page/socket", "", good()))
	for name, header := range map[string]http.Header{
		"no origin":           with("Origin"),
		"a foreign origin":    with("Origin", "https://example.com"),
		"another port":        with("Origin", "http://127.0.0.1:3000"),
		"two origins":         with("Origin", "http://"+d.address, "https://example.com"),
		"no cookie":           with("Cookie"),
		"another cookie":      with("Cookie", cookie[:len(cookie)-1]+"x"),
		"no key":              with("Sec-Websocket-Protocol", "blunux-ai-page"),
		"another key":         with("Sec-Websocket-Protocol", "blunux-ai-page, key."+strings.Repeat("0", 64)),
		"a token as the key":  with("Sec-Websocket-Protocol", "blunux-ai-page, key."+d.tokens[Approve]),
		"a token as a header": {"Origin": {"http://" + d.address}, "Authorization": {"Bearer " + d.tokens[Approve]}},
	} {
		require.Equal(t, 403, d.handshake("/page/socket", "", header), name)
	}
	require.Equal(t, 403, d.handshake("/page/socket", "evil.example", good()))
	_, value, _ := strings.Cut(cookie, "=")
	for _, text := range []string{value, key, value + "." + key} {
		require.Equal(t, 401, d.handshake("/", "", http.Header{"Authorization": {"Bearer " + text}}), "a session is no token")
	}

	// It is listed and revoked like a token, and ends by itself.
	all, err := ReadTokens(d.dir)
	require.NoError(t, err)
	session := all[len(all)-1]
	require.Regexp(t, `^page-[0-9a-f]{4}$`, session.Name)
	require.Equal(t, Approve, session.Scope)
	require.NoError(t, RemoveToken(d.dir, session.Name))
	require.Equal(t, 403, d.handshake("/page/socket", "", good()))
	ts := &tokens{dir: d.dir, now: func() time.Time { return time.Now().Add(sessionTime) }}
	cookie, key = d.session()
	_, value, _ = strings.Cut(cookie, "=")
	_, ok := ts.findSession(value, key)
	require.False(t, ok)
	require.NoError(t, EndSessions(d.dir))
	status, _, _ := d.send("GET", "/page/session", "", http.Header{"Cookie": {cookie}, "Blunux-Ai-Key": {key}})
	require.Equal(t, 403, status)
}

func TestARevokedSessionDisconnectsItsPage(t *testing.T) {
	d := newDesk(t, nil)
	cookie, key := d.session()
	ws, _, err := websocket.Dial(t.Context(), "ws://"+d.address+"/page/socket", &websocket.DialOptions{
		HTTPHeader:   http.Header{"Origin": {"http://" + d.address}, "Cookie": {cookie}},
		Subprotocols: []string{pageProtocol, keyProtocol + key, langProtocol + "ko"},
	})
	require.NoError(t, err)
	defer ws.CloseNow()
	d.write(ws, `{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"id":"a","text":"one","channelId":"page"}}`)
	require.NotEmpty(t, d.read(ws).Result)
	require.NotEmpty(t, d.read(ws).Params)
	sent := d.link.messages(ipc.TypeMessage)[0]
	require.Equal(t, "page/main/page/", sent.Session)
	require.NoError(t, EndSessions(d.dir))
	require.Equal(t, websocket.StatusPolicyViolation, d.awaitClose(ws))
}

func TestThePageIsServedWithItsPolicyAndWithoutSecrets(t *testing.T) {
	d := newDesk(t, nil)
	for path, want := range map[string]struct {
		status     int
		kind, text string
	}{
		"/page":              {200, "text/html; charset=utf-8", "<main"},
		"/page/":             {200, "text/html; charset=utf-8", "<main"},
		"/page/page.css":     {200, "text/css; charset=utf-8", "prefers-color-scheme"},
		"/page/page.js":      {200, "text/javascript; charset=utf-8", "use strict"},
		"/page/texts/ko":     {200, "application/json", "승인 대기"},
		"/page/texts/zh":     {200, "application/json", "等待批准"},
		"/page/texts/xx":     {404, "text/plain; charset=utf-8", ""},
		"/page/page.html":    {404, "text/plain; charset=utf-8", ""},
		"/page/tokens.json":  {404, "text/plain; charset=utf-8", ""},
		"/page/../tokens":    {404, "text/plain; charset=utf-8", ""},
		"/page/socket":       {403, "text/plain; charset=utf-8", ""},
		"/pages":             {404, "text/plain; charset=utf-8", ""},
		"/page/texts/../../": {404, "text/plain; charset=utf-8", ""},
	} {
		status, body, header := d.send("GET", path, "", nil)
		require.Equal(t, want.status, status, path)
		require.Contains(t, body, want.text, path)
		require.Equal(t, want.kind, header.Get("Content-Type"), path)
		require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"), path)
		if isPagePath(path) {
			require.Equal(t, pagePolicy, header.Get("Content-Security-Policy"), path)
			require.Equal(t, "no-referrer", header.Get("Referrer-Policy"), path)
		}
	}
	status, _, header := d.send("GET", "/page/page.js", "", nil)
	require.Equal(t, 200, status)
	status, body, _ := d.send("GET", "/page/page.js", "", http.Header{"If-None-Match": {header.Get("Etag")}})
	require.Equal(t, 304, status)
	require.Empty(t, body)
	for _, bad := range []http.Header{{"Host": {"evil.example"}}, {"Origin": {"https://example.com"}}, {"Origin": {"null"}}} {
		status, _, _ := d.send("GET", "/page", "", bad)
		require.Equal(t, 403, status, "%v", bad)
	}
	status, _, _ = d.send("DELETE", "/page", "", nil)
	require.Equal(t, 405, status)
	script, err := pageFiles.ReadFile("page/page.js")
	require.NoError(t, err)
	for _, way := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "setAttribute(\"on"} {
		require.NotContains(t, string(script), way, "text must not become markup")
	}
}

func TestThreat32AProxyOfThePersonServesThePageUnderItsNameOnly(t *testing.T) {
	d := newDesk(t, nil)
	for _, bad := range []string{"http://desk.example", "https://", "https://desk.example/x", "https://u@desk.example", "desk.example", "https://desk.example/?x", "https://desk.example#x"} {
		_, err := AddPageLink(d.dir, bad, d.address, i18n.English, time.Now())
		require.ErrorIs(t, err, ErrPageAddress, bad)
	}
	proxied := http.Header{"Host": {"desk.example.ts.net"}, "Origin": {"https://desk.example.ts.net"}}
	status, _, _ := d.send("GET", "/page", "", proxied)
	require.Equal(t, 403, status)
	link, err := AddPageLink(d.dir, "https://Desk.example.ts.net/", d.address, i18n.English, time.Now())
	require.NoError(t, err)
	base, code, _ := strings.Cut(link, "#")
	require.Equal(t, "https://Desk.example.ts.net/page", base)
	status, _, _ = d.send("GET", "/page", "", proxied)
	require.Equal(t, 200, status)
	status, _, _ = d.send("GET", "/page", "", http.Header{"Host": {"desk.example.ts.net"}, "Origin": {"http://desk.example.ts.net"}})
	require.Equal(t, 403, status)
	status, _, header := d.send("POST", "/page/session", code, proxied)
	require.Equal(t, 200, status)
	require.Contains(t, header.Get("Set-Cookie"), "; Secure")
	require.Equal(t, 403, d.handshake("/", "desk.example.ts.net", nil), "the name is the page's only")
}

func TestTheNumberOfSessionsIsBounded(t *testing.T) {
	d := newDesk(t, nil)
	now := time.Now()
	for i := range maxSessions + 5 {
		_, err := AddPageLink(d.dir, "", d.address, i18n.English, now.Add(time.Duration(i)*time.Second))
		require.NoError(t, err)
	}
	all, err := ReadTokens(d.dir)
	require.NoError(t, err)
	require.Len(t, all, maxSessions+len(Scopes()))
	require.NoError(t, removeExpired(d.dir, now.Add(time.Hour)))
	all, err = ReadTokens(d.dir)
	require.NoError(t, err)
	require.Len(t, all, len(Scopes()), "tokens do not expire")
	for _, name := range []string{"page", "page-1"} {
		_, err := AddToken(d.dir, name, Read, now)
		require.ErrorIs(t, err, ErrTokenName, name)
	}
}

func TestAQuestionIsShownWithEveryCharacterVisible(t *testing.T) {
	q := question{ask: ipc.Ask{
		Code: "K7QX", Digest: "sha256:00", Tool: "run_command", Class: "CONFIRM", Command: "rm \u202egpj.exe\x1b[2K\necho  done", Cwd: "/home/\u200bkim",
		Reasons: []string{"control-character"}, Warnings: []string{"untrusted-read"}, Files: []ipc.AskFile{{Path: "/x\u2066", SHA256: "sha256:0123456789abcdef"}},
	}, of: conversation{Token: "page", Channel: "page"}}
	for _, lang := range i18n.Languages {
		s := q.show(lang)
		require.Equal(t, []ShowRow{{"command", "1", `rm ⟨\u{202E}⟩gpj.exe⟨\x1b⟩[2K`}, {"command", "2", "echo␣␣done"}}, s.Rows)
		require.Equal(t, `/home/⟨\u{200B}⟩kim`, s.Directory)
		require.Equal(t, []string{`sha256:0123456789ab… /x⟨\u{2066}⟩`}, s.Files)
		require.Len(t, s.Warnings, 1)
		require.NotEqual(t, "untrusted-read", s.Warnings[0])
	}
	require.Equal(t, []string{}, q.show(i18n.English).Foreseen)
	q.ask.Foreseen = "2 updates\n  linux, ht\u202eop"
	require.Equal(t, []string{"2 updates", "  linux, htop"}, q.show(i18n.English).Foreseen)
	require.Equal(t, q.ask.Foreseen, q.request().Foreseen)
	q.ask.Command = "cp a b\ntouch \u202ex"
	q.ask.Plan = []ipc.PlanStep{
		{Number: 1, Of: 2, Command: "cp a b", Back: ipc.BackNo, Check: "test -e b"},
		{Number: 2, Of: 2, Command: "touch \u202ex", Back: ipc.BackYes, Detail: "-old\u202e\n+new"},
	}
	kinds := ""
	for _, r := range q.show(i18n.English).Rows {
		kinds += r.Kind[:1]
		require.NotContains(t, r.Text, "\u202e")
	}
	require.Equal(t, "cnnwcnra", kinds)
}
