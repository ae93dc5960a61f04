package manual

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
)

// forms matches cobra's errors, which have no type. The texts are those of cobra v1.10.2: args.go, command.go
// and flag_groups.go. The expressions are compiled on first use.
var forms = sync.OnceValue(func() map[form]*regexp.Regexp {
	all := map[form]*regexp.Regexp{}
	for f, words := range map[form]string{
		unknownCommand:  `(?s)^unknown command ("(?:[^"\\]|\\.)*") for "([^"]*)"`,
		invalidArgument: `(?s)^invalid argument ("(?:[^"\\]|\\.)*") for "([^"]*)"`,
		exactArgs:       `^accepts (\d+) arg\(s\), received (\d+)$`,
		fewestArgs:      `^requires at least (\d+) arg\(s\), only received (\d+)$`,
		mostArgs:        `^accepts at most (\d+) arg\(s\), received (\d+)$`,
		rangeArgs:       `^accepts between (\d+) and (\d+) arg\(s\), received (\d+)$`,
		requiredFlags:   `^required flag\(s\) (".*") not set$`,
		exclusiveFlags:  `^if any flags in the group \[(.*)\] are set none of the others can be; \[(.*)\] were all set$`,
		togetherFlags:   `^if any flags in the group \[(.*)\] are set they must all be set; missing \[(.*)\]$`,
		oneFlagOf:       `^at least one of the flags in the group \[(.*)\] is required$`,
	} {
		all[f] = regexp.MustCompile(words)
	}
	return all
})

// form is one of cobra's errors.
type form int

const (
	unknownCommand form = iota
	invalidArgument
	exactArgs
	fewestArgs
	mostArgs
	rangeArgs
	requiredFlags
	exclusiveFlags
	togetherFlags
	oneFlagOf
)

// match returns the submatches of an error's text, or nil if it has another form.
func (f form) match(text string) []string { return forms()[f].FindStringSubmatch(text) }

// IsCobraError reports whether an error is one of cobra's own usage errors, which have no type.
func IsCobraError(err error) bool {
	text := err.Error()
	for _, words := range forms() {
		if words.MatchString(text) {
			return true
		}
	}
	return false
}

// ExplainMistake explains a wrong command line: the mistake, a suggestion, and the command that helps. cmd is the
// command that failed. Errors that are not from cobra or pflag are kept.
func (g Guide) ExplainMistake(cmd *cobra.Command, err error) string {
	lines := []string{i18n.UsageError(g.describeMistake(cmd, err)).In(g.Lang)}
	near := g.similarNames(cmd, err)
	if m := unknownCommand.match(err.Error()); m != nil {
		if other := otherProgramCommand(m[2], unquote(m[1])); other != "" {
			return strings.Join(append(lines, i18n.MistakeElsewhere(other).In(g.Lang)), "\n")
		}
		if ask := g.suggestAsk(m[2], unquote(m[1]), near); ask != "" {
			lines = append(lines, ask)
		}
	}
	if len(near) > 0 {
		lines = append(lines, i18n.MistakeNear(strings.Join(near, ", ")).In(g.Lang))
	}
	return strings.Join(append(lines, i18n.SeeHelp(cmd.CommandPath()).In(g.Lang)), "\n")
}

// describeMistake explains the mistake.
func (g Guide) describeMistake(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		return i18n.MistakeFlag(typedFlag(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames())).In(g.Lang)
	case errors.As(err, &missing):
		return i18n.MistakeNoValue(typedFlag(missing.GetSpecifiedName(), missing.GetSpecifiedShortnames()), g.valueForm(missing.GetFlag())).In(g.Lang)
	case errors.As(err, &invalid):
		return i18n.MistakeValue("--"+invalid.GetFlag().Name, invalid.GetValue(), g.valueForm(invalid.GetFlag())).In(g.Lang)
	case errors.As(err, &syntax):
		return i18n.MistakeSyntax(syntax.GetSpecifiedFlag()).In(g.Lang)
	}
	return g.translateCobraError(cmd, err.Error())
}

// translateCobraError translates an error of cobra.
func (g Guide) translateCobraError(cmd *cobra.Command, text string) string {
	if m := unknownCommand.match(text); m != nil {
		if failedCommand(cmd, m[2]).HasAvailableSubCommands() {
			return i18n.MistakeCommand(m[2], unquote(m[1])).In(g.Lang)
		}
		return i18n.MistakeNoArgs(m[2], unquote(m[1])).In(g.Lang)
	}
	if m := invalidArgument.match(text); m != nil {
		return i18n.MistakeArgument(m[2], unquote(m[1]), strings.Join(withoutDescriptions(cmd.ValidArgs), ", ")).In(g.Lang)
	}
	for _, f := range []struct {
		form form
		text func(command string, found []string) i18n.Text
	}{
		{exactArgs, func(c string, f []string) i18n.Text { return i18n.MistakeExact(c, f[0], f[1]) }},
		{fewestArgs, func(c string, f []string) i18n.Text { return i18n.MistakeFewest(c, f[0], f[1]) }},
		{mostArgs, func(c string, f []string) i18n.Text { return i18n.MistakeMost(c, f[0], f[1]) }},
		{rangeArgs, func(c string, f []string) i18n.Text { return i18n.MistakeRange(c, f[0], f[1], f[2]) }},
		{requiredFlags, func(c string, f []string) i18n.Text { return i18n.MistakeRequired(c, f[0]) }},
		{exclusiveFlags, func(c string, f []string) i18n.Text { return i18n.MistakeExclusive(c, f[0], f[1]) }},
		{togetherFlags, func(c string, f []string) i18n.Text { return i18n.MistakeTogether(c, f[0], f[1]) }},
		{oneFlagOf, func(c string, f []string) i18n.Text { return i18n.MistakeOneOf(c, f[0]) }},
	} {
		if m := f.form.match(text); m != nil {
			_, form, _ := strings.Cut(cmd.Use, " ")
			return f.text(strings.TrimSpace(cmd.CommandPath()+" "+form), withDashes(m[1:])).In(g.Lang)
		}
	}
	return text
}

// failedCommand returns the command named in an error. It is usually the one that failed, but help fails for others.
func failedCommand(cmd *cobra.Command, path string) *cobra.Command {
	if _, rest, ok := strings.Cut(path, " "); ok {
		if named, left, err := cmd.Root().Find(strings.Fields(rest)); err == nil && len(left) == 0 {
			return named
		}
		return cmd
	}
	return cmd.Root()
}

// withDashes returns the numbers and flags of an error of cobra, the flags as people type them.
func withDashes(found []string) []string {
	var out []string
	for _, f := range found {
		if _, err := strconv.Atoi(f); err == nil {
			out = append(out, f)
			continue
		}
		var flags []string
		for _, name := range strings.FieldsFunc(f, func(r rune) bool { return strings.ContainsRune(` ,"`, r) }) {
			flags = append(flags, "--"+name)
		}
		out = append(out, strings.Join(flags, ", "))
	}
	return out
}

// similarNames returns commands or flags with a similar name.
func (g Guide) similarNames(cmd *cobra.Command, err error) []string {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if unknown.GetSpecifiedShortnames() != "" {
			return nil
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && isSimilar(unknown.GetSpecifiedName(), f.Name) {
				names = append(names, "--"+f.Name)
			}
		})
		return names
	}
	m := unknownCommand.match(err.Error())
	if m == nil {
		return nil
	}
	word := unquote(m[1])
	var names []string
	for _, c := range failedCommand(cmd, m[2]).Commands() {
		if c.IsAvailableCommand() && isSimilar(word, c.Name()) {
			names = append(names, c.CommandPath())
		}
	}
	return names
}

// isSimilar reports whether word may be a typo of name: its beginning, or at most two edits away, for short names
// half their length.
func isSimilar(word, name string) bool {
	word = strings.ToLower(word)
	if len(word) > 1 && strings.HasPrefix(name, word) {
		return true
	}
	return distance(word, name) <= min(2, len(name)/2)
}

// distance returns the Levenshtein distance of a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, corner := i+1, row[0]
		row[0] = left
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			left = min(left+1, row[j+1]+1, cost)
			row[j+1] = left
		}
	}
	return row[len(b)]
}

// typedFlag returns a flag as it was typed.
func typedFlag(name, shorthands string) string {
	if shorthands != "" {
		return "-" + string([]rune(shorthands)[0])
	}
	return "--" + name
}

// valueForm describes the value that a flag takes.
func (g Guide) valueForm(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	if text, ok := i18n.ValueForms[f.Value.Type()]; ok {
		return text.In(g.Lang)
	}
	return value
}

// unquote is the inverse of %q.
func unquote(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return s
}

// withoutDescriptions removes the descriptions from completions.
func withoutDescriptions(completions []string) []string {
	var names []string
	for _, c := range completions {
		name, _, _ := strings.Cut(c, "\t")
		names = append(names, name)
	}
	return names
}
