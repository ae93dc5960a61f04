package docs

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/internal/term"
)

// step is one thing a person does at the terminal, and what they wait for.
type step struct {
	caption string   // "" for a screen that is not recorded
	keys    []string // as tmux names them; text as it is
	until   string
}

// recording is a demo in one language: docs/demo.txt and the picture made from it.
type recording struct {
	text, picture, locale string
	steps                 []step
}

var recordings = []recording{
	{"demo.txt", "demo.svg", "en_US.UTF-8", []step{
		{"ask", []string{`blunux-aictl ask "disk full?"`, "Enter"}, "(?s)Source: `df -h`.*" + shellPrompt},
		{"", []string{"clear", "Enter"}, emptyScreen},
		{"a command that changes something waits for a yes", []string{`blunux-aictl ask "touch hello.txt"`, "Enter"}, `N/a(/A)?/e/\?\]`},
		{"no", []string{"n", "Enter"}, "didn't run it\\." + shellPrompt},
		{"the chat", []string{"clear; blunux-ai chat", "Enter"}, "ai setup"},
		{"a question", []string{"disk full?", "Enter"}, "any key|Source: df"},
		{"a command to review, which you can edit", []string{"touch hello.txt", "Enter"}, "Enter runs?|Enter to run|Enter: run"},
		{"Esc: nothing was run", []string{"Escape"}, "(?i)cancelled"},
	}},
	{"demo.ko.txt", "demo.ko.svg", "ko_KR.UTF-8", []step{
		{"물어보기", []string{`blunux-aictl ask "디스크 꽉 찼어?"`, "Enter"}, "(?s)`df -h`로 확인했어요.*" + shellPrompt},
		{"", []string{"clear", "Enter"}, emptyScreen},
		{"무언가를 바꾸는 명령은 승인을 기다려요", []string{`blunux-aictl ask "touch hello.txt 실행해줘"`, "Enter"}, `수정\(e\)/\?\]`},
		{"아니요", []string{"n", "Enter"}, "실행하지 않았어요\\." + shellPrompt},
		{"채팅", []string{"clear; blunux-ai chat", "Enter"}, "ai setup"},
		{"질문", []string{"디스크 꽉 찼어?", "Enter"}, "확인했어요"},
		{"실행하기 전에 고칠 수 있어요", []string{"touch hello.txt 실행해줘", "Enter"}, "Enter 실행"},
		{"Esc: 아무것도 실행하지 않았어요", []string{"Escape"}, "실행하지 않았어요|취소"},
	}},
}

const columns, rows = 80, 24

// shellPrompt is the shell's prompt after the output of a command that has ended.
const shellPrompt = `\s+\$\s*\z`

// emptyScreen is a shell that waits for a command: keys that come before it would be
// echoed into what the last one prints.
const emptyScreen = `\A\$\s*\z`

// TestTheRecordingIsReal plays the demos in a terminal and holds that they still look
// as recorded; with -update (make demo) it records them and draws the pictures.
func TestTheRecordingIsReal(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("cannot be skipped in CI: no tmux: %v", err)
		}
		t.Skipf("no tmux: %v", err)
	}
	for _, r := range recordings {
		t.Run(r.text, func(t *testing.T) {
			t.Parallel()
			film := r.play(t)
			if *update {
				require.NoError(t, os.WriteFile(r.text, []byte(film), 0o644))
				require.NoError(t, os.WriteFile(r.picture, draw(film), 0o644))
				return
			}
			if diskShare(t, "/") >= 80 {
				t.Log("the disk is nearly full: the demo plays, but its answers say more than the recording's")
				return
			}
			kept, err := os.ReadFile(r.text)
			require.NoError(t, err)
			require.Equal(t, shapes(string(kept)), shapes(film), "docs/%s shows something else; make demo, and read the difference:\n%s", r.text, film)
		})
	}
}

// diskShare returns how full a file system is, in percent, as df prints it.
func diskShare(t *testing.T, path string) int {
	out, err := exec.Command("df", "--output=pcent", path).Output()
	require.NoError(t, err)
	share, err := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(string(out)))
	require.NoError(t, err)
	return share
}

func TestThePictureShowsTheRecording(t *testing.T) {
	for _, r := range recordings {
		film, err := os.ReadFile(r.text)
		require.NoError(t, err)
		picture, err := os.ReadFile(r.picture)
		require.NoError(t, err)
		if !*update { // the other test writes them meanwhile
			require.Equal(t, string(draw(string(film))), string(picture), "docs/%s is not made from docs/%s: make demo", r.picture, r.text)
		}
	}
}

// play runs the steps in a terminal and returns the screens.
func (r recording) play(t *testing.T) string {
	m := newMachine(t, r.locale)
	sock := filepath.Join(filepath.Dir(m.home), "tmux")
	tmux := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", sock}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=", "TERM=xterm-256color")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "tmux %q: %s", args, out)
		return string(out)
	}
	words := []string{"-f", "/dev/null", "-u", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "-c", m.home, "--"}
	words = append(append(words, m.enter...), "env", "-i")
	words = append(append(words, m.env...), "TERM=xterm-256color", "PS1=$ ", "bash", "--norc", "-i")
	m.own()
	tmux(words...)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", sock, "kill-server").Run() }) // it may have exited
	require.Eventually(t, func() bool { return strings.HasPrefix(tmux("capture-pane", "-p"), "$") }, commandTimeout, 50*time.Millisecond, "no shell")
	var film bytes.Buffer
	fmt.Fprintf(&film, "# The real programs in a terminal of %d columns: make demo records this again. Empty rows are left out.\n", columns)
	for _, s := range r.steps {
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
		}, commandTimeout, 150*time.Millisecond, "%s: %s", s.caption, &lastScreen{&last})
		if s.caption == "" {
			continue
		}
		fmt.Fprintf(&film, "\n== %s\n\n%s\n", s.caption, strings.TrimRight(manyGaps.ReplaceAllString(m.withHome(last), "\n\n\n"), "\n"))
	}
	return film.String()
}

// lastScreen formats the last screen when a test fails.
type lastScreen struct{ text *string }

func (l *lastScreen) String() string { return *l.text }

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

// The picture's measures in pixels, and how long a screen is shown.
const (
	cellWidth, rowHeight, margin = 8.4, 19, 16
	showFor, typeFor             = 3.5, 0.12 // seconds a screen, seconds a typed piece
)

// style follows the reader's light or dark screen. A reader who wants no motion sees
// the first answer.
const style = `svg{background:#fdfdfc}
text{font:14px ui-monospace,"JetBrains Mono","D2Coding","Noto Sans Mono CJK KR",monospace;white-space:pre;fill:#24292f}
.p{fill:#0969da}.s{fill:#1a7f37}.w{fill:#9a6700}.f{visibility:hidden}
@media(prefers-color-scheme:dark){svg{background:#0d1117}text{fill:#d1d7e0}.p{fill:#6cb6ff}.s{fill:#57ab5a}.w{fill:#daaa3f}}
@media(prefers-reduced-motion:reduce){.f{animation:none!important}.still{visibility:visible}}
`

// screen is one picture of the film and the seconds it is shown.
type screen struct {
	lines   []string
	seconds float64
}

// screens cuts a recording into pictures; the command that begins one is typed piece
// by piece.
func screens(film string) []screen {
	var all []screen
	for i, scene := range strings.Split(film, "\n== ")[1:] {
		_, text, _ := strings.Cut(scene, "\n\n")
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		if typed := []rune(lines[0]); i < 2 && strings.HasPrefix(lines[0], "$ ") {
			for n := 2; n < len(typed); n += 3 {
				all = append(all, screen{[]string{string(typed[:n]) + "▏"}, typeFor})
			}
		}
		all = append(all, screen{lines, showFor})
	}
	return all
}

// draw makes the animated picture of a recording.
func draw(film string) []byte {
	all, total, height := screens(film), 0.0, 0
	for _, s := range all {
		total += s.seconds
		height = max(height, len(s.lines))
	}
	var b, body bytes.Buffer
	still, at := false, 0.0
	for i, s := range all {
		class := "f"
		if !still && s.seconds == showFor {
			class, still = "f still", true
		}
		fmt.Fprintf(&b, "@keyframes k%d{0%%,100%%{visibility:hidden}%.3f%%{visibility:visible}%.3f%%{visibility:hidden}}\n", i, 100*at/total, 100*(at+s.seconds)/total)
		fmt.Fprintf(&body, "<g class=%q style=\"animation:k%d %.2fs step-end infinite\">\n", class, i, total)
		for row, line := range s.lines {
			if line = strings.TrimRight(line, " "); line != "" {
				fmt.Fprintf(&body, "<text x=\"%d\" y=\"%d\" textLength=\"%.1f\"%s>%s</text>\n",
					margin, margin+(row+1)*rowHeight-5, cellWidth*float64(term.Width(line)), colour(line), html.EscapeString(line))
			}
		}
		fmt.Fprint(&body, "</g>\n")
		at += s.seconds
	}
	width := int(cellWidth*columns) + 2*margin
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\">\n<style>%s%s</style>\n%s</svg>\n",
		width, height*rowHeight+2*margin, width, style, b.String(), body.String())
}

// colour is the class of a line: what a person types, what ran unasked, what asks.
func colour(line string) string {
	switch {
	case strings.HasPrefix(line, "$ blunux"), strings.HasPrefix(line, "> "), strings.HasPrefix(line, "› "):
		return ` class="p"`
	case strings.Contains(line, "SAFE "):
		return ` class="s"`
	case strings.HasPrefix(line, "["), strings.Contains(line, "CONFIRM"), strings.HasPrefix(line, "-- "):
		return ` class="w"`
	}
	return ""
}
