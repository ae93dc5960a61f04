package setup

import (
	"cmp"

	"github.com/clipperhouse/displaywidth"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

// The following methods return the chosen values, or the current values of settings that were not chosen.

func shortenLine(text string) string {
	return displaywidth.TruncateString(ipc.VisibleLine(text), dialog.LeastColumns-4, "…")
}

// entry returns the provider that will answer, or the zero value if it is determined automatically at each question.
func (g *guide) entry() catalog.Entry {
	name := cmp.Or(g.want.Provider, g.now.Provider)
	e, _ := catalog.Lookup(name)
	return e
}

func (g *guide) providerName(e catalog.Entry) string {
	if e.Name == "" {
		return g.say(i18n.SetupAuto)
	}
	return i18n.ProviderName(e.Name, e.Label, g.Lang)
}

func (g *guide) haveKey(e catalog.Entry) string {
	if key, _ := g.key(e); key != "" || g.want.Key != "" {
		return g.say(i18n.SetupHave)
	}
	return g.say(i18n.SetupHaveNone)
}

func (g *guide) modelName() string {
	model := g.want.Model
	if model == "" && (g.want.Provider == "" || g.want.Provider == g.now.Provider) {
		model = g.now.Model
	}
	if model != "" && model != "default" {
		return model
	}
	if e := g.entry(); e.DefaultModel != "" && e.DefaultModel != "default" {
		return e.DefaultModel
	}
	return g.say(i18n.SetupDefault)
}

func (g *guide) languageName() string {
	code := cmp.Or(g.want.Language, g.now.Language)
	return languageName(code, g.say(i18n.SetupAuto))
}

// languageName returns a language's name in that language.
func languageName(code, auto string) string {
	names := map[string]string{"ko": "한국어", "en": "English", "zh": "简体中文", "zh-Hant": "繁體中文"}
	if name, ok := names[code]; ok {
		return name
	}
	return auto
}

func (g *guide) people(list []string) string {
	if len(list) == 0 {
		return g.say(i18n.SetupNoSender)
	}
	return g.say(i18n.SetupPeople(len(list)))
}

// senders returns who may write over a channel, as chosen or else as it is.
func (g *guide) senders(name string) []string {
	if ids, ok := g.want.Senders[name]; ok {
		return ids
	}
	return g.now.Senders[name]
}

func (g *guide) automatic() bool {
	if g.want.Automations != nil {
		return *g.want.Automations
	}
	return g.now.Automations
}
