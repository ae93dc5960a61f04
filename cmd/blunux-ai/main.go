// Blunux-ai is the daemon and the commands for its administration: daemon serves the clients, check judges a
// command, setup, config and doctor configure and diagnose.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

func main() {
	if os.Args[0] == record.Name { // if the smaller program is not installed
		os.Exit(record.Main(os.Args[1:]))
	}
	if len(os.Args) > 1 && os.Args[1] == file.Command { // part of a confirmed command, not of the help
		os.Exit(file.Main(os.Args[2:]))
	}
	setHome()
	if len(os.Args) > 1 && os.Args[1] == "makepkg" { // from blunux-ai-extra, in the place of makepkg
		os.Exit(runMakepkg(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	guide := newGuide(i18n.CommandLineLang(os.Args[1:], os.Getenv))
	cmd, err := guide.Tree(guide.Lang).ExecuteContextC(ctx)
	if err == nil {
		return
	}
	if isCancelled(ctx, err) {
		os.Exit(exitCancelled)
	}
	var exit exitError
	if errors.As(err, &exit) {
		os.Exit(int(exit))
	}
	if manual.IsUsageError(err) {
		fmt.Fprintln(os.Stderr, ipc.Clean(guide.ExplainMistake(cmd, err)))
		os.Exit(exitUsage)
	}
	fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(i18n.ErrorText(err, guide.Lang)))
	os.Exit(1)
}

// setHome sets HOME from the account if the environment lacks it, as in containers and services. An empty HOME
// is kept as it is.
func setHome() {
	if _, set := os.LookupEnv("HOME"); set {
		return
	}
	if account, err := user.Current(); err == nil && account.HomeDir != "" {
		_ = os.Setenv("HOME", account.HomeDir)
	}
}

// The exit codes that this program uses itself. docs/exit-codes.md lists all.
const (
	exitUsage   = 2
	exitConfirm = 5
	exitBlocked = 6
)

// exitError ends the program with a status and without a message.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// newRoot returns the commands. Their texts are in [i18n.Help]; [newGuide] adds them.
func newRoot(lang i18n.Lang) *cobra.Command {
	root := &cobra.Command{
		Use:           "blunux-ai",
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          manual.NoArgs,
		RunE:          chatOrHelp,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			flag, _ := cmd.Flags().GetString("lang")
			if _, known := i18n.Parse(flag); !known && flag != "" && flag != "auto" {
				return newUsageError(i18n.MistakeLang(flag))
			}
			return nil
		},
	}
	root.PersistentFlags().String("blunux-config", "", "")
	root.PersistentFlags().String("lang", "", i18n.FlagLang.In(lang))
	root.AddCommand(
		newChat(), newQuick(), newOpen(), newDaemon(), newBoot(), newCheck(), newExplain(), newPreview(), newAUR(), newPaths(), newConfig(), newDoctor(), newFormerStatus(),
		newLogs(), newShell(), newSetup(lang), newMCP(), newMemory(), newSign(), newWithdraw(), newFormerSign(),
	)
	return root
}

// buildVersion returns the version set by the build, or the module's.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
