package gateway

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/browsertest"
)

var update = flag.Bool("update", false, "rewrite the pictures of the page in docs")

// browserDesk is a desk whose page is open in a browser.
type browserDesk struct {
	*desk
	*browsertest.Tab

	fleet string // the socket at which a fleet's server would be

	mu   sync.Mutex
	asks []ipc.Ask
}

// markup is what a page could take for markup.
const markup = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`

func hostileAsk() ipc.Ask {
	return ipc.Ask{
		Code: "K7QX", Tool: "run_command", Class: "CONFIRM", Command: "rm -r \u202egpj.exe\x1b[2K " + markup, Cwd: "/home/kim",
		Reasons: []string{"control-character"}, Digest: "sha256:aa", Expires: time.Now().Add(time.Hour), Channel: ipc.GatewayChannel, Session: "page/main/page/",
	}
}

func planAsk() ipc.Ask {
	steps := []ipc.PlanStep{
		{Number: 1, Of: 2, Command: "sudo pacman -S --noconfirm htop", Check: "pacman -Q htop", Back: ipc.BackYes},
		{Number: 2, Of: 2, Command: "blunux-ai put ~/.config/htop/htoprc", Back: ipc.BackYes, Detail: "-tree_view=0\n+tree_view=1\n+color_scheme=6"},
	}
	return ipc.Ask{
		Code: "P3MW", Tool: "plan", Class: "CONFIRM", Command: steps[0].Command + "\n" + steps[1].Command, Cwd: "/home/kim", Plan: steps, Privileged: true,
		Reasons: []string{"plan"}, Digest: "sha256:bb", Expires: time.Now().Add(time.Hour), Channel: ipc.GatewayChannel, Session: "page/main/page/",
	}
}

// someFigures are figures of a month.
func someFigures() ipc.Figures {
	now := time.Now().UTC()
	f := ipc.Figures{Journal: ipc.JournalFigures{Since: now.AddDate(0, 0, -30)}}
	for i := range 30 {
		at := now.AddDate(0, 0, i-29)
		f.Now = ipc.DayFigures{
			At: at, MemorySize: 16 << 30, MemoryUsed: uint64(5+i%4) << 30,
			Disks: []ipc.DiskFigure{{Path: "/", Size: 400 << 30, Used: uint64(200+4*i) << 30}, {Path: "/home", Size: 900 << 30, Used: uint64(500+i%7) << 30}},
		}
		f.Days = append(f.Days, f.Now)
		if i%3 == 0 {
			f.Journal.Boots = append(f.Journal.Boots, ipc.BootFigure{At: at, Seconds: 14 + float64(i%9)})
		}
		if i%11 == 5 {
			f.Journal.Failures = append(f.Journal.Failures, ipc.UnitFailure{At: at, Unit: "cups.service"}, ipc.UnitFailure{At: at, Unit: markup})
		}
	}
	return f
}

func newBrowserDesk(t *testing.T, lang string, figures ipc.Figures) *browserDesk {
	t.Helper()
	b := &browserDesk{Tab: browsertest.New(t, lang), fleet: fleetSocket(t)}
	change := ipc.Change{
		ID: "U4K7P", Began: time.Now().Add(-time.Hour), Session: "chat:session:gateway/page/main/page/", Goal: "htop 설치",
		Steps: []ipc.PlanStep{{Command: "pacman -S htop\u202e " + markup, State: ipc.StepDone}}, Effects: []ipc.Effect{{Kind: "package", Name: "htop"}},
	}
	foreign := change
	foreign.ID, foreign.Session = "U0000", "chat:session:gateway/desk/main//"
	b.desk = newDesk(t, func(o *Options, l *fakeLink) {
		o.Fleet = b.fleet
		l.results = map[string]func() any{
			"approvals": func() any {
				b.mu.Lock()
				defer b.mu.Unlock()
				return b.asks
			},
			"tasks": func() any { return []any{} }, "figures": func() any { return figures },
			"changes": func() any { return []ipc.Change{change, foreign} },
			"timeline": func() any {
				return ipc.Timeline{Events: []ipc.TimelineEvent{{At: time.Now(), Source: "pacman.log", Kind: "upgraded", Object: "linux" + markup, From: "6.11", To: "6.12"}}}
			},
		}
	})
	b.Open("http://" + b.address + "/page#" + b.pageCode(time.Now()))
	b.Await(`document.getElementById("state").dataset.state === "connected"`)
	return b
}

// ask opens a question, and waits until the page shows it.
func (b *browserDesk) ask(a ipc.Ask) {
	b.t.Helper()
	b.mu.Lock()
	b.asks = append(b.asks, a)
	b.mu.Unlock()
	what, err := json.Marshal(a)
	require.NoError(b.t, err)
	b.gateway.serveEvent(ipc.Event{Topic: ipc.TopicApprovals, What: what})
	b.Await(`document.querySelector('article[data-id="` + a.Code + `"]') !== null`)
	b.Await(`performance.now() - questions.get("` + a.Code + `").shownAt > guardTime`)
}

func (b *browserDesk) chooseLanguage(lang i18n.Lang) {
	b.t.Helper()
	b.Do(`{const l = document.getElementById("language"); l.value = "` + string(lang) + `"; l.dispatchEvent(new Event("change"))}`)
	b.Await(`document.documentElement.lang === "` + string(lang) + `" && document.getElementById("health").textContent.includes(text("failures"))`)
}

// answered returns the answers that the daemon got.
func (b *browserDesk) answered() (all []string) {
	for _, m := range b.link.messages(ipc.TypeAction) {
		var a ipc.Answer
		if m.Action != ipc.ActionAck {
			require.NoError(b.t, m.Decode(&a))
			all = append(all, m.Action+" "+a.Code+" "+a.Digest)
		}
	}
	return all
}

// said returns the messages that the daemon got.
func (b *browserDesk) said() (all []string) {
	for _, m := range b.link.messages(ipc.TypeMessage) {
		all = append(all, m.Body)
	}
	return all
}

func TestThreat32ThePagesLinkIsUsedUpInABrowser(t *testing.T) {
	b := newBrowserDesk(t, "ko", ipc.Figures{})
	require.Equal(t, "http://"+b.address+"/page", browsertest.Evaluate[string](b.Tab, "location.href"), "the code is gone from the address")
	require.Empty(t, browsertest.Evaluate[string](b.Tab, "document.cookie"), "scripts cannot read the cookie")
	b.Open("http://" + b.address + "/page")
	b.Await(`document.getElementById("state").dataset.state === "connected"`) // a reload stays
	b.Do(`sessionStorage.clear()`)
	b.Open("http://" + b.address + "/page")
	b.Await(`!document.getElementById("closed").hidden`) // the cookie alone opens nothing
	code := b.pageCode(time.Now())
	_, _, _, err := openSession(b.dir, code, time.Now())
	require.NoError(t, err)
	b.Open("about:blank")
	b.Open("http://" + b.address + "/page#" + code)
	b.Await(`document.getElementById("closed-why").textContent !== ""`)
	require.Contains(t, browsertest.Evaluate[string](b.Tab, `document.getElementById("closed").innerText`), "blunux-aictl page")
}

func TestThreat22NothingThatThePageShowsBecomesMarkup(t *testing.T) {
	b := newBrowserDesk(t, "en", someFigures())
	b.ask(hostileAsk())
	b.Run(chromedp.SetValue("#message", markup+"\u202e"), chromedp.Click("#send"))
	b.Await(`document.querySelector('#log li[data-state="answered"]') !== null`)
	b.Await(`document.querySelectorAll("#health figure").length === 5 && document.querySelectorAll("#changes li").length === 1`)
	b.Run(chromedp.Click("#show-timeline"))
	b.Await(`document.querySelectorAll("#timeline li").length === 1`)
	require.Contains(t, browsertest.Evaluate[string](b.Tab, `document.getElementById("timeline").textContent`), "linux"+markup)
	require.Zero(t, browsertest.Evaluate[int](b.Tab, `document.querySelectorAll("#open img, #open script, #open [onerror]").length`))
	command := browsertest.Evaluate[string](b.Tab, `document.querySelector("#command-K7QX").textContent`)
	require.Equal(t, `rm -r ⟨\u{202E}⟩gpj.exe⟨\x1b⟩[2K `+markup, command)
	answer := browsertest.Evaluate[string](b.Tab, `document.querySelector('#log li[data-state="answered"]').textContent`)
	require.Contains(t, answer, "heard: "+markup+"⟨U+202E⟩")
	require.NotContains(t, browsertest.Evaluate[string](b.Tab, `document.body.textContent`), "\u202e")
	// Even markup that got in would do nothing: the policy forbids it.
	b.Do(`window.refused = []; document.addEventListener("securitypolicyviolation", e => refused.push(e.effectiveDirective))`)
	b.Do(`{
		const box = document.body.appendChild(document.createElement("div"));
		box.innerHTML = '<img src="http://127.0.0.1:1/x" onerror="window.hacked=1"><iframe src="https://example.com"></iframe><p style="color:red">';
		const script = document.createElement("script"); script.textContent = "window.hacked=1"; box.append(script);
		fetch("http://127.0.0.1:1/").catch(() => {});
	}`)
	b.Await(`["img-src", "script-src-attr", "script-src-elem", "frame-src", "style-src-attr", "connect-src"].every(d => refused.includes(d))`)
	require.True(t, browsertest.Evaluate[bool](b.Tab, `window.hacked === undefined`))
}

func TestThreat04AYesOnThePageCarriesTheDigestOfWhatWasShown(t *testing.T) {
	b := newBrowserDesk(t, "en", ipc.Figures{})
	b.ask(hostileAsk())
	b.Do(`questions.get("K7QX").digest = "sha256:ff"`)
	b.Run(chromedp.Click(`article[data-id="K7QX"] button.main`))
	b.Await(`document.getElementById("log").textContent !== ""`)
	require.Empty(t, b.answered(), "another digest is refused")
	b.Await(`document.querySelector('article[data-id="K7QX"]') !== null && !questions.get("K7QX").buttons[1].disabled && questions.get("K7QX").digest === "sha256:aa"`)
	b.Await(`performance.now() - questions.get("K7QX").shownAt > guardTime`)
	b.Run(chromedp.Click(`article[data-id="K7QX"] button.main`))
	b.Await(`document.querySelector('article[data-id="K7QX"]') === null`)
	require.Equal(t, []string{"allow_once K7QX sha256:aa"}, b.answered())
}

func TestThePageIsUsedWithTheKeyboardAlone(t *testing.T) {
	b := newBrowserDesk(t, "ko", someFigures())
	b.ask(hostileAsk())
	b.ask(planAsk())
	b.Await(`document.querySelectorAll("#changes button").length === 1`)
	b.Do(`document.activeElement.blur()`)
	seen := map[string]bool{}
	var reached []string
	for range 40 {
		b.Run(chromedp.KeyEvent(kb.Tab))
		name := browsertest.Evaluate[string](b.Tab, `(e => e.id || (e.closest("article")?.dataset.id ?? "") + (e.dataset.change ?? "") + " " + e.textContent)(document.activeElement)`)
		outline := browsertest.Evaluate[string](b.Tab, `getComputedStyle(document.activeElement).outlineStyle`)
		if document := browsertest.Evaluate[bool](b.Tab, `document.activeElement === document.body`); document || seen[name] {
			continue
		}
		require.Equal(t, "solid", outline, "%s shows its focus", name)
		seen[name] = true
		reached = append(reached, name)
	}
	for _, want := range []string{" 메시지 입력으로 건너뛰기", "language", "K7QX 거절", "K7QX 승인", "P3MW 거절", "P3MW 승인", "message", "send", "U4K7P 되돌리기", "refresh", " 표로 보기"} {
		require.Contains(t, reached, want)
	}
	b.Do(`document.activeElement.blur()`)
	for browsertest.Evaluate[bool](b.Tab, `document.activeElement !== questions.get("K7QX").buttons[1]`) {
		b.Run(chromedp.KeyEvent(kb.Tab))
	}
	b.Run(chromedp.KeyEvent(kb.Enter))
	b.Await(`document.querySelector('article[data-id="K7QX"]') === null`)
	require.Equal(t, []string{"allow_once K7QX sha256:aa"}, b.answered())
	b.Await(`document.activeElement === questions.get("P3MW").buttons[0]`) // the next question, on its no
	b.Run(chromedp.KeyEvent(kb.Enter))
	b.Await(`document.activeElement === document.getElementById("approvals-title")`)
	require.Equal(t, []string{"allow_once K7QX sha256:aa", "reject P3MW sha256:bb"}, b.answered())
}

func TestEnterEndsAKoreanCompositionAndSendsNothing(t *testing.T) {
	b := newBrowserDesk(t, "ko", ipc.Figures{})
	compose := func(text string) {
		browsertest.Send(b.Tab, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: 1, SelectionEnd: 1})
	}
	commit := func(text string) { browsertest.Send(b.Tab, input.InsertText, input.InsertTextParams{Text: text}) }
	press := func(kind input.DispatchKeyEventType, code int64, name, text string) {
		browsertest.Send(b.Tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: kind, Key: name, Code: "Enter", Text: text, WindowsVirtualKeyCode: code, NativeVirtualKeyCode: code,
		})
	}
	b.Run(chromedp.Focus("#message"))
	for _, text := range []string{"ㅎ", "하", "한"} {
		compose(text)
	}
	require.Equal(t, "한", browsertest.Evaluate[string](b.Tab, `document.getElementById("message").value`))
	// What Chromium sends for Enter while an input method composes: keyCode 229, or Enter with isComposing.
	press(input.DispatchKeyEventTypeRawKeyDown, 229, "Process", "")
	press(input.DispatchKeyEventTypeKeyUp, 13, "Enter", "")
	b.Do(`document.getElementById("form").requestSubmit()`)
	require.Empty(t, browsertest.Evaluate[string](b.Tab, `document.getElementById("log").textContent`))
	commit("한")
	compose("글")
	commit("글")
	require.Equal(t, "한글", browsertest.Evaluate[string](b.Tab, `document.getElementById("message").value`))
	enter := func(modifiers int64) {
		browsertest.Send(b.Tab, input.DispatchKeyEvent, input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r", WindowsVirtualKeyCode: 13, Modifiers: modifiers,
		})
		press(input.DispatchKeyEventTypeKeyUp, 13, "Enter", "")
	}
	enter(0)
	b.Await(`document.querySelector('#log li[data-state="answered"]') !== null`)
	require.Equal(t, []string{"한글"}, b.said())
	require.Equal(t, `""`, browsertest.Evaluate[string](b.Tab, `JSON.stringify(document.getElementById("message").value)`))
	commit("two")
	enter(int64(chromedp.ModifierShift))
	commit("lines")
	enter(0)
	b.Await(`document.querySelectorAll('#log li[data-state="answered"]').length === 2`)
	require.Equal(t, []string{"한글", "two\nlines"}, b.said())
}

func TestAScreenReaderGetsNamesForAllOfThePage(t *testing.T) {
	b := newBrowserDesk(t, "ko", someFigures())
	b.ask(planAsk())
	b.Await(`document.querySelectorAll("#health figure").length === 5 && document.querySelectorAll("#changes li").length === 1`)
	nodes := browsertest.Send(b.Tab, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes
	names := map[string][]string{}
	for _, n := range nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := valueOf(n.Role), valueOf(n.Name)
		names[role] = append(names[role], name)
		switch role {
		case "button", "link", "textbox", "combobox", "image", "heading", "region", "article", "log", "DisclosureTriangle", "table", "columnheader":
			require.NotEmpty(t, name, role)
		}
	}
	require.Equal(t, 1, len(names["main"]))
	require.Equal(t, 1, len(names["banner"]))
	for role, want := range map[string][]string{
		"heading":  {"blunux-ai", "승인 대기", "이 작업을 실행할까요?", "대화", "변경 내역", "컴퓨터 상태"},
		"region":   {"승인 대기", "대화", "변경 내역", "컴퓨터 상태"},
		"button":   {"거절", "승인", "보내기", "U4K7P 되돌리기", "새로 고침"},
		"textbox":  {"메시지"},
		"combobox": {"언어"},
		"article":  {"이 작업을 실행할까요?"},
		"log":      {"대화"},
		"alert":    {""},
		"group":    {"명령"},
	} {
		for _, name := range want {
			require.Contains(t, names[role], name, role)
		}
	}
	require.Len(t, slicesWith(names["image"], "디스크"), 2)
	require.Len(t, slicesWith(names["image"], "부팅 시간: 마지막 부팅"), 1)
	b.Await(`document.getElementById("news").textContent.startsWith("승인이 필요해요: sudo pacman")`)
}

func valueOf(v *accessibility.Value) string {
	var text string
	if v != nil {
		_ = json.Unmarshal(v.Value, &text)
	}
	return text
}

func slicesWith(all []string, prefix string) (found []string) {
	for _, s := range all {
		if strings.HasPrefix(s, prefix) {
			found = append(found, s)
		}
	}
	return found
}

func TestThePageFitsPhonesAndDesktopsInEachLanguage(t *testing.T) {
	b := newBrowserDesk(t, "en", someFigures())
	long := hostileAsk()
	long.Command = strings.Repeat("x", 500) + " " + strings.Repeat("긴이름", 100)
	b.ask(long)
	b.ask(planAsk())
	for _, lang := range i18n.Languages {
		b.chooseLanguage(lang)
		b.Await(`document.querySelectorAll("article").length === 2 && document.querySelectorAll("#health figure").length === 5`)
		require.Equal(t, i18n.Page.In("approvals", lang), browsertest.Evaluate[string](b.Tab, `document.getElementById("approvals-title").textContent`))
		for _, width := range []int64{360, 768, 1280} {
			b.Resize(width, 800)
			require.LessOrEqual(t, browsertest.Evaluate[int64](b.Tab, `document.documentElement.scrollWidth`), width, "%s at %d", lang, width)
		}
	}
	back := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		browsertest.Send(b.Tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		back[scheme] = browsertest.Evaluate[string](b.Tab, `getComputedStyle(document.body).backgroundColor`)
	}
	require.NotEqual(t, back["light"], back["dark"])
}

func TestAnEmptyHistorySaysSo(t *testing.T) {
	f := someFigures()
	f.Days, f.Journal = []ipc.DayFigures{}, ipc.JournalFigures{Since: time.Now(), Access: ipc.JournalAbsent, Boots: []ipc.BootFigure{}, Failures: []ipc.UnitFailure{}}
	b := newBrowserDesk(t, "ko", f)
	b.Await(`document.querySelectorAll("#health figure").length === 5`)
	shown := browsertest.Evaluate[string](b.Tab, `document.getElementById("health").innerText`)
	for _, code := range []string{"no-history", "no-boots", "journal-absent"} {
		require.Contains(t, shown, i18n.Page.In(code, i18n.Korean))
	}
	require.NotContains(t, shown, i18n.Page.In("no-failures", i18n.Korean), "unknown is not none")
}

// maxPicture bounds a picture in docs, in bytes.
const maxPicture = 60 << 10

func TestThePicturesInDocsAreSmall(t *testing.T) {
	if *update {
		b := newBrowserDesk(t, "ko", someFigures())
		b.Resize(480, 760)
		b.ask(planAsk())
		b.picture("page-approval.ko.png", 0)
		b = newBrowserDesk(t, "en", someFigures())
		b.Resize(480, 900)
		b.chooseLanguage(i18n.English)
		b.Await(`document.querySelectorAll("#health figure").length === 5`)
		b.picture("page-health.en.png", 1)
	}
	for _, name := range []string{"page-approval.ko.png", "page-health.en.png"} {
		info, err := os.Stat(filepath.Join("../docs", name))
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(maxPicture), name)
	}
}

// picture writes a picture of the page, from its top or, for 1, from its health.
func (b *browserDesk) picture(name string, from int) {
	b.t.Helper()
	if from == 1 {
		b.Do(`document.getElementById("health-title").scrollIntoView()`)
	}
	require.NoError(b.t, os.WriteFile(filepath.Join("../docs", name), b.Screenshot(), 0o644))
}

// TestThreat32APageAtAnotherPortOfThisHostCannotUseThePage although the browser sends it the cookie: a site has no ports.
func TestThreat32APageAtAnotherPortOfThisHostCannotUseThePage(t *testing.T) {
	b := newBrowserDesk(t, "en", ipc.Figures{})
	cookies := make(chan string, 10)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies <- r.Header.Get("Cookie")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>other</title>"))
	}))
	defer other.Close()
	code := b.pageCode(time.Now())
	b.Open(other.URL + "/page/x")
	stolen := <-cookies
	require.Contains(t, stolen, cookiePrefix)
	b.Do(`window.results = [];
	(async () => {
		const base = "http://` + b.address + `";
		const ws = protocols => new Promise(done => {
			const s = new WebSocket(base.replace("http", "ws") + "/page/socket", protocols);
			s.onopen = () => done("open"); s.onerror = () => done("error");
		});
		results.push(await ws(["blunux-ai-page"]), await ws(["blunux-ai-page", "key.` + strings.Repeat("0", 64) + `"]));
		for (const [path, init] of [["/page/session", {method: "POST", body: "` + code + `", credentials: "include"}], ["/page", {credentials: "include"}], ["/page/texts/en", {}]]) {
			try { results.push((await fetch(base + path, init)).status); } catch { results.push("error"); }
		}
		const frame = document.body.appendChild(document.createElement("iframe"));
		frame.onload = () => { try { results.push(frame.contentDocument ? "read" : "closed"); } catch { results.push("closed"); } };
		frame.src = base + "/page";
	})()`)
	b.Await(`results.length === 6`)
	require.Equal(t, []string{"error", "error", "error", "error", "error", "closed"}, browsertest.Evaluate[[]string](b.Tab, `results.map(String)`))
	// Who has the cookie has no key, and the code is still good.
	_, value, _ := strings.Cut(stolen, "=")
	_, ok := b.gateway.tokens.findSession(value, "")
	require.False(t, ok)
	require.Equal(t, 403, b.handshake("/page/socket", "", http.Header{"Origin": {"http://" + b.address}, "Cookie": {stolen}}))
	_, _, _, err := openSession(b.dir, code, time.Now())
	require.NoError(t, err)
}
