package usage

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
)

func TestABudgetWarnsThenHoldsUntilMidnight(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	b := NewBudget(l, Limits{DailyUSD: 10 * Dollar, WarnAt: 0.8})
	for i := range 10 {
		require.NoError(t, b.Check("claude", false, Automation{}))
		require.Equal(t, i >= 8, b.State(Automation{}).Warn, i)
		require.NoError(t, l.Add(dollarEntry("claude")))
	}
	err := b.Check("claude", false, Automation{})
	var pe *providers.Error
	require.ErrorAs(t, err, &pe)
	require.Equal(t, providers.KindBudget, pe.Kind)
	require.False(t, pe.Transient())
	require.Equal(t, 12*time.Hour, pe.RetryAfter)
	require.ErrorContains(t, err, "budget.daily_usd = 10 is reached: 10 used on 2026-11-22")
	require.NoError(t, b.Check("ollama", true, Automation{}), "what costs nothing goes on")
	require.Error(t, NewBudget(l, Limits{DailyUSD: 10 * Dollar, Stop: true}).Check("ollama", true, Automation{}), "unless all stops")
	require.Error(t, NewBudget(New(l.Path(), c.now), b.limits).Check("claude", false, Automation{}), "a restart is no way around")
	c.at = c.at.AddDate(0, 0, 1)
	require.NoError(t, b.Check("claude", false, Automation{}))
}

func TestTokensOfModelsThatCostNothingAreNotCounted(t *testing.T) {
	l := ledger(t, noon())
	b := NewBudget(l, Limits{DailyTokens: 110})
	free := dollarEntry("ollama")
	free.Free = true
	require.NoError(t, l.Add(free))
	require.NoError(t, b.Check("claude", false, Automation{}))
	require.NoError(t, l.Add(dollarEntry("claude")))
	require.ErrorContains(t, b.Check("claude", false, Automation{}), "budget.daily_tokens = 110 is reached: 110 used")
}

func TestAnAutomationHasALimitOfItsOwn(t *testing.T) {
	l := ledger(t, noon())
	b := NewBudget(l, Limits{DailyUSD: 10 * Dollar, PerAutomationUSD: Dollar})
	e := dollarEntry("claude")
	e.Automation = "nightly"
	require.NoError(t, l.Add(e))
	require.ErrorContains(t, b.Check("claude", false, Automation{Name: "nightly"}), "budget.per_automation_usd = 1 is reached")
	require.NoError(t, b.Check("claude", false, Automation{Name: "weekly"}))
	require.NoError(t, b.Check("claude", false, Automation{}))
}

func TestNoLimitsHoldNothing(t *testing.T) {
	l := ledger(t, noon())
	require.NoError(t, l.Add(dollarEntry("claude")))
	for _, b := range []*Budget{nil, NewBudget(l, Limits{WarnAt: 0.8}), NewBudget(l, Limits{Stop: true})} {
		require.Equal(t, BudgetState{}, b.State(Automation{}))
		require.NoError(t, b.Check("claude", false, Automation{}))
	}
}

func TestAClockThatIsSetBackDoesNotRenewTheBudget(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	b := NewBudget(l, Limits{DailyUSD: Dollar})
	require.NoError(t, l.Add(dollarEntry("claude")))
	right := c.at
	for _, wrong := range []time.Time{right.AddDate(0, 0, -1), time.Date(1970, 1, 1, 9, 0, 0, 0, time.Local)} {
		c.at = wrong
		require.Error(t, b.Check("claude", false, Automation{}), wrong)
		free := dollarEntry("offline") // a request is made while the clock is wrong
		free.Free = true
		require.NoError(t, l.Add(free))
		c.at = right
		require.Error(t, b.Check("claude", false, Automation{}), "the clock is right again")
		l.size = 0
		l = New(l.Path(), c.now)
		b = NewBudget(l, b.limits)
		require.Error(t, b.Check("claude", false, Automation{}))
	}
}

// A clock that was ahead for a while must not block the budget until that date, only until the next midnight.
func TestAClockThatWasAheadHoldsTheBudgetForOneDayOnly(t *testing.T) {
	c := noon()
	l := ledger(t, c)
	b := NewBudget(l, Limits{DailyUSD: Dollar})
	right := c.at
	c.at = right.AddDate(10, 0, 0)
	require.NoError(t, l.Add(dollarEntry("claude")))
	c.at = right
	require.Error(t, b.Check("claude", false, Automation{}))
	free := dollarEntry("offline")
	free.Free = true
	require.NoError(t, l.Add(free))
	require.Error(t, b.Check("claude", false, Automation{}))
	c.at = right.AddDate(0, 0, 1)
	require.NoError(t, b.Check("claude", false, Automation{}))
	// The same after the lines were rolled up.
	l.days, l.keys = l.rollUp().days, l.rollUp().keys
	lines := l.rollUp().lines()
	again := New(l.Path(), c.now)
	again.loaded = true
	for _, entry := range lines {
		require.NoError(t, again.count(entry))
	}
	require.NoError(t, NewBudget(again, b.limits).Check("claude", false, Automation{}))
}

func TestTheDayIsThePersonsOwn(t *testing.T) {
	local := time.Local
	time.Local = time.FixedZone("KST", 9*60*60)
	defer func() { time.Local = local }()
	c := &clock{time.Date(2026, 11, 22, 14, 59, 0, 0, time.UTC)} // 23:59 in Seoul
	l := ledger(t, c)
	b := NewBudget(l, Limits{DailyUSD: Dollar})
	require.NoError(t, l.Add(dollarEntry("claude")))
	require.Error(t, b.Check("claude", false, Automation{}))
	require.Equal(t, time.Minute, b.State(Automation{}).ResetsIn)
	c.at = c.at.Add(time.Minute)
	require.NoError(t, b.Check("claude", false, Automation{}))
}

func TestAnAutomationsBudgetIsItsOwn(t *testing.T) {
	l := ledger(t, noon())
	b := NewBudget(l, Limits{PerAutomationUSD: Dollar})
	e := dollarEntry("claude")
	e.Automation = "nightly"
	require.NoError(t, l.Add(e))
	ctx := WithAutomation(context.Background(), Automation{Name: "nightly"})
	err := b.Check("claude", false, AutomationFrom(ctx))
	require.Equal(t, providers.KindBudget, providers.KindOf(err))
	var reached *LimitError
	require.True(t, errors.As(err, &reached))
	require.NoError(t, b.Check("claude", false, AutomationFrom(context.Background())))
}
