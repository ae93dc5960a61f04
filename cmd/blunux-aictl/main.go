// Blunux-aictl is the thin client: it sends requests to the daemon, shows the answers, and asks the user for
// confirmation. It links only a few small packages of this module, so that it starts in a few milliseconds.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

func main() {
	ctx, stop := interruptContext()
	defer stop()
	a := &app{lang: i18n.CommandLineLang(os.Args[1:], os.Getenv), args: os.Args[1:], out: &output{w: os.Stdout}}
	if code := a.run(ctx); code != 0 {
		os.Exit(code)
	}
}

// run executes the command line and returns the exit code.
func (a *app) run(ctx context.Context) int {
	root := a.root()
	root.SetArgs(a.args)
	root.SetOut(a.out)
	cmd, err := root.ExecuteContextC(ctx)
	var quiet quietExit
	if a.out.err != nil && (err == nil || errors.As(err, &quiet)) {
		err = a.out.err
	}
	if err == nil {
		return 0
	}
	code, text := a.explain(ctx, cmd, err)
	if text == "" {
		return code
	}
	if cmd.Name() == "ask" && wantsJSON(a.args) {
		a.report(ctx, err, code, text)
	}
	fmt.Fprintln(os.Stderr, clean(text))
	return code
}

// interruptContext returns a context that ends at the first Ctrl-C. The second Ctrl-C ends the program immediately.
func interruptContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(exitCancelled)
	}()
	return ctx, cancel
}

// app holds what all commands share.
type app struct {
	lang i18n.Lang
	args []string
	out  *output
	host string // the machine of --host, "" for this one
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "blunux-aictl",
		Short:         i18n.CmdAictl.In(a.lang),
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          manual.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: a.checkFlags,
	}
	root.PersistentFlags().String("lang", "", i18n.FlagLang.In(a.lang))
	root.PersistentFlags().StringVar(&a.host, "host", "", i18n.FlagHost.In(a.lang))
	root.AddCommand(
		a.ask(), a.status(), a.daemon(), a.log(), a.approvals(), a.approve(), a.deny(),
		a.tasks(), a.changes(), a.undo(), a.command(), a.why(), a.diagnose(), a.pacnew(), a.upgrade(), a.offline(), a.cancel(), a.sessions(), a.reset(), a.notifications(), a.usage(), a.models(), a.moved("memory"), a.automations(), a.pairing(), a.channel(), a.gateway(), a.fleet(), a.page(), a.call(), a.relay(),
	)
	guide := a.guide()
	if guide.IsCompleting() {
		a.complete(root)
	}
	guide.AddHelp(root)
	return root
}

// checkFlags rejects unsupported languages, and commands that another machine cannot do for this one.
func (a *app) checkFlags(cmd *cobra.Command, _ []string) error {
	lang, err := cmd.Flags().GetString("lang")
	if err != nil {
		return err
	}
	if _, ok := i18n.Parse(lang); !ok && lang != "" && lang != "auto" {
		return a.newUsageError(i18n.MistakeLang(lang))
	}
	switch {
	case a.host == "" && !cmd.Flags().Changed("host"):
		return nil
	case !ipc.IsHost(a.host):
		return a.newUsageError(i18n.MistakeHost(a.host))
	case isLocal(cmd):
		return a.newUsageError(i18n.MistakeHostLocal(cmd.CommandPath(), "ssh -t "+a.host+" "+cmd.CommandPath()))
	}
	return nil
}

// isLocal reports whether a command uses more of its machine than the daemon's socket: units, programs, windows.
func isLocal(cmd *cobra.Command) bool {
	for cmd.HasParent() && cmd.Parent().HasParent() {
		cmd = cmd.Parent()
	}
	return slices.Contains([]string{"daemon", "channel", "gateway", "fleet", "page", "relay"}, cmd.Name())
}

// dialer returns the dialler for the daemon of this machine, or of that of --host.
func (a *app) dialer() ipc.Dialer {
	d := ipc.NewDialer()
	d.Host = a.host
	return d
}

// workDir returns the current directory, "" if it was deleted. Another machine has its own directories.
func (a *app) workDir() string {
	if a.host != "" {
		return ""
	}
	dir, _ := os.Getwd()
	return dir
}

func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// connect connects to the daemon and starts it if necessary.
func (a *app) connect(ctx context.Context, hello ipc.Hello) (*ipc.Client, error) {
	return a.connectWith(ctx, a.dialer(), hello)
}

// connectWith connects to the daemon with the given dialer.
func (a *app) connectWith(ctx context.Context, d ipc.Dialer, hello ipc.Hello) (*ipc.Client, error) {
	hello.Client, hello.Channel, hello.Lang = "blunux-aictl/"+buildVersion(), "cli", a.explicitLang()
	hello.Locale = string(i18n.Choose(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")))
	c, err := ipc.Connect(ctx, d, hello)
	if err != nil {
		return nil, err
	}
	if a.explicitLang() == "" {
		// Without a flag or variable, the daemon's configured language applies.
		a.lang = i18n.Choose(c.Server.Lang, string(a.lang))
	}
	return c, nil
}

// explicitLang returns the language set by flag or environment, or "".
func (a *app) explicitLang() string {
	for i, arg := range a.args {
		if v, ok := strings.CutPrefix(arg, "--lang="); ok {
			return v
		}
		if arg == "--lang" && i+1 < len(a.args) {
			return a.args[i+1]
		}
	}
	return os.Getenv("BLUNUX_AI_LANG")
}

// request connects, makes one request and returns its last frame. An error frame becomes an error.
func (a *app) request(ctx context.Context, m ipc.Message) (ipc.Message, error) {
	c, err := a.connect(ctx, ipc.Hello{})
	if err != nil {
		return ipc.Message{}, err
	}
	defer c.Close()
	return c.Request(ctx, m, nil)
}

// query makes a query and decodes the answer into v.
func (a *app) query(ctx context.Context, q ipc.Query, v any) error {
	reply, err := a.request(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(q))
	if err != nil {
		return err
	}
	return reply.Decode(v)
}

// look makes a query that looks at the machine, which can take long, and shows meanwhile that it works.
func (a *app) look(in invocation, q ipc.Query, v any) error {
	busy := progressAtTerminal(!in.json)
	busy.begin(a.lang, ipc.Hello{})
	defer busy.end()
	return a.query(in.Context(), q, v)
}

// newUsageError returns a usage error in the user's language.
func (a *app) newUsageError(what i18n.Text) error { return manual.NewUsageError(what.In(a.lang)) }

// clean makes text from a model, a tool or a file safe for a terminal.
func clean(s string) string { return ipc.Clean(s) }

// visible returns a command or a name on one line with every character visible.
func visible(s string) string { return ipc.VisibleLine(s) }

// stripControls removes the C0 controls except newline and tab, as [printableReader] does.
func stripControls(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] >= ' ' || s[i] == '\n' || s[i] == '\t' {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// moved returns a hidden command that now lives in blunux-ai. It prints where, and becomes that program with the
// same arguments.
func (a *app) moved(verb string) *cobra.Command {
	there := i18n.MistakeElsewhere("blunux-ai " + verb).In(a.lang)
	return &cobra.Command{
		Use: verb, Short: there, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintln(os.Stderr, there)
			return a.becomeMain(a.args)
		},
	}
}

// becomeMain replaces this process with blunux-ai. It returns only on failure.
func (a *app) becomeMain(args []string) error {
	file, err := ipc.NewDialer().Program()
	if err != nil {
		return err
	}
	return errand.Replace(file, append([]string{"blunux-ai"}, args...))
}
