package confirm

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

var update = flag.Bool("update", false, "write the golden files anew")

// confirmation is an ask with its question.
type confirmation struct {
	question i18n.Text
	ask      ipc.Ask
}

// foreseen is what an upgrade would do.
const foreseen = "2 updates, 41.2 MB to download, disk +3.1 MB\n  htop, linux\nReboot: yes, because of linux.\n/: +3.1 MB, 5.9 GiB free now"

// confirmations returns the confirmations of the golden files.
func confirmations() map[string]confirmation {
	plain := i18n.AskQuestion
	all := map[string]confirmation{
		"install": {i18n.AskInstall("google-chrome"), ipc.Ask{
			Command: "yay -S --noconfirm -- google-chrome", Reasons: []string{"package-install"}, Covers: "yay -S --noconfirm -- google-chrome",
		}},
		"family": {plain, ipc.Ask{
			Command: "cp -n notes.txt backup", Cwd: "/home/blu/여러 가지 문서", Reasons: []string{"unknown-program"}, Covers: "x",
			Family: &ipc.Family{Words: "cp -n FILE… PATH", Options: "-p -v", Dir: "/home/blu/여러 가지 문서", Program: "/usr/bin/cp"},
		}},
		"family-plain": {plain, ipc.Ask{
			Command: "light -S 50", Reasons: []string{"unlisted-option"}, Covers: "x", Family: &ipc.Family{Words: "light -S LEVEL", Dir: "/home/blu"},
		}},
		"sudo": {i18n.AskUpdate, ipc.Ask{
			Command: "sudo -n pacman -Syu --noconfirm", Privileged: true, Reasons: []string{"system-update", "sudo"},
		}},
		"upgrade": {i18n.AskUpdate, ipc.Ask{
			Command: "sudo -n pacman -Syu --noconfirm", Privileged: true, Reasons: []string{"system-update", "sudo"}, Foreseen: foreseen,
		}},
		"script": {plain, ipc.Ask{
			Command: "for f in *.log; do\n    gzip --best \"$f\"\ndone\n\necho \"압축한 파일: $(ls -1 *.gz | wc -l)개\" >> /tmp/report.txt ",
			Reasons: []string{"write-redirect", "unproven-operand"}, Covers: "x",
		}},
		"hidden": {plain, ipc.Ask{
			Command: "touch a\u202egnp.exe; rm\u200b -r\u3164 '\\u{202E}' ⟨x⟩ \xff\nsecond\tline\x1b[2J", Cwd: "/tmp/\u2066x\n  user       you",
			Reasons: []string{"control-character"}, Covers: "x",
		}},
		"long": {plain, ipc.Ask{
			Command: "printf '%s' " + strings.Repeat("0123456789abcdef ", 180) + "; rm -rf ~/Documents", Reasons: []string{"unlisted-option"},
		}},
		"padded": {plain, ipc.Ask{
			Command: "ls" + strings.Repeat(" ", 300) + "; rm -rf x", Reasons: []string{"unknown-program"}, Covers: "x",
		}},
		"mixed": {plain, ipc.Ask{
			Command: "curl -o k https://pаypal.example/kеy cafe\u0301", Reasons: []string{"unlisted-option"}, Covers: "x",
		}},
		"warned": {plain, ipc.Ask{
			Command: "bash /home/blu/bin/backup-everything.sh --now", Reasons: []string{"interpreter"},
			Warnings: []string{"untrusted-read", "dangerous-pattern: rm\\s+-rf\u202e", "new-code"},
			Files: []ipc.AskFile{
				{Path: "/home/blu/bin/backup-everything.sh", SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
				{Path: "/etc/백업 목록", SHA256: "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"},
			},
		}},
	}
	all["plan"] = planConfirmation()
	for name, c := range all {
		c.ask.Class, c.ask.Expires = "CONFIRM", time.Date(2026, 2, 20, 9, 20, 0, 0, time.Local)
		if c.ask.Cwd == "" {
			c.ask.Cwd = "/home/blu"
		}
		if c.ask.Covers != "" {
			c.ask.Covers = c.ask.Command
		}
		all[name] = c
	}
	return all
}

// shownAll returns everything that is shown to a person who continues and then asks for help.
func shownAll(n Notice) string {
	var b strings.Builder
	for i := range n.Screens() {
		b.WriteString(n.Screen(i))
		if i < n.Screens()-1 {
			b.WriteString(n.More(i) + "\n")
		}
	}
	return b.String() + n.Choices() + "\n" + n.Help()
}

var languages = []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese}

func TestThreat23SpoofedApprovalText(t *testing.T) {
	for name, c := range confirmations() {
		for _, lang := range languages {
			for _, width := range []int{40, 80} {
				file := fmt.Sprintf("testdata/ask-%s.%s.%d.golden", name, lang, width)
				t.Run(file, func(t *testing.T) {
					n := Terminal{Columns: width, Lang: lang}.Notice(strings.TrimPrefix(c.ask.Foreseen+"\n", "\n")+c.question.In(lang), c.ask)
					got := shownAll(n)
					requireWithin(t, got, width)
					if *update {
						require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
					}
					want, err := os.ReadFile(file)
					require.NoError(t, err)
					require.Equal(t, string(want), got)
				})
			}
		}
	}
}

func TestAQuestionOfAnotherComputerNamesIt(t *testing.T) {
	for host, shown := range map[string]bool{"desk": true, "": false} {
		n := Terminal{Columns: 80, Lang: i18n.Korean, Host: host}.Notice("실행할까요?", ipc.Ask{Command: "touch a", Cwd: "/srv"})
		require.Equal(t, shown, regexp.MustCompile(`컴퓨터 +desk`).MatchString(shownAll(n)), shownAll(n))
	}
}

// requireWithin requires that no row is wider than the terminal, so that none wraps, and that all of it is plain
// text.
func requireWithin(t require.TestingT, shown string, width int) {
	for line := range strings.SplitSeq(shown, "\n") {
		require.LessOrEqual(t, displaywidth.String(line), width, "%q", line)
		for _, r := range line {
			require.True(t, unicode.IsPrint(r), "%U", r)
		}
	}
}

func TestAnyConfirmationShowsItsWholeCommandWithinTheWidth(t *testing.T) {
	pieces := []string{
		"a", "rm -rf /", " ", "    ", "\t", "\n", "한글", "\u1112\u1161\u11ab", "👨\u200d👩", "\u202e", "\x1b[2J", "⟩", "é", "e\u0301",
		"а", "\xff", "·×…", strings.Repeat("x", 50), strings.Repeat(" ", 300), strings.Repeat("\u200b", 9000),
	}
	rapid.Check(t, func(t *rapid.T) {
		command := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 60).Draw(t, "command"), "")
		width, height := rapid.IntRange(1, 120).Draw(t, "width"), rapid.IntRange(0, 60).Draw(t, "height")
		lang := rapid.SampledFrom(languages).Draw(t, "lang")
		ask := ipc.Ask{
			Command: command, Cwd: "/" + command, Class: "CONFIRM", Reasons: []string{"sudo", "new"}, Covers: rapid.SampledFrom([]string{"", command, "else"}).Draw(t, "covers"),
			Warnings: []string{"untrusted-read", "dangerous-pattern: " + command}, Files: []ipc.AskFile{{Path: command, SHA256: "ab"}},
		}
		n := Terminal{Columns: width, Rows: height, Lang: lang}.Notice(i18n.AskQuestion.In(lang), ask)
		requireWithin(t, shownAll(n), max(width, leastWidth))

		bytes, text := 0, ""
		gutter := max(len(strconv.Itoa(strings.Count(command, "\n")+1)), 3) + 1
		for _, r := range n.command {
			bytes += r.Bytes
			if cells := []rune(r.Text); len(cells) > gutter {
				text += string(cells[gutter:])
			}
		}
		require.Equal(t, len(command), bytes)
		blank := strings.NewReplacer("␣", " ", "\n", "") // a blank at the break of a row is marked
		require.Equal(t, blank.Replace(ipc.Visible(command)), blank.Replace(text))
		seen := 0
		for i := range n.Screens() {
			seen += strings.Count(n.Screen(i), "\n")
		}
		require.Equal(t, len(n.head)+len(n.command)+len(n.tail), seen, "every row is on exactly one screen")
	})
}

func TestWhatDoesNotShowIsSetOffWhereThereIsColour(t *testing.T) {
	require.Equal(t, "a\x1b[7m⟨\\t⟩\x1b[0mb", Notice{color: true}.highlight(`a⟨\t⟩b`))
	require.Equal(t, `a⟨\t⟩b`, Notice{}.highlight(`a⟨\t⟩b`))
}

func TestACommandIsShownInScreensThatFitTheTerminal(t *testing.T) {
	ask := ipc.Ask{Command: strings.Repeat("echo 1\n", 99) + "echo 100", Reasons: []string{"listed"}}
	for height, screens := range map[int]int{0: 5, 200: 1, 24: 8, 3: 20} {
		n := Terminal{Columns: 80, Rows: height, Lang: i18n.English}.Notice("Run this command?", ask)
		require.Equal(t, screens, n.Screens(), height)
		if height > 20 {
			require.LessOrEqual(t, strings.Count(n.Screen(n.Screens()-1), "\n")+1, height)
		}
	}
	require.Equal(t, "…561 more bytes.\n[Enter: more/n/?] ", Terminal{Columns: 80, Lang: i18n.English}.Notice("", ask).More(0))
}
