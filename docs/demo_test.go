package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// step is one thing a person does at the terminal, and what they wait for.
type step struct {
	caption string
	keys    []string // as tmux names them; text as it is
	until   string
}

// recording is what docs/demo.txt shows.
var recording = []step{
	{"ask · 물어보기", []string{`blunux-aictl ask "디스크 꽉 찼어?"`, "Enter"}, "`df -h`로 확인했어요."},
	{"what changes something is shown first · 바꾸는 명령은 먼저 보여 줘요", []string{"clear", "Enter", `blunux-aictl ask "touch hello.txt 실행해줘"`, "Enter"}, `수정\(e\)/\?\]`},
	{"no · 아니요", []string{"n", "Enter"}, "실행하지 않았어요."},
	{"the chat · 채팅", []string{"clear; blunux-ai chat", "Enter"}, "오프라인|offline"},
	{"a question · 질문", []string{"디스크 꽉 찼어?", "Enter"}, "확인했어요"},
	{"a command to review, which can be edited · 실행하기 전에 고칠 수 있어요", []string{"touch hello.txt 실행해줘", "Enter"}, "Enter 실행"},
	{"Esc: nothing was run · Esc: 아무것도 실행하지 않았어요", []string{"Escape"}, "실행하지 않았어요|취소"},
}

// TestTheRecordingIsReal plays docs/demo.txt in a terminal and holds that it
// still looks so; with -update (make demo) it is recorded anew.
func TestTheRecordingIsReal(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("cannot be skipped in CI: no tmux: %v", err)
		}
		t.Skipf("no tmux: %v", err)
	}
	m := newMachine(t, "ko_KR.UTF-8")
	sock := filepath.Join(filepath.Dir(m.home), "tmux")
	tmux := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", sock}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=", "TERM=xterm-256color")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "tmux %q: %s", args, out)
		return string(out)
	}
	words := []string{"-f", "/dev/null", "-u", "new-session", "-d", "-x", "80", "-y", "24", "-c", m.home, "--"}
	words = append(append(words, m.enter...), "env", "-i")
	words = append(append(words, m.env...), "TERM=xterm-256color", "PS1=$ ", "bash", "--norc", "-i")
	m.own()
	tmux(words...)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", sock, "kill-server").Run() }) // it may have ended
	require.Eventually(t, func() bool { return strings.HasPrefix(tmux("capture-pane", "-p"), "$") }, patience, 50*time.Millisecond, "no shell")
	var film bytes.Buffer
	fmt.Fprint(&film, "# The real programs in a terminal of 80 columns: make demo records this anew. Empty rows are left out.\n")
	for _, s := range recording {
		for _, key := range s.keys {
			if key == "Enter" || key == "Escape" {
				tmux("send-keys", key)
			} else {
				tmux("send-keys", "-l", "--", key)
			}
		}
		var last string
		wanted := regexp.MustCompile(s.until)
		require.Eventually(t, func() bool {
			now := tmux("capture-pane", "-p")
			still := now == last && wanted.MatchString(now)
			last = now
			return still
		}, patience, 150*time.Millisecond, "%s: %s", s.caption, &lastly{&last})
		fmt.Fprintf(&film, "\n== %s\n\n%s\n", s.caption, strings.TrimRight(manyGaps.ReplaceAllString(m.atHome(last), "\n\n\n"), "\n"))
	}
	if *update {
		require.NoError(t, os.WriteFile("demo.txt", film.Bytes(), 0o644))
		return
	}
	kept, err := os.ReadFile("demo.txt")
	require.NoError(t, err)
	require.Equal(t, shapes(string(kept)), shapes(film.String()), "docs/demo.txt shows something else; make demo, and read the difference:\n%s", film.String())
}

// lastly prints what was seen last, when it is needed.
type lastly struct{ text *string }

func (l *lastly) String() string { return *l.text }

// shapes are the scenes as shape makes them; where a line was broken depends on
// how long a number is.
func shapes(text string) []string {
	var all []string
	for scene := range strings.SplitSeq(text, "\n== ") {
		var joined strings.Builder
		for line := range strings.Lines(scene) {
			joined.WriteString(strings.TrimPrefix(strings.TrimSpace(line), "| "))
		}
		all = append(all, strings.ReplaceAll(shape(strings.ReplaceAll(joined.String(), " ", "")), " ", ""))
	}
	return all
}
