package automation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

func TestCommandsLeaveThePersonsFileAsItIs(t *testing.T) {
	text := "# 손대지 마세요 \t\r\n" + fmt.Sprintf(plainRule, "a") + "\n\n# and a comment\n" + fmt.Sprintf(plainRule, "b") + "# no end"
	o := home(t, map[string]string{"automations.toml": text})
	m := Managed{Files: o}
	ctx := context.Background()
	require.NoError(t, m.Enable(ctx, "a", false))
	require.NoError(t, m.Remove(ctx, "b"))
	require.NoError(t, m.Add(ctx, Rule{Name: "c", On: []string{"boot"}, Action: "say \"hi\"\n[[change]]", Enabled: true}))
	set, problems := Load(o)
	require.Empty(t, problems)
	require.Equal(t, []string{"a", "c"}, ruleNames(set))
	require.False(t, set.Rules[0].Enabled)
	require.True(t, set.Rules[1].Managed)
	require.Equal(t, "say \"hi\"\n[[change]]", set.Rules[1].Action)

	require.NoError(t, m.Enable(ctx, "a", true))
	require.NoError(t, m.Enable(ctx, "c", false))
	require.NoError(t, m.Add(ctx, Rule{Name: "b", Schedule: "@daily", Check: "disk", Enabled: true}), "a removed rule's name is free")
	set, problems = Load(o)
	require.Empty(t, problems)
	require.Equal(t, []string{"a", "c", "b"}, ruleNames(set))
	require.True(t, set.Rules[0].Enabled)
	require.False(t, set.Rules[1].Enabled)
	require.NoError(t, m.Remove(ctx, "b"))
	require.NoError(t, m.Remove(ctx, "c"))
	set, _ = Load(o)
	require.Equal(t, []string{"a"}, ruleNames(set))

	now, err := os.ReadFile(o.Path)
	require.NoError(t, err)
	require.Equal(t, text, string(now))
	fi, err := os.Stat(o.Managed)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
}

func TestWhatCannotBeChangedIsRefused(t *testing.T) {
	o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a") + "[[automation]]\nname = \"broken\"\n"})
	m := Managed{Files: o}
	ctx := context.Background()
	good := Rule{Name: "n", On: []string{"boot"}, Action: "x", Enabled: true}
	require.ErrorIs(t, m.Enable(ctx, "nobody", true), ErrUnknownRule)
	require.ErrorIs(t, m.Remove(ctx, "nobody"), ErrUnknownRule)
	for _, taken := range []string{"a", "broken"} {
		r := good
		r.Name = taken
		require.ErrorIs(t, m.Add(ctx, r), ErrExists)
	}
	for code, change := range map[string]func(*Rule){
		"dropin":   func(r *Rule) { r.AutoApply, r.Commands = true, [][]string{{"true"}} },
		"schedule": func(r *Rule) { r.Schedule = "0 0 31 2 *" },
		"name":     func(r *Rule) { r.Name = "a\x1b" },
		"no_begin": func(r *Rule) { r.On = nil },
	} {
		r := good
		change(&r)
		var p Problem
		require.ErrorAs(t, m.Add(ctx, r), &p, code)
		if code != "dropin" {
			require.Equal(t, code, p.Code)
		}
	}
	require.NoFileExists(t, o.Managed)
	put(t, o.Managed, "[[automation]\n")
	var p Problem
	require.ErrorAs(t, m.Add(ctx, good), &p)
	require.Equal(t, "toml", p.Code)
	text, err := os.ReadFile(o.Managed)
	require.NoError(t, err)
	require.Equal(t, "[[automation]\n", string(text), "a broken file is not written over")
}

func TestHandMadeRulesInTheDropInSurvive(t *testing.T) {
	o := home(t, map[string]string{"automations.d/50-managed.toml": "# mine\n[[automation]]\nid = \"m\"\ncron = \"0 9 * * *\"\ntask = { text = \"do \\\"it\\\"\" }\nover = 1.5\nnotify = [\"cli\", \"desktop\"]\nagain = '1d'\n"})
	before, problems := Load(o)
	require.Empty(t, problems)
	require.NoError(t, Managed{Files: o}.Add(context.Background(), Rule{Name: "n", On: []string{"boot"}, Action: "x", Enabled: true}))
	after, problems := Load(o)
	require.Empty(t, problems)
	require.Equal(t, []string{"m", "n"}, ruleNames(after))
	after.Rules[0].Line = before.Rules[0].Line
	require.Equal(t, before.Rules[0], after.Rules[0])
}

func TestWhatWasSaidOfARuleThatIsGoneIsForgotten(t *testing.T) {
	o := home(t, map[string]string{"automations.toml": fmt.Sprintf(plainRule, "a") + fmt.Sprintf(plainRule, "b")})
	m := Managed{Files: o}
	ctx := context.Background()
	require.NoError(t, m.Remove(ctx, "a"))
	put(t, o.Path, fmt.Sprintf(plainRule, "b"))
	require.NoError(t, m.Enable(ctx, "b", false))
	put(t, o.Path, fmt.Sprintf(plainRule, "a"))
	set, _ := Load(o)
	require.Equal(t, []string{"a"}, ruleNames(set))
}

func TestSeveralCommandsAtOnceLoseNothing(t *testing.T) {
	o := home(t, nil)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := (Managed{Files: o}).Add(context.Background(), Rule{Name: fmt.Sprintf("r%d", i), On: []string{"boot"}, Action: "x", Enabled: true}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	set, problems := Load(o)
	require.Empty(t, problems)
	require.Len(t, set.Rules, 20)
}

func TestTheFirstRulesAreGivenOnce(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		o := home(t, nil)
		written, err := EnsureDefaults(o.Path, o.State, lang)
		require.NoError(t, err)
		require.True(t, written)
		fi, err := os.Stat(o.Path)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), fi.Mode().Perm())
		set, problems := Load(o)
		require.Empty(t, problems)
		var checks []string
		for _, r := range set.Rules {
			checks = append(checks, r.Check)
			require.Equal(t, []string{"desktop"}, r.Notify)
			require.True(t, r.Enabled)
		}
		require.Equal(t, []string{"health", "updates", "security_updates", "disk"}, checks)
		// The commented example must be valid.
		text := string(DefaultText(lang))
		example := text[strings.LastIndex(text, "# [[automation]]"):]
		var lines []string
		for line := range strings.Lines(example) {
			if strings.Contains(line, " = ") && !strings.Contains(line, "auto_apply") && !strings.Contains(line, "commands") || strings.Contains(line, "[[automation]]") {
				lines = append(lines, strings.TrimPrefix(line, "# "))
			}
		}
		_, problems = Load(home(t, map[string]string{"automations.toml": strings.Join(lines, "")}))
		require.Empty(t, problems)

		require.NoError(t, os.Remove(o.Path))
		written, err = EnsureDefaults(o.Path, o.State, lang)
		require.NoError(t, err)
		require.False(t, written)
		require.NoFileExists(t, o.Path)
	}
	o := home(t, map[string]string{"automations.toml": "# mine\n"})
	written, err := EnsureDefaults(o.Path, o.State, i18n.Korean)
	require.NoError(t, err)
	require.False(t, written)
	text, err := os.ReadFile(o.Path)
	require.NoError(t, err)
	require.Equal(t, "# mine\n", string(text))
	left, err := filepath.Glob(filepath.Join(filepath.Dir(o.Path), ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestEachReaderSeesTheNamesOfTheFirstRules(t *testing.T) {
	names := func(lang i18n.Lang) (list []string) {
		for _, found := range regexp.MustCompile(`(?m)^name = "(.*)"$`).FindAllStringSubmatch(string(DefaultText(lang)), -1) {
			list = append(list, found[1])
		}
		require.Len(t, list, 4)
		return list
	}
	for _, written := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for i, name := range names(written) {
			for _, reader := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
				require.Equal(t, names(reader)[i], i18n.RuleName(name, reader))
				require.True(t, i18n.IsRuleName(name, names(reader)[i]))
			}
		}
	}
	require.Equal(t, "friday", i18n.RuleName("friday", i18n.Korean), "a name that a person chose stays")
	require.False(t, i18n.IsRuleName("friday", "disk warning"))
	require.Equal(t, DefaultText(i18n.Chinese), DefaultText(i18n.Traditional))
}
