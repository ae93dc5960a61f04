// Blunux-ai is the daemon and the tools around it: daemon serves every front
// end, check judges a command, paths and config tell where things are.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

func main() {
	if os.Args[0] == record.Name { // where the smaller program is not installed
		os.Exit(record.Main(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return
	}
	var exit exitError
	if errors.As(err, &exit) {
		os.Exit(int(exit))
	}
	fmt.Fprintf(os.Stderr, "blunux-ai: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		os.Exit(exitUsage)
	}
	os.Exit(1)
}

// The exit codes this program uses itself; docs/exit-codes.md has them all.
const (
	exitUsage   = 2
	exitConfirm = 5
	exitBlocked = 6
)

// exitError ends the program with a status after everything was said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is a command line that makes no sense.
type usageError struct{ error }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "blunux-ai",
		Short:         "An assistant for running a Linux desktop by natural language",
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.PersistentFlags().String("blunux-config", "", "the distribution's configuration (default /usr/share/blunux/config.toml)")
	root.AddCommand(newDaemon(), newCheck(), newPaths(), newConfig(), newDoctor(), newMCP(), newMemory(), newAutomationsCommand())
	return root
}

// buildVersion is the version the build was given, or the module's.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
