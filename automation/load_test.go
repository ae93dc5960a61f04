package automation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

// home returns the paths of a home directory with these files of rules.
func home(t testing.TB, files map[string]string) Files {
	t.Helper()
	dir := t.TempDir()
	o := Files{Path: filepath.Join(dir, "automations.toml"), Managed: filepath.Join(dir, "automations.d", "50-managed.toml"), State: filepath.Join(dir, "automations")}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	return o
}

func put(t testing.TB, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func ruleNames(s Set) []string {
	list := []string{}
	for _, r := range s.Rules {
		list = append(list, r.Name)
	}
	return list
}

const plainRule = "[[automation]]\nname = %q\nschedule = \"0 9 * * *\"\naction = \"x\"\n"

func TestEveryKeyIsRead(t *testing.T) {
	o := home(t, map[string]string{"automations.toml": `# a comment
[[automation]]
name = "금요일 정리"
schedule = "0 18 * * fri"
on = ["boot", "unit_failed:nginx"]
action = """tidy
[[automation]]
up"""
check = "disk"
over = 90
within = "14d"
paths = "/"
notify = ["desktop", "whatsapp:+821012345678"]
auto_apply = true
commands = [["systemctl", "restart", "nginx"], ["true"]]
enabled = false
catch_up = "all"
jitter = "5m"
timeout = "1h"
budget = 0.5
quiet = "23:00-07:00"
language = "zh"
session = "weekly"
after = 3
again = "1d"

[[automations]]
id = "old"
cron = "@daily"
[automations.task]
text = "do"
`})
	set, problems := Load(o)
	require.Empty(t, problems)
	over := 90.0
	require.Equal(t, []Rule{{
		Name: "금요일 정리", Schedule: "0 18 * * fri", On: []string{"boot", "unit_failed:nginx"}, Action: "tidy\n[[automation]]\nup", Check: "disk", Over: &over,
		Within: 14 * day, Paths: []string{"/"}, Notify: []string{"desktop", "whatsapp:+821012345678"}, AutoApply: true,
		Commands: [][]string{{"systemctl", "restart", "nginx"}, {"true"}}, CatchUp: CatchAll, Jitter: 5 * time.Minute, Timeout: time.Hour, BudgetUSD: 0.5,
		Quiet: Quiet{1380, 420}, Language: "zh", Session: "weekly", After: 3, Again: day, File: o.Path, Line: 2,
	}, {
		Name: "old", Schedule: "@daily", Action: "do", Notify: []string{"desktop"}, Enabled: true, CatchUp: CatchLatest, Timeout: 10 * time.Minute, File: o.Path, Line: 27,
	}}, set.Rules)
}

func TestWhatIsWrongIsToldWhereItIsAndAllElseWorks(t *testing.T) {
	for name, c := range map[string]struct {
		text   string // the second rule, from line 5
		code   string
		line   int
		column int
		rule   string
	}{
		"a slip of the pen":             {"name=\"b\"\nshedule = \"@daily\"\naction=\"x\"\non=\"boot\"", "unknown_near", 7, 1, "b"},
		"a key of nobody's":             {"name=\"b\"\non=\"boot\"\naction=\"x\"\nzzzzzz=1", "unknown_key", 9, 1, "b"},
		"a key in the task":             {"name=\"b\"\non=\"boot\"\ntask={text=\"x\", wrong=1}", "unknown_key", 8, 17, "b"},
		"a wrong type":                  {"name=\"b\"\non=\"boot\"\naction=7", "type", 8, 1, "b"},
		"no name":                       {"on=\"boot\"\naction=\"x\"", "name", 5, 3, ""},
		"a name that fools terminals":   {"name=\"b\\u001b[31m\"\non=\"boot\"\naction=\"x\"", "name", 6, 1, ""},
		"a name that runs backwards":    {"name=\"b\\u202e\"\non=\"boot\"\naction=\"x\"", "name", 6, 1, ""},
		"a name nobody sees":            {"name=\"\\u3164\"\non=\"boot\"\naction=\"x\"", "name", 6, 1, ""},
		"nothing to do":                 {"name=\"b\"\non=\"boot\"", "no_deed", 5, 3, "b"},
		"nothing to begin it":           {"name=\"b\"\naction=\"x\"", "no_begin", 5, 3, "b"},
		"a date there is not":           {"name=\"b\"\nschedule=\"0 0 31 2 *\"\naction=\"x\"", "schedule", 7, 1, "b"},
		"an unknown event":              {"name=\"b\"\non=[\"boot\",\"bot\"]\naction=\"x\"", "event", 7, 1, "b"},
		"both spellings":                {"name=\"b\"\ncron=\"@daily\"\nschedule=\"@daily\"\naction=\"x\"", "both", 7, 1, "b"},
		"an endless timeout":            {"name=\"b\"\non=\"boot\"\naction=\"x\"\ntimeout=\"25h\"", "bounds", 9, 1, "b"},
		"a negative budget":             {"name=\"b\"\non=\"boot\"\naction=\"x\"\nbudget=-1", "bounds", 9, 1, "b"},
		"a budget that is no number":    {"name=\"b\"\non=\"boot\"\naction=\"x\"\nbudget=nan", "bounds", 9, 1, "b"},
		"minutes without a unit":        {"name=\"b\"\non=\"boot\"\naction=\"x\"\njitter=5", "type", 9, 1, "b"},
		"an unknown channel":            {"name=\"b\"\non=\"boot\"\naction=\"x\"\nnotify=[\"fax\"]", "choice", 9, 1, "b"},
		"none and others":               {"name=\"b\"\non=\"boot\"\naction=\"x\"\nnotify=[\"none\",\"cli\"]", "none", 9, 1, "b"},
		"an unknown check":              {"name=\"b\"\non=\"boot\"\ncheck=\"nope\"", "check", 8, 1, "b"},
		"a check that does not fit":     {"name=\"b\"\non=\"boot\"\ncheck=\"disk\"\nover=500", "refused", 9, 1, "b"},
		"a quiet that is none":          {"name=\"b\"\non=\"boot\"\naction=\"x\"\nquiet=\"night\"", "quiet", 9, 1, "b"},
		"a command that is a line":      {"name=\"b\"\non=\"boot\"\naction=\"x\"\ncommands=[\"rm -rf /\"]", "commands", 9, 1, "b"},
		"a relative path":               {"name=\"b\"\non=\"boot\"\naction=\"x\"\npaths=[\"x\"]", "path", 9, 1, "b"},
		"it manages itself":             {"name=\"b\"\non=\"boot\"\naction=\"blunux-aictl automation remove a\"", "self", 8, 1, "b"},
		"a name that is taken":          {"name=\"a\"\non=\"boot\"\naction=\"x\"", "duplicate", 6, 1, "a"},
		"a table of somebody else's":    {"name=\"b2\"\non=\"boot\"\naction=\"x\"\n[other]\nx=1", "unknown_table", 9, 2, ""},
		"a change in the person's file": {"name=\"b2\"\non=\"boot\"\naction=\"x\"\n[[change]]\nname=\"a\"", "change", 9, 3, ""},
		"two rules in one word":         {"name=\"b2\"\non=\"boot\"\naction=\"x\"\nover=\"1\"", "type", 9, 1, "b2"},
	} {
		t.Run(name, func(t *testing.T) {
			o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a") + "[[automation]]\n" + c.text + "\n" + "\n"})
			o.Checks = func(name string) bool { return name == "disk" }
			o.Accepts = func(r Rule) (string, func(i18n.Lang) string) {
				if r.Over != nil && *r.Over > 100 {
					return "over", func(i18n.Lang) string { return "too much" }
				}
				return "", nil
			}
			set, problems := Load(o)
			require.NotEmpty(t, problems)
			p := problems[0]
			require.Equal(t, []any{c.code, c.line, c.column, c.rule, o.Path}, []any{p.Code, p.Line, p.Column, p.Rule, p.File}, "%v", problems)
			require.Equal(t, "a", set.Rules[0].Name)
			require.NotContains(t, ruleNames(set), "b")
			for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
				text := p.Text(lang)
				require.NotContains(t, text, "%!")
				require.NotContains(t, text, "\x1b")
				require.Greater(t, len(text), 20)
			}
		})
	}
}

func TestAutoApplyWithoutCommandsIsToldAndWorks(t *testing.T) {
	o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a") + "auto_apply = true\n"})
	set, problems := Load(o)
	require.Equal(t, []string{"a"}, ruleNames(set))
	require.Equal(t, "no_commands", problems[0].Code)
}

func TestDropInsAddRulesButNoCommands(t *testing.T) {
	o := home(t, map[string]string{
		"automations.toml":           fmt.Sprintf(plainRule, "a"),
		"automations.d/20-b.toml":    fmt.Sprintf(plainRule, "b") + fmt.Sprintf(plainRule, "a"),
		"automations.d/10-c.toml":    fmt.Sprintf(plainRule, "c") + "commands = [[\"true\"]]\nauto_apply = true\n" + fmt.Sprintf(plainRule, "d"),
		"automations.d/.hidden.toml": fmt.Sprintf(plainRule, "h"),
		"automations.d/readme.txt":   "nothing",
	})
	set, problems := Load(o)
	require.Equal(t, []string{"a", "d", "b"}, ruleNames(set))
	require.Equal(t, "dropin", problems[0].Code)
	last := problems[len(problems)-1]
	require.Equal(t, "duplicate", last.Code)
	require.Contains(t, last.Text(i18n.English), "automations.toml:1")
}

func TestOfABrokenFileTheLastGoodTextIsUsed(t *testing.T) {
	o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a"), "automations.d/x.toml": fmt.Sprintf(plainRule, "x")})
	_, problems := Load(o)
	require.Empty(t, problems)
	put(t, o.Path, fmt.Sprintf(plainRule, "b")+"[[automation]\nname = \"c\"\n")
	for range 2 { // also after a restart: there is no other state
		set, problems := Load(o)
		require.Equal(t, []string{"a", "x"}, ruleNames(set))
		require.Equal(t, []string{o.Path}, set.Stale)
		require.Len(t, problems, 1)
		require.Equal(t, []any{"toml", 5, true}, []any{problems[0].Code, problems[0].Line, problems[0].Stale})
		require.Positive(t, problems[0].Column)
	}
	put(t, o.Path, fmt.Sprintf(plainRule, "b"))
	set, problems := Load(o)
	require.Empty(t, problems)
	require.Equal(t, []string{"b", "x"}, ruleNames(set))
	// A deleted rule does not return with a broken file.
	require.NoError(t, os.Remove(o.Path))
	require.NoError(t, os.Remove(filepath.Join(filepath.Dir(o.Managed), "x.toml")))
	set, problems = Load(o)
	require.Empty(t, problems)
	require.Empty(t, set.Rules)
	put(t, o.Path, "[[automation]")
	set, _ = Load(o)
	require.Empty(t, set.Rules)
}

func TestThreat27FilesOthersCouldHaveWrittenAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, file string)
		code string
	}{
		"a group that may write": {func(t *testing.T, file string) { require.NoError(t, os.Chmod(file, 0o660)) }, "writable"},
		"everybody may write":    {func(t *testing.T, file string) { require.NoError(t, os.Chmod(file, 0o602)) }, "writable"},
		"a link": {func(t *testing.T, file string) {
			require.NoError(t, os.Rename(file, file+".real"))
			require.NoError(t, os.Symlink(file+".real", file))
		}, "link"},
		"a pipe": {func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, syscall.Mkfifo(file, 0o600))
		}, "not_regular"},
		"a directory": {func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			require.NoError(t, os.Mkdir(file, 0o700))
		}, "not_regular"},
		"too much of it": {func(t *testing.T, file string) { require.NoError(t, os.Truncate(file, maxFile+1)) }, "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a"), "automations.d/b.toml": fmt.Sprintf(plainRule, "b")})
			o.State = ""
			c.do(t, o.Path)
			set, problems := Load(o)
			require.Equal(t, []string{"b"}, ruleNames(set))
			require.Len(t, problems, 1)
			require.Equal(t, c.code, problems[0].Code)
		})
	}
	o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a"), "automations.d/b.toml": fmt.Sprintf(plainRule, "b")})
	require.NoError(t, os.Chmod(filepath.Dir(o.Managed), 0o777))
	set, problems := Load(o)
	require.Equal(t, []string{"a"}, ruleNames(set))
	require.Contains(t, problems[0].Text(i18n.English), "chmod go-w "+filepath.Dir(o.Managed))
}

func TestRulesStandWhereTOMLHasThem(t *testing.T) {
	o := home(t, map[string]string{"automations.toml": "\ufeffautomation = [\n  {name = \"a\", on = \"boot\", action = \"x\"},\n  {name = \"b\", on = \"boot\", action = \"x\", nope = 1},\n]\n"})
	set, problems := Load(o)
	require.Equal(t, []string{"a"}, ruleNames(set))
	require.Equal(t, []any{"unknown_key", 3}, []any{problems[0].Code, problems[0].Line})
	put(t, o.Path, "[automation]\nname=\"a\"\n")
	_, problems = Load(o)
	require.Equal(t, "not_list", problems[0].Code)
	put(t, o.Path, "automation = 3\n")
	_, problems = Load(o)
	require.Equal(t, "not_list", problems[0].Code)
	put(t, o.Path, "automation = [1, 2]\n")
	set, problems = Load(o)
	require.Empty(t, set.Rules)
	require.NotEmpty(t, problems)
}

func TestThereNeedBeNoFiles(t *testing.T) {
	set, problems := Load(home(t, nil))
	require.Empty(t, problems)
	require.Empty(t, set.Rules)
	require.Empty(t, set.Files)
}

func FuzzLoad(f *testing.F) {
	f.Add("[[automation]]\nname=\"a\"\non=\"boot\"\ntask={text=\"x\"}")
	f.Add("automation=[{name=\"a\"},1]\n[automation.x]\n[[change]]\nname=1")
	f.Add("[[automation]]\n[automation.task]\n[[automation.task.x]]\na.b.c=[[1],{x=2}]\n[x.y]\n[[automations]]\n\"\\u0000\"=1")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := readDocument("f", []byte(text))
		if err != nil {
			return
		}
		for _, table := range d.tables {
			r, problems := readRule(table, "f", &Files{Path: "f"})
			require.Positive(t, r.Line)
			for _, p := range problems {
				require.Positive(t, p.Line)
				require.NotContains(t, p.Text(i18n.Korean), "%!")
			}
		}
	})
}

func BenchmarkLoad10000(b *testing.B) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "\n# rule %d\n[[automation]]\nname = \"rule %d\"\nschedule = \"%d 9 * * mon-fri\"\naction = \"look after number %d\"\nnotify = [\"desktop\"]\ntimeout = \"5m\"\n", i, i, i%60, i)
	}
	o := home(b, map[string]string{"automations.toml": text.String()})
	for b.Loop() {
		set, problems := Load(o)
		require.Len(b, set.Rules, 10_000)
		require.Empty(b, problems)
	}
}
