package usage

import (
	"fmt"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// The limits, as the configuration calls them.
const (
	DailyUSD         = "daily_usd"
	DailyTokens      = "daily_tokens"
	PerAutomationUSD = "per_automation_usd"
)

// Limits are what a person wants to spend in one of their days; 0 for any
// amount.
type Limits struct {
	DailyUSD         Money
	DailyTokens      int64 // in and out, of models that cost money
	PerAutomationUSD Money // of each automation
	WarnAt           float64
	// Stop ends all answers when a limit is reached. Otherwise models that cost
	// nothing go on.
	Stop bool
}

// Budget holds requests to limits. The zero value, and nil, hold nothing.
type Budget struct {
	ledger *Ledger
	limits Limits
}

// NewBudget returns the budget of a ledger.
func NewBudget(l *Ledger, limits Limits) *Budget { return &Budget{l, limits} }

// Standing is how much of a limit is used.
type Standing struct {
	Limit   string // its name; "" where there is none
	Day     string
	Used    Sum // of the day's requests that cost money
	Limits  Limits
	Share   float64 // of the limit that is nearest, from 0
	Warn    bool    // the share is worth telling
	Reached bool
	// Renews is how long it is until the day ends, rounded up to seconds.
	Renews time.Duration
}

// Standing returns how the day's budget stands, for an automation the one of its
// own included.
func (b *Budget) Standing(automation Automation) Standing {
	if b == nil || b.limits == (Limits{WarnAt: b.limits.WarnAt, Stop: b.limits.Stop}) && automation.Daily == 0 {
		return Standing{}
	}
	now := b.ledger.now().Local()
	s := Standing{Day: now.Format(time.DateOnly), Limits: b.limits, Renews: untilMidnight(now)}
	if automation.Daily > 0 {
		s.Limits.PerAutomationUSD = automation.Daily
	}
	var own Sum
	b.ledger.eachToday(s.Day, func(k Key, sum Sum) {
		if k.Free {
			return
		}
		s.Used = s.Used.Plus(sum)
		if automation.Name != "" && k.Automation == automation.Name {
			own = own.Plus(sum)
		}
	})
	s.nearer(DailyUSD, float64(s.Used.Cost), float64(b.limits.DailyUSD))
	s.nearer(DailyTokens, float64(s.Used.Tokens()), float64(b.limits.DailyTokens))
	if automation.Name != "" {
		s.nearer(PerAutomationUSD, float64(own.Cost), float64(s.Limits.PerAutomationUSD))
	}
	if s.Limit == PerAutomationUSD {
		s.Used = own
	}
	s.Reached = s.Share >= 1
	s.Warn = s.Reached || s.Limit != "" && b.limits.WarnAt > 0 && s.Share >= b.limits.WarnAt
	return s
}

// nearer takes a limit that is nearer to its end than those before.
func (s *Standing) nearer(name string, used, limit float64) {
	if limit > 0 && (s.Limit == "" || used/limit > s.Share) {
		s.Limit, s.Share = name, used/limit
	}
}

func untilMidnight(now time.Time) time.Duration {
	y, m, d := now.Date()
	left := time.Date(y, m, d+1, 0, 0, 0, 0, now.Location()).Sub(now)
	return (left + time.Second - 1).Truncate(time.Second)
}

// Reached is the cause of an error of kind budget: which limit it is.
type Reached struct{ Standing }

func (r *Reached) Error() string {
	if r.Limit == DailyTokens {
		return fmt.Sprintf("budget.%s = %d is reached: %d used on %s", r.Limit, r.Limits.DailyTokens, r.Used.Tokens(), r.Day)
	}
	limit := r.Limits.DailyUSD
	if r.Limit == PerAutomationUSD {
		limit = r.Limits.PerAutomationUSD
	}
	return fmt.Sprintf("budget.%s = %s is reached: %s used on %s", r.Limit, limit, r.Used.Cost, r.Day)
}

// Check returns nil where a model may be asked, else a [providers.Error] of
// kind budget whose cause is a [Reached]. A model that costs nothing may be
// asked unless everything stops.
func (b *Budget) Check(provider string, free bool, automation Automation) error {
	if b == nil || free && !b.limits.Stop {
		return nil
	}
	s := b.Standing(automation)
	if !s.Reached {
		return nil
	}
	return &providers.Error{Kind: providers.KindBudget, Provider: provider, RetryAfter: s.Renews, Err: &Reached{s}}
}
