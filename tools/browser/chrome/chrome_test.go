package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/peer"
	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/browser/chrome"
	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/guard"
)

// ordinary is the user that the tests run as if root starts them: Chromium does not run as root in its sandbox.
const ordinary = 4242

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == chrome.EnterArg {
		fmt.Fprintln(os.Stderr, chrome.Enter(os.Args[2:]))
		os.Exit(1)
	}
	if os.Getuid() != 0 {
		os.Exit(m.Run())
	}
	os.Exit(runAsOrdinary())
}

// runAsOrdinary runs this program as an ordinary user and returns its exit status.
func runAsOrdinary() int {
	dir, err := os.MkdirTemp("", "chrome-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "chrome.test")
	data, err := os.ReadFile(os.Args[0])
	err = errors.Join(err, os.WriteFile(program, data, 0o755), os.Chmod(dir, 0o755), os.Chmod(program, 0o755), os.Mkdir(filepath.Join(dir, "home"), 0o755),
		os.Chown(filepath.Join(dir, "home"), ordinary, ordinary))
	if err != nil {
		panic(err)
	}
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(a string) bool { return strings.HasPrefix(a, "-test.testlogfile=") }) // root's
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(dir, "home"), os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir, "TMPDIR="+cmd.Dir, "XDG_RUNTIME_DIR=", "DBUS_SESSION_BUS_ADDRESS=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// site is a web server and a browser that may reach it.
type site struct {
	*chrome.Chrome
	t    testing.TB
	url  string
	near []string

	mu    sync.Mutex
	asked []string // the requests, as METHOD PATH BODY
}

// newSite serves pages by their paths.
func newSite(t testing.TB, pages map[string]string) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser is slow")
	}
	if _, err := exec.LookPath("chromium"); err != nil {
		t.Skip("chromium is not installed")
	}
	s := &site{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body)))
		s.mu.Unlock()
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, page)
	}))
	t.Cleanup(server.Close)
	s.url, s.near = server.URL, []string{strings.TrimPrefix(server.URL, "http://")}
	s.Chrome = chrome.New(chrome.Options{Dir: t.TempDir(), Dial: func(ctx context.Context, network, address string, near bool) (net.Conn, error) {
		return guard.Guard{Own: net.InterfaceAddrs}.Dial(ctx, network, address, near, nil)
	}})
	t.Cleanup(s.Close)
	return s
}

func (s *site) requests() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, "\n")
}

// try makes a request in one conversation.
func (s *site) try(r browser.Request) (browser.Answer, error) {
	r.Conversation, r.LAN, r.Timeout = "one", s.near, time.Minute
	return s.Do(s.t.Context(), r)
}

func (s *site) do(r browser.Request) browser.Answer {
	s.t.Helper()
	a, err := s.try(r)
	require.NoError(s.t, err)
	return a
}

func (s *site) open(path string) browser.Answer {
	s.t.Helper()
	return s.do(browser.Request{Do: browser.Open, URL: s.url + path})
}

func (s *site) look(ref string) browser.Target {
	s.t.Helper()
	target, err := s.Look(s.t.Context(), browser.Request{Conversation: "one", Ref: ref, Timeout: time.Minute})
	require.NoError(s.t, err)
	return target
}

func code(err error) string {
	var failed *peer.Error
	if errors.As(err, &failed) {
		return failed.Code
	}
	return fmt.Sprint(err)
}

// refOf returns the reference of the line of a snapshot that begins with a text.
func refOf(t *testing.T, text, begin string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(begin) + `.*\[(e\d+)\]`).FindStringSubmatch(text)
	require.NotNil(t, m, "%s in\n%s", begin, text)
	return m[1]
}

const form = `<!doctype html><title>Search</title><h1>Find it</h1><p>Some <b>bold</b> text.</p><p hidden>hidden order</p>
<nav><a href="/next">Next page</a> <a href="/blank" target="_blank">New window</a> <a href="#x" onclick="location='/js'">Script</a></nav>
<form action="/found" method="post"><label>Word <input name="q" value="old"></label><input type="hidden" name="h" value="1">
<label>Secret <input type="password" name="p" value="hunter2"></label>
<select name="kind" aria-label="Kind"><option>all<option>few</select><button>Go</button></form>
<button onclick="fetch('/plain')">Plain</button><p style="height: 3000px; background: linear-gradient(red, blue)">`

func TestAPageIsReadAndUsed(t *testing.T) {
	s := newSite(t, map[string]string{
		"/": form, "/next": "<title>Next</title><h1>Next</h1>", "/blank": "<title>Blank</title><p>in a new window", "/found": "<title>Found</title><p>found",
		"/js": "<title>JS</title>js", "/plain": "",
	})
	a := s.open("/")
	require.Equal(t, "Search", a.Title)
	require.Contains(t, a.Text, "heading \"Find it\" level 1\n")
	require.NotContains(t, a.Text, "hidden order")
	require.NotContains(t, a.Text, "hunter2")
	t.Log(a.Text)

	link := s.look(refOf(t, a.Text, `link "Next page"`))
	require.Equal(t, s.url+"/next", link.Link)
	require.False(t, link.Submits)
	require.Empty(t, s.look(refOf(t, a.Text, `link "Script"`)).Link, "a script")
	word := refOf(t, a.Text, `textbox "Word"`)
	require.True(t, s.look(word).TakesText)
	secret := refOf(t, a.Text, `textbox "Secret"`)
	require.True(t, s.look(secret).Password)
	_, err := s.try(browser.Request{Do: browser.Type, Ref: secret, Text: "x"})
	require.Equal(t, browser.CodeNoText, code(err))

	a = s.do(browser.Request{Do: browser.Type, Ref: word, Text: "한글 word"})
	require.Contains(t, a.Text, `= "한글 word"`)
	kind := refOf(t, a.Text, `combobox "Kind"`)
	a = s.do(browser.Request{Do: browser.Type, Ref: kind, Text: "few"})
	send := refOf(t, a.Text, `button "Go"`)
	target := s.look(send)
	require.True(t, target.Submits)
	require.Equal(t, browser.Form{
		Method: "POST", Action: s.url + "/found", Hidden: 1,
		Fields: []browser.Field{{Name: "Word", Value: "한글 word"}, {Name: "Secret", Value: "•••"}, {Name: "Kind", Value: "few"}},
	}, *target.Form)
	a = s.do(browser.Request{Do: browser.Click, Ref: send, Expect: target.Digest()})
	require.Equal(t, "Found", a.Title)
	require.Contains(t, s.requests(), "POST /found q=%ED%95%9C%EA%B8%80+word&h=1&p=hunter2&kind=few")

	a = s.open("/")
	require.True(t, s.look(refOf(t, a.Text, `link "Next page"`)).Sent)
	a = s.do(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `link "New window"`)})
	require.Equal(t, "Blank", a.Title)
	a = s.open("/")
	a = s.do(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Plain"`)})
	require.Contains(t, s.requests(), "GET /plain")
	before := s.do(browser.Request{Do: browser.Screenshot}).Picture
	s.do(browser.Request{Do: browser.Scroll})
	picture := s.do(browser.Request{Do: browser.Screenshot}).Picture
	require.NotEqual(t, before, picture, "another part of the page")
	require.Equal(t, "image/png", http.DetectContentType(picture))
	require.Empty(t, s.do(browser.Request{Do: browser.Close}).Text)
	_, err = s.try(browser.Request{Do: browser.Snapshot})
	require.Equal(t, browser.CodeNoPage, code(err))
}

// TestThreat37APageReachesNeitherThisComputerNorItsNetwork: by address, redirect, script, frame, image or another way.
func TestThreat37APageReachesNeitherThisComputerNorItsNetwork(t *testing.T) {
	var inner atomic.Int32
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { inner.Add(1); io.WriteString(w, "secret") }))
	defer secret.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer udp.Close()
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Mean</title><img src="` + secret.URL + `/i"><iframe src="` + secret.URL + `/f"></iframe>
<p id=o>nothing</p><script>
const say = t => document.getElementById('o').textContent += ' ' + t;
fetch('` + secret.URL + `/x').then(r => r.text()).then(t => say('got ' + t), () => say('no fetch'));
try { const w = new WebSocket('` + strings.Replace(secret.URL, "http", "ws", 1) + `/w'); w.onopen = () => say('got socket'); w.onerror = () => say('no socket'); } catch (e) { say('no socket'); }
const p = new RTCPeerConnection({iceServers: [{urls: 'stun:` + udp.LocalAddr().String() + `'}]}); p.createDataChannel('x');
p.onicecandidate = e => { if (!e.candidate) say('no candidate left'); else say('candidate'); }; p.createOffer().then(o => p.setLocalDescription(o));
</script>`, "/login": `<script>location='` + secret.URL + `/'</script>`})
	a := s.open("/")
	require.Contains(t, a.Text, "no fetch")
	require.NotContains(t, a.Text, "got ")
	for _, address := range []string{secret.URL + "/", "http://192.168.0.1/", "http://169.254.169.254/latest", "http://[::1]:80/", "http://localhost:631/", "http://10.0.0.1:8080/"} {
		_, err := s.try(browser.Request{Do: browser.Open, URL: address})
		require.Equal(t, web.CodeForbidden, code(err), "%s: %v", address, err)
	}
	s.open("/login")
	require.Zero(t, inner.Load())

	// A device that the settings name is reached only by its own pages.
	s.near = append(s.near, strings.TrimPrefix(secret.URL, "http://"))
	a = s.open("/")
	require.Contains(t, a.Text, "no fetch")
	require.Zero(t, inner.Load())
	_, err = s.try(browser.Request{Do: browser.Open, URL: secret.URL + "/"})
	require.NoError(t, err)
	require.NotZero(t, inner.Load())
	require.NoError(t, udp.SetReadDeadline(time.Now()))
	_, _, err = udp.ReadFrom(make([]byte, 100))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nothing was sent")
	_, err = s.try(browser.Request{Do: browser.Open, URL: "http://no-such-host.invalid/"})
	require.Contains(t, []string{web.CodeName, web.CodeUnreachable}, code(err))
}

// TestThreat37WhatAPageDoesByItselfIsAnsweredWithoutAPerson: dialogs, windows, downloads, questions for rights.
func TestThreat37WhatAPageDoesByItselfIsAnsweredWithoutAPerson(t *testing.T) {
	s := newSite(t, map[string]string{
		"/": `<!doctype html><title>Loud</title><button onclick="alert('pay\nnow'); document.title = String(confirm('sure?'))">Alert</button>
<button onclick="for (let i = 0; i < 5; i++) window.open('/popup' + i)">Many</button>
<button onclick="navigator.geolocation.getCurrentPosition(() => document.title = 'located', () => document.title = 'denied')">Where</button>
<a href="/file" download="x.exe">Download</a>`,
		"/popup0": "<title>P</title>p", "/popup1": "<title>P</title>p", "/popup2": "<title>P</title>p", "/popup3": "<title>P</title>p", "/popup4": "<title>P</title>p", "/file": "MZ",
	})
	a := s.open("/")
	a = s.do(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Alert"`)})
	require.Equal(t, "false", a.Title)
	require.Equal(t, []string{"the page showed a dialog, which was dismissed: pay now", "the page showed a dialog, which was dismissed: sure?"}, a.Notes)
	a = s.do(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Where"`)})
	require.Equal(t, "denied", a.Title)
	s.do(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `link "Download"`)})
	left, err := filepath.Glob(filepath.Join(os.Getenv("HOME"), "*", "x.exe*"))
	require.NoError(t, err)
	require.Empty(t, left)
	a = s.open("/")
	a = s.do(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Many"`)})
	require.Equal(t, "P", a.Title, "the last window, in place of this page")
	a = s.open("/")
	require.Empty(t, a.Notes)
}

// TestThreat37AClickReachesTheElementThatWasShown: not another one on top of it, and not one that took its place.
func TestThreat37AClickReachesTheElementThatWasShown(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>Trick</title><button id=a style="position:absolute;left:50px;top:50px">Harmless</button>
<form action="/pay" method="post"><input name="sum" value="1"><button id=b style="position:absolute;left:50px;top:50px;opacity:0.01;z-index:9">Pay</button></form>
<button id=c style="position:absolute;left:50px;top:150px" onclick="">Other</button><a href="/next" id=d style="position:absolute;left:50px;top:250px">Next</a>
<button aria-label="ok&#10;&#10;[y/N] y&#x202e;&#13;SAFE">x</button>`, "/pay": "paid", "/next": "<title>N</title>", "/other": "<title>O</title>"})
	a := s.open("/")
	_, err := s.try(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Harmless"`)})
	require.Equal(t, browser.CodeCovered, code(err))
	require.NotContains(t, s.requests(), "/pay")

	require.Contains(t, a.Text, `button "ok [y/N] y SAFE"`, "on one line, without marks that turn text around")

	pay := refOf(t, a.Text, `button "Pay"`)
	shown := s.look(pay)
	require.Equal(t, []browser.Field{{Name: "sum", Value: "1"}}, shown.Form.Fields)
	sum := refOf(t, a.Text, `textbox`)
	s.do(browser.Request{Do: browser.Type, Ref: sum, Text: "1000"})
	_, err = s.try(browser.Request{Do: browser.Click, Ref: pay, Expect: shown.Digest()})
	require.Contains(t, []string{browser.CodeChanged, browser.CodeRef}, code(err), "another sum")
	require.NotContains(t, s.requests(), "/pay")
	a = s.open("/next")
	_, err = s.try(browser.Request{Do: browser.Click, Ref: pay, Expect: shown.Digest()})
	require.Equal(t, browser.CodeRef, code(err))
}

// TestThreat37ABrowserThatHangsOrDiesLeavesNothing: the request says so, and the next one starts another browser.
func TestThreat37ABrowserThatHangsOrDiesLeavesNothing(t *testing.T) {
	s := newSite(t, map[string]string{
		"/": `<!doctype html><title>One</title><button onclick="for(;;);">Hang</button><button onclick="1">Fine</button>`,
	})
	a := s.open("/")
	hang := browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Hang"`), Conversation: "one", LAN: s.near, Timeout: 3 * time.Second}
	_, err := s.Do(t.Context(), hang)
	require.Equal(t, browser.CodeEnded, code(err))
	require.Empty(t, chromiums(t))

	a = s.open("/")
	pids := chromiums(t)
	require.NotEmpty(t, pids)
	require.NoError(t, syscall.Kill(pids[0], syscall.SIGKILL))
	_, err = s.try(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Fine"`)})
	require.Equal(t, browser.CodeEnded, code(err))
	_, err = s.try(browser.Request{Do: browser.Snapshot})
	require.Equal(t, browser.CodeNoPage, code(err), "it is said once")
	require.Empty(t, chromiums(t))
	require.Equal(t, "One", s.open("/").Title)
	s.Close()
	require.Empty(t, chromiums(t))
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "*", "*", "blunux-ai-browser-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// chromiums returns the browsers' first processes that this test started, which are its children.
func chromiums(t *testing.T) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, stat := range stats {
		var pid, parent int
		var name, state string
		text, err := os.ReadFile(stat)
		if err != nil {
			continue
		}
		if _, err := fmt.Sscan(strings.NewReplacer("(", "", ")", "").Replace(string(text)), &pid, &name, &state, &parent); err != nil {
			continue
		}
		if parent == os.Getpid() && state != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestConversationsHaveBrowsersOfTheirOwn(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><script>document.title = document.cookie || 'none'; document.cookie = 'seen=yes'</script>`})
	for i := range 5 {
		a, err := s.Do(t.Context(), browser.Request{Conversation: fmt.Sprint(i), Do: browser.Open, URL: s.url + "/", LAN: s.near, Timeout: time.Minute})
		require.NoError(t, err)
		require.Equal(t, "none", a.Title)
	}
	require.LessOrEqual(t, len(chromiums(t)), 4)
	_, err := s.Do(t.Context(), browser.Request{Conversation: "0", Do: browser.Snapshot, LAN: s.near, Timeout: time.Minute})
	require.Equal(t, browser.CodeNoPage, code(err), "it was not used for longest")
}

// TestABrowserKilledInMidClickIsSaid, and a page that hangs in every step ends in time.
func TestABrowserKilledInMidClickIsSaid(t *testing.T) {
	s := newSite(t, map[string]string{"/": `<!doctype html><title>One</title><button onclick="const end = Date.now() + 20000; while (Date.now() < end);">Slow</button>`})
	a := s.open("/")
	done := make(chan error, 1)
	go func() {
		_, err := s.try(browser.Request{Do: browser.Click, Ref: refOf(t, a.Text, `button "Slow"`)})
		done <- err
	}()
	require.Eventually(t, func() bool { // the click has begun
		return len(busyRenderers(t)) > 0
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, syscall.Kill(chromiums(t)[0], syscall.SIGKILL))
	require.Equal(t, browser.CodeEnded, code(<-done))
	require.Empty(t, chromiums(t))
	require.Equal(t, "One", s.open("/").Title)
}

// busyRenderers returns the processes of the browser that run.
func busyRenderers(t *testing.T) (pids []string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, stat := range stats {
		line, err := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		text, err2 := os.ReadFile(stat)
		if err == nil && err2 == nil && strings.Contains(string(line), "--type=renderer") && strings.Contains(string(text), ") R ") {
			pids = append(pids, stat)
		}
	}
	return pids
}

// TestWhyAPageDidNotOpenIsSaid plainly.
func TestWhyAPageDidNotOpenIsSaid(t *testing.T) {
	s := newSite(t, map[string]string{"/": "<title>One</title>"})
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	file := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=x.exe")
		io.WriteString(w, "MZ")
	}))
	defer file.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for address, want := range map[string]string{secure.URL: web.CodeCertificate, file.URL: web.CodeNotText, gone.URL: web.CodeUnreachable} {
		s.near = append(s.near, address[strings.Index(address, "://")+3:])
		_, err := s.try(browser.Request{Do: browser.Open, URL: address + "/"})
		require.Equal(t, want, code(err), "%s: %v", address, err)
		t.Log(err)
	}
	require.Equal(t, "One", s.open("/").Title, "the browser goes on")

	none := chrome.New(chrome.Options{Dir: t.TempDir(), Find: func() (string, error) { return "/bin/false", nil }})
	defer none.Close()
	_, err := none.Do(t.Context(), browser.Request{Do: browser.Open, URL: s.url, Timeout: time.Minute})
	require.Equal(t, browser.CodeStart, code(err))
	t.Setenv("PATH", t.TempDir())
	missing := chrome.New(chrome.Options{Dir: t.TempDir()})
	defer missing.Close()
	_, err = missing.Do(t.Context(), browser.Request{Do: browser.Open, URL: s.url, Timeout: time.Minute})
	require.Equal(t, browser.CodeMissing, code(err))
}

// BenchmarkFirstSnapshot starts a browser, opens a page and reads it, and reports the memory of all its processes then.
func BenchmarkFirstSnapshot(b *testing.B) {
	s := newSite(b, map[string]string{"/": form})
	for b.Loop() {
		a, err := s.Do(b.Context(), browser.Request{Conversation: "one", Do: browser.Open, URL: s.url + "/", LAN: s.near, Timeout: time.Minute})
		require.NoError(b, err)
		require.NotEmpty(b, a.Text)
		b.StopTimer()
		b.ReportMetric(float64(memory(b))/(1<<20), "MiB")
		_, err = s.Do(b.Context(), browser.Request{Conversation: "one", Do: browser.Close, Timeout: time.Minute})
		require.NoError(b, err)
		b.StartTimer()
	}
}

// BenchmarkPages opens one page after the other in a browser, and reports how much memory and how many processes there
// are more after the last than after the tenth.
func BenchmarkPages(b *testing.B) {
	s := newSite(b, map[string]string{"/": form})
	n, early, processes := 0, 0, 0
	for b.Loop() {
		_, err := s.Do(b.Context(), browser.Request{Conversation: "one", Do: browser.Open, URL: fmt.Sprintf("%s/?%d", s.url, n), LAN: s.near, Timeout: time.Minute})
		require.NoError(b, err)
		if n++; n == 10 {
			early, processes = memory(b), len(family(b))
		}
	}
	b.ReportMetric(float64(memory(b)-early)/(1<<20), "MiB-more")
	b.ReportMetric(float64(len(family(b))-processes), "processes-more")
}

// memory returns the memory of the browser's processes in bytes, each shared page by its share (proc_pid_smaps_rollup(5)).
func memory(tb testing.TB) (bytes int) {
	tb.Helper()
	for _, pid := range family(tb) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) // "" if it has ended, or is not ours
		for line := range strings.Lines(string(text)) {
			var kB int
			if _, err := fmt.Sscanf(line, "Pss: %d kB", &kB); err == nil {
				bytes += kB << 10
			}
		}
	}
	return bytes
}

// family returns the browsers' processes.
func family(tb testing.TB) (pids []int) {
	tb.Helper()
	parents := map[int]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(tb, err)
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		_, after, _ := strings.Cut(string(text), ") ")
		var pid, parent int
		var state string
		if _, scanned := fmt.Sscan(after, &state, &parent); err == nil && scanned == nil {
			_, _ = fmt.Sscan(string(text), &pid)
			parents[pid] = parent
		}
	}
	for pid := range parents {
		for p := parents[pid]; p > 1; p = parents[p] {
			if p == os.Getpid() {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}
