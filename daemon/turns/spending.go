package turns

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
)

// bookRound enters a turn's request into the ledger, unless it got no answer.
func (w *worker) bookRound(r agent.Round) {
	if r.Err == nil || r.Usage != (providers.Usage{}) {
		w.recordUsage(r.Provider, r.Model, r.Usage, false)
	}
}

// recordUsage enters a request to a model into the ledger. If it passes the warning threshold of the day's budget,
// the person is notified.
func (w *worker) recordUsage(provider, model string, u providers.Usage, summary bool) {
	automation := usage.AutomationFrom(w.ctx)
	cost, known := w.rt.Models.Tariff.Cost(provider, model, u)
	before := w.rt.Models.Budget.State(automation)
	err := w.ts.spending.ledger.Add(usage.Entry{
		Key: usage.Key{
			Provider: provider, Model: model, Session: w.rec.Session, Channel: w.rec.Channel, Automation: automation.Name,
			Summary: summary, Free: w.rt.Models.Tariff.IsFree(provider),
		},
		Task: w.rec.ID, Usage: u, Cost: usage.USD(cost), Priced: known,
	})
	if err != nil { // still counted in memory, and reported by status
		w.ts.log.Warn().Err(err).Str("task", w.rec.ID).Msg("cannot save usage")
	}
	if after := w.rt.Models.Budget.State(automation); after.Warn && !before.Warn {
		w.warnOfBudget(after)
	}
}

// warnOfBudget notifies the person that a limit is near. It does so once a day, even across restarts, because the
// message's id contains the day.
func (w *worker) warnOfBudget(s usage.BudgetState) {
	limit, used := settings.Amounts(s, w.answerIn)
	then := i18n.BudgetThenLocal
	if s.Limits.Stop {
		then = i18n.BudgetThenStop
	}
	w.ts.post.Notify(outbox.Message{
		ID: "budget:" + s.Limit + ":" + s.Day, Channel: w.rec.Channel, To: w.rec.Name, Session: w.rec.Session, Task: w.rec.ID,
		Body: i18n.BudgetWarns(percent(s), limit, used).In(w.answerIn) + " " + then.In(w.answerIn),
	})
}

func percent(s usage.BudgetState) int { return int(s.Share * 100) }

// budgetLine returns the state of the budget for the response once its warning threshold is passed, or nil.
func (w *worker) budgetLine() *ipc.DayBudget {
	s := w.rt.Models.Budget.State(usage.AutomationFrom(w.ctx))
	if !s.Warn {
		return nil
	}
	return budgetOf(s)
}

// budgetOf returns the state of a budget as the wire has it, or nil if there is no limit.
func budgetOf(s usage.BudgetState) *ipc.DayBudget {
	if s.Day == "" {
		return nil
	}
	b := &ipc.DayBudget{
		Day: s.Day, Limit: s.Limit, CostUSD: s.Used.Cost.USD(), Tokens: s.Used.Tokens(), DailyUSD: s.Limits.DailyUSD.USD(),
		DailyTokens: s.Limits.DailyTokens, PerAutomationUSD: s.Limits.PerAutomationUSD.USD(), Share: s.Share,
		Warn: s.Warn, Reached: s.Reached, WhenReached: "local", Renews: int(s.ResetsIn / time.Second),
	}
	if s.Limits.Stop {
		b.WhenReached = "stop"
	}
	return b
}

// AddSpending adds the day's spending and the state of its budget to status.
func (ts *Turns) AddSpending(s *ipc.Status) {
	_, today := ts.spending.ledger.Today()
	s.Today = sumOf(today)
	total, turns := ts.spending.tokens.get()
	s.Turns, s.TokensIn, s.TokensOut = turns, total.InputTokens, total.OutputTokens
	for _, err := range ts.spending.ledger.Problems() {
		s.Problems = append(s.Problems, err.Error())
	}
	rt := ts.settings.Current()
	if rt == nil {
		return
	}
	s.Budget = budgetOf(rt.Models.Budget.State(usage.Automation{}))
	model := rt.Agent.Model()
	if _, known := rt.Models.Tariff.Price(model.Name(), model.ModelID()); s.Budget != nil && s.Budget.DailyUSD > 0 && !known && today.Unpriced > 0 {
		s.Problems = append(s.Problems, fmt.Sprintf("cannot enforce budget.daily_usd: the price of %s %s is unknown; set [providers.%s.prices.%q]",
			model.Name(), model.ModelID(), model.Name(), model.ModelID()))
	}
}

func sumOf(s usage.Sum) ipc.UsageSum {
	return ipc.UsageSum{Requests: s.Requests, In: s.In, Out: s.Out, Cached: s.Cached, CostUSD: s.Cost.USD(), Unpriced: s.Unpriced}
}

// shownSince is the default period of a usage report, maxRows the maximum number of its rows that fit a frame: the
// last days, or the first of other groups.
const (
	shownSince = "30d"
	maxRows    = 1000
)

// UsageReport reports what the models cost. Only the requests of a channel are counted, unless it is "".
func (ts *Turns) UsageReport(q ipc.Query, channel string) (ipc.UsageReport, error) {
	var report ipc.UsageReport
	if q.Since == "" {
		q.Since = shownSince
	}
	since, err := ts.spending.ledger.ParseSince(q.Since)
	if err != nil {
		return report, settings.BadQuery{Text: i18n.ErrSince(q.Since), Hint: i18n.ErrUsageHint}
	}
	by := usage.Grouping(q.By)
	if by == "" {
		by = usage.ByDay
	}
	if !slices.Contains(usage.Groupings(), by) {
		return report, settings.BadQuery{Text: i18n.ErrBy(q.By, joined(usage.Groupings())), Hint: i18n.ErrUsageHint}
	}
	rows, total := ts.spending.ledger.Rows(since, by, channel)
	spent, turns := ts.spending.tokens.get()
	report = ipc.UsageReport{
		Turns: turns, In: spent.InputTokens, Out: spent.OutputTokens, Since: since, By: string(by), Rows: []ipc.UsageRow{}, Total: sumOf(total),
	}
	switch {
	case len(rows) > maxRows && by == usage.ByDay:
		rows = rows[len(rows)-maxRows:]
	case len(rows) > maxRows:
		rows = rows[:maxRows]
	}
	for _, r := range rows {
		report.Rows = append(report.Rows, ipc.UsageRow{Name: r.Name, UsageSum: sumOf(r.Sum)})
	}
	_, today := ts.spending.ledger.Today()
	report.Today = sumOf(today)
	if rt := ts.settings.Current(); rt != nil {
		report.Budget = budgetOf(rt.Models.Budget.State(usage.Automation{}))
	}
	return report, nil
}

func joined[T ~string](words []T) string {
	var all []string
	for _, w := range words {
		all = append(all, string(w))
	}
	return strings.Join(all, ", ")
}

// spending is what the turns used: the ledger of all requests, and the tokens of this daemon.
type spending struct {
	ledger *usage.Ledger
	tokens tokenCounter
}

// tokenCounter counts tokens since the daemon started.
type tokenCounter struct {
	mu    sync.Mutex
	total providers.Usage
	turns int
}

func (t *tokenCounter) add(v providers.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = t.total.Add(v)
	t.turns++
}

// addExtra adds tokens that were not used by a turn.
func (t *tokenCounter) addExtra(v providers.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total = t.total.Add(v)
}

func (t *tokenCounter) get() (providers.Usage, int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total, t.turns
}
