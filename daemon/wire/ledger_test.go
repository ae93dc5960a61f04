package wire

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/stretchr/testify/require"
)

// costlyModel is a model whose every answer costs a dollar.
func costlyModel(context.Context, providers.Request) (providers.Completion, error) {
	c := says("well")
	c.Usage.CostUSD = 1
	return c, nil
}

// withBudget gives a daemon a ledger and a daily budget in dollars.
func withBudget(dollars usage.Money) func(*Options) {
	return func(o *Options) {
		o.Process.Ledger = NewLedger(config.Paths{Home: o.Home})
		build := o.Build
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			rt, err := build(own)
			if err == nil {
				rt.Models.Budget = usage.NewBudget(o.Process.Ledger, usage.Limits{DailyUSD: dollars, WarnAt: 0.8})
			}
			return rt, err
		}
	}
}

func (p *peer) answerTo(words string) (out ipc.Outcome) {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Session: "s", Body: words})
	require.NoError(p.t, p.last(ipc.TypeResponse).Decode(&out))
	return out
}

func TestAWarningOfTheBudgetIsToldOnceADayAndWithEveryAnswer(t *testing.T) {
	h := open(t, costlyModel, withBudget(5*usage.Dollar))
	p := h.hello()
	for i := range 6 {
		out := p.answerTo("hello there")
		if i < 3 {
			require.Nil(t, out.Budget)
			require.Empty(t, h.post.Outbox.Waiting(""))
			continue
		}
		require.NotNil(t, out.Budget)
		require.Equal(t, i >= 4, out.Budget.Reached)
		waiting := h.post.Outbox.Waiting("cli")
		require.Len(t, waiting, 1)
		require.Contains(t, waiting[0].Body, "80% of today's model budget is used: $4.0000 of $5.0000.")
	}
}

func TestUsageIsShownToTheChannelThatCausedIt(t *testing.T) {
	h := open(t, costlyModel)
	p := h.hello()
	p.answerTo("hello there")
	for channel, want := range map[string]int64{"cli": 1, "signal": 0} {
		far := h.connect()
		far.say(ipc.Message{Type: ipc.TypeHello, ID: "h", V: 1}.WithData(ipc.Hello{Channel: channel}))
		far.read()
		var report ipc.UsageReport
		require.NoError(t, far.query(ipc.Query{What: "usage", By: "channel"}).Decode(&report))
		require.Equal(t, want, report.Total.Requests, channel)
		require.Len(t, report.Rows, int(want))
	}
}

func TestARequestThatNobodyAnsweredIsNotInTheLedger(t *testing.T) {
	h := open(t, func(context.Context, providers.Request) (providers.Completion, error) {
		return providers.Completion{}, &providers.Error{Kind: providers.KindNetwork, Provider: "x", Err: errors.New("cut")}
	})
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Body: "hello there"})
	p.last(ipc.TypeError)
	require.NoFileExists(t, filepath.Join(h.home, "usage/usage.jsonl"))
}

func TestWhatCanBeChosenIsListedWithoutKeys(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"llama3.2"},{"id":"qwen3"}]}`))
	}))
	defer server.Close()
	home := t.TempDir()
	paths := config.Paths{Home: home}
	require.NoError(t, os.MkdirAll(paths.Credentials(), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(paths.Credentials(), "claude"), []byte("sk-marker-12345\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(paths.Credentials(), "glm"), []byte("sk-marker-12345\n"), 0o644))
	require.NoError(t, os.WriteFile(paths.Config(), []byte("[providers.ollama]\nbase_url = \""+server.URL+"\"\n"), 0o600))
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	nothing := func(string) string { return "" }
	builder := Builder{Sources: Sources{Paths: paths, Source: config.Source{Paths: paths, Getenv: nothing}, Getenv: nothing}, Process: Process{HTTPClient: client}}
	p := open(t, doer, func(o *Options) { o.Home, o.Build = paths.Home, builder.Build }).hello()
	var all []ipc.ProviderModels
	require.NoError(t, p.query(ipc.Query{What: "models"}).Decode(&all))
	states := map[string]string{}
	for _, e := range all {
		states[e.Provider] = e.Key
		require.Equal(t, e.Provider == "claude", e.Why != "", e.Provider)
	}
	require.Equal(t, ipc.KeyPresent, states["claude"])
	require.Equal(t, ipc.KeyBad, states["glm"])
	require.Equal(t, ipc.KeyMissing, states["openai"])
	require.Equal(t, ipc.KeyOptional, states["ollama"])
	require.Equal(t, ipc.KeyNone, states["offline"])

	ask := ipc.Query{What: "models", Provider: "ollama"}
	require.NoError(t, p.query(ask).Decode(&all))
	require.Empty(t, all[0].Problem)
	require.Equal(t, []string{"llama3.2", "qwen3"}, all[0].Models)
	require.True(t, all[0].Known[0].Live)
	require.NotNil(t, all[0].Known[0].Price, "it costs nothing here")
	require.True(t, all[0].Free)
	server.Close()
	var none []ipc.ProviderModels
	require.NoError(t, p.query(ask).Decode(&none))
	require.Contains(t, none[0].Problem, "network")
}

func TestAReachedLimitNamesItsKeyAndTheCommandThatTellsMore(t *testing.T) {
	c := time.Date(2026, 11, 22, 12, 0, 0, 0, time.Local)
	l := usage.New(filepath.Join(t.TempDir(), "u"), func() time.Time { return c })
	require.NoError(t, l.Add(usage.Entry{Key: usage.Key{Provider: "claude", Automation: "nightly"}, Usage: providers.Usage{InputTokens: 1500}, Cost: usage.Dollar, Priced: true}))
	for limit, limits := range map[string]usage.Limits{
		"daily_usd": {DailyUSD: usage.Dollar}, "daily_tokens": {DailyTokens: 1000}, "per_automation_usd": {PerAutomationUSD: usage.Dollar / 2},
	} {
		var pe *providers.Error
		require.ErrorAs(t, usage.NewBudget(l, limits).Check("claude", false, usage.Automation{Name: "nightly"}), &pe)
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			e := settings.BudgetFailure(pe, lang)
			require.Equal(t, ipc.CodeRateLimit, e.Code)
			require.Equal(t, 12*60*60, e.RetryAfter)
			require.Contains(t, e.Hint, limit)
			require.Contains(t, e.Hint, "blunux-aictl usage")
			require.NotContains(t, e.Message, "%!")
		}
	}
}
