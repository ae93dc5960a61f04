package setup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
)

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
		q := Question{Title: g.say(i18n.SetupModel), Value: models[0]}
		for i, id := range models {
			label := shortenLine(id)
			if i == 0 {
				label = shortenLine(g.say(i18n.SetupRecommend(id)))
			}
			q.Options = append(q.Options, Option{label, id})
		}
		if slices.Contains(models, value) {
			q.Value = value
		}
		q.Options = append(q.Options, Option{g.say(i18n.SetupTypeModel), otherModel})
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
	got, err := g.ask.Type(ctx, Question{Title: g.say(i18n.SetupModelName), Value: value, Check: func(text string) error {
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
	if g.want.Provider == "" {
		g.want.Provider = g.now.Provider
	}
}

// models returns the model IDs to offer.
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
