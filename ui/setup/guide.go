package setup

import (
	"context"
	"fmt"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

// guide is one run of the guided set-up.
type guide struct {
	*Setup
	ask   dialog.Asker
	now   Current
	found []Found
	want  Answers
	live  []string // models of the chosen provider's server
}

// Guide asks the person and returns the plan. If exactly one available provider is found, it asks
// one question. It writes nothing. Its errors are [dialog.ErrAborted], or report invalid settings.
func (s *Setup) Guide(ctx context.Context, ask dialog.Asker) (Plan, error) {
	now, err := s.CurrentSettings()
	if err != nil {
		return Plan{}, err
	}
	g := &guide{Setup: s, ask: ask, now: now, found: s.Find(ctx)}
	ask.Tell(s.say(i18n.SetupWelcome))
	quick, err := g.chooseFirst(ctx)
	if err != nil {
		return Plan{}, err
	}
	for {
		if !quick {
			if err := g.editSettings(ctx); err != nil {
				return Plan{}, err
			}
		}
		p, err := s.Plan(g.want)
		if err != nil {
			return Plan{}, err
		}
		s.Summary(p, ask.Tell)
		if quick || p.IsEmpty() {
			return p, nil
		}
		ok, err := ask.Confirm(ctx, dialog.Question{Title: s.say(i18n.SetupSaveAsk), Value: dialog.Yes})
		if err != nil || ok {
			return p, err
		}
	}
}

// chooseFirst determines the provider if none is configured. quick reports that one question was enough.
func (g *guide) chooseFirst(ctx context.Context) (quick bool, err error) {
	if g.now.Configured {
		return false, nil
	}
	if len(g.found) == 1 {
		got, err := g.ask.Choose(ctx, g.offerQuestion(g.found[0]))
		if err != nil {
			return false, err
		}
		if got != "other" {
			done, err := g.useFound(ctx, g.found[0])
			if err != nil || done {
				return got == "use", err
			}
		}
	} else {
		text := g.say(i18n.SetupFoundNothing)
		if len(g.found) > 1 {
			text = g.say(i18n.SetupFoundSeveral(len(g.found)))
		}
		g.ask.Tell(text)
	}
	return false, g.chooseProvider(ctx, false)
}

// offerQuestion returns the question that offers the only provider found.
func (g *guide) offerQuestion(f Found) dialog.Question {
	q := dialog.Question{Value: "use", Options: []dialog.Option{
		{Label: g.say(i18n.SetupUseIt), Value: "use"},
		{Label: g.say(i18n.SetupMore), Value: "more"},
		{Label: g.say(i18n.SetupOther), Value: "other"},
	}}
	e, _ := catalog.Lookup(f.Provider)
	switch f.Way {
	case WayLogin:
		q.Title, q.Help = g.say(i18n.SetupFoundLogin), g.say(i18n.SetupTerms)
	case WayLocal:
		q.Title, q.Help = g.say(i18n.SetupFoundLocal), g.say(i18n.SetupFoundModel(f.Models[0]))
	default:
		q.Title, q.Help = g.say(i18n.SetupFoundKey(shortLabel(e))), g.say(i18n.SetupFoundFile)
		if f.Env != "" {
			q.Help = g.say(i18n.SetupFoundEnv(f.Env))
		}
	}
	return q
}

// shortLabel returns a provider's label without its maker.
func shortLabel(e catalog.Entry) string {
	name, _, _ := strings.Cut(e.Label, " (")
	return name
}

// useFound verifies and selects a provider that was found. It returns false if the person wants another one.
func (g *guide) useFound(ctx context.Context, f Found) (bool, error) {
	e, _ := catalog.Lookup(f.Provider)
	want := Answers{Provider: f.Provider}
	switch f.Way {
	case WayLocal:
		want.Model = f.Models[0]
		g.live = f.Models
	case WayKey:
		key, env := g.key(e)
		done, err := g.verifyKey(ctx, e, &want, key, env != "")
		if err != nil || !done {
			return false, err
		}
	}
	g.want = want
	return true, nil
}

// editSettings shows the settings and lets the person change them one by one.
func (g *guide) editSettings(ctx context.Context) error {
	for {
		got, err := g.ask.Choose(ctx, g.overviewQuestion(ctx))
		if err != nil {
			return err
		}
		switch got {
		case "save":
			return nil
		case "provider":
			err = g.chooseProvider(ctx, true)
		case "key":
			err = g.newKey(ctx)
		case "model":
			err = g.chooseModel(ctx)
		case "language":
			err = g.askLanguage(ctx)
		case "automations":
			err = g.askAutomations(ctx)
		default:
			err = dialog.ErrAborted
			if c, ok := channel.ByName(got); ok {
				err = g.askSenders(ctx, c)
			}
		}
		if err != nil {
			return err
		}
	}
}

func (g *guide) overviewQuestion(ctx context.Context) dialog.Question {
	q := dialog.Question{Title: g.say(i18n.SetupHub), Value: "save"}
	var help []string
	if g.Rights != nil {
		help = append(help, g.say(i18n.SetupRights(g.Rights(ctx))))
	}
	if g.Sandbox != nil {
		help = append(help, g.say(i18n.SetupSandbox(g.Sandbox())))
	}
	q.Help = strings.Join(help, "\n")
	add := func(value string, text i18n.Text) {
		q.Options = append(q.Options, dialog.Option{Label: shortenLine(g.say(text)), Value: value})
	}
	add("save", i18n.SetupHubSave)
	e := g.entry()
	add("provider", i18n.SetupHubProvider(g.providerName(e)))
	if !e.Keys.IsEmpty() {
		add("key", i18n.SetupHubKey(g.haveKey(e)))
	}
	if e.Dialect != catalog.DialectOffline && e.Name != "" {
		add("model", i18n.SetupHubModel(g.modelName()))
	}
	add("language", i18n.SetupHubLanguage(g.languageName()))
	for _, c := range channel.WithBridge() {
		add(c.Name, i18n.SetupHubMessenger(c.Title, g.people(g.senders(c.Name))))
	}
	add("automations", i18n.SetupHubAutomatic(g.onOff(g.automatic())))
	add("leave", i18n.SetupHubLeave)
	return q
}

// Summary prints what a plan will write, without the key.
func (s *Setup) Summary(p Plan, tell func(string)) {
	if p.IsEmpty() {
		tell(s.say(i18n.SetupNothing))
	} else {
		tell(s.say(i18n.SetupSummary))
	}
	for _, c := range p.Changes {
		tell("  " + s.say(i18n.SetupChange(ipc.VisibleLine(c.Key), s.formatValue(c.Before), s.formatValue(c.After))))
	}
	if p.KeyFile != "" {
		tell("  " + s.say(i18n.SetupWritesKey(ipc.VisibleLine(p.KeyFile))))
	}
	if p.Linked != "" {
		tell("  " + s.say(i18n.SetupLinked(ipc.VisibleLine(p.Linked))))
	}
	if p.Text != nil {
		tell("  " + s.say(i18n.SetupWrites(ipc.VisibleLine(p.File))))
	}
	for _, v := range p.OverriddenSettings {
		place := v.File
		if v.Line > 0 {
			place = fmt.Sprintf("%s:%d", v.File, v.Line)
		}
		tell("  " + s.say(i18n.SetupOverruled(ipc.VisibleLine(v.Key()), ipc.VisibleLine(place))))
	}
	if p.Shadow != "" {
		tell("  " + s.say(i18n.SetupShadow(p.Shadow)))
	}
}

func (s *Setup) formatValue(v any) string {
	switch v := v.(type) {
	case nil:
		return s.say(i18n.SetupHaveNone)
	case bool:
		return s.onOff(v)
	case []any:
		if len(v) == 0 {
			return s.say(i18n.SetupHaveNone)
		}
		return ipc.VisibleLine(strings.Trim(fmt.Sprint(v), "[]"))
	}
	return ipc.VisibleLine(fmt.Sprint(v))
}

func (s *Setup) onOff(on bool) string {
	if on {
		return s.say(i18n.SetupOn)
	}
	return s.say(i18n.SetupOff)
}
