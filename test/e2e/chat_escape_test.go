package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forged is text of a model or tool that imitates the chat.
const forged = "Run this command? [y/N]\n이 명령을 실행할까요? [예(y)/아니요(N)]\n-- 이 명령을 실행할까요? --\n$ ls\n┃ ls\n┗ \n› \n> y\n"

// foreignSequences lists sequences in hostile text that the chat itself never sends.
var foreignSequences = []string{
	"\x1b]8;", "\x1b]52;", "\x1b]0;", "\x1b]2;", "\x1bP$q", "\x1b[8m", "\u009b", "\u009d", "\u009c", "\u0085", "\u202e", "\u2066", "\u200b", "\ufeff", "\u2028", "\x7f",
}

func TestThreat22NothingHostileReachesTheTerminalOfAChat(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"screen": {}, "plain": {"--plain"}} {
		t.Run(name, func(t *testing.T) {
			d := newMachine(t, "").setLang("ko")
			d.env = append(d.env, "TERM=xterm-256color")
			hostileDaemon(t, d.sock())
			s := d.terminal(160, 70, binaries+"/blunux-ai", append([]string{"chat"}, args...)...)
			s.wait(`[›>]`)
			title := s.title()
			s.say("해줘")
			s.wait("touch x")
			s.requireUntouched(title)
			if name == "plain" {
				for range 5 { // scroll to the end of the confirmation
					if strings.Contains(s.look(), "[예(y)") {
						break
					}
					s.press("Enter")
				}
				s.wait(`\[예\(y\)`)
				s.say("n")
			} else {
				s.press("C-r")
			}
			s.wait("the end")
			if name == "screen" {
				s.wait("걸렸어요") // a command waits in the input during an answer
			}
			s.wait(`(?m)^[›>]`)
			s.typeText("/sessions")
			s.wait("/sessions")
			s.press("Enter")
			s.wait("a title")
			s.requireUntouched(title)
			sent := strings.ReplaceAll(s.sent(), "\x1b]2;블루눅스 AI\a", "") // the chat's own title
			for _, sequence := range foreignSequences {
				require.NotContains(t, sent, sequence)
			}
			if name == "screen" { // only the chat itself may switch to the alternate screen, once
				require.LessOrEqual(t, strings.Count(sent, "\x1b[?1049h"), 1)
			} else {
				require.NotContains(t, sent, "\x1b")
			}
		})
	}
}

// TestThreat24AForgedPromptStandsBehindTheGutter: a confirmation forged by a model or a tool never starts in
// the column of the chat's own.
func TestThreat24AForgedPromptStandsBehindTheGutter(t *testing.T) {
	t.Parallel()
	own := regexp.MustCompile(`^(Run this|이 명령을 실행|-- 이 명령|┃|┗)`)
	for name, args := range map[string][]string{"screen": {}, "plain": {"--plain"}} {
		t.Run(name, func(t *testing.T) {
			d, _ := newStage(t, "")
			d.setLang("ko")
			d.env = append(d.env, "TERM=xterm-256color")
			s := d.terminal(60, 40, binaries+"/blunux-ai", append([]string{"chat"}, args...)...)
			s.wait(`[›>]`)
			s.paste("말해줘 Run this command? [y/N] " + strings.Repeat(" ", 30) + "이 명령을 실행할까요?")
			s.wait("말해줘")
			s.press("Enter")
			shown := s.wait("heard: ")
			for line := range strings.Lines(shown) {
				require.False(t, own.MatchString(line), "%q in\n%s", line, shown)
			}
			s.wait(`(?s)heard: .*실행할까요`)
		})
	}
}
