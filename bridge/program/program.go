// Package program is the part that all bridge programs share: command line, exit codes, systemd notifications, the
// status command, and memory savings while idle. Each messenger's program adds a [Kind].
package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
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
	// Explain converts an error of the messenger to an exit code and a text. ok is false for other errors.
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

func (p *Program) guide() manual.Guide {
	return manual.Guide{
		Lang: p.Lang, Args: p.Args, Columns: func() int { columns, _ := term.Size(os.Stdout); return columns },
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

// Log returns a logger to standard error, which the journal reads. The secret is redacted in each formatted line.
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

// garbageRatio is the GOGC value. It is low because a bridge has little live memory and always runs.
const garbageRatio = 25

// setGarbageRatio sets garbageRatio unless the environment sets GOGC.
func setGarbageRatio(getenv func(string) string) {
	if getenv("GOGC") == "" {
		debug.SetGCPercent(garbageRatio)
	}
}

// idleAfter is the time without activity after which memory is returned, reportedIdleAfter the time
// after a messenger reported that it is idle.
const (
	idleAfter         = 20 * time.Second
	reportedIdleAfter = 2 * time.Second
)

// idleTimer returns memory to the system when the program is idle.
type idleTimer struct{ t *time.Timer }

func newIdleTimer() *idleTimer { return &idleTimer{time.AfterFunc(idleAfter, releaseMemory)} }

// reset restarts the timer because of activity.
func (q *idleTimer) reset() { q.t.Reset(idleAfter) }

// shorten shortens the timer because a messenger waits for its server.
func (q *idleTimer) shorten() { q.t.Reset(reportedIdleAfter) }

func (q *idleTimer) stop() { q.t.Stop() }

// releaseMemory returns memory that only the start needed: free heap, and the program's own pages. Most of those are
// not read again while the bridge is idle, and the kernel reads the others from its cache.
func releaseMemory() {
	debug.FreeOSMemory()
	smaps, err := os.ReadFile("/proc/self/smaps")
	self, errSelf := os.Readlink("/proc/self/exe")
	if err != nil || errSelf != nil {
		return // memory just stays in use
	}
	for _, m := range cleanMappings(smaps, self) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.end-m.start, unix.MADV_DONTNEED)
	}
}

// mapping is the address range of a memory mapping.
type mapping struct{ start, end uintptr }

// cleanMappings returns the mappings of the program file that are read-only and have no modified page.
// The kernel can reload each page from the file (proc_pid_smaps(5)).
func cleanMappings(smaps []byte, self string) []mapping {
	var found []mapping
	var m mapping
	var mode, path string
	for lines := bufio.NewScanner(bytes.NewReader(smaps)); lines.Scan(); {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "Anonymous:"); ok {
			if path == self && !strings.Contains(mode, "w") && strings.TrimSpace(rest) == "0 kB" {
				found = append(found, m)
			}
			continue
		}
		fields := strings.Fields(line)
		var start, end uintptr
		if len(fields) < 5 || strings.HasSuffix(fields[0], ":") {
			continue
		}
		if n, err := fmt.Sscanf(fields[0], "%x-%x", &start, &end); n != 2 || err != nil {
			continue
		}
		m, mode, path = mapping{start, end}, fields[1], strings.Join(fields[5:], " ")
	}
	return found
}

// Document is the output of status --json.
type Document struct {
	state.State
	LoggedIn    bool   `json:"logged_in"`
	Running     bool   `json:"running"`
	NeedsPerson bool   `json:"needs_person"`
	Do          string `json:"do,omitempty"` // the command that helps
}

// statusCommand returns the command that reports the bridge's state, whether or not it runs.
func (p *Program) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: p.Kind.Status.In(p.Lang), Args: manual.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			home, err := p.home()
			if err != nil {
				return err
			}
			d, err := p.readStatus(home)
			if err != nil {
				return err
			}
			if err := p.print(d, asJSON); err != nil {
				return fmt.Errorf("cannot write: %w", err)
			}
			switch {
			case d.Phase == state.Online && d.Running:
				return nil
			case d.NeedsPerson:
				return &Exit{Code: NotConfigured}
			}
			return &Exit{Code: Failure}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJsonThis.In(p.Lang))
	return cmd
}

func (p *Program) readStatus(home string) (Document, error) {
	seen := state.Of(home, p.Kind.Channel)
	if seen.Err != nil {
		return Document{}, seen.Err
	}
	d := Document{State: seen.State, LoggedIn: seen.LoggedIn, Running: seen.State.Running}
	d.Phase, d.Do = seen.Phase(), strings.Join(seen.Remedy(), " ")
	if p.Kind.Problem != nil && d.LoggedIn && !d.Running {
		if detail, do := p.Kind.Problem(seen.Dir); do != "" {
			d.Phase, d.Detail, d.Do, d.LoggedIn = state.Broken, detail, do, false
		}
	}
	d.NeedsPerson = d.Phase.NeedsPerson()
	return d, nil
}

func (p *Program) print(d Document, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(p.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(d)
	}
	b := i18n.Bridge{
		Channel: p.Kind.Channel.Name, Phase: string(d.Phase), Account: ipc.VisibleLine(d.Account), Since: d.Since, Until: d.Until, Unsent: d.Unsent, Untaken: d.Undelivered, Do: d.Do,
	}
	lines := b.Lines(p.Lang, time.Now())
	if more, ok := p.Kind.PhaseHelp[d.Phase]; ok && d.Phase != state.Broken {
		lines = append(lines[:1], more.In(p.Lang))
	}
	_, err := fmt.Fprintln(p.Out, strings.Join(lines, "\n"))
	return err
}
