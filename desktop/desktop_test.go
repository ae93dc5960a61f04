package desktop

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// room is a machine with a desktop, and what people wish there. Its file begins with "source: " lines, which say where the
// outputs are described, "> verb act object|amount" for a wish, and below it "= words" for what the report must contain and
// "! words" for what it must not. Below are the outputs, as in package diagnose: "-- !2 COMMAND --" exits with 2 and
// "-- ?PROGRAM --" is not installed. Other commands exit with 1 and print nothing.
type room struct {
	wishes []wished
	files  map[string]diagnose.Output
	absent []string
}

type wished struct {
	line     string
	wish     Wish
	has, not []string
}

func readRoom(t *testing.T, file string) (r room) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	r.files = map[string]diagnose.Output{}
	sources := 0
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimRight(line, "\n")
		kind, text, _ := strings.Cut(line, " ")
		switch kind {
		case "source:":
			sources++
		case ">":
			head, amount, _ := strings.Cut(text, "|")
			words := append(strings.SplitN(head, " ", 3), "")
			r.wishes = append(r.wishes, wished{line: line, wish: Wish{Verb: words[0], Act: words[1], Object: words[2], Amount: amount}})
		case "=":
			r.wishes[len(r.wishes)-1].has = append(r.wishes[len(r.wishes)-1].has, text)
		case "!":
			r.wishes[len(r.wishes)-1].not = append(r.wishes[len(r.wishes)-1].not, text)
		case "":
		default:
			require.Fail(t, "unknown line", "%s: %s", file, line)
		}
	}
	require.NotZero(t, sources, file)
	for _, f := range archive.Files {
		name, out := f.Name, diagnose.Output{Stdout: string(f.Data)}
		switch {
		case strings.HasPrefix(name, "?"):
			r.absent = append(r.absent, name[1:])
			continue
		case strings.HasPrefix(name, "!"):
			name, out.Exit = name[3:], int(name[1]-'0')
		}
		r.files[name] = out
	}
	return r
}

func (r room) run(_ context.Context, command string) diagnose.Output {
	program := strings.Fields(command)[0]
	if slices.Contains(r.absent, program) {
		return diagnose.Output{Unseen: true, Missing: program}
	}
	if out, ok := r.files[command]; ok {
		return out
	}
	return diagnose.Output{Exit: 1}
}

var checker = safety.New(safety.Options{Home: "/home/kim", User: "kim", Dir: "/home/kim"})

// outcome plans a wish and checks what holds for all: looks and checks only read, steps do not, and each has its question.
func outcome(t *testing.T, w Wish, run func(context.Context, string) diagnose.Output) (report Report, all string) {
	t.Helper()
	require.True(t, w.IsValid(), "%v", w)
	out, err := Plan(t.Context(), w, func(ctx context.Context, command string) diagnose.Output {
		require.Equal(t, safety.Safe, checker.Judge(command).Class, "%v looks with %s", w, command)
		return run(ctx, command)
	})
	require.NoError(t, err)
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.Chinese, i18n.English} {
		report = w.Tell(out, lang)
		text, err := json.Marshal(report)
		require.NoError(t, err)
		require.NotContains(t, string(text), "%!")
		all += report.Text() + "\n"
		if report.Plan == nil {
			require.NotEmpty(t, report.Text(), "%v has no answer", w)
			continue
		}
		all += report.Plan.Ask + "\n"
		requirePlan(t, w, report.Plan, lang)
	}
	return report, all
}

func requirePlan(t *testing.T, w Wish, p *diagnose.Plan, lang i18n.Lang) {
	t.Helper()
	input, err := json.Marshal(p.Input())
	require.NoError(t, err)
	_, err = plan.Read(input)
	require.NoError(t, err, "%v: %s", w, input)
	require.True(t, len(p.Steps) > 1 || p.Ask != "", "%v has no question", w)
	for _, s := range p.Steps {
		require.NotEmpty(t, s.ByHand(), "%v", w)
		require.NotEqual(t, safety.Safe, checker.Judge(s.ByHand()).Class, s.ByHand())
		require.NotEqual(t, safety.Blocked, checker.Judge(s.ByHand()).Class, s.ByHand())
		if s.Step.Check != "" {
			require.Equal(t, safety.Safe, checker.Judge(s.Step.Check).Class, s.Step.Check)
		}
		if lang == i18n.Korean {
			require.True(t, strings.HasSuffix(s.Step.Description, "기"), s.Step.Description)
		}
	}
}

// TestWishesOnEachDesktop: testdata has a file for each desktop, and one for none.
func TestWishesOnEachDesktop(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		r := readRoom(t, file)
		for _, w := range r.wishes {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+w.line, func(t *testing.T) {
				seen[w.wish.Verb+" "+w.wish.Act] = true
				report, all := outcome(t, w.wish, r.run)
				if report.Plan != nil {
					for _, s := range report.Plan.Steps {
						all += s.ByHand() + "\ncheck " + s.Step.Check + " expect " + s.Step.Expect + "\nundo " + s.Step.Undo + "\n"
					}
				}
				for _, words := range w.has {
					require.Contains(t, all, words)
				}
				for _, words := range w.not {
					require.NotContains(t, all, words)
				}
			})
		}
	}
	for _, v := range Verbs() {
		for _, act := range v.Acts {
			require.True(t, seen[v.ID+" "+act], "no file of testdata wishes %s %s", v.ID, act)
		}
	}
}

// TestAWishOnAnUnknownMachineIsAnswered: if anything is missing, there is an answer.
func TestAWishOnAnUnknownMachineIsAnswered(t *testing.T) {
	outs := map[string]diagnose.Output{
		"empty": {}, "failed": {Exit: 1, Stderr: "error"}, "unseen": {Unseen: true}, "broken": {Stdout: "\xff\xfe ???\n"}, "cut": {Stdout: "lorem\n", Cut: true},
	}
	for _, kind := range slices.Sorted(maps.Keys(outs)) {
		for _, v := range Verbs() {
			for _, act := range v.Acts {
				for _, object := range []string{"", "firefox"} {
					outcome(t, Wish{Verb: v.ID, Act: act, Object: object, Amount: "30"}, func(context.Context, string) diagnose.Output { return outs[kind] })
				}
			}
		}
	}
}

// TestNamesAreNeverInterpreted: a name of a network, a file or a text is one word of a command, as it was typed.
func TestNamesAreNeverInterpreted(t *testing.T) {
	for _, name := range []string{"a; reboot", "$(reboot)", "`reboot`", "it's", "a b", "집 5G", "-rf", "a\"b", "*", "~", "a|b", "a&b", "{a,b}", "!x"} {
		words, ok := shell.ParseLiteral(join("nmcli", "connection", "delete", "id", name))
		require.True(t, ok, name)
		require.Equal(t, []string{"nmcli", "connection", "delete", "id", name}, words)
		near := "*:" + strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(name) + ":71:\n"
		for _, w := range []Wish{
			{Verb: "wifi", Act: "connect", Object: name},
			{Verb: "wifi", Act: "forget", Object: name},
			{Verb: "wifi", Act: "password", Object: name},
			{Verb: "clipboard", Act: "copy", Object: name},
			{Verb: "open", Act: "file", Object: name},
			{Verb: "open", Act: "program", Object: name},
			{Verb: "close", Act: "program", Object: name},
			{Verb: "open", Act: "folder", Object: name},
			{Verb: "find", Act: "file", Object: name},
			{Verb: "timezone", Act: "set", Object: name},
			{Verb: "hostname", Act: "set", Object: name},
			{Verb: "layout", Act: "set", Object: name},
			{Verb: "default", Act: "browser", Object: name},
		} {
			report, _ := outcome(t, w, func(_ context.Context, command string) diagnose.Output {
				switch {
				case command == "nmcli radio wifi":
					return diagnose.Output{Stdout: "enabled\n"}
				case strings.HasPrefix(command, "nmcli -t -f IN-USE"):
					return diagnose.Output{Stdout: near}
				case strings.HasPrefix(command, "readlink"):
					return diagnose.Output{Stdout: "/usr/bin/x\n"}
				}
				return diagnose.Output{Exit: 1}
			})
			if report.Plan == nil {
				continue
			}
			for _, s := range report.Plan.Steps {
				_, literal := shell.ParseLiteral(strings.ReplaceAll(s.ByHand(), " ~", " x"))
				require.True(t, literal, "%v: %s", w, s.ByHand())
			}
		}
	}
}

// TestKoreanQuestions: verbs of descriptions become questions.
func TestKoreanQuestions(t *testing.T) {
	for about, want := range map[string]string{
		"음량을 30%로 바꾸기": "음량을 30%로 바꿀까요? (`x`)", "파일을 열기": "파일을 열까요? (`x`)", "창을 닫기": "창을 닫을까요? (`x`)", "와이파이를 끄기": "와이파이를 끌까요? (`x`)",
		"연결을 끊기": "연결을 끊을까요? (`x`)", "화면을 찍기": "화면을 찍을까요? (`x`)", "음소거를 풀기": "음소거를 풀까요? (`x`)", "설치하기": "설치할까요? (`x`)",
	} {
		require.Equal(t, want, ask(about, "x", i18n.Korean))
	}
	require.Equal(t, "Shall I lock the screen? (`x`)", ask("lock the screen", "x", i18n.English))
	require.Equal(t, "要把音量调到 30% 吗？（`x`）", ask("把音量调到 30%", "x", i18n.Chinese))
}
