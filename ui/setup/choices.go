package setup

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
)

func (g *guide) askLanguage(ctx context.Context) error {
	value := g.want.Language
	if value == "" {
		value = g.now.Language
	}
	q := Question{Title: g.say(i18n.SetupLanguage), Value: value}
	for _, code := range []string{"auto", "ko", "en", "zh", "zh-Hant"} {
		q.Options = append(q.Options, Option{languageName(code, g.say(i18n.SetupAuto)), code})
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
	q := Question{Title: g.say(i18n.SetupAutomations), Help: g.say(i18n.SetupAutomationsHelp(rules))}
	if g.automatic() {
		q.Value = yes
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
	q := Question{Title: g.say(title), Help: g.say(help), Value: strings.Join(g.senders(c.Name), ", ")}
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
