package tools_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func withRules(rules tools.Rules) func(*tools.Options) {
	return func(o *tools.Options) { o.Rules = rules }
}

func own(action tools.RuleAction, pattern string) tools.Rule {
	return tools.Rule{Name: string(action) + " it", Pattern: regexp.MustCompile(pattern), Action: action}
}

func TestAPatternLooksAtACommandAsItIsMeant(t *testing.T) {
	for command, want := range map[string]bool{
		"git push --force":                   true,
		"git   push \\\n --force":            true,
		"sudo git push --force":              true,
		"true; git push --force":             true,
		"if true; then git push --force; fi": true,
		"'git' push --force":                 true,
		`"git" 'push' --force`:               true,
		`g\it push --for\ce`:                 true,
		`gi''t pu""sh --force`:               true,
		`$'git' $'\x70ush' --force`:          true,
		`bash -c 'git push --force'`:         true,
		`bash -c "git push '--force'"`:       true,
		"git push --force # really":          true,
		"git push --force 'unfinished":       true,
		"git push":                           false,
		"git push -- force":                  false,
		"echo git-push --force":              false,
		"true # git push --force":            false,
		`$'git\x00' push --force`:            true,
	} {
		require.Equal(t, want, tools.RuleMatches(regexp.MustCompile(`git push --force`), command), "%s", command)
	}
	require.True(t, tools.RuleMatches(regexp.MustCompile(`"a  b"`), `touch "a  b"`), "quotes can be looked for too")
}

func TestABlockingRuleIsNeverAskedAbout(t *testing.T) {
	d := newTestGate(t, withRules(tools.Rules{Own: []tools.Rule{own(tools.RuleBlock, `\btouch\b`)}}))
	text, file := d.touch()
	p := allowing()
	out := d.call("run_command", command(text), p)
	require.Empty(t, p.shown)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.Contains(t, out.Text, "never allowed: user-rule (block it)", "the worst first")
	require.Equal(t, []string{"BLOCKED     " + text}, d.logged())
	require.NoFileExists(t, file)

	require.Equal(t, tools.RefusedBlocked, d.call("argv", map[string]any{"Commands": []shell.Command{{Argv: []string{"touch", file}}}}, p).Output.Refusal)
	require.Equal(t, tools.RefusedBlocked, d.call("run_command", command("'to'uch "+file), p).Output.Refusal)
	require.Equal(t, tools.RefusedBlocked, d.call("run_command", command("mkdir x"), editing(text)).Output.Refusal, "nor is it as an edit")
	require.Empty(t, p.shown)
	require.NoFileExists(t, file)

	d = newTestGate(t, withRules(tools.Rules{Own: []tools.Rule{own(tools.RuleBlock, `\buname\b`)}}))
	require.Equal(t, tools.RefusedBlocked, d.call("run_command", command("uname -s"), nil).Output.Refusal, "not even what only reads")
}

func TestARuleBlocksWhatWasApprovedBeforeIt(t *testing.T) {
	d := newTestGate(t)
	j, file := pendingCall(t, d)
	ruled := newTestGate(t, withRules(tools.Rules{Own: []tools.Rule{own(tools.RuleBlock, `touch`)}}))
	require.Equal(t, tools.RefusedBlocked, ruled.RunApproved(t.Context(), reloadJudged(t, j), j.Digest, nil, nil).Output.Refusal)
	require.NoFileExists(t, file)
}

func TestAConfirmingRuleAsksAboutWhatOnlyReads(t *testing.T) {
	d := newTestGate(t, withRules(tools.Rules{Own: []tools.Rule{own(tools.RuleConfirm, `uname`)}}))
	p := answering(tools.Decision{}, tools.Decision{Action: tools.AllowOnce})
	require.Equal(t, tools.RefusedDenied, d.call("run_command", command("uname -s"), p).Output.Refusal)
	require.Empty(t, d.call("run_command", command("uname -s"), p).Output.Refusal)
	require.Equal(t, []string{"uname -s", "uname -s"}, p.saw())
	j := p.shown[0]
	require.Equal(t, safety.Confirm, j.Class)
	require.Equal(t, []string{tools.ReasonUserRule}, j.Reasons)
	require.Equal(t, []safety.Reason{{Code: tools.ReasonUserRule, Part: "confirm it"}}, j.Parts)
	require.Equal(t, []string{"user-rule: confirm it"}, j.Warnings)
	require.Equal(t, []string{"CANCELLED   uname -s", "CONFIRMED   uname -s"}, d.logged())
}

func TestWarningsAreShownAndChangeNothing(t *testing.T) {
	rules := tools.Rules{
		Own:       []tools.Rule{own(tools.RuleWarn, `touch`), own(tools.RuleWarn, `never`), own(tools.RuleWarn, `uname`)},
		Dangerous: []*regexp.Regexp{regexp.MustCompile(`rm\s+-rf\s+/`), regexp.MustCompile(`touch\s`), regexp.MustCompile(`uname`)},
	}
	d, plain := newTestGate(t, withRules(rules)), newTestGate(t)
	text, file := d.touch()
	p := allowing()
	require.Empty(t, d.call("run_command", command(text+" && touch "+file), p).Output.Refusal)
	require.Equal(t, []string{"user-rule: warn it", `dangerous-pattern: touch\s`}, p.shown[0].Warnings)
	without, _ := plain.Prepare(newCall(t, "run_command", command(text+" && touch "+file)), "s", plain.dir)
	require.Equal(t, without.Class, p.shown[0].Class)
	require.Equal(t, without.Reasons, p.shown[0].Reasons)

	require.Empty(t, d.call("run_command", command("uname -s"), nil).Output.Refusal, "what only reads still runs unasked")
	out := d.call("run_command", command(blockedCommand), nil)
	require.Equal(t, tools.RefusedBlocked, out.Output.Refusal)
	require.NotContains(t, out.Text, "pattern")
}

// TestRulesNeverLower: with any rules, a verdict is at least the one without them.
func TestRulesNeverLower(t *testing.T) {
	plain := newTestGate(t)
	texts := rapid.SampledFrom([]string{
		"uname -s", "touch x", blockedCommand, "df -h | sort", "sudo -n true", "echo 'a b' > x", "f() { f; }; f", "touch 'x", "cat ~/.ssh/id_rsa", "rm -rf x", "",
	})
	patterns := rapid.SampledFrom([]string{"", ".", "^$", "touch", "rm", "x$", `\bsudo\b`, "[a-z]+", "nothing like it"})
	rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tools.Rule {
		action := rapid.SampledFrom([]tools.RuleAction{tools.RuleWarn, tools.RuleConfirm, tools.RuleBlock}).Draw(t, "action")
		return own(action, patterns.Draw(t, "pattern"))
	}), 0, 4)
	rapid.Check(t, func(rt *rapid.T) {
		o := tools.Rules{Own: rules.Draw(rt, "rules")}
		for range rapid.IntRange(0, 2).Draw(rt, "dangerous") {
			o.Dangerous = append(o.Dangerous, regexp.MustCompile(patterns.Draw(rt, "dangerous pattern")))
		}
		call := newCall(rt, "run_command", command(texts.Draw(rt, "text")+"\n"+texts.Draw(rt, "more")))
		without, refused := plain.Prepare(call, "s", plain.dir)
		if refused != nil {
			return
		}
		d := newTestGate(t, withRules(o))
		with, _ := d.Prepare(call, "s", plain.dir)
		require.GreaterOrEqual(rt, with.Class, without.Class)
		for _, code := range without.Reasons {
			require.Contains(rt, with.Reasons, code)
		}
		for _, part := range without.Parts {
			require.Contains(rt, with.Parts, part)
		}
	})
}

// TestU15AnEmptyWordIsPrinted prints words that consist only of quotes.
func TestU15AnEmptyWordIsPrinted(t *testing.T) {
	for _, command := range []string{`echo ""`, `grep -H '' /etc/hosts`, `echo $''`, `""`, `x="" true`, `[ "" = '' ] && echo "" > "f"`, `case "" in '') true;; esac`, `echo $""`} {
		require.True(t, tools.RuleMatches(regexp.MustCompile(`^`), command), command)
		require.False(t, tools.RuleMatches(regexp.MustCompile(`git push`), command), command)
	}
}

// TestAFaultInJudgingRefusesTheCall: matching a nil pattern panics. The call is refused, and the next one is
// judged.
func TestAFaultInJudgingRefusesTheCall(t *testing.T) {
	d := newTestGate(t, withRules(tools.Rules{Own: []tools.Rule{{Name: "faulty", Action: tools.RuleWarn}}}))
	text, file := d.touch()
	out := d.call("run_command", command(text), allowing())
	require.Equal(t, tools.RefusedInput, out.Output.Refusal)
	require.Contains(t, out.Text, "cannot be judged")
	require.NoFileExists(t, file)
	require.Empty(t, d.logged())
}
