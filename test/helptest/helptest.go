// Package helptest checks the help of a program in tests.
package helptest

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
)

// All returns the help of a program's commands, each below its name. tree returns the dressed commands.
func All(g manual.Guide, tree *cobra.Command) string {
	var b strings.Builder
	for _, cmd := range visible(tree) {
		fmt.Fprintf(&b, "==== %s\n%s\n", cmd.CommandPath(), g.Help(cmd))
	}
	return b.String()
}

// MissingTexts lists missing texts in a program's help: texts that are empty or the same in two languages. tree returns
// the dressed commands in a language. Argument names in usage lines are the same in all languages and not checked.
func MissingTexts(tree func(i18n.Lang) *cobra.Command) (gaps []string) {
	texts := map[string]map[string]bool{}
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		root := tree(lang)
		manual.Guide{Lang: lang}.SetTexts(root)
		for _, cmd := range visible(root) {
			for what, text := range textsOf(cmd) {
				if texts[what] == nil {
					texts[what] = map[string]bool{"": true}
				}
				texts[what][text] = true
			}
		}
	}
	for what, different := range texts {
		if len(different) != 1+3 {
			gaps = append(gaps, what)
		}
	}
	return gaps
}

// textsOf returns the texts of a command and of its visible flags. Long texts and examples are included only if they
// exist.
func textsOf(cmd *cobra.Command) map[string]string {
	path := cmd.CommandPath()
	texts := map[string]string{path: cmd.Short}
	if cmd.Long != "" {
		texts[path+" (long)"] = cmd.Long
	}
	if cmd.Example != "" {
		texts[path+" (example)"] = cmd.Example
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			texts[path+" --"+f.Name] = f.Usage
		}
	})
	return texts
}

func visible(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			list = append(list, visible(c)...)
		}
	}
	return list
}
