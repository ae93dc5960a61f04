package chat

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file in testdata, or updates it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "frame %s differs; -update writes it anew", name)
}

// picture returns the screen as text, with bars around the rows and the cursor's position.
func (c *chat) picture() string {
	s := c.draw()
	var b strings.Builder
	for _, r := range s.rows {
		b.WriteString(r + strings.Repeat(" ", max(c.width-cells(r), 0)) + "|\n")
	}
	if s.cursor == nil {
		return b.String() + "no cursor\n"
	}
	return b.String() + fmt.Sprintf("cursor %d,%d\n", s.cursor.X, s.cursor.Y)
}

const answerText = "디스크는 **여유**가 있어요.\n\n- `/` 42% used\n- `/home` 61% used\n\n```sh\ndf -h | grep -v tmpfs\n```\n"

// scenes are the states, reached through the normal events.
var scenes = []struct {
	name string
	play func(c *chat)
}{
	{"input", func(c *chat) { c.write("디스크 꽉 찼어?") }},
	{"welcome", func(*chat) {}},
	{"thinking", func(c *chat) {
		c.asked("디스크 꽉 찼어?")
		c.pass(3 * time.Second)
		c.frame(ipc.Message{Type: ipc.TypeDelta, Re: c.turn.id, Body: "잠깐만요, 먼저 **살펴볼게요**."})
	}},
	{"review", func(c *chat) {
		c.asked("정리해 줘")
		a := askOf("sudo rm -rf /var/cache/pacman/pkg")
		a.Privileged, a.Warnings, a.Covers = true, []string{`dangerous-pattern: rm\s+-rf`}, "sudo rm -rf /var/cache/pacman/pkg"
		c.put("a1", a)
		c.put("a2", askOf("ls"))
		c.pass(time.Second)
	}},
	{"review-hidden", func(c *chat) {
		c.asked("정리해 줘")
		c.put("a1", askOf("rm  -f\ta\u202eb\n  ls"))
		c.pass(time.Second)
	}},
	{"review-edited", func(c *chat) {
		c.asked("정리해 줘")
		c.put("a1", askOf("rm /tmp/한글"))
		c.pass(time.Second)
		c.press("end")
		c.write("파일")
		c.frameJudged(ipc.Judgement{Class: "BLOCKED", Reasons: []string{"delete-root"}})
	}},
	{"review-new", func(c *chat) {
		c.asked("정리해 줘")
		c.put("a1", askOf("rm /tmp/한글"))
	}},
	{"review-plan", func(c *chat) {
		c.asked("정리해 줘")
		c.put("a1", planAsk())
		c.pass(time.Second)
	}},
	{"review-plan-end", func(c *chat) {
		c.asked("정리해 줘")
		c.put("a1", planAsk())
		for range 20 {
			c.draw()
			c.pass(time.Second)
			c.press("pgdown")
		}
	}},
	{"plan", func(c *chat) {
		c.asked("정리해 줘")
		c.tool(ipc.Tool{Call: "t1", Name: "plan", Class: "CONFIRM", Command: planAsk().Command, State: ipc.ToolRunning})
		for i, state := range []string{"done", "unproved", "failed", "running"} {
			step := planAsk().Plan[i%3]
			step.Number, step.Of, step.State = i+1, 4, state
			c.tool(ipc.Tool{Call: "t1", Name: "plan", State: ipc.ToolRunning, Step: &step})
		}
		c.pass(12 * time.Second)
	}},
	{"executing", func(c *chat) {
		c.asked("업데이트")
		c.tool(ipc.Tool{Call: "t1", Name: "run_command", Class: "CONFIRM", Command: "pacman -Syu", State: ipc.ToolRunning})
		c.tool(ipc.Tool{Call: "t1", State: ipc.ToolRunning, Output: ":: 패키지 데이터베이스를 동기화하는 중...\n core 120.0 KiB\n extra 8.0 MiB\n"})
		c.pass(12 * time.Second)
	}},
	{"finalizing", func(c *chat) {
		c.asked("업데이트")
		c.tool(ipc.Tool{Call: "t1", Name: "check_disk", Class: "SAFE", Command: "df -h", State: ipc.ToolRunning, Output: "/dev/sda1 42%\n"})
		c.tool(ipc.Tool{Call: "t1", State: ipc.ToolDone, Millis: 12, Cut: true})
	}},
	{"done", func(c *chat) {
		c.asked("디스크 꽉 찼어?")
		c.tool(ipc.Tool{Call: "t1", Name: "check_disk", Class: "SAFE", Command: "df -h", State: ipc.ToolRunning, Output: "/dev/sda1 42%\n"})
		c.tool(ipc.Tool{Call: "t1", State: ipc.ToolDone, Millis: 12})
		c.tool(ipc.Tool{Call: "t2", Name: "run_command", Class: "BLOCKED", Command: "rm -rf /", State: ipc.ToolRefused, Reason: "blocked"})
		c.pass(4 * time.Second)
		c.end(answerText, ipc.Outcome{Provider: "claude", Model: "opus", Usage: ipc.Usage{In: 12000, Out: 345}})
	}},
	{"error", func(c *chat) {
		c.asked("안녕")
		c.fail(ipc.CodeNetwork, "서버에 닿지 않아요.", "인터넷 연결을 확인하세요: blunux-ai doctor")
	}},
	{"lost", func(c *chat) {
		c.asked("안녕")
		c.event(ipc.LinkEvent{Disconnected: errors.New("연결이 끊겼어요")})
		c.event(ipc.LinkEvent{Connected: &ipc.Hello{}})
		c.write("다시")
	}},
	{"pasted", func(c *chat) {
		c.do(pasted(strings.Repeat("한 줄\n", 2000)))
		c.write("요약해 줘")
	}},
	{"help", func(c *chat) { c.asked("/help") }},
	{"unknown", func(c *chat) { c.asked("/foo bar") }},
	{"sessions", func(c *chat) {
		c.asked("/sessions")
		c.result(`[{"key":"cli/alpha","modified":"2026-02-01T10:00:00+00:00","title":"디스크 정리"},{"key":"cli/beta","modified":"2026-02-02T10:00:00+00:00"}]`)
		c.write("b")
	}},
	{"search", func(c *chat) {
		c.history.load([]string{"df -h 설명해 줘", "업데이트 있어?"})
		c.press("ctrl+r")
		c.write("업데")
	}},
}

func TestEveryStateLooksAsDrawn(t *testing.T) {
	t.Setenv("TZ", "UTC")
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	for _, scene := range scenes {
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			for _, width := range []int{40, 80, 120} {
				c := newChat(lang)
				c.resize(width, map[int]int{40: 12, 80: 20, 120: 24}[width])
				scene.play(c)
				golden(t, fmt.Sprintf("%s-%s-%d.txt", scene.name, lang, width), c.picture())
			}
		}
	}
}

func TestColoursLookAsDrawn(t *testing.T) {
	c := newChat(i18n.English, func(o *Options) { o.NoColor = false })
	for _, scene := range scenes {
		if scene.name == "done" || scene.name == "review" {
			scene.play(c)
			golden(t, "style-"+scene.name+".txt", strings.ReplaceAll(c.picture(), "\x1b", "␛"))
			c = newChat(i18n.English, func(o *Options) { o.NoColor = false })
		}
	}
}

// planAsk returns the question about a plan.
func planAsk() ipc.Ask {
	a := askOf("df -h /\nrm -rf /var/cache/old\ncp --no-preserve=mode -- /home/blu/.blunux-ai/receipts/files/5891 /etc/motd")
	a.Tool, a.Covers, a.Reasons, a.Class = "plan", "", []string{"plan"}, "CONFIRM"
	a.Plan = []ipc.PlanStep{
		{Number: 1, Of: 3, Command: "df -h /", Looks: true},
		{Number: 2, Of: 3, Command: "rm -rf /var/cache/old", Check: "test ! -e /var/cache/old", Back: ipc.BackNo},
		{
			Number: 3, Of: 3, Command: "cp --no-preserve=mode -- /home/blu/.blunux-ai/receipts/files/5891 /etc/motd",
			Check: "cat /etc/motd", Back: ipc.BackYes, Detail: "-hello\n+안녕하세요",
		},
	}
	return a
}
