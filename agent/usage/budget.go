package usage

import (
	"fmt"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// The names of the limits in the configuration.
const (
	DailyUSD         = "daily_usd"
	DailyTokens      = "daily_tokens"
	PerAutomationUSD = "per_automation_usd"
)

// Limits are the user's spending limits for a local day. 0 means no limit.
type Limits struct {
	DailyUSD         Money
	DailyTokens      int64 // input and output of models that cost money
	PerAutomationUSD Money // of each automation
	WarnAt           float64
	// Stop ends all answers when a limit is reached. Otherwise free models can still be used.
	Stop bool
}

// Budget checks requests against limits. The zero value and nil have no limits.
type Budget struct {
	ledger *Ledger
	limits Limits
}

// NewBudget returns the budget for a ledger.
func NewBudget(l *Ledger, limits Limits) *Budget { return &Budget{l, limits} }

// BudgetState is the used part of a limit.
type BudgetState struct {
	Limit   string // its name, "" for none
	Day     string
	Used    Sum // the day's requests that cost money
	Limits  Limits
	Share   float64 // used share of the limit closest to its end, from 0
	Warn    bool    // the share is worth a warning
	Reached bool
	// ResetsIn is the time until the end of the day, rounded up to seconds.
	ResetsIn time.Duration
}

// State returns the state of the day's budget, including that of the given automation.
func (b *Budget) State(automation Automation) BudgetState {
	if b == nil || b.limits == (Limits{WarnAt: b.limits.WarnAt, Stop: b.limits.Stop}) && automation.Daily == 0 {
		return BudgetState{}
	}
	now := b.ledger.now().Local()
	s := BudgetState{Day: now.Format(time.DateOnly), Limits: b.limits, ResetsIn: untilMidnight(now)}
	if automation.Daily > 0 {
		s.Limits.PerAutomationUSD = automation.Daily
	}
	var own Sum
	b.ledger.eachToday(s.Day, func(k Key, sum Sum) {
		if k.Free {
			return
		}
		s.Used = s.Used.Add(sum)
		if automation.Name != "" && k.Automation == automation.Name {
			own = own.Add(sum)
		}
	})
	s.update(DailyUSD, float64(s.Used.Cost), float64(b.limits.DailyUSD))
	s.update(DailyTokens, float64(s.Used.Tokens()), float64(b.limits.DailyTokens))
	if automation.Name != "" {
		s.update(PerAutomationUSD, float64(own.Cost), float64(s.Limits.PerAutomationUSD))
	}
	if s.Limit == PerAutomationUSD {
		s.Used = own
	}
	s.Reached = s.Share >= 1
	s.Warn = s.Reached || s.Limit != "" && b.limits.WarnAt > 0 && s.Share >= b.limits.WarnAt
	return s
}

// update replaces the limit if a larger share of this one is used.
func (s *BudgetState) update(name string, used, limit float64) {
	if limit > 0 && (s.Limit == "" || used/limit > s.Share) {
		s.Limit, s.Share = name, used/limit
	}
}

func untilMidnight(now time.Time) time.Duration {
	y, m, d := now.Date()
	left := time.Date(y, m, d+1, 0, 0, 0, 0, now.Location()).Sub(now)
	return (left + time.Second - 1).Truncate(time.Second)
}

// LimitError is the cause of an error of kind budget. It says which limit was reached.
type LimitError struct{ BudgetState }

func (r *LimitError) Error() string {
	if r.Limit == DailyTokens {
		return fmt.Sprintf("budget.%s = %d is reached: %d used on %s", r.Limit, r.Limits.DailyTokens, r.Used.Tokens(), r.Day)
	}
	limit := r.Limits.DailyUSD
	if r.Limit == PerAutomationUSD {
		limit = r.Limits.PerAutomationUSD
	}
	return fmt.Sprintf("budget.%s = %s is reached: %s used on %s", r.Limit, limit, r.Used.Cost, r.Day)
}

// Check returns nil if a model can be asked, else a [providers.Error] of kind budget whose cause is a
// [LimitError]. Free models can be asked unless Stop is set.
func (b *Budget) Check(provider string, free bool, automation Automation) error {
	if b == nil || free && !b.limits.Stop {
		return nil
	}
	s := b.State(automation)
	if !s.Reached {
		return nil
	}
	return &providers.Error{Kind: providers.KindBudget, Provider: provider, RetryAfter: s.ResetsIn, Err: &LimitError{s}}
}
