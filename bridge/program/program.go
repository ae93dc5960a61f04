// Package program is the part that all bridge programs share: command line, exit codes, systemd
// notifications, the status command, and memory savings while idle. Each messenger's program adds a
// [Kind].
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// Kind is the part that is specific to one messenger's program.
type Kind struct {
	Channel channel.Channel
	Version string
	// Short and Status are the help texts of the program and of the status command.
	Short, Status i18n.Text
	// PhaseHelp are texts that tell the person what to do in a phase, where the command of
	// [state.Status.Remedy] is not enough.
	PhaseHelp map[state.Phase]i18n.Text
	// Open creates the messenger. An error that requires action by the person is a [bridge.Halt].
	Open func(p *Program, cmd *cobra.Command, dir string) (bridge.Messenger, error)
	// Explain converts an error of the messenger to an exit code and a text. ok is false for other
	// errors.
	Explain func(p *Program, err error) (code int, text string, ok bool)
	// Problem checks the stored login without the network. It returns what is wrong with it and the
	// command that helps, or "". It can be nil.
	Problem func(dir string) (detail, do string)
	// Commands returns the commands other than the bridge itself and status.
	Commands func(p *Program) []*cobra.Command
	// Flags adds persistent flags. It can be nil.
	Flags func(p *Program, root *cobra.Command)
}

// Program is one run of a bridge program.
type Program struct {
	Kind   Kind
	Lang   i18n.Lang
	Args   []string
	Getenv func(string) string
	In     *os.File
	Out    io.Writer
	Err    io.Writer
	// Secret is redacted in every log line; "" for none.
	Secret string

	idle *idleTimer
}

// The exit codes, documented in docs/exit-codes.md. The systemd unit does not restart the bridge
// after [Person] and [Running].
const (
	Failure       = 1
	Usage         = 2
	NotConfigured = 4
	Running       = 75
	Person        = 78
	Cancelled     = 130
)

// Exit is an error with an exit code. If Text is empty, nothing more is printed.
type Exit struct {
	Code int
	Text string
}

func (e *Exit) Error() string { return e.Text }

// Main runs the bridge program and exits the process.
func Main(k Kind) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	p := &Program{Kind: k, Args: os.Args[1:], Getenv: os.Getenv, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	p.Lang = i18n.CommandLineLang(p.Args, p.Getenv)
	code := p.Run(ctx)
	stop()
	os.Exit(code)
}

// Run executes the command line and returns the exit code.
func (p *Program) Run(ctx context.Context) int {
	root := p.Root()
	root.SetArgs(p.Args)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	cmd, err := root.ExecuteContextC(ctx)
	code, text := p.explain(ctx, cmd, err)
	if text != "" {
		fmt.Fprintln(p.Err, ipc.Clean(text))
	}
	return code
}

// explain converts an error to an exit code and a text to print.
func (p *Program) explain(ctx context.Context, cmd *cobra.Command, err error) (code int, text string) {
	var exit *Exit
	switch {
	case err == nil:
		return 0, ""
	case errors.As(err, &exit):
		return exit.Code, exit.Text
	case manual.IsUsageError(err):
		return Usage, p.guide().ExplainMistake(cmd, err)
	case errors.Is(err, state.ErrRunning):
		return Running, i18n.BridgeRuns(i18n.BridgeTitle(p.Kind.Channel.Name), p.Kind.Channel.Unit).In(p.Lang)
	case ctx.Err() != nil:
		return Cancelled, ""
	}
	if code, text, ok := p.Kind.Explain(p, err); ok {
		return code, text
	}
	return Failure, p.Kind.Channel.Program + ": " + i18n.ErrorText(err, p.Lang)
}

// Say prints a message to standard error.
func (p *Program) Say(t i18n.Text) { fmt.Fprintln(p.Err, t.In(p.Lang)) }

// Root returns the program's command tree.
func (p *Program) Root() *cobra.Command {
	root := &cobra.Command{
		Use: p.Kind.Channel.Program, Short: p.Kind.Short.In(p.Lang), Version: p.version(),
		SilenceUsage: true, SilenceErrors: true, Args: manual.NoArgs, PersistentPreRunE: p.checkLang,
	}
	root.PersistentFlags().String("lang", "", i18n.FlagLang.In(p.Lang))
	if p.Kind.Flags != nil {
		p.Kind.Flags(p, root)
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error { return p.runBridge(cmd) }
	root.AddCommand(p.Kind.Commands(p)...)
	root.AddCommand(p.statusCommand())
	p.guide().AddHelp(root)
	return root
}

// guide returns the configuration of this program's manual.
func (p *Program) guide() manual.Guide {
	return manual.Guide{
		Lang: p.Lang, Args: p.Args, Columns: func() int { columns, _ := Size(os.Stdout); return columns },
		Tree: func(lang i18n.Lang) *cobra.Command {
			return (&Program{Kind: p.Kind, Lang: lang, Getenv: func(string) string { return "" }, In: p.In, Out: p.Out, Err: p.Err}).Root()
		},
	}
}

// checkLang rejects an unknown language.
func (p *Program) checkLang(cmd *cobra.Command, _ []string) error {
	lang, _ := cmd.Flags().GetString("lang")
	if _, ok := i18n.Parse(lang); !ok && lang != "" && lang != "auto" {
		return manual.NewUsageError(i18n.MistakeLang(lang).In(p.Lang))
	}
	return nil
}

func (p *Program) version() string {
	if p.Kind.Version != "" {
		return p.Kind.Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// Log returns a logger to standard error, which the journal reads. The secret is redacted in each
// formatted line.
func (p *Program) Log() zerolog.Logger {
	level, err := zerolog.ParseLevel(strings.ToLower(p.Getenv("BLUNUX_AI_LOG")))
	if err != nil || level == zerolog.NoLevel {
		level = zerolog.InfoLevel
	}
	w := zerolog.ConsoleWriter{Out: redactor{p}, NoColor: true, TimeFormat: "2006-01-02 15:04:05"}
	if p.Getenv("JOURNAL_STREAM") != "" {
		w.PartsExclude = []string{zerolog.TimestampFieldName}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// redactor redacts the secret in what is written.
type redactor struct{ p *Program }

// Write implements io.Writer.
func (o redactor) Write(line []byte) (int, error) {
	text := string(line)
	if o.p.Secret != "" {
		text = strings.ReplaceAll(text, o.p.Secret, "TOKEN")
	}
	if _, err := io.WriteString(o.p.Err, text); err != nil {
		return 0, err
	}
	return len(line), nil
}
