package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/machine"
)

// newBoot returns the command that says whether the machine will start again. Another program reads the files.
func newBoot() *cobra.Command {
	root := "/"
	cmd := jsonCommand("boot", manual.NoArgs, func(in invocation) error {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			return i18n.NextStartNoRoot(root).WithCause(err)
		}
		options := map[string]string{"root": root}
		if in.json {
			return becomeExtra("boot", options)
		}
		next, err := readNextStart(options)
		if err != nil {
			return err
		}
		if _, err = io.WriteString(in.OutOrStdout(), ipc.Visible(nextStartText(next, commandLineLang()))); err != nil {
			return err
		}
		if next.Worst() == machine.BootRed {
			return exitError(1)
		}
		return nil
	})
	cmd.Flags().StringVar(&root, "root", "/", "")
	return cmd
}

func readNextStart(options any) (n machine.NextStart, err error) {
	program, err := installed.Find(wire.ExtraProgram)
	if err != nil {
		return n, missingProgram(err)
	}
	args, err := extraArgs("boot", options)
	if err != nil {
		return n, err
	}
	reader, err := errand.Attach(program, args)
	if err != nil {
		return n, err
	}
	text, err := io.ReadAll(reader.Stdout)
	reader.Close()
	if err == nil && len(text) == 0 {
		err = errors.New("no output") // it said why
	}
	if err != nil {
		return n, fmt.Errorf("cannot read what the next start needs: %w", err)
	}
	return machine.ParseNextStart(text)
}

// nextStartText returns the findings as lines, gravest first.
func nextStartText(n machine.NextStart, lang i18n.Lang) string {
	var b strings.Builder
	if worst := n.Worst(); worst == machine.BootNote && len(n.Entries) > 0 {
		var kernels []string
		for _, k := range n.Kernels {
			kernels = append(kernels, k.Package+" "+k.Release)
		}
		fmt.Fprintln(&b, i18n.NextStartSound(strings.Join(kernels, ", "), n.Entries[0].File).In(lang))
	}
	marks := map[machine.BootWeight]string{machine.BootRed: "✗", machine.BootUnknown: "?", machine.BootNote: "·"}
	for _, f := range n.Findings {
		fmt.Fprintf(&b, "%s %s\n", marks[f.Weight], diagnose.NextStartText(f).In(lang))
	}
	return b.String()
}
