package gateway

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/test/browsertest"
)

// fleetSocket returns a path of a socket, which is short.
func fleetSocket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "fleet")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// serveFleet is a server of a fleet that sends what say returns to each connection. An empty text keeps it open.
func serveFleet(t *testing.T, path string, say func() string) (stop func()) {
	t.Helper()
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if text := say(); text != "" {
				_, _ = conn.Write([]byte(text)) // the gateway reads no more than its bound
				conn.Close()
				continue
			}
			defer conn.Close()
		}
	}()
	return func() {
		l.Close()
		<-ended
	}
}

const showFleet = `{"jsonrpc":"2.0","id":1,"method":"fleet.show"}`

func TestFleetShowPassesOnWhatTheServerSays(t *testing.T) {
	path := fleetSocket(t)
	d := newDesk(t, func(o *Options, _ *fakeLink) { o.Fleet, o.CallTime = path, time.Second })
	ask := func() wire {
		ws := d.dial(d.tokens[Approve])
		defer ws.CloseNow()
		d.write(ws, showFleet)
		return d.read(ws)
	}
	require.Equal(t, "null", string(ask().Result), "no server has run")
	var said atomic.Value
	const overview = `{"count":1,"text":"<b>&\u001b"}`
	said.Store(overview + "\n")
	stop := serveFleet(t, path, func() string { return said.Load().(string) })
	m := ask()
	require.Nil(t, m.Error)
	require.JSONEq(t, overview, string(m.Result))
	for name, text := range map[string]string{
		"no JSON": "{", "no object": "[]", "nothing": "\n", "two": "{} {}", "deep": strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100),
		"too large": `{"a":"` + strings.Repeat("x", ipc.MaxOverview) + `"}`, "not UTF-8": "{\"a\":\"\xff\"}", "silent": "",
	} {
		said.Store(text)
		m := ask()
		require.NotNil(t, m.Error, name)
		require.Equal(t, codeServer, m.Error.Code, name)
	}
	stop()
	require.Equal(t, "null", string(ask().Result), "it has ended")
}

func TestFleetShowWithoutARuntimeDirectoryIsNothing(t *testing.T) {
	d := newDesk(t, nil)
	ws := d.dial(d.tokens[Approve])
	d.write(ws, showFleet)
	require.Equal(t, "null", string(d.read(ws).Result))
}

// TestThreat38TheFleetIsShownToWhoMayApproveOnly: its answers and plans are those of other people's computers.
func TestThreat38TheFleetIsShownToWhoMayApproveOnly(t *testing.T) {
	path := fleetSocket(t)
	defer serveFleet(t, path, func() string { return "{}" })()
	d := newDesk(t, func(o *Options, _ *fakeLink) { o.Fleet = path })
	for scope, allowed := range map[Scope]bool{Read: false, Write: false, Approve: true} {
		ws := d.dial(d.tokens[scope])
		d.write(ws, showFleet)
		require.Equal(t, allowed, d.read(ws).Error == nil, scope)
	}
}

// someFleet is an overview with hostile texts, as a server sends it.
func someFleet(t *testing.T) string {
	t.Helper()
	now := time.Now().UTC()
	evil := markup + "\u202e\x1b[2K"
	names := []string{"lab/pc-01", "lab/pc-02"}
	text, err := json.Marshal(map[string]any{
		"at": now, "count": 3,
		"machines": []any{
			map[string]any{"name": "lab/pc-01", "labels": []string{"room=2"}, "seen": now.Add(-3 * time.Minute), "approve": []string{"update_system"}, "quiet": "22:00-07:00"},
			map[string]any{"name": "lab/pc-02", "labels": []string{evil}, "seen": now.Add(-26 * time.Hour), "twins": true, "approve": []string{evil}},
			map[string]any{"name": "lab/pc-03", "labels": []string{}, "approve": []string{}},
		},
		"questions": []any{map[string]any{
			"at": now, "console": "office", "text": "disk full? " + evil, "count": 30,
			"answers": []any{
				map[string]any{"count": 27, "names": names, "text": "/: 41% used " + evil},
				map[string]any{"count": 1, "names": names[:1], "text": evil, "problem": "policy"},
				map[string]any{"count": 1, "names": names[:1], "text": "", "problem": evil},
			},
			"more": 4, "missing": map[string]any{"count": 1, "names": []string{"lab/pc-03"}},
		}},
		"plans": []any{map[string]any{"code": "K7QM2A", "count": 2, "names": names, "command": "pacman -Syu " + evil, "expires": now.Add(time.Hour)}}, "morePlans": 2,
		"rollOuts": []any{
			map[string]any{"at": now, "console": "office", "command": "pacman -Syu", "count": 20, "done": 4, "state": "stopped", "stopped": "lab/pc-07", "reason": "failed", "left": 15},
			map[string]any{"at": now, "console": "office", "command": evil, "count": 20, "done": 3, "state": "running"},
			map[string]any{"at": now, "console": evil, "command": "x", "count": 2, "done": 1, "state": "interrupted"},
			map[string]any{"at": now, "console": "office", "command": "x", "count": 2, "done": 1, "state": "stopped", "stopped": evil, "reason": evil},
		},
	})
	require.NoError(t, err)
	return string(text)
}

func TestThreat22TheFleetIsShownAsTextInEachLanguage(t *testing.T) {
	b := newBrowserDesk(t, "en", someFigures())
	b.Await(`document.querySelectorAll("#health figure").length === 5`)
	require.True(t, browsertest.Evaluate[bool](b.Tab, `document.getElementById("fleet-section").hidden`), "no fleet")
	stop := serveFleet(t, b.fleet, func() string { return someFleet(t) })
	b.Do(`loadFleet()`)
	b.Await(`!document.getElementById("fleet-section").hidden`)
	shown := func() string {
		return browsertest.Evaluate[string](b.Tab, `document.getElementById("fleet").textContent`)
	}
	for lang, want := range map[i18n.Lang][]string{
		i18n.English: {
			"Computers: 3 · Not seen for five minutes: 2", "3 minutes ago", "1 day ago", "27 like this: lab/pc-01 lab/pc-02 +25", "Other answers: 4",
			"1 not answered yet: lab/pc-03", "4 of 20 done · stopped at lab/pc-07: failed · 15 left as they are", "3 of 20 done · running",
			"Sign at the console's terminal:", "More that wait (2)", "Two computers use this key", "1 of 2 done · interrupted",
		},
		i18n.Korean: {
			"컴퓨터 3대 · 5분 넘게 소식이 없는 컴퓨터 2대", "3분 전", "27대의 답: lab/pc-01 lab/pc-02 +25", "1대는 아직 답이 없어요: lab/pc-03",
			"20대 중 4대 완료 · lab/pc-07에서 멈춤: 실패 · 15대는 그대로 둠", "20대 중 3대 완료 · 진행 중", "서명은 콘솔의 터미널에서 해요:", "그 컴퓨터 앞에 있는 사람만",
		},
		i18n.Chinese: {
			"3 台电脑 · 2 台超过五分钟未在线", "3分钟前", "27 台的回答：lab/pc-01 lab/pc-02 +25", "1 台尚未回答：lab/pc-03",
			"20 台中已完成 4 台 · 在 lab/pc-07 处停止：失败 · 其余 15 台保持原样", "请在控制台的终端中签名：",
		},
	} {
		b.chooseLanguage(lang)
		b.Await(`document.getElementById("fleet-title").textContent === text("fleet")`)
		text := shown()
		for _, w := range append(want, "blunux-fleet approve K7QM2A", "disk full? "+markup+"⟨U+202E⟩⟨U+001B⟩[2K", "/: 41% used "+markup) {
			require.Contains(t, text, w, lang)
		}
		require.NotContains(t, text, "\u202e", lang)
		for _, width := range []int64{360, 768, 1280} {
			b.Resize(width, 800)
			require.LessOrEqual(t, browsertest.Evaluate[int64](b.Tab, `document.documentElement.scrollWidth`), width, "%s at %d", lang, width)
		}
	}
	require.Zero(t, browsertest.Evaluate[int](b.Tab, `document.querySelectorAll("#open img, #open script, #open [onerror]").length`))
	require.True(t, browsertest.Evaluate[bool](b.Tab, `window.hacked === undefined`))
	stop()
	b.Do(`loadFleet()`)
	b.Await(`document.getElementById("fleet-section").hidden`)
	stop = serveFleet(t, b.fleet, func() string { return "{" })
	defer stop()
	b.Do(`loadFleet()`)
	b.Await(`!document.getElementById("fleet-section").hidden && document.getElementById("fleet-state").textContent.includes("systemctl")`)
}
