package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/chat/plain"
	"github.com/nidoit/blunux-ai/ui/confirm"
	"github.com/nidoit/blunux-ai/ui/setup"
	"github.com/nidoit/blunux-ai/ui/show"
)

// chatOptions holds the flags of a chat and what its surroundings imply.
type chatOptions struct {
	latest, pick, plain, noColor bool
	session, lang                string
	words                        string // the first question, "" for none
	draft                        bool   // the person has to send it
	approvals                    string // the code of the approval to show, listApprovals for all, "" for none
	distribution                 string // --blunux-config

	in, out bool            // whether standard input and output are terminals
	prompt  *confirm.Prompt // reads typed lines; nil without a terminal
}

// newChat returns the command chat. It prepares as little as possible, because every command of this program calls it.
func newChat() *cobra.Command {
	var o chatOptions
	cmd := &cobra.Command{
		Use: "chat [WORDS]...",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.words = strings.TrimSpace(strings.Join(args, " "))
			return o.run(cmd)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.latest, "continue", "c", false, "")
	f.StringVarP(&o.session, "session", "s", "", "")
	f.BoolVar(&o.pick, "resume", false, "")
	f.BoolVar(&o.plain, "plain", false, "")
	f.BoolVar(&o.noColor, "no-color", false, "")
	f.BoolVar(&o.draft, "draft", false, "")
	f.StringVar(&o.approvals, "approvals", "", "")
	f.Lookup("approvals").NoOptDefVal = listApprovals
	return cmd
}

// listApprovals is the value of --approvals without a code.
const listApprovals = "\x00"

// chatOrHelp runs if there are no arguments. At a terminal it starts a chat; elsewhere it prints the help and
// returns the status of wrong usage.
func chatOrHelp(cmd *cobra.Command, _ []string) error {
	if term.IsTerminal(os.Stdin) && term.IsTerminal(os.Stdout) {
		return (&chatOptions{}).run(cmd)
	}
	cmd.SetOut(cmd.ErrOrStderr())
	if err := cmd.Help(); err != nil {
		return err
	}
	return exitError(exitUsage)
}

// run chats. The chat handles Ctrl-C itself, so the command's context is detached. SIGTERM and SIGHUP end it.
func (o *chatOptions) run(cmd *cobra.Command) error {
	o.in, o.out = term.IsTerminal(os.Stdin), term.IsTerminal(os.Stdout)
	o.distribution, _ = cmd.Flags().GetString("blunux-config")
	o.lang, _ = cmd.Flags().GetString("lang")
	o.plain = o.plain || o.words != "" || o.approvals != ""
	if err := o.check(); err != nil {
		return err
	}
	if o.isLineMode() && o.in {
		o.prompt = confirm.OpenPrompt()
		defer o.closePrompt()
	}
	ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	lang, resume := o.language(), o.session != ""
	if o.latest {
		name, err := latestChat(ctx, o.hello())
		if err != nil {
			return o.explainUnreachable(err)
		}
		if o.session, resume = name, name != ""; !resume {
			fmt.Fprintln(os.Stderr, i18n.ChatNoneYet.In(lang))
		}
	}
	if o.session == "" {
		o.session = time.Now().Format("20060102-150405")
		if o.words != "" { // programs can open several at once, and an answer in one is not meant for another
			o.session += "-" + strings.ToLower(rand.Text()[:4])
		}
	}
	if !o.isLineMode() {
		err := o.becomeScreen(lang, resume)
		fmt.Fprintln(os.Stderr, i18n.ChatNoScreen(ipc.Clean(i18n.Cause(err, lang))).In(lang))
		o.plain = true
		if o.in {
			o.prompt = confirm.OpenPrompt()
			defer o.closePrompt()
		}
	}
	link := ipc.NewLink(ipc.NewDialer(), o.hello())
	defer link.Start(ctx)()
	return o.runPlain(ctx, link, lang, resume)
}

func (o *chatOptions) closePrompt() {
	if o.prompt != nil {
		o.prompt.Close()
	}
}

// check rejects options that exclude each other or need a terminal.
func (o *chatOptions) check() error {
	var given []string
	for _, flag := range []struct {
		name string
		set  bool
	}{{"--continue", o.latest}, {"--resume", o.pick}, {"--session", o.session != ""}} {
		if flag.set {
			given = append(given, flag.name)
		}
	}
	switch {
	case len(given) > 1:
		return newUsageError(i18n.MistakeBoth(given[0], given[1]))
	case o.words != "" && o.approvals != "":
		return newUsageError(i18n.MistakeBoth("--approvals", "WORDS"))
	case o.draft && o.words == "":
		return newUsageError(i18n.ChatNoDraft)
	case (o.words != "" || o.approvals != "") && !o.in:
		return newUsageError(i18n.ChatNoPerson)
	case o.pick && !o.in:
		return newUsageError(i18n.ChatNoTerminal)
	case strings.ContainsFunc(o.session, ipc.Unprintable):
		return newUsageError(i18n.ErrSessionName)
	}
	return nil
}

// isLineMode reports whether the chat is line by line: on request, on a dumb terminal, or without a terminal.
func (o *chatOptions) isLineMode() bool {
	term := os.Getenv("TERM")
	return o.plain || term == "dumb" || term == "" || !o.in || !o.out
}

// explicitLang returns the language set by flag or environment, or "".
func (o *chatOptions) explicitLang() string {
	if o.lang != "" && o.lang != "auto" {
		return o.lang
	}
	return os.Getenv("BLUNUX_AI_LANG")
}

// language returns the language of the chat: set by flag or environment, else by the configuration, else by the locale.
func (o *chatOptions) language() i18n.Lang {
	configured, locales := "", ""
	if o.explicitLang() == "" {
		if paths, err := config.FindPaths(os.Getenv); err == nil {
			if cfg, err := config.Load(wire.NewSource(paths, o.distribution)); err == nil {
				configured, locales = cfg.Agent.Language, i18n.FromLocales(cfg.Locales)
			}
		}
	}
	return i18n.Choose(o.explicitLang(), configured, locales, os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
}

// hello returns the client's hello frame. Without a terminal the client offers no confirmations.
func (o *chatOptions) hello() ipc.Hello {
	caps := []string{ipc.CapDelta, ipc.CapTool, ipc.CapSteps}
	switch {
	case !o.isLineMode():
		caps = append(caps, ipc.CapAsk, ipc.CapOutput)
	case o.prompt != nil:
		caps = append(caps, ipc.CapAsk)
	}
	return ipc.Hello{Client: "blunux-ai/" + buildVersion(), Channel: "tui", TTY: o.in && o.out, Lang: o.explicitLang(), Locale: string(o.language()), Caps: caps}
}

// chatKey precedes the name in the keys of this channel's conversations.
const chatKey = ":session:tui/"

// latestChat returns the name of the most recent conversation of this channel, or "" if there is none.
func latestChat(ctx context.Context, hello ipc.Hello) (string, error) {
	c, err := ipc.Connect(ctx, ipc.NewDialer(), hello)
	if err != nil {
		return "", err
	}
	defer c.Close()
	for page := 1; ; page++ {
		var all []ipc.SessionRow
		if err := c.Query(ctx, ipc.Query{What: "sessions", Page: page, Limit: 50}, &all); err != nil || len(all) == 0 {
			return "", err
		}
		for _, s := range all {
			if _, name, ok := strings.Cut(s.Key, chatKey); ok {
				return name, nil
			}
		}
	}
}

// exitUnreachable is the exit status if no daemon answers.
const exitUnreachable = 3

// explainUnreachable explains why no daemon answers and which command helps.
func (o *chatOptions) explainUnreachable(err error) error {
	if !errors.Is(err, ipc.ErrUnreachable) && !errors.Is(err, ipc.ErrLost) {
		return err
	}
	lang := o.language()
	why := i18n.Cause(err, lang)
	var none *ipc.UnreachableError
	if errors.As(err, &none) {
		why = i18n.ConnectionAttempts(lang, none.Path, none.Tried)
	}
	fmt.Fprintf(os.Stderr, "%s\n%s\n%s\n", i18n.AictlUnreachable.In(lang), ipc.Clean(why), i18n.UnreachableHint.In(lang))
	return exitError(exitUnreachable)
}

// becomeScreen replaces this process with the full-screen chat. It returns only on failure.
func (o *chatOptions) becomeScreen(lang i18n.Lang, resume bool) error {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	cfg, _ := config.Load(wire.NewSource(paths, o.distribution)) // the daemon reports mistakes in it
	return becomeExtra("chat", map[string]any{
		"vi":   cfg.Chat.Keys == "vi",
		"lang": lang, "hello": o.hello(), "session": o.session, "resume": resume, "pick": o.pick, "no_color": o.noColor,
		"history": paths.ChatHistory(), "version": buildVersion(), "hint": o.hint(lang),
	})
}

// runPlain chats line by line.
func (o *chatOptions) runPlain(ctx context.Context, link *ipc.Link, lang i18n.Lang, resume bool) error {
	cwd, _ := os.Getwd()
	options := plain.Options{
		Lang: lang, Daemon: link, Session: o.session, Resume: resume, Pick: o.pick, Hint: o.hint(lang),
		Words: o.words, Draft: o.draft, Approvals: o.approvals != "", Code: strings.TrimPrefix(o.approvals, listApprovals),
		In: os.Stdin, Out: os.Stdout, Cwd: cwd, Root: os.Geteuid() == 0, Interrupts: interrupts(ctx),
	}
	if o.prompt != nil {
		options.Keyboard = o.prompt
	}
	if o.out {
		options.Picture = func(path string) { show.Picture(os.Stdout, path) }
		options.Columns = func() int { return cmp.Or(columns(), confirm.UsualColumns) }
	}
	end, err := plain.Run(ctx, options)
	if err == nil && end.Failed > 0 && options.Keyboard == nil {
		return exitError(1) // for scripts
	}
	return err
}

// hint returns the hint to run the setup, or "" if there has been one.
func (o *chatOptions) hint(lang i18n.Lang) string {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil || !setup.IsUnconfigured(wire.NewSource(paths, o.distribution)) {
		return ""
	}
	return i18n.SetupHint.In(lang)
}

// interrupts reports each Ctrl-C until ctx ends.
func interrupts(ctx context.Context) <-chan struct{} {
	signals, pressed := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt)
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			}
			select {
			case <-ctx.Done():
				return
			case pressed <- struct{}{}:
			}
		}
	}()
	return pressed
}
