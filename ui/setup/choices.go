package setup

import (
	"context"
	"errors"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
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
func (g *guide) askSenders(ctx context.Context, over string) error {
	q := Question{Title: g.say(i18n.SetupWhatsApp), Help: g.say(i18n.SetupNumberHelp), Value: strings.Join(g.numbers(), ", ")}
	read, keep := g.ReadNumbers, &g.want.Numbers
	if over == "telegram" {
		q = Question{Title: g.say(i18n.SetupTelegram), Help: g.say(i18n.SetupChatHelp), Value: strings.Join(g.chats(), ", ")}
		read, keep = g.ReadChats, &g.want.Chats
	}
	q.Check = func(text string) error { _, err := read(text); return err }
	text, err := g.ask.Type(ctx, q)
	if err != nil {
		return err
	}
	ids, err := read(text)
	if err == nil {
		*keep = &ids
	}
	return err
}

// ReadNumbers parses telephone numbers. Numbers without a country code get the person's. Its error
// is meant for the person.
func (s *Setup) ReadNumbers(text string) ([]string, error) {
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

// ReadChats parses Telegram chat IDs. Its error is meant for the person.
func (s *Setup) ReadChats(text string) ([]string, error) { return s.readIDs(text, config.IsChatID) }

// ReadUsers parses Discord user IDs. Its error is meant for the person.
func (s *Setup) ReadUsers(text string) ([]string, error) { return s.readIDs(text, config.IsUserID) }

func (s *Setup) readIDs(text string, right func(string) bool) ([]string, error) {
	all, at, err := IDs(text, right)
	if err != nil {
		return nil, errors.New(s.say(i18n.SetupBadId(ipc.VisibleLine(at))))
	}
	return all, nil
}
