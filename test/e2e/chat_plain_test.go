package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// setLang sets the language of the chat.
func (d *machine) setLang(lang string) *machine {
	d.env = append(d.env, "LC_ALL="+map[string]string{"ko": "ko_KR.UTF-8", "en": "C.UTF-8"}[lang], "BLUNUX_AI_LANG="+lang)
	return d
}

func TestPlainChatReviewsEditsAndRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, prompt, edit, refused string }{
		{"ko", `\[예\(y\)/아니요\(N\)`, "새 명령", "실행 안 함"},
		{"en", `\[y/N/`, "new command", "not run"},
	} {
		t.Run(c.lang, func(t *testing.T) {
			d, _ := newStage(t, "")
			s := d.setLang(c.lang).terminal(80, 24, binaries+"/blunux-ai", "chat", "--plain")
			s.wait(`(?m)^>$`)
			s.say("run touch 파일")
			shown := s.wait(c.prompt)
			require.Contains(t, shown, "\n    touch 파일\n", "on a line of its own")
			s.say("e")
			s.wait(c.edit)
			s.say("touch 다른파일")
			s.wait(`(?m)^  · touch 다른파일`)
			s.wait(`(?m)^  done:`)
			require.FileExists(t, d.home+"/다른파일")
			require.NoFileExists(t, d.home+"/파일")

			s.wait(`(?m)^>$`) // typed text appears in the middle of an answer
			s.say("run touch 셋째")
			s.wait(`(?s)셋째.*` + c.prompt)
			s.press("Enter") // the default is no
			s.wait(`(?m)^  · ` + c.refused + `.*touch 셋째`)
			require.NoFileExists(t, d.home+"/셋째")

			s.wait(`(?m)^>$`)
			s.say("run rm -rf /")
			s.wait(`(?m)^  · ` + c.refused + `.*rm -rf /`)
			s.wait(`(?m)^>$`)
			s.press("C-d")
			require.Zero(t, s.waitExit())
			require.NotContains(t, s.sent(), "\x1b", "no cursor is moved, nothing has a colour")
		})
	}
}

func TestPlainChatOnTheOfflineEngine(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	d.write("config.toml", "[ai_agent]\nprovider = \"offline\"\n")
	d.env = append(d.env, "TERM=dumb")
	s := d.setLang("ko").terminal(80, 24, binaries+"/blunux-ai") // without arguments
	s.wait(`(?m)^>$`)
	s.say("메모리 얼마나 남았어?")
	s.wait(`(?m)^  · free -h`)
	for _, c := range []struct{ line, shows string }{
		{"/help", "/sessions"},
		{"/model", "offline"},
		{"/memory", `SYSTEM\.md`},
		{"/approvals", "승인을 기다리는 명령이 없어요"},
		{"/sessions", `(?m)^  1\. `},
		{"/reset", "새로 시작"},
		{"/없음", "없어요"},
	} {
		s.wait(`(?m)^>$`)
		s.say(c.line)
		s.wait(c.shows)
	}
	s.wait(`(?m)^>$`)
	s.say("/quit")
	require.Zero(t, s.waitExit())
	require.NotContains(t, s.sent(), "\x1b")
}

func TestPlainChatIsCancelledAndLeftByCtrlC(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	s := d.setLang("en").terminal(80, 24, binaries+"/blunux-ai", "chat", "--plain")
	s.wait(`(?m)^>$`)
	s.say("begin one two three")
	s.wait(`(?m)^  one two`)
	s.press("C-c")
	s.wait(`(?m)^  Cancelled`)
	s.wait(`(?m)^>$`)
	s.say("still there?")
	s.wait(`heard: still there\?`)
	s.wait(`(?m)^>$`)
	s.press("C-c")
	s.wait("again to quit")
	s.press("C-c")
	require.Zero(t, s.waitExit())
}

func TestPlainChatOutlivesItsDaemon(t *testing.T) {
	t.Parallel()
	d, stage := newStage(t, "")
	s := d.setLang("en").terminal(80, 24, binaries+"/blunux-ai", "chat", "--plain")
	s.wait(`(?m)^>$`)
	s.say("hold door please")
	stage.awaitGate("door")
	d.kill()
	s.wait(`Lost the connection to the background service before the answer\s+was\s+complete`)
	stage.openGate("door")
	s.wait(`(?m)^>$`)
	s.say("hello again")
	s.wait("heard: hello again")
	waitUntil(t, "the first question to be answered too", func() bool { return d.notices() == 1 })
}

func TestPlainChatGoesOnWithTheLatestConversation(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	d.setLang("en")
	for i, args := range [][]string{{}, {"-c"}, {"--resume"}, {"-s", "kitchen"}} {
		s := d.terminal(80, 24, binaries+"/blunux-ai", append([]string{"chat", "--plain"}, args...)...)
		s.wait(`(?m)^>$`)
		switch i {
		case 1:
			s.wait(`(?m)^you:\n  말을 기억해`)
		case 2:
			s.wait(`(?m)^  1\. `)
			s.say("/sessions 1")
			s.wait(`(?m)^you:\n  말을 기억해`)
		}
		s.say("말을 기억해")
		s.wait("heard: 말을 기억해")
		s.wait(`(?m)^>$`)
		s.say("count")
		s.wait(map[int]string{0: `(?m)^(> )?  2$`, 1: `(?m)^(> )?  4$`, 2: `(?m)^(> )?  6$`, 3: `(?m)^(> )?  2$`}[i])
		s.press("C-d")
		require.Zero(t, s.waitExit())
	}
}

func TestPipedQuestionsAreAnsweredAndNothingIsConfirmed(t *testing.T) {
	t.Parallel()
	d, _ := newStage(t, "")
	cmd := exec.Command(binaries+"/blunux-ai", "chat", "--plain")
	cmd.Dir, cmd.Env, cmd.Stdin = d.home, d.setLang("ko").env, strings.NewReader("안녕\n\nrun touch 파일\ny\n")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "heard: 안녕\n")
	require.Contains(t, string(out), "approve", "waiting for approval from elsewhere")
	require.Contains(t, string(out), "heard: y\n", "which is a question like any other")
	require.NoFileExists(t, d.home+"/파일")

	for args, status := range map[string]int{"": 2, "chat --lang xx": 2, "chat -c -s x": 2, "chat --resume": 2} {
		cmd := exec.Command(binaries+"/blunux-ai", strings.Fields(args)...)
		cmd.Dir, cmd.Env = d.home, d.env
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, args)
		require.Equal(t, status, exit.ExitCode(), "%s: %s", args, out)
	}
}
