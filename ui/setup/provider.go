package setup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

// chooseProvider asks for the provider and what it needs. back allows returning to the previous question.
func (g *guide) chooseProvider(ctx context.Context, back bool) error {
	for {
		q := dialog.Question{Title: g.say(i18n.SetupProvider), Value: g.entry().Name}
		for _, e := range catalog.All() {
			if e.Dialect == catalog.DialectScripted {
				continue
			}
			label := i18n.ProviderName(e.Name, e.Label, g.Lang)
			for _, f := range g.found {
				if f.Provider == e.Name {
					label += " ✓"
				}
			}
			q.Options = append(q.Options, dialog.Option{Label: shortenLine(label), Value: e.Name})
		}
		q.Value = cmp.Or(q.Value, "claude")
		if back {
			q.Options = append(q.Options, dialog.Option{Label: g.say(i18n.SetupBack), Value: ""})
		}
		name, err := g.ask.Choose(ctx, q)
		if err != nil || name == "" {
			return err
		}
		e, _ := catalog.Lookup(name)
		done, err := g.configureProvider(ctx, e)
		if err != nil || done {
			return err
		}
	}
}

// configureProvider asks for what a provider needs, and then for its model. It returns false if the person went back.
func (g *guide) configureProvider(ctx context.Context, e catalog.Entry) (bool, error) {
	want := g.want
	want.Provider, want.Model, want.Key, want.BaseURL = e.Name, "", "", ""
	g.live = nil
	var done bool
	var err error
	switch {
	case e.Dialect == catalog.DialectOffline:
		g.want = want
		return true, nil
	case e.Dialect == catalog.DialectClaudeCode:
		done, err = g.explainSubscription(ctx)
	case e.Local:
		done, g.live = true, nil
		for _, f := range g.found {
			if f.Way == WayLocal {
				g.live = f.Models
			}
		}
	default:
		done, err = g.askServer(ctx, e, &want)
	}
	if err != nil || !done {
		return false, err
	}
	g.want = want
	return true, g.chooseModel(ctx)
}

// askServer asks for the URL of a server that has no default, and for its key.
func (g *guide) askServer(ctx context.Context, e catalog.Entry, want *Answers) (bool, error) {
	if e.BaseURL == "" {
		url, back, err := g.typeOrBack(ctx, dialog.Question{
			Title: g.say(i18n.SetupServer), Help: g.say(i18n.SetupServerHelp), Value: g.now.BaseURLs[e.Name], Check: g.checkURL,
		})
		if err != nil || back {
			return false, err
		}
		want.BaseURL = strings.TrimSpace(url)
	}
	return g.askKey(ctx, e, want)
}

func (g *guide) checkURL(text string) error {
	if bad := serverProblem(text); !bad.IsZero() {
		return errors.New(g.say(i18n.SetupBadServer(bad.In(g.Lang))))
	}
	return nil
}

// typeOrBack asks for a line. back reports that the person wants to return to the previous question.
func (g *guide) typeOrBack(ctx context.Context, q dialog.Question) (typed string, back bool, err error) {
	check := q.Check
	q.Back, q.Check = true, func(text string) error {
		if strings.TrimSpace(text) == dialog.Back {
			return nil
		}
		return check(text)
	}
	typed, err = g.ask.Type(ctx, q)
	return typed, strings.TrimSpace(typed) == dialog.Back, err
}

// askKey asks for a key, unless the existing one is kept.
func (g *guide) askKey(ctx context.Context, e catalog.Entry, want *Answers) (bool, error) {
	for {
		have, env := g.key(e)
		var help []string
		if e.KeyURL != "" {
			help = append(help, g.say(i18n.SetupKeyHelp(e.KeyURL)))
		}
		switch {
		case have != "":
			help = append(help, g.say(i18n.SetupKeyKeep))
		case e.Keys.Optional:
			help = append(help, g.say(i18n.SetupKeyNone))
		}
		typed, back, err := g.typeOrBack(ctx, dialog.Question{
			Title: g.say(i18n.SetupKeyAsk(shortLabel(e))), Help: strings.Join(help, "\n"), Secret: true,
			Check: func(text string) error {
				if text = strings.TrimSpace(text); text == "" && (have != "" || e.Keys.Optional) || CheckKey(text) == nil {
					return nil
				}
				return errors.New(g.say(i18n.SetupBadKey))
			},
		})
		if err != nil || back {
			return false, err
		}
		key, fresh := strings.TrimSpace(typed), true
		if key == "" {
			key, fresh = have, env != ""
		}
		verdict, err := g.judgeKey(ctx, e, want, key, fresh)
		if err != nil || verdict != "again" {
			return verdict == "anyway", err
		}
	}
}

// verifyKey verifies a key and asks what to do if it does not work, including entering another key. It
// returns false if the person goes back.
func (g *guide) verifyKey(ctx context.Context, e catalog.Entry, want *Answers, key string, keep bool) (bool, error) {
	got, err := g.judgeKey(ctx, e, want, key, keep)
	if err == nil && got == "again" {
		return g.askKey(ctx, e, want)
	}
	return got == "anyway", err
}

// judgeKey verifies a key. If it does not work, judge asks what to do and returns "anyway", "again" or
// "back". keep makes the key be written to its file.
func (g *guide) judgeKey(ctx context.Context, e catalog.Entry, want *Answers, key string, keep bool) (string, error) {
	server := cmp.Or(want.BaseURL, g.now.BaseURLs[e.Name], e.Server(g.Getenv), e.BaseURL)
	if host, clear := sendsUnencrypted(server, key); clear {
		ok, err := g.ask.Confirm(ctx, dialog.Question{Title: g.say(i18n.SetupInsecureAsk), Help: g.say(i18n.SetupInsecureWhy(host))})
		if err != nil || !ok {
			return "back", err
		}
	}
	g.ask.Tell(g.say(i18n.SetupChecking))
	c := g.VerifyAnswers(ctx, *want, key)
	if ctx.Err() != nil {
		return "", dialog.ErrAborted
	}
	g.ask.Tell(g.FormatVerdict(e, key, c))
	g.live = c.Models
	if keep {
		want.Key = key
	}
	if c.Verdict.IsGood() {
		return "anyway", nil
	}
	return g.ask.Choose(ctx, dialog.Question{Title: g.say(i18n.SetupWhatNow), Value: "again", Options: []dialog.Option{
		{Label: g.say(i18n.SetupAgain), Value: "again"},
		{Label: g.say(i18n.SetupAnyway), Value: "anyway"},
		{Label: g.say(i18n.SetupBack), Value: "back"},
	}})
}

// VerifyAnswers verifies a key with the provider of the answers.
func (s *Setup) VerifyAnswers(ctx context.Context, a Answers, key string) Check {
	e, _ := catalog.Lookup(a.Provider)
	spec := catalog.Spec{Provider: a.Provider, Model: a.Model, BaseURL: a.BaseURL, HTTPClient: s.HTTPClient}
	if a.Model == "default" {
		spec.Model = ""
	}
	if now, err := s.CurrentSettings(); err == nil {
		p := now.Config.Providers[e.Name]
		spec.AuthStyle = p.AuthStyle
		spec.BaseURL = cmp.Or(spec.BaseURL, p.BaseURL)
		spec.Model = cmp.Or(spec.Model, p.Model)
	}
	spec.BaseURL = cmp.Or(spec.BaseURL, e.Server(s.Getenv))
	spec.Key = func(catalog.KeyNames) (string, error) { return key, nil }
	if s.Verify != nil {
		return s.Verify(ctx, spec)
	}
	return Verify(ctx, spec)
}

// maxWords is how much of a server's message is shown, in bytes.
const maxWords = 300

// FormatVerdict formats a verdict in the person's language.
func (s *Setup) FormatVerdict(e catalog.Entry, key string, c Check) string {
	words := i18n.PlainCause(withoutKey(c.Words, key), s.Lang)
	words = ipc.VisibleLine(strings.ToValidUTF8(words[:min(len(words), maxWords)], ""))
	text := ""
	switch c.Verdict {
	case Valid:
		text = s.say(i18n.SetupValid)
		if key == "" || e.Keys.Optional {
			text = s.say(i18n.SetupAnswers)
		}
	case Refused:
		text = s.say(i18n.SetupRefused(words))
	case NoNetwork:
		text = s.say(i18n.SetupNoNetwork(s.say(troubleTexts[c.Trouble])))
	case RateLimited:
		text = s.say(i18n.SetupLimited(words))
	case NoModel:
		text = s.say(i18n.SetupNoModel(words))
	default:
		text = s.say(i18n.SetupOdd(words))
	}
	if c.Spent {
		text += "\n" + s.say(i18n.SetupSpent)
	}
	return text
}

// troubleTexts are the texts for reasons why a server cannot be reached.
var troubleTexts = [...]i18n.Text{
	transport.NoFailure: i18n.SetupTroubleOther, transport.KeyRefused: i18n.SetupTroubleOther, transport.NameNotFound: i18n.SetupTroubleName, transport.ProxyRefused: i18n.SetupTroubleProxy,
	transport.BadClock: i18n.SetupTroubleClock, transport.UntrustedCertificate: i18n.SetupTroubleTrust, transport.ConnectionRefused: i18n.SetupTroubleClosed,
	transport.NoRoute: i18n.SetupTroubleRoute, transport.TimedOut: i18n.SetupTroubleLate, transport.OtherFailure: i18n.SetupTroubleOther,
}

// newKey replaces the key of the current provider.
func (g *guide) newKey(ctx context.Context) error {
	want := g.want
	want.Provider = g.entry().Name
	done, err := g.askKey(ctx, g.entry(), &want)
	if done {
		g.want = want
	}
	return err
}

// installClaude is the command from Claude Code's documentation ("Set up", npm).
var installClaude = []string{"npm", "install", "-g", "@anthropic-ai/claude-code"}

// explainSubscription explains Claude by subscription, offers to install the program, and explains the
// login. Claude by API key is a separate entry in the list of providers.
func (g *guide) explainSubscription(ctx context.Context) (bool, error) {
	g.ask.Tell(g.say(i18n.SetupTerms))
	if err := g.offerInstall(ctx); err != nil {
		return false, err
	}
	if g.Claude != nil && g.Claude.LoggedIn() {
		g.ask.Tell(g.say(i18n.SetupLoggedIn))
	} else {
		g.ask.Tell(g.say(i18n.SetupLogin))
	}
	return true, nil
}

// offerInstall offers to install claude if it is not installed.
func (g *guide) offerInstall(ctx context.Context) error {
	if g.Claude != nil {
		if _, there := g.Claude.Find(); there {
			return nil
		}
	}
	if g.IsInstalled == nil || !g.IsInstalled("npm") {
		g.ask.Tell(g.say(i18n.SetupNoNpm))
		return nil
	}
	ok, err := g.ask.Confirm(ctx, dialog.Question{Title: g.say(i18n.SetupInstall), Help: g.say(i18n.SetupRuns(strings.Join(installClaude, " ")))})
	if err != nil || !ok || g.Run == nil {
		return err
	}
	if err := g.Run(ctx, installClaude); err != nil {
		if ctx.Err() != nil {
			return dialog.ErrAborted
		}
		g.ask.Tell(g.say(i18n.SetupInstallFailed(err)))
	}
	return nil
}

// maxOffered is how many models a list shows. Others can be typed.
const maxOffered = 20

// otherModel is the option to type a model. It cannot be a model's name.
const otherModel = " "

// chooseModel asks for the model. It lists the recommended one first, then those of the catalog,
// then those of the server.
func (g *guide) chooseModel(ctx context.Context) error {
	e := g.entry()
	models := g.models()
	value := g.modelName()
	if len(models) > 0 {
		q := dialog.Question{Title: g.say(i18n.SetupModel), Value: models[0]}
		for i, id := range models {
			label := shortenLine(id)
			if i == 0 {
				label = shortenLine(g.say(i18n.SetupRecommend(id)))
			}
			q.Options = append(q.Options, dialog.Option{Label: label, Value: id})
		}
		if slices.Contains(models, value) {
			q.Value = value
		}
		q.Options = append(q.Options, dialog.Option{Label: g.say(i18n.SetupTypeModel), Value: otherModel})
		got, err := g.ask.Choose(ctx, q)
		if err != nil {
			return err
		}
		if got != otherModel {
			g.setModel(got)
			return nil
		}
	}
	if value == g.say(i18n.SetupDefault) {
		value = e.DefaultModel
	}
	got, err := g.ask.Type(ctx, dialog.Question{Title: g.say(i18n.SetupModelName), Value: value, Check: func(text string) error {
		if isModelID(strings.TrimSpace(text)) {
			return nil
		}
		return errors.New(g.say(i18n.SetupBadModel))
	}})
	if err == nil {
		g.setModel(strings.TrimSpace(got))
	}
	return err
}

func isModelID(id string) bool {
	return id != "" && len(id) <= 200 && !strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

func (g *guide) setModel(id string) {
	g.want.Model = id
	g.want.Provider = cmp.Or(g.want.Provider, g.now.Provider)
}

func (g *guide) models() []string {
	e := g.entry()
	var ids []string
	if e.DefaultModel != "" && (len(g.live) == 0 || slices.Contains(g.live, e.DefaultModel) || len(e.Models) > 0) {
		ids = append(ids, e.DefaultModel)
	}
	for _, m := range e.Models {
		ids = append(ids, m.ID)
	}
	ids = append(ids, g.live...)
	var once []string
	for _, id := range ids {
		if isModelID(id) && !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once[:min(len(once), maxOffered)]
}
