// Package program is what the programs of all bridges share: the command line, the
// exit codes, what the service manager is told, status, and how little a bridge
// takes while it waits. What one messenger needs besides, its own program adds.
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
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/manual"
)

// Kind is what one messenger's program adds.
type Kind struct {
	Channel state.Channel
	Version string
	// Short and Status are the help of the program and of its status.
	Short, Status i18n.Text
	// Halts are what a person is told to do in phases that wait for them, where that
	// is more than the command of [state.Seen.Remedy].
	Halts map[state.Phase]i18n.Text
	// Open makes the messenger of a directory. An error that waits for the person is a
	// [bridge.Halt].
	Open func(p *Program, cmd *cobra.Command, dir string) (bridge.Messenger, error)
	// Explain tells an error of the messenger's own; ok is false where it is none.
	Explain func(p *Program, err error) (code int, text string, ok bool)
	// Problem is why what a login left cannot be used, and the command that mends
	// it; "" for nothing. It may be nil.
	Problem func(dir string) (detail, do string)
	// Commands are those besides the bridge itself and status.
	Commands func(p *Program) []*cobra.Command
	// Flags adds flags that all commands have; it may be nil.
	Flags func(p *Program, root *cobra.Command)
}

// Program is one run of a bridge's program.
type Program struct {
	Kind   Kind
	Lang   i18n.Lang
	Args   []string
	Getenv func(string) string
	In     *os.File
	Out    io.Writer
	Err    io.Writer
	// Secret is taken out of every line of the log; "" for none.
	Secret string

	quiet *quiet
}

// The exit codes, documented in docs/exit-codes.md. The unit does not start the
// bridge again after [Person] and [Running].
const (
	Failure       = 1
	Usage         = 2
	NotConfigured = 4
	Running       = 75
	Person        = 78
	Cancelled     = 130
)

// Exit is an error with a status of its own. One without words says that
// everything was said.
type Exit struct {
	Code int
	Text string
}

func (e *Exit) Error() string { return e.Text }

// Misused is a command line that makes no sense.
type Misused struct{ error }

// Misuse is a [Misused] that says why.
func Misuse(text string) error { return Misused{errors.New(text)} }

// Unwrap returns what is wrong with it.
func (e Misused) Unwrap() error { return e.error }

// Main runs a bridge's program as this process, and does not return.
func Main(k Kind) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	p := &Program{Kind: k, Args: os.Args[1:], Getenv: os.Getenv, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	p.Lang = i18n.Spoken(p.Args, p.Getenv)
	code := p.Run(ctx)
	stop()
	os.Exit(code)
}

// Run does what the command line says and returns the exit code.
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

// explain maps an error to an exit code and what to write about it.
func (p *Program) explain(ctx context.Context, cmd *cobra.Command, err error) (code int, text string) {
	var exit *Exit
	var misused Misused
	switch {
	case err == nil:
		return 0, ""
	case errors.As(err, &exit):
		return exit.Code, exit.Text
	case errors.As(err, &misused), manual.Untyped(err):
		return Usage, p.guide().Mistake(cmd, err)
	case errors.Is(err, state.ErrRunning):
		return Running, i18n.BridgeRuns.In(p.Lang, i18n.BridgeTitle(p.Kind.Channel.Name), p.Kind.Channel.Unit)
	case ctx.Err() != nil:
		return Cancelled, ""
	}
	if code, text, ok := p.Kind.Explain(p, err); ok {
		return code, text
	}
	return Failure, p.Kind.Channel.Program + ": " + i18n.Tell(err, p.Lang)
}

// Say tells the person something that is no output.
func (p *Program) Say(t i18n.Text, args ...any) { fmt.Fprintln(p.Err, t.In(p.Lang, args...)) }

// Root is the program's commands.
func (p *Program) Root() *cobra.Command {
	root := &cobra.Command{
		Use: p.Kind.Channel.Program, Short: p.Kind.Short.In(p.Lang), Version: p.version(),
		SilenceUsage: true, SilenceErrors: true, Args: NoArgs, PersistentPreRunE: p.checkLang,
	}
	root.PersistentFlags().String("lang", "", i18n.FlagLang.In(p.Lang))
	if p.Kind.Flags != nil {
		p.Kind.Flags(p, root)
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Misused{err} })
	root.RunE = func(cmd *cobra.Command, _ []string) error { return p.bridge(cmd) }
	root.AddCommand(p.Kind.Commands(p)...)
	root.AddCommand(p.status())
	p.guide().Dress(root)
	return root
}

// guide is how this program tells about itself.
func (p *Program) guide() manual.Guide {
	return manual.Guide{
		Lang: p.Lang, Args: p.Args, Columns: func() int { columns, _ := Size(os.Stdout); return columns },
		Tree: func(lang i18n.Lang) *cobra.Command {
			return (&Program{Kind: p.Kind, Lang: lang, Getenv: func(string) string { return "" }, In: p.In, Out: p.Out, Err: p.Err}).Root()
		},
	}
}

// checkLang refuses a language the program does not speak.
func (p *Program) checkLang(cmd *cobra.Command, _ []string) error {
	lang, _ := cmd.Flags().GetString("lang")
	if _, ok := i18n.Parse(lang); !ok && lang != "" && lang != "auto" {
		return Misuse(i18n.MistakeLang.In(p.Lang, lang))
	}
	return nil
}

// NoArgs refuses arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if err := cobra.NoArgs(cmd, args); err != nil {
		return Misused{err}
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

// Log goes to standard error, which the journal reads. As the last thing the secret
// is taken out of each line, should it have got into one.
func (p *Program) Log() zerolog.Logger {
	level, err := zerolog.ParseLevel(strings.ToLower(p.Getenv("BLUNUX_AI_LOG")))
	if err != nil || level == zerolog.NoLevel {
		level = zerolog.InfoLevel
	}
	w := zerolog.ConsoleWriter{Out: without{p}, NoColor: true, TimeFormat: "2006-01-02 15:04:05"}
	if p.Getenv("JOURNAL_STREAM") != "" {
		w.PartsExclude = []string{zerolog.TimestampFieldName}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// without takes the secret out of what is written.
type without struct{ p *Program }

// Write implements io.Writer.
func (o without) Write(line []byte) (int, error) {
	text := string(line)
	if o.p.Secret != "" {
		text = strings.ReplaceAll(text, o.p.Secret, "TOKEN")
	}
	if _, err := io.WriteString(o.p.Err, text); err != nil {
		return 0, err
	}
	return len(line), nil
}
