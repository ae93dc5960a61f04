package setup

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

func (g *guide) askLanguage(ctx context.Context) error {
	value := cmp.Or(g.want.Language, g.now.Language)
	q := dialog.Question{Title: g.say(i18n.SetupLanguage), Value: value}
	for _, code := range []string{"auto", "ko", "en", "zh", "zh-Hant"} {
		q.Options = append(q.Options, dialog.Option{Label: languageName(code, g.say(i18n.SetupAuto)), Value: code})
	}
	got, err := g.ask.Choose(ctx, q)
	if err == nil {
		g.want.Language = got
	}
	return err
}

func (g *guide) askAutomations(ctx context.Context) error {
	rules := 0
	if g.Rules != nil {
		rules = g.Rules()
	}
	q := dialog.Question{Title: g.say(i18n.SetupAutomations), Help: g.say(i18n.SetupAutomationsHelp(rules))}
	if g.automatic() {
		q.Value = dialog.Yes
	}
	on, err := g.ask.Confirm(ctx, q)
	if err == nil {
		g.want.Automations = &on
	}
	return err
}

// askSenders asks who may write by a messenger.
func (g *guide) askSenders(ctx context.Context, c channel.Channel) error {
	title, help := i18n.SetupChats(c.Title), i18n.SetupChatHelp
	if c.Phones {
		title, help = i18n.SetupNumbers(c.Title), i18n.SetupNumberHelp
	}
	q := dialog.Question{Title: g.say(title), Help: g.say(help), Value: strings.Join(g.senders(c.Name), ", ")}
	q.Check = func(text string) error { _, err := g.ReadSenders(c, text); return err }
	text, err := g.ask.Type(ctx, q)
	if err != nil {
		return err
	}
	ids, err := g.ReadSenders(c, text)
	if err == nil {
		g.want.Senders = maps.Clone(g.want.Senders)
		if g.want.Senders == nil {
			g.want.Senders = map[string][]string{}
		}
		g.want.Senders[c.Name] = ids
	}
	return err
}

// ReadSenders parses senders of a channel: telephone numbers, of which those without a country code get the
// person's, or ids. Its error is meant for the person.
func (s *Setup) ReadSenders(c channel.Channel, text string) ([]string, error) {
	if !c.Phones {
		return s.readIDs(text, func(id string) bool { return config.IsSender(c, id) })
	}
	country := CallingCode(s.Getenv("LC_ALL"), s.Getenv("LC_TELEPHONE"), s.Getenv("LANG"))
	if country == "" && s.Lang == i18n.Korean {
		country = "82"
	}
	all, at, err := Numbers(text, country)
	switch {
	case errors.Is(err, ErrCountry):
		return nil, errors.New(s.say(i18n.SetupNoCountry(ipc.VisibleLine(at))))
	case err != nil:
		return nil, errors.New(s.say(i18n.SetupBadPhone(ipc.VisibleLine(at))))
	}
	return all, nil
}

func (s *Setup) readIDs(text string, right func(string) bool) ([]string, error) {
	all, at, err := IDs(text, right)
	if err != nil {
		return nil, errors.New(s.say(i18n.SetupBadId(ipc.VisibleLine(at))))
	}
	return all, nil
}

// Unit is the state of a systemd unit.
type Unit struct {
	Installed bool
	// IsOn reports that the unit is running and enabled.
	IsOn bool
}

// enableCommand returns the command that starts and enables a bridge.
func enableCommand(c channel.Channel) []string {
	return []string{"systemctl", "--user", "enable", "--now", c.Unit}
}

// loginCommand returns the command that links a messenger to this computer.
func loginCommand(c channel.Channel) []string { return []string{c.Program, "login"} }

// NextCommands returns the commands that are still necessary for messengers with admitted senders. They are
// printed in non-interactive use.
func (s *Setup) NextCommands(messengers []string) (commands []string) {
	commands = []string{}
	for _, name := range messengers {
		c, ok := channel.ByName(name)
		if !ok {
			continue
		}
		if !state.LoggedIn(s.Paths.Home, c) {
			commands = append(commands, strings.Join(loginCommand(c), " "))
		}
		if !s.unitState(context.Background(), c).IsOn {
			commands = append(commands, strings.Join(enableCommand(c), " "))
		}
	}
	return commands
}

func (s *Setup) unitState(ctx context.Context, c channel.Channel) Unit {
	if s.Unit == nil {
		return Unit{}
	}
	return s.Unit(ctx, c.Unit)
}

// linkMessengers offers to link messengers with admitted senders after the settings are saved. If the person
// leaves, the rest stays undone.
func (s *Setup) linkMessengers(ctx context.Context, ask dialog.Asker, messengers []string) {
	for _, c := range channel.WithBridge() {
		if !slices.Contains(messengers, c.Name) || s.Run == nil {
			continue
		}
		if s.logIn(ctx, ask, c) {
			s.switchOn(ctx, ask, c)
		}
	}
}

// logIn runs the messenger's login at this terminal, and reports whether it succeeded.
func (s *Setup) logIn(ctx context.Context, ask dialog.Asker, c channel.Channel) bool {
	if state.LoggedIn(s.Paths.Home, c) {
		return true
	}
	if s.IsInstalled == nil || !s.IsInstalled(c.Program) {
		ask.Tell(s.say(i18n.SetupNoBridge(c.Title, c.Program)))
		return false
	}
	if notice, ok := i18n.SetupNotices[c.Name]; ok {
		ask.Tell(s.say(notice))
	}
	argv := loginCommand(c)
	ok, err := ask.Confirm(ctx, dialog.Question{Title: s.say(i18n.SetupLink(c.Title)), Help: s.say(i18n.SetupRuns(strings.Join(argv, " "))), Value: dialog.Yes})
	if err != nil || !ok {
		ask.Tell(s.say(i18n.SetupLinkLater(strings.Join(argv, " "))))
		return false
	}
	if err := s.Run(ctx, argv); err != nil {
		ask.Tell(ipc.VisibleLine(i18n.Cause(err, s.Lang)))
	}
	if !state.LoggedIn(s.Paths.Home, c) {
		ask.Tell(s.say(i18n.SetupLinkLater(strings.Join(argv, " "))))
		return false
	}
	return true
}

// switchOn offers to start and enable the bridge.
func (s *Setup) switchOn(ctx context.Context, ask dialog.Asker, c channel.Channel) {
	argv := enableCommand(c)
	switch u := s.unitState(ctx, c); {
	case !u.Installed:
		ask.Tell(s.say(i18n.SetupNoUnit(c.Program)))
		return
	case u.IsOn:
		return
	}
	ok, err := ask.Confirm(ctx, dialog.Question{Title: s.say(i18n.SetupSwitchOn(c.Title)), Help: s.say(i18n.SetupRuns(strings.Join(argv, " "))), Value: dialog.Yes})
	if err != nil || !ok {
		ask.Tell(s.say(i18n.SetupLinkLater(strings.Join(argv, " "))))
		return
	}
	if err := s.Run(ctx, argv); err != nil {
		ask.Tell(ipc.VisibleLine(i18n.Cause(err, s.Lang)))
	}
}

// messengers returns the messengers with admitted senders, and those that the person looked at,
// where senders can be admitted by pairing.
func (a Answers) messengers(now Current) (all []string) {
	for _, ch := range channel.WithBridge() {
		if _, asked := a.Senders[ch.Name]; asked || len(now.Senders[ch.Name]) > 0 {
			all = append(all, ch.Name)
		}
	}
	return all
}

// offerShell offers the integration of the person's shell. The question names the file that changes.
func (s *Setup) offerShell(ctx context.Context, ask dialog.Asker) {
	if s.Shell == nil || s.Shell.Installed {
		return
	}
	q := dialog.Question{
		Title: s.say(i18n.SetupShell(s.Shell.Name)), Help: s.say(i18n.SetupRuns("blunux-ai shell " + s.Shell.Name + " --install")), Value: dialog.Yes,
	}
	if ok, err := ask.Confirm(ctx, q); err != nil || !ok {
		return
	}
	file, err := s.Shell.Install()
	if err != nil {
		ask.Tell(ipc.VisibleLine(i18n.Cause(err, s.Lang)))
		return
	}
	ask.Tell(s.say(i18n.SetupShellDone(ipc.VisibleLine(file))))
}

// Shell is a shell that has an integration.
type Shell struct {
	Name      string
	Installed bool
	Install   func() (file string, err error)
}
