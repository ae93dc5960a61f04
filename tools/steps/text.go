package steps

import (
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
)

// Text returns the text for a model about executed commands.
func Text(steps ...providers.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "$ %s\n", s.Command)
		if s.MissingProgram != "" {
			fmt.Fprintf(&b, "[%s]\n", MissingText(s.MissingProgram, s.FoundPath))
			continue
		}
		writeStream(&b, s.Stdout)
		if strings.TrimSpace(s.Stderr) != "" {
			b.WriteString("[stderr]\n")
			writeStream(&b, s.Stderr)
		}
		switch {
		case s.Interrupted:
			b.WriteString("[started, but the result is unknown: check before you run it again]\n")
		case s.TimedOut && s.Limit > 0:
			fmt.Fprintf(&b, "[timed out after %d s, killed]\n", s.Limit)
		case s.TimedOut:
			b.WriteString("[timed out, killed]\n")
		case s.Denied != "":
			fmt.Fprintf(&b, "[exit %d: no root's rights (%s); never ask for a password: tell the person to run this in a terminal: %s]\n", s.Exit, s.Denied, s.ManualCommand)
		case s.Exit != 0:
			fmt.Fprintf(&b, "[exit %d]\n", s.Exit)
		case s.Stdout == "" && s.Stderr == "":
			b.WriteString("[no output, exit 0]\n")
		}
	}
	return b.String()
}

func writeStream(b *strings.Builder, text string) {
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// MissingText reports that a program is not in the system's directories, and the path or package that has it, if known.
func MissingText(program, found string) string {
	switch pkg := machine.PackageOf(program); {
	case found != "":
		return fmt.Sprintf("the program %s is not in the system's directories; it is %s: write that path to run it", program, found)
	case pkg != "":
		return fmt.Sprintf("the program %s is not installed (Arch package: %s)", program, pkg)
	}
	return fmt.Sprintf("the program %s is not installed", program)
}
