package docs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// machine is an empty user account: no configuration, no key, no service manager. The first question starts the
// daemon, which answers with the built-in helper.
type machine struct {
	home string
	env  []string
	// enter precedes commands to run them as the user blu in /home/blu. It is empty if the tests run as an
	// ordinary user, who is then used instead.
	enter []string
	// codes maps codes in the document to those of this run.
	codes map[string]string
}

func newMachine(t *testing.T, lang string) *machine {
	t.Helper()
	if installed != "" {
		return account(lang)
	}
	dir, err := os.MkdirTemp("", "docs-") // short, because it contains a socket
	require.NoError(t, err)
	m := &machine{home: filepath.Join(dir, "blu"), codes: map[string]string{}}
	run := filepath.Join(dir, "run")
	for _, d := range []string{m.home, run} {
		require.NoError(t, os.Mkdir(d, 0o700))
	}
	home, programs := m.home, binaries
	if os.Getuid() == 0 {
		home, programs = "/home/blu", "/home/programs"
		m.enter = asBlu(t, dir, m.home)
	}
	m.env = []string{
		"HOME=" + home, "XDG_RUNTIME_DIR=" + run, "USER=blu", "LANG=" + lang, "TERM=dumb", "NO_COLOR=1", "TZ=UTC", "EDITOR=true",
		"PATH=" + programs + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	}
	t.Cleanup(func() {
		if _, err := os.Stat(filepath.Join(run, "blunux-ai.sock")); err == nil {
			_, _ = m.run(`blunux-aictl call '{"type":"action","action":"stop"}'`)
		}
		require.Eventually(t, func() bool { return os.RemoveAll(dir) == nil }, time.Minute, 50*time.Millisecond)
	})
	return m
}

// bluID is the user and group id of blu, which does not exist on this machine.
const bluID = 4711

// asBlu returns the command line that changes the user, for tests that run as root: /home/blu and /etc/passwd
// exist in a mount namespace, and privileges are dropped permanently.
func asBlu(t *testing.T, dir, home string) []string {
	t.Helper()
	users, err := os.ReadFile("/etc/passwd")
	require.NoError(t, err)
	passwd := filepath.Join(dir, "passwd")
	require.NoError(t, os.WriteFile(passwd, fmt.Appendf(users, "blu:x:%d:%[1]d::/home/blu:/bin/bash\n", bluID), 0o644))
	require.NoError(t, os.Chmod(passwd, 0o644))
	require.NoError(t, os.Chmod(dir, 0o711))
	const inside = `mount -t tmpfs -o mode=755 tmpfs /home && mkdir /home/blu /home/programs &&
mount --bind "$1" /home/blu && mount --bind "$2" /home/programs && mount --bind "$3" /etc/passwd &&
cd /home/blu && id=$4 && shift 4 && exec setpriv --reuid "$id" --regid "$id" --clear-groups --inh-caps=-all "$@"`
	return []string{"unshare", "--mount", "--propagation", "private", "bash", "-c", inside, "blu", home, binaries, passwd, fmt.Sprint(bluID)}
}

// own makes blu the owner of files that the test wrote.
func (m *machine) own() {
	if len(m.enter) == 0 {
		return
	}
	dir := filepath.Dir(m.home)
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && path != dir { // else a program has just removed it
			_ = os.Lchown(path, bluID, bluID)
		}
		return nil
	})
}

func (m *machine) command(line string) *exec.Cmd {
	for shown, real := range m.codes {
		line = strings.ReplaceAll(line, shown, real)
	}
	words := slices.Concat(m.enter, []string{"bash", "-c", line})
	cmd := exec.Command(words[0], words[1:]...)
	m.own()
	cmd.Dir, cmd.Env = m.home, m.env
	return cmd
}

// run runs a line without a terminal.
func (m *machine) run(line string) (string, error) {
	cmd := m.command(line)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w\n%s", line, err, out.String())
	}
	return out.String(), nil
}

// prompt matches a question that waits for an answer on its line.
var prompt = regexp.MustCompile(`(?:^|\n)([^\n]*[\])?:]) $`)

// commandTimeout is the timeout of a command on a busy machine.
const commandTimeout = 60 * time.Second

// atTerminal runs a line on a terminal, answers its prompts, and returns the output and the exit status.
func (m *machine) atTerminal(t *testing.T, line string, answers []string) (string, int) {
	t.Helper()
	cmd := m.command(line)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 120})
	require.NoError(t, err)
	defer tty.Close()
	limit := time.AfterFunc(commandTimeout, func() { _ = cmd.Process.Kill() })
	defer limit.Stop()
	var seen strings.Builder
	for buf := make([]byte, 4096); ; {
		n, err := tty.Read(buf)
		seen.Write(buf[:n])
		if len(answers) > 0 && prompt.MatchString(strings.ReplaceAll(seen.String(), "\r", "")) {
			_, err := io.WriteString(tty, answers[0]+"\n")
			require.NoError(t, err)
			answers = answers[1:]
		}
		if err != nil { // EIO: the terminal is not open any more
			require.True(t, errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO), "%v", err)
			break
		}
	}
	status := 0
	if err := cmd.Wait(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		status = exit.ExitCode()
	}
	require.Empty(t, answers, "%s asked less than the document shows:\n%s", line, seen.String())
	return m.withHome(strings.ReplaceAll(seen.String(), "\r", "")), status
}

var manyGaps = regexp.MustCompile(`\n{4,}`)

// withHome replaces the home directory of the documents by that of an ordinary user's test. As root there is
// nothing to replace.
func (m *machine) withHome(text string) string {
	if len(m.enter) > 0 {
		return text
	}
	return strings.ReplaceAll(text, m.home, "/home/blu")
}

var (
	versionOf = regexp.MustCompile(`\b(?:v?\d+\.\d+\.\d+(?:-[\w.-]+)?|[0-9a-f]{7,12}(?:-dirty)?|dev)\b`)
	codeOf    = regexp.MustCompile(`(approve |^)[0-9A-Z]{4}\b`)
	numberOf  = regexp.MustCompile(`\d+(?:[.,:/-]\d+)*(?:Z\b)?(?: ?(?:[KMGT]i?B?|B)\b)?`)
	lapseOf   = regexp.MustCompile(`#[dhms](?: #[dhms])*`)
	blanksOf  = regexp.MustCompile(`[ \t]+`)
)

// shape normalizes everything in a line that can differ between machines.
func shape(line string) string {
	line = versionOf.ReplaceAllString(line, "#")
	line = codeOf.ReplaceAllString(line, "$1@")
	line = numberOf.ReplaceAllString(line, "#")
	line = strings.ReplaceAll(line, "T#", "#")
	line = lapseOf.ReplaceAllString(line, "#")
	return strings.TrimSpace(blanksOf.ReplaceAllString(line, " "))
}

// alike reports whether the output has the shape of the document. "…" matches any lines.
func alike(shown, came []string) bool {
	switch {
	case len(shown) == 0:
		return len(came) == 0
	case strings.TrimSpace(shown[0]) == "…":
		for i := range len(came) + 1 {
			if alike(shown[1:], came[i:]) {
				return true
			}
		}
		return false
	}
	return len(came) > 0 && sameLine(shown[0], came[0]) && alike(shown[1:], came[1:])
}

func sameLine(shown, came string) bool {
	if head, ok := strings.CutSuffix(shown, " …"); ok { // matches the rest of a long line
		return strings.HasPrefix(shape(came), shape(head))
	}
	return shape(shown) == shape(came)
}

// scene is a command of a transcript with its output.
type scene struct {
	line    int
	command string
	shown   []string
	last    bool
}

func scenes(b *block) []scene {
	var all []scene
	for i, line := range b.lines {
		if cmd, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, scene{line: b.line + i, command: cmd})
			continue
		}
		if n := len(all); n > 0 {
			all[n-1].shown = append(all[n-1].shown, line)
		}
	}
	if n := len(all); n > 0 {
		all[n-1].last = true
	}
	return all
}

// answered matches a question with its answer.
var answered = regexp.MustCompile(`^.*[\])?:] (\S+)$`)

// questions matches the programs' prompts, whose answers are typed.
var questions = regexp.MustCompile(`^\[[^\]]*\?\] |\[y/N\] |\[예\(y\)/아니요\(N\)\]`)

func (s scene) answers() []string {
	var all []string
	for _, line := range s.shown {
		if questions.MatchString(line) {
			if m := answered.FindStringSubmatch(line); m != nil {
				all = append(all, m[1])
			}
		}
	}
	return all
}

func trimmed(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return lines
}

var exitMark = regexp.MustCompile(`^exit (\d+)$`)

// TestTranscriptsAreWhatHappens runs the transcripts of every document from top to bottom.
func TestTranscriptsAreWhatHappens(t *testing.T) {
	c, ran := repository(t), 0
	for _, p := range c.sorted() {
		if !slices.ContainsFunc(p.blocks, func(b *block) bool { return len(b.commands()) > 0 }) || installed != "" && installed != p.path {
			continue
		}
		ran++
		t.Run(p.path, func(t *testing.T) {
			t.Parallel()
			m, changed := newMachine(t, localeOf(p.path)), false
			if installed != "" {
				m.install(t, p)
			}
			for _, b := range p.blocks {
				if !b.runnable() {
					continue
				}
				switch b.lang {
				case "console":
					changed = m.play(t, p, b) || changed
				case "sh", "":
					m.runCommands(t, p, b)
				}
			}
			if changed {
				require.NoError(t, writePage("..", p))
			}
		})
	}
	if installed == "" {
		require.GreaterOrEqual(t, ran, 10)
	} else {
		require.Equal(t, 1, ran)
	}
}

// play runs a transcript. With -update it replaces a wrong one.
func (m *machine) play(t *testing.T, p *page, b *block) bool {
	t.Helper()
	changed, lines := false, []string(nil)
	all := scenes(b)
	for i, s := range all {
		want := "0"
		if a := s.answers(); len(a) > 0 && a[len(a)-1] == "n" {
			want = "5" // denied: docs/exit-codes.md
		}
		if e := exitMark.FindStringSubmatch(b.mark); e != nil && s.last {
			want = e[1]
		}
		came, status := m.atTerminal(t, s.command, s.answers())
		require.Equal(t, want, fmt.Sprint(status), "%s:%d: %s ended so:\n%s", p.path, s.line, s.command, came)
		shown, got := trimmed(s.shown), trimmed(strings.Split(came, "\n"))
		m.remember(shown, got)
		ok := alike(shown, got)
		if !ok && !*update {
			t.Errorf("%s:%d: %s\nshows\n%s\nbut this came\n%s", p.path, s.line, s.command, strings.Join(shown, "\n"), strings.Join(got, "\n"))
		}
		if !ok && *update {
			shown, changed = got, true
			s.shown = shown
		}
		lines = append(append(lines, "$ "+s.command), shown...)
		if i < len(all)-1 {
			lines = append(lines, "")
		}
	}
	if changed {
		b.lines = lines
	}
	return changed
}

// remember maps the codes in the document to those in the output.
func (m *machine) remember(shown, came []string) {
	code := regexp.MustCompile(`approve (\w{4})\b`)
	a, b := code.FindStringSubmatch(strings.Join(shown, "\n")), code.FindStringSubmatch(strings.Join(came, "\n"))
	if a != nil && b != nil {
		m.codes[a[1]] = b[1]
	}
}

// writePage writes the changed blocks of a document.
func writePage(root string, p *page) error {
	old, err := readPage(root, p.path)
	if err != nil {
		return err
	}
	var out []string
	at := 0
	for i, b := range old.blocks {
		out = append(out, old.raw[at:b.line-1]...)
		for _, line := range p.blocks[i].lines {
			out = append(out, strings.TrimRight(b.indent+line, " "))
		}
		at = b.line - 1 + len(b.lines)
	}
	out = append(out, old.raw[at:]...)
	return os.WriteFile(filepath.Join(root, p.path), []byte(strings.Join(out, "\n")), 0o644)
}

var (
	placeholder = regexp.MustCompile(`\b(?:CHANNEL|CODE|DIR|FILE|ID|KEY|NAME|NOTE|NUMBER|PROGRAM|SENDER|TASK|TEXT|UNIT|WORDS)\b|…|번호|코드|이름|상대`)
	// needsUser matches commands that need a user, a phone or the network, or that do not end.
	needsUser = regexp.MustCompile(`\b(login|logout|sign|edit|chat|daemon|mcp|setup|clear)\b|\s(--fix|-f)\b|\bgateway (start|stop|restart|status)\b|\baictl page\b|blunux-ai$`)
)

// runCommands runs our commands in a block that need none of these.
func (m *machine) runCommands(t *testing.T, p *page, b *block) {
	t.Helper()
	for _, l := range b.commands() {
		line, _, _ := strings.Cut(l.text, "  #")
		calls, err := parse(line)
		if b.lang == "" && (err != nil || synopsis.MatchString(line)) {
			continue
		}
		require.NoError(t, err, "%s:%d", p.path, l.line)
		own := !slices.ContainsFunc(calls, func(words []string) bool { return !slices.Contains(ours, words[0]) && words[0] != "printf" })
		if !own || placeholder.MatchString(line) || needsUser.MatchString(strings.TrimSpace(line)) {
			continue
		}
		out, err := m.run(line)
		require.NoError(t, err, "%s:%d: %s", p.path, l.line, out)
	}
}

var (
	quoted  = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	hangul  = regexp.MustCompile(`\S*\p{Hangul}\S*(?: \S*\p{Hangul}\S*)*`)
	comment = regexp.MustCompile(`\s+#.*$`)
)

// withoutLanguage removes the words of a document's language from a command.
func withoutLanguage(line string) string {
	line = quoted.ReplaceAllString(comment.ReplaceAllString(line, ""), "Q")
	return strings.TrimSpace(placeholder.ReplaceAllString(hangul.ReplaceAllString(line, "Q"), "Q"))
}
