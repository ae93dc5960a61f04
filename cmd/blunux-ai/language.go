package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
)

// newGuide returns the help texts and man pages of this program in a language.
func newGuide(lang i18n.Lang) manual.Guide {
	g := manual.Guide{Lang: lang, Columns: columns, Args: os.Args[1:]}
	g.Tree = func(lang i18n.Lang) *cobra.Command {
		root := newRoot(lang)
		own := manual.Guide{Lang: lang, Columns: columns, Args: os.Args[1:], Tree: g.Tree}
		own.AddHelp(root)
		own.SetTexts(root)
		if own.IsCompleting() {
			complete(root)
		}
		return root
	}
	return g
}

// columns returns the width of standard output, or 0 if it is not a terminal.
func columns() int { return term.Columns(os.Stdout) }

func langOf(cmd *cobra.Command) string {
	lang, _ := cmd.Flags().GetString("lang")
	return lang
}

// commandLineLang returns the language of this process's command line.
func commandLineLang() i18n.Lang { return i18n.CommandLineLang(os.Args[1:], os.Getenv) }

// newUsageError returns a usage error in the user's language.
func newUsageError(what i18n.Text) error {
	return manual.NewUsageError(what.In(commandLineLang()))
}
