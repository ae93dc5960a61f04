package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/daemon/wire"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/setup"
)

type setupOptions struct {
	accessible, direct, noVerify, insecure, asJSON, remove bool

	provider, model, baseURL, keyFile, language, claudeMode string
	automations, host                                       string
	senders                                                 map[string]*string // by channel
}

func newSetup(lang i18n.Lang) *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:  "setup",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("for"):
				return connectHost(cmd, o)
			case o.remove:
				return newUsageError(i18n.MistakeWith("--remove", "--for"))
			}
			return runSetup(cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.host, "for", "", "")
	f.BoolVar(&o.remove, "remove", false, "")
	f.BoolVar(&o.accessible, "accessible", false, "")
	f.BoolVar(&o.direct, "non-interactive", false, "")
	f.StringVar(&o.provider, "provider", "", i18n.SetupProviderFlag(strings.Join(setup.Providers(), ", ")).In(lang))
	f.StringVar(&o.model, "model", "", "")
	f.StringVar(&o.baseURL, "base-url", "", "")
	f.StringVar(&o.keyFile, "key-file", "", "")
	f.StringVar(&o.claudeMode, "claude-mode", "", "")
	f.StringVar(&o.language, "language", "", "")
	o.senders = map[string]*string{}
	for _, c := range channel.All() {
		o.senders[c.Name] = f.String(allowFlag(c), "", "")
	}
	f.StringVar(&o.automations, "automations", "", "")
	f.BoolVar(&o.noVerify, "no-verify", false, "")
	f.BoolVar(&o.insecure, "insecure-http", false, "")
	f.BoolVar(&o.asJSON, "json", false, "")
	return cmd
}

// allowFlag returns the flag that lists who may write over a channel.
func allowFlag(c channel.Channel) string { return "allow-" + c.Name }

// directFlags returns the flags that need --non-interactive.
func directFlags() []string {
	flags := []string{
		"provider", "model", "base-url", "key-file", "claude-mode", "language", "automations", "json", "no-verify", "insecure-http",
	}
	for _, c := range channel.All() {
		flags = append(flags, allowFlag(c))
	}
	return flags
}

// hosts returns the names of the other assistants that --for knows.
func hosts() []string { return []string{"claude", "codex", "gemini", "crush"} }

// connectHost lets another assistant on this computer use our tools, or takes that back, which [wire.ExtraProgram] carries
// out.
func connectHost(cmd *cobra.Command, o setupOptions) error {
	if !slices.Contains(hosts(), o.host) {
		return newUsageError(i18n.SetupHostUnknown(o.host))
	}
	for _, name := range append(directFlags(), "accessible", "non-interactive") {
		if cmd.Flags().Changed(name) {
			return newUsageError(i18n.MistakeBoth("--for", "--"+name))
		}
	}
	home := config.HomeDir(os.Getenv)
	return becomeExtra("host", map[string]any{"lang": commandLineLang(), "name": o.host, "home": home, "remove": o.remove})
}

func runSetup(cmd *cobra.Command, o setupOptions) error {
	s, err := wireSetup(cmd, langOf(cmd))
	if err != nil {
		return err
	}
	if o.direct {
		return setUpByFlags(cmd, s, o)
	}
	for _, name := range directFlags() {
		if cmd.Flags().Changed(name) {
			return newUsageError(i18n.MistakeWith("--"+name, "--non-interactive"))
		}
	}
	return setUpInteractively(cmd.Context(), s, o.accessible || os.Getenv("TERM") == "dumb")
}

// setUpInteractively asks at the terminal, writes, and prints the result.
func setUpInteractively(ctx context.Context, s *setup.Setup, accessible bool) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return manual.NewUsageError(i18n.SetupNoTty.In(s.Lang))
	}
	defer tty.Close()
	width := func() int {
		size, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			return 0
		}
		return int(size.Col)
	}
	ask, end := newAsker(s.Lang, tty, width, accessible)
	defer end()
	p, err := s.Guide(ctx, ask)
	var broken *config.Error
	switch {
	case errors.Is(err, dialog.ErrAborted):
		ask.Tell(i18n.SetupAborted.In(s.Lang))
		return exitError(130)
	case errors.As(err, &broken):
		return errors.New(i18n.SetupBroken(broken.In(s.Lang)).In(s.Lang))
	case err != nil:
		return err
	}
	done, err := s.Finish(ctx, p)
	if err != nil {
		return err
	}
	s.ReportDone(ctx, ask, done)
	return nil
}

// newAsker returns an asker with forms, or line by line for accessibility and if there are no forms. The caller calls end.
func newAsker(lang i18n.Lang, tty *os.File, width func() int, accessible bool) (ask dialog.Asker, end func()) {
	lines := dialog.NewLines(lang, tty, tty, width)
	if accessible {
		return lines, lines.Close
	}
	forms, closeForms, err := openForms(lang, lines.Tell)
	if err != nil {
		printNoForms(err, lang)
		return lines, lines.Close
	}
	return forms, func() {
		closeForms()
		lines.Close()
	}
}

// setUpDocument is the output of setup --non-interactive --json.
type setUpDocument struct {
	OK        bool           `json:"ok"`
	Verdict   string         `json:"verdict,omitempty"` // answer of the provider
	Problem   string         `json:"problem,omitempty"`
	Changes   []setup.Change `json:"changes"`
	Overruled []string       `json:"overruled"` // keys that a later file or a variable overrides
	*setup.Done
}

// setUpByFlags applies the flags without questions.
func setUpByFlags(cmd *cobra.Command, s *setup.Setup, o setupOptions) error {
	order, err := orderOf(cmd, s, o)
	if err != nil {
		return err
	}
	p, c, err := s.Direct(cmd.Context(), order)
	doc := setUpDocument{OK: err == nil, Verdict: string(c.Verdict), Changes: append([]setup.Change{}, p.Changes...), Overruled: []string{}}
	for _, v := range p.OverriddenSettings {
		doc.Overruled = append(doc.Overruled, v.Key())
	}
	if err == nil {
		var done setup.Done
		if done, err = s.Finish(cmd.Context(), p); err == nil {
			doc.Done = &done
		}
	}
	if o.asJSON {
		if err != nil {
			doc.OK, doc.Problem = false, i18n.Cause(err, s.Lang)
		}
		if failed := writeJSON(cmd.OutOrStdout(), doc); failed != nil {
			return failed
		}
		if err != nil {
			return exitError(setUpStatus(err))
		}
		return nil
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "blunux-ai: %s\n", ipc.Clean(i18n.ErrorText(err, s.Lang)))
		return exitError(setUpStatus(err))
	}
	tell := func(text string) { fmt.Fprintln(cmd.OutOrStdout(), ipc.Clean(text)) }
	s.Summary(p, tell)
	for _, command := range doc.Next {
		tell(i18n.SetupNext(command).In(s.Lang))
	}
	if doc.Problem = doc.Done.Problem; doc.Problem != "" {
		tell(i18n.SetupNoReload(ipc.VisibleLine(doc.Problem)).In(s.Lang))
	}
	return nil
}

// setUpStatus returns the exit status for an error; see docs/exit-codes.md.
func setUpStatus(err error) int {
	var verdict *setup.VerdictError
	switch {
	case errors.Is(err, setup.ErrUsage):
		return exitUsage
	case errors.Is(err, setup.ErrNoKey):
		return 4
	case errors.As(err, &verdict) && (verdict.Check.Verdict == setup.Refused || verdict.Check.Verdict == setup.NoModel):
		return 4
	case errors.As(err, &verdict):
		return 7
	}
	return 1
}

func orderOf(cmd *cobra.Command, s *setup.Setup, o setupOptions) (setup.Order, error) {
	order := setup.Order{
		Answers:    setup.Answers{Provider: o.provider, Model: o.model, BaseURL: o.baseURL, Language: o.language, Senders: map[string][]string{}},
		ClaudeMode: o.claudeMode, NoVerify: o.noVerify, Insecure: o.insecure,
	}
	for _, v := range []struct {
		flag, value string
		known       []string
	}{
		{"claude-mode", o.claudeMode, []string{"", "api", "oauth"}},
		{"language", o.language, []string{"", "auto", "ko", "en", "zh", "zh-Hant"}},
		{"automations", o.automations, []string{"", "on", "off"}},
	} {
		if !slices.Contains(v.known, v.value) {
			return order, newUsageError(i18n.MistakeChoice("--"+v.flag, v.value, strings.Join(v.known[1:], ", ")))
		}
	}
	if o.automations != "" {
		on := o.automations == "on"
		order.Automations = &on
	}
	for _, c := range channel.All() {
		if !cmd.Flags().Changed(allowFlag(c)) {
			continue
		}
		ids, err := s.ReadSenders(c, *o.senders[c.Name])
		if err != nil {
			return order, manual.NewUsageError(fmt.Sprintf("--%s: %v", allowFlag(c), err))
		}
		order.Senders[c.Name] = ids
	}
	key, err := readKeyFile(cmd.Context(), o.keyFile, cmd.InOrStdin())
	order.Key = key
	if err == nil && order.IsEmpty() {
		err = manual.NewUsageError(i18n.SetupNoTty.In(s.Lang))
	}
	return order, err
}

// maxKeyFile limits the size of a key file, in bytes.
const maxKeyFile = 64 << 10

// readKeyFile reads a key from a file or standard input. It returns "" if file is empty.
func readKeyFile(ctx context.Context, file string, stdin io.Reader) (string, error) {
	if file == "" {
		return "", nil
	}
	if f, ok := stdin.(*os.File); ok && file == "-" {
		if term.IsTerminal(f) {
			return "", newUsageError(i18n.SetupKeyTyped)
		}
	}
	in, err := openInterruptible(ctx, file, stdin)
	if isCancelled(ctx, err) {
		return "", err
	}
	if err != nil {
		return "", newUsageError(i18n.CannotReadKey(err))
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxKeyFile))
	if err != nil {
		return "", i18n.CannotReadKey(err).WithCause(err)
	}
	key := string(bytes.TrimSpace(text))
	if err := setup.CheckKey(key); err != nil {
		return "", newUsageError(i18n.CannotUseKey)
	}
	return key, nil
}

// wireSetup connects the setup to this machine.
func wireSetup(cmd *cobra.Command, lang string) (*setup.Setup, error) {
	paths, err := config.FindPaths(os.Getenv)
	if err != nil {
		return nil, err
	}
	distribution, _ := cmd.Flags().GetString("blunux-config")
	src := wire.NewSource(paths, distribution)
	cfg, _ := config.Load(src) // reported later if it matters
	s := &setup.Setup{
		Lang:  chooseLang(lang, cfg),
		Paths: paths, Source: src, Getenv: os.Getenv, HTTPClient: transport.NewHTTPClient(),
		Reload:           reloadRunning,
		Remember:         func() error { return rememberMachine(paths, cfg) },
		HasDormantSocket: isSocketDisabled, Shell: usualShell(os.Getenv),
	}
	s.Run = loggedRunner{lang: s.Lang, paths: paths, run: errand.Run}.Run
	s.Unit = unitOf
	s.Local = setup.LocalModels(s.HTTPClient, os.Getenv)
	if socket, err := ipc.NewLocator().Path(); err == nil {
		s.Claude = wire.NewClaude(paths, socket, os.Getenv)
	}
	s.Rules = func() int { return countRules(paths, s.Lang) }
	x := executor.New(executor.Options{Getenv: os.Getenv, Units: wire.NewUnits(paths, os.Getenv)})
	s.IsInstalled = func(program string) bool { _, err := x.FindProgram(program); return err == nil }
	rung := sync.OnceValue(func() string {
		return string(wire.NewLadder(cfg.Security.Privilege, x).Status(cmd.Context()).Rung)
	})
	s.Rights = func(context.Context) string { return rung() }
	s.Sandbox = sync.OnceValue(func() string {
		level, err := trySandbox()
		if err != nil {
			return i18n.SetupHaveNone.In(s.Lang)
		}
		return level
	})
	return s, nil
}

// reloadRunning makes a running daemon reload its settings. It does not start one.
func reloadRunning(ctx context.Context) (bool, error) {
	dialer := ipc.NewDialer()
	dialer.NoStart = true
	c, err := ipc.Connect(ctx, dialer, ipc.Hello{Client: "blunux-ai setup", Channel: "cli"})
	if err != nil {
		return false, nil //nolint:nilerr // no daemon runs, and none is needed
	}
	defer c.Close()
	_, err = c.Request(ctx, ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionReload}, nil)
	return true, err
}

// unitOf returns what the service manager knows about a unit.
func unitOf(ctx context.Context, name string) setup.Unit {
	s, err := systemd.NewUserManager(os.Getenv).Unit(ctx, name)
	if err != nil || s.Load != "loaded" {
		return setup.Unit{}
	}
	return setup.Unit{Installed: true, IsOn: s.Active == "active" && s.Enabled != "disabled"}
}

// isSocketDisabled reports whether the daemon's socket unit is installed but not enabled.
func isSocketDisabled(ctx context.Context) bool {
	s, err := systemd.NewUserManager(os.Getenv).Unit(ctx, ipc.SocketUnit)
	return err == nil && s.Load == "loaded" && s.Enabled == "disabled"
}

func rememberMachine(paths config.Paths, cfg config.Config) error {
	notes := wire.Sources{Paths: paths, Getenv: os.Getenv}.OpenNotes(cfg, func(error) {})
	_, err := notes.RefreshSystem(memory.DetectSystem("/", os.Getenv))
	return errors.Join(err, notes.Close(context.Background()))
}

// countRules counts the automations that exist or that the first start creates.
func countRules(paths config.Paths, lang i18n.Lang) int {
	files := rules.AutomationFiles(paths)
	files.State = "" // write no state
	set, _ := automation.Load(files)
	if _, err := os.Lstat(files.Path); errors.Is(err, os.ErrNotExist) {
		return len(set.Rules) + bytes.Count(append([]byte("\n"), automation.DefaultText(lang)...), []byte("\n[[automation]]"))
	}
	return len(set.Rules)
}
