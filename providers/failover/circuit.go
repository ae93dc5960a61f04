package failover

import (
	"cmp"
	"errors"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/providers"
)

// The cooldowns: how long a provider is paused after a failure. The rate limit and network cooldowns double
// with each consecutive failure, up to maxCooldown.
const (
	networkCooldown = 15 * time.Second // also for server errors
	limitCooldown   = 30 * time.Second // for a rate limit without a retry time
	userCooldown    = time.Minute      // for errors that the user must fix: keys, logins, names
	maxCooldown     = 5 * time.Minute
)

// Circuits are the circuit breakers of all providers. They survive configuration reloads and are safe for
// concurrent use.
type Circuits struct {
	now func() time.Time

	mu            sync.Mutex
	byName        map[string]*circuit
	configuration string // name of the configuration in force
}

type circuit struct {
	failures int
	until    time.Time
	err      *providers.Error
}

// NewCircuits returns circuit breakers that are all closed.
func NewCircuits(now func() time.Time) *Circuits {
	return &Circuits{now: now, byName: map[string]*circuit{}}
}

// PauseReason returns the error for which a provider is paused, or nil. The RetryAfter of a rate limit is the
// remaining time.
func (cs *Circuits) PauseReason(name string) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.byName[name]
	if c == nil || !c.until.After(cs.now()) {
		return nil
	}
	err := *c.err
	if err.RetryAfter > 0 {
		err.RetryAfter = c.until.Sub(cs.now())
	}
	return &err
}

// RecordSuccess records a success and closes the provider's circuit.
func (cs *Circuits) RecordSuccess(name string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.byName, name)
}

// RecordFailure records a failure. It ignores errors that are not the provider's fault.
func (cs *Circuits) RecordFailure(name string, err error) {
	var pe *providers.Error
	if !errors.As(err, &pe) {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.byName[name]
	if c == nil {
		c = &circuit{}
	}
	cool := cooldown(pe, c.failures)
	if cool == 0 {
		return
	}
	c.failures++
	c.until, c.err = cs.now().Add(cool), pe
	cs.byName[name] = c
}

// cooldown returns how long to pause a provider after this failure and the given number of consecutive failures
// before it.
func cooldown(pe *providers.Error, before int) time.Duration {
	doubled := func(d time.Duration) time.Duration { return min(d<<min(before, 8), maxCooldown) }
	switch {
	case pe.RetryAfter > 0:
		return pe.RetryAfter
	case pe.Kind == providers.KindRateLimit:
		return doubled(limitCooldown)
	case pe.Kind == providers.KindNetwork, pe.Kind == providers.KindAPI && pe.Status >= 500:
		return doubled(networkCooldown)
	}
	switch pe.Kind {
	case providers.KindAuth, providers.KindLogin, providers.KindMissing, providers.KindOutdated, providers.KindModel:
		return userCooldown
	}
	return 0
}

// SetConfiguration sets the name of the configuration in force. A new configuration closes all circuits, because the
// change may fix what opened them.
func (cs *Circuits) SetConfiguration(configuration string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if configuration != cs.configuration {
		clear(cs.byName)
	}
	cs.configuration = configuration
}

// Reset closes all circuits, because the user asked for another try.
func (cs *Circuits) Reset() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	clear(cs.byName)
}

// State is an open circuit.
type State struct {
	Provider string
	Kind     providers.Kind
	Failures int // in a row
	Until    time.Time
	Err      error
}

// List returns the paused providers, sorted by name.
func (cs *Circuits) List() []State {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var list []State
	for name, c := range cs.byName {
		if c.until.After(cs.now()) {
			list = append(list, State{name, c.err.Kind, c.failures, c.until, c.err})
		}
	}
	sorting.By(list, func(a, b State) int { return cmp.Compare(a.Provider, b.Provider) })
	return list
}
