package setup_test

import (
	"context"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/setup"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// widthChecker records every question and checks its width.
type widthChecker struct{ *person }

func (w widthChecker) Choose(ctx context.Context, q dialog.Question) (string, error) {
	require.LessOrEqual(w.t, ansi.StringWidth(q.Title), 38, q.Title)
	for _, o := range q.Options {
		require.LessOrEqual(w.t, ansi.StringWidth(o.Label), 36, o.Label)
	}
	w.titles = append(w.titles, q.Title)
	value := w.answers[0]
	w.answers = w.answers[1:]
	if value == "" {
		value = q.Value
	}
	return value, nil
}

func (w widthChecker) Type(ctx context.Context, q dialog.Question) (string, error) {
	require.LessOrEqual(w.t, ansi.StringWidth(q.Title), 38, q.Title)
	return q.Value, nil
}

func (w widthChecker) Confirm(_ context.Context, q dialog.Question) (bool, error) {
	require.LessOrEqual(w.t, ansi.StringWidth(q.Title), 38, q.Title)
	return true, nil
}

func TestEveryQuestionFitsFortyColumns(t *testing.T) {
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		for _, e := range catalog.All() {
			if e.Dialect == catalog.DialectScripted {
				continue
			}
			d := newDesk(t)
			d.Lang = lang
			d.claude.installed = true
			d.Rights = func(context.Context) string { return "run0" }
			d.check = setup.Check{Verdict: setup.NoNetwork, Models: []string{strings.Repeat("long", 30)}}
			answers := []string{e.Name}
			switch {
			case e.Name == "claude-code":
				answers = append(answers, "")
			case e.Dialect == catalog.DialectOffline:
			case e.Name == "ollama":
				answers = append(answers, "")
			default:
				answers = append(answers, "anyway", "")
			}
			p := says(t, append(answers, "language", "", "whatsapp", "telegram", "automations", "save")...)
			_, err := d.Guide(context.Background(), widthChecker{p})
			require.NoError(t, err, e.Name)
		}
	}
}
