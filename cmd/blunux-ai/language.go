package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/manual"
)

// newGuide is how this program tells about itself in a language.
func newGuide(lang i18n.Lang) manual.Guide {
	g := manual.Guide{Lang: lang, Columns: columns, Args: os.Args[1:]}
	g.Tree = func(lang i18n.Lang) *cobra.Command {
		root := newRoot(lang)
		own := manual.Guide{Lang: lang, Columns: columns, Args: os.Args[1:], Tree: g.Tree}
		own.Dress(root)
		own.Tell(root)
		if own.Completing() {
			complete(root)
		}
		return root
	}
	return g
}

// columns is how wide standard output is; 0 where it is no terminal.
func columns() int { return columnsOf(os.Stdout) }

// langOf is what --lang said of a command that is to run.
func langOf(cmd *cobra.Command) string {
	said, _ := cmd.Flags().GetString("lang")
	return said
}

// spoken is the language of this process's command line.
func spoken() i18n.Lang { return i18n.Spoken(os.Args[1:], os.Getenv) }

// misused is a command line that makes no sense, told in the person's language.
func misused(what i18n.Text, args ...any) error {
	return usageError{errors.New(what.In(spoken(), args...))}
}
