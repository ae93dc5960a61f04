package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/confirm"
	"github.com/nidoit/blunux-ai/daemon"
	"github.com/nidoit/blunux-ai/errand"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/setup"
	"github.com/nidoit/blunux-ai/tui/plain"
)

// chatOptions are the flags of a chat, and what follows from where it runs.
type chatOptions struct {
	goOn, pick, plain, noColor bool
	session, lang              string
	distribution               string // --blunux-config

	in, out bool            // standard input is a terminal, standard output is
	prompt  *confirm.Prompt // where somebody types line by line; nil where nobody does
}

// newChat is the command chat. What it needs is made when it runs: this
// program links everything, and every command passes here.
func newChat() *cobra.Command {
	var o chatOptions
	cmd := &cobra.Command{
		Use: "chat", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.goOn, "continue", "c", false, "")
	f.StringVarP(&o.session, "session", "s", "", "")
	f.BoolVar(&o.pick, "resume", false, "")
	f.BoolVar(&o.plain, "plain", false, "")
	f.BoolVar(&o.noColor, "no-color", false, "")
	return cmd
}

// chatOrHelp is the program without a word: a chat where somebody is at the
// terminal, else its help and the status of a wrong usage.
func chatOrHelp(cmd *cobra.Command, _ []string) error {
	if isTerminal(os.Stdin) && isTerminal(os.Stdout) {
		return (&chatOptions{}).run(cmd)
	}
	cmd.SetOut(cmd.ErrOrStderr())
	if err := cmd.Help(); err != nil {
		return err
	}
	return exitError(exitUsage)
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// run chats. Ctrl-C is for the chat, which the context of the command does not
// outlive; TERM and HUP end it.
func (o *chatOptions) run(cmd *cobra.Command) error {
	o.in, o.out = isTerminal(os.Stdin), isTerminal(os.Stdout)
	o.distribution, _ = cmd.Flags().GetString("blunux-config")
	o.lang, _ = cmd.Flags().GetString("lang")
	if err := o.check(); err != nil {
		return err
	}
	if o.lines() && o.in {
		o.prompt = confirm.OpenPrompt()
		defer o.closePrompt()
	}
	ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	lang, resume := o.language(), o.session != ""
	if o.goOn {
		name, err := latestChat(ctx, o.hello())
		if err != nil {
			return o.unreachable(err)
		}
		if o.session, resume = name, name != ""; !resume {
			fmt.Fprintln(os.Stderr, i18n.ChatNoneYet.In(lang))
		}
	}
	if o.session == "" {
		o.session = time.Now().Format("20060102-150405")
	}
	if !o.lines() {
		err := o.becomeScreen(lang, resume)
		fmt.Fprintln(os.Stderr, i18n.ChatNoScreen.In(lang, ipc.Clean(i18n.Cause(err, lang))))
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

// check refuses options that make no sense together or here.
func (o *chatOptions) check() error {
	var given []string
	for _, flag := range []struct {
		name string
		set  bool
	}{{"--continue", o.goOn}, {"--resume", o.pick}, {"--session", o.session != ""}} {
		if flag.set {
			given = append(given, flag.name)
		}
	}
	switch {
	case len(given) > 1:
		return misused(i18n.MistakeBoth, given[0], given[1])
	case o.pick && !o.in:
		return misused(i18n.ChatNobody)
	case strings.ContainsFunc(o.session, ipc.Unprintable):
		return misused(i18n.ErrSessionName)
	}
	return nil
}

// lines reports whether the chat goes line by line: asked for, or the terminal
// can do no more, or there is none.
func (o *chatOptions) lines() bool {
	term := os.Getenv("TERM")
	return o.plain || term == "dumb" || term == "" || !o.in || !o.out
}

// explicitLang is the language that was chosen here, or "".
func (o *chatOptions) explicitLang() string {
	if o.lang != "" && o.lang != "auto" {
		return o.lang
	}
	return os.Getenv("BLUNUX_AI_LANG")
}

// language is the chat's own: chosen here, else by the configuration, else by
// the locale.
func (o *chatOptions) language() i18n.Lang {
	configured, locales := "", ""
	if o.explicitLang() == "" {
		if paths, err := config.FindPaths(os.Getenv); err == nil {
			if cfg, err := config.Load(daemon.NewSource(paths, o.distribution)); err == nil {
				configured, locales = cfg.Agent.Language, i18n.FromLocales(cfg.Locales)
			}
		}
	}
	return i18n.Choose(o.explicitLang(), configured, locales, os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"))
}

// hello is how a chat presents itself. Where nobody types, nobody is asked.
func (o *chatOptions) hello() ipc.Hello {
	caps := []string{ipc.CapDelta, ipc.CapTool}
	switch {
	case !o.lines():
		caps = append(caps, ipc.CapAsk, ipc.CapOutput)
	case o.prompt != nil:
		caps = append(caps, ipc.CapAsk)
	}
	return ipc.Hello{Client: "blunux-ai/" + buildVersion(), Channel: "tui", TTY: o.in && o.out, Lang: o.explicitLang(), Locale: string(o.language()), Caps: caps}
}

// chatKey is what the keys of this channel's conversations hold before their
// names.
const chatKey = ":session:tui/"

// latestChat is the name of the conversation somebody chatted in last, "" where
// there is none.
func latestChat(ctx context.Context, hello ipc.Hello) (string, error) {
	c, err := ipc.Connect(ctx, ipc.NewDialer(), hello)
	if err != nil {
		return "", err
	}
	defer c.Close()
	for page := 1; ; page++ {
		var all []struct {
			Key string `json:"key"`
		}
		reply, err := c.Do(ctx, ipc.Message{Type: ipc.TypeQuery}.WithData(ipc.Query{What: "sessions", Page: page, Limit: 50}), nil)
		if err == nil && reply.Error != nil {
			err = reply.Error
		}
		if err == nil {
			err = reply.Decode(&all)
		}
		if err != nil || len(all) == 0 {
			return "", err
		}
		for _, s := range all {
			if _, name, ok := strings.Cut(s.Key, chatKey); ok {
				return name, nil
			}
		}
	}
}

// exitUnreachable is the status where no daemon answers.
const exitUnreachable = 3

// unreachable tells why no daemon answers, and what helps.
func (o *chatOptions) unreachable(err error) error {
	if !errors.Is(err, ipc.ErrUnreachable) && !errors.Is(err, ipc.ErrLost) {
		return err
	}
	lang := o.language()
	why := i18n.Cause(err, lang)
	var none *ipc.UnreachableError
	if errors.As(err, &none) {
		why = i18n.Attempts(lang, none.Path, none.Tried)
	}
	fmt.Fprintf(os.Stderr, "%s\n%s\n%s\n", i18n.Unreachable.In(lang), ipc.Clean(why), i18n.UnreachableHint.In(lang))
	return exitError(exitUnreachable)
}

// screenProgram is what chats on the whole screen (cmd/blunux-ai-chat).
const screenProgram = "blunux-ai-chat"

// becomeScreen has that program take the place of this one; it returns only where
// that fails.
func (o *chatOptions) becomeScreen(lang i18n.Lang, resume bool) error {
	program, err := besides(screenProgram)
	if err != nil {
		return err
	}
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return err
	}
	order, err := json.Marshal(map[string]any{
		"lang": lang, "hello": o.hello(), "session": o.session, "resume": resume, "pick": o.pick, "no_color": o.noColor,
		"history": paths.ChatHistory(), "version": buildVersion(), "hint": o.hint(lang),
	})
	if err != nil {
		return err
	}
	return errand.Become(program, []string{screenProgram, string(order)})
}

// besides finds a program that is installed with this one: in PREFIX/lib/blunux-ai,
// or beside it.
func besides(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(self)
	for _, path := range []string{filepath.Join(dir, "../lib/blunux-ai", name), filepath.Join(dir, name)} {
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", name)
}

// runPlain chats line by line.
func (o *chatOptions) runPlain(ctx context.Context, link *ipc.Link, lang i18n.Lang, resume bool) error {
	cwd, _ := os.Getwd()
	options := plain.Options{
		Lang: lang, Daemon: link, Session: o.session, Resume: resume, Pick: o.pick, Hint: o.hint(lang),
		In: os.Stdin, Out: os.Stdout, Cwd: cwd, Root: os.Geteuid() == 0, Interrupts: interrupts(ctx),
	}
	if o.prompt != nil {
		options.Keyboard = o.prompt
	}
	if o.out {
		options.Columns = func() int { return cmp.Or(columns(), confirm.UsualColumns) }
	}
	end, err := plain.Run(ctx, options)
	if err == nil && end.Failed > 0 && options.Keyboard == nil {
		return exitError(1) // a script should know
	}
	return err
}

// hint is what somebody is told who has never set anything up, "" for others.
func (o *chatOptions) hint(lang i18n.Lang) string {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil || !setup.Never(daemon.NewSource(paths, o.distribution)) {
		return ""
	}
	return i18n.SetupHint.In(lang)
}

// interrupts tells of Ctrl-C until ctx ends.
func interrupts(ctx context.Context) <-chan struct{} {
	signals, told := make(chan os.Signal, 2), make(chan struct{})
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
			case told <- struct{}{}:
			}
		}
	}()
	return told
}
