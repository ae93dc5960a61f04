package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/manual"
)

// newGuide is how this program tells about itself in a language.
func newGuide(lang i18n.Lang) manual.Guide {
	g := manual.Guide{Lang: lang, Columns: columns}
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

// languageOf chooses the language of help and of usage errors before the command
// line is parsed: --lang, BLUNUX_AI_LANG, the locale. What a command does
// may be told in the configuration's language, which is not read for help.
func languageOf(args []string, getenv func(string) string) i18n.Lang {
	return i18n.Choose(langFlag(args), getenv("BLUNUX_AI_LANG"), getenv("LC_ALL"), getenv("LC_MESSAGES"), getenv("LANG"))
}

// langFlag is what --lang says on a command line; "" where nothing.
func langFlag(args []string) string {
	said := ""
	for i, a := range args {
		if a == "--" {
			break
		}
		if v, ok := strings.CutPrefix(a, "--lang="); ok {
			said = v
		} else if a == "--lang" && i+1 < len(args) {
			said = args[i+1]
		}
	}
	return said
}

// langOf is what --lang said of a command that is to run.
func langOf(cmd *cobra.Command) string {
	said, _ := cmd.Flags().GetString("lang")
	return said
}

// spoken is the language of this process's command line.
func spoken() i18n.Lang { return languageOf(os.Args[1:], os.Getenv) }

// misused is a command line that makes no sense, told in the person's language.
func misused(what i18n.Text, args ...any) error {
	return usageError{errors.New(what.In(spoken(), args...))}
}
