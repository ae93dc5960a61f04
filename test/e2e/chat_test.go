package e2e

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// chat opens the full-screen chat.
func (d *machine) chat(args ...string) *screen {
	d.t.Helper()
	d.env = append(d.env, "TERM=xterm-256color")
	s := d.terminal(120, 30, binaries+"/blunux-ai", append([]string{"chat"}, args...)...)
	s.wait(`›`)
	return s
}

// ask types a question or a command once the chat accepts one.
func (s *screen) ask(text string) {
	s.t.Helper()
	s.wait(`Enter 보내기|아무 키나|한 번 더|Enter send|any key`)
	s.say(text)
}

func TestChatReviewsEditsAndRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, review, done string }{
		{"ko", "이 명령을 실행할까요", "걸렸어요"},
		{"en", "Run this command", "took"},
	} {
		t.Run(c.lang, func(t *testing.T) {
			d, _ := newStage(t, "")
			s := d.setLang(c.lang).chat()
			s.ask("run touch 파일")
			shown := s.wait(c.review)
			require.Regexp(t, `(?m)^\$ touch 파일\s*$`, shown, "on a line of its own")
			require.NoFileExists(t, d.home+"/파일")
			s.wait("고칠 수 있어요|type to edit") // the chat reacts to keys
			s.press("End", "BSpace", "BSpace")
			s.typeText("다른파일")
			s.wait(`(?m)^\$ touch 다른파일`)
			s.wait("고친 명령|edited") // the edited command was judged again
			s.pressUntil("Enter", "done:")
			require.FileExists(t, d.home+"/다른파일")
			require.NoFileExists(t, d.home+"/파일")

			s.wait("›")
			s.ask("run touch 셋째")
			s.wait(`(?m)^\$ touch 셋째`)
			s.wait(c.review)
			s.pressUntil("C-r", "거절했어요|Denied:")
			require.NoFileExists(t, d.home+"/셋째")

			s.wait("›")
			s.ask("run rm -rf /")
			s.wait(`blocked by policy|차단`)
			require.Contains(t, d.log(), "BLOCKED")
		})
	}
}

func TestChatIsCancelledAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"Escape", "C-c"} {
		t.Run(key, func(t *testing.T) {
			d, _ := newStage(t, "")
			s := d.setLang("ko").chat()
			s.ask("begin 하나 둘 셋")
			s.wait("하나 둘")
			s.press(key)
			s.wait("취소했어요")
			s.wait(`(?m)^› begin 하나 둘 셋$`) // to be edited
			s.press("C-u")
			s.waitGone(`(?m)^› begin`)
			s.press("Up") // it is in the history
			s.wait(`(?m)^› begin 하나 둘 셋$`)
			s.press("C-u")
			s.waitGone(`(?m)^› begin`)
			s.ask("아직 있어?")
			s.wait("heard: 아직 있어")
		})
	}
}

func TestChatIsResized(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	s := d.setLang("ko").chat()
	s.typeText("나는 " + strings.Repeat("길고 긴 이야기를 ", 12) + "했어요")
	s.wait("이야기를 했어요")
	s.press("Enter")
	s.wait("heard: 나는")
	s.resize(40, 16)
	s.wait("이야기를")
	s.ask("좁아요")
	shown := s.wait("heard: 좁아요")
	require.Len(t, strings.Split(strings.TrimRight(shown, "\n"), "\n"), 16, "the prompt stands on the last row")
	s.resize(120, 30)
	s.wait("heard: 좁아요")
	s.ask("넓어요")
	s.wait("heard: 넓어요")
}

func TestChatIsResizedWhileACommandIsReviewed(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	s := d.setLang("ko").chat()
	name := strings.Repeat("긴이름", 15)
	s.ask("run touch " + name)
	s.wait(`(?m)^\$ touch ` + name + `$`)
	s.resize(40, 16)
	s.waitGone(name) // it takes more than one row
	requireWithinWidth(t, s.wait(`(?m)^-- 이 명령을 실행할까요\? -+$`), 40)
	require.NoFileExists(t, d.home+"/"+name)
	s.resize(120, 30)
	s.wait(`(?m)^\$ touch ` + name + `$`)
	s.resize(40, 16)
	s.waitGone(name)
	s.pressUntil("Enter", "done:")
	require.FileExists(t, d.home+"/"+name)
}

func TestChatShowsWhatCameLate(t *testing.T) {
	t.Parallel()
	d, stage := newStage(t, "")
	s := d.setLang("ko").chat()
	s.ask("hold door please")
	stage.awaitGate("door")
	d.kill()
	s.wait("끊겼어요")
	stage.openGate("door") // the next daemon continues the turn
	s.wait(`(?s)\* 알림 · .*\* .*heard: please`)
	waitUntil(t, "what was shown to be gone", func() bool { return d.notices() == 0 })
	s.ask("그래")
	s.wait("heard: 그래")
}

// TestChatWithNothingConfigured is a first start with an empty home, no key and no network.
func TestChatWithNothingConfigured(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, hint, question, done string }{
		{"ko", "아직 설정하지 않아서 내장 도우미가 답해요", "메모리 얼마나 남았어?", "걸렸어요"},
		{"en", "Not set up yet, so the built-in helper answers", "how much memory is free?", `· \d+ commands? ·`},
	} {
		t.Run(c.lang, func(t *testing.T) {
			d := newMachine(t, "")
			require.NoError(t, os.RemoveAll(d.home+"/.config"))
			s := d.setLang(c.lang).chat()
			shown := s.wait(c.hint)
			require.Contains(t, shown, "blunux-ai setup")
			s.ask(c.question)
			shown = s.wait(c.done)
			require.Regexp(t, `(?m)^\$ SAFE free -h`, shown)
			require.Regexp(t, `(?m)^\| .*\d`, shown)
			require.NotContains(t, shown, c.hint, "the welcome is over")
			require.Regexp(t, `SAFE +free -h`, d.log())
		})
	}
}

func TestChatOutlivesItsDaemon(t *testing.T) {
	t.Parallel()
	d, stage := newStage(t, "")
	s := d.setLang("ko").chat()
	s.ask("hold door please")
	stage.awaitGate("door")
	d.kill()
	s.wait("끊")
	stage.openGate("door")
	s.ask("다시 안녕")
	s.wait("heard: 다시 안녕")

	d.client("call", `{"type":"action","action":"stop"}`) // no client is connected, so the daemon stays stopped
	waitUntil(t, "the daemon to end", func() bool { return daemonPID(d.sock()) == 0 })
	s.ask("또 안녕")
	s.wait("heard: 또 안녕")
}

func TestChatTakesCommandsAndRecallsWhatWasTyped(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	s := d.setLang("ko").chat()
	s.ask("첫 질문")
	s.wait("heard: 첫 질문")
	for line, shows := range map[string]string{"/help": "/copy", "/approvals": "승인을 기다리는 명령이 없어요"} {
		s.ask(line)
		s.wait(shows)
	}
	s.press("C-c", "C-c")
	require.Zero(t, s.waitExit())

	s = d.chat("-c")
	s.wait("heard: 첫 질문")
	s.press("Up", "Up", "Up")
	s.wait(`(?m)^› ?첫 질문`)
	s.press("C-c", "C-c")
	require.Zero(t, s.waitExit())
	info, err := os.Stat(d.home + "/.config/blunux-ai/chat_history")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestChatTakesAPasteOfAMegabyte(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	s := d.setLang("ko").chat()
	s.paste(strings.Repeat("한 줄의 기록이에요 0123456789\n", 1<<20/40))
	s.wait(`붙여|\d줄`)
	s.ask("이게 뭐야?")
	s.wait("heard: 이게 뭐야|답이 너무 길어 여기까지만") // the model answers again from the beginning
}

func TestChatEndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		d, _ := newStage(t, "")
		s := d.setLang("ko").chat()
		s.waitGone("연결하는 중") // wait for a daemon that was just being started
		require.NoError(t, syscall.Kill(s.pid(), signal))
		require.Zero(t, s.waitExit(), signal)
		waitUntil(t, "the screen to be given back", func() bool {
			return strings.LastIndex(s.sent(), "\x1b[?1049l") > strings.LastIndex(s.sent(), "\x1b[?1049h")
		})
	}
}
