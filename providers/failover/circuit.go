package failover

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// The cooldowns: how long a provider is left alone after it failed, doubled with
// each failure in a row up to the most.
const (
	coolNetwork = 15 * time.Second // also a server that fails
	coolLimit   = 30 * time.Second // a rate limit without a time
	coolPerson  = time.Minute      // what a person has to put right: keys, log-ins, names
	mostCool    = 5 * time.Minute
)

// Circuits remember which providers fail. They outlive reloads of the
// configuration, and are safe for concurrent use.
type Circuits struct {
	now func() time.Time

	mu     sync.Mutex
	byName map[string]*circuit
	under  string // the configuration they are of
}

type circuit struct {
	failures int
	until    time.Time
	err      *providers.Error
}

// NewCircuits returns circuits that are all closed.
func NewCircuits(now func() time.Time) *Circuits {
	return &Circuits{now: now, byName: map[string]*circuit{}}
}

// Open returns why a provider is left alone for now, nil when it is not. A rate
// limit tells how long is left of it.
func (cs *Circuits) Open(name string) error {
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

// Good notes an answer.
func (cs *Circuits) Good(name string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.byName, name)
}

// Bad notes a failure. One that says nothing about the provider leaves the
// circuit as it is.
func (cs *Circuits) Bad(name string, err error) {
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

// cooldown is how long a failure keeps others away, after so many before it.
func cooldown(pe *providers.Error, before int) time.Duration {
	doubled := func(d time.Duration) time.Duration { return min(d<<min(before, 8), mostCool) }
	switch {
	case pe.RetryAfter > 0:
		return pe.RetryAfter
	case pe.Kind == providers.KindRateLimit:
		return doubled(coolLimit)
	case pe.Kind == providers.KindNetwork, pe.Kind == providers.KindAPI && pe.Status >= 500:
		return doubled(coolNetwork)
	}
	switch pe.Kind {
	case providers.KindAuth, providers.KindLogin, providers.KindMissing, providers.KindOutdated, providers.KindModel:
		return coolPerson
	}
	return 0
}

// Under says which configuration is in force, by a name of it. Another one than
// before closes all circuits: it was changed, perhaps to mend what kept them open.
func (cs *Circuits) Under(configuration string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if configuration != cs.under {
		clear(cs.byName)
	}
	cs.under = configuration
}

// Reset closes all circuits: the person asked for another try.
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

// List returns the providers that are left alone for now, by name.
func (cs *Circuits) List() []State {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var list []State
	for name, c := range cs.byName {
		if c.until.After(cs.now()) {
			list = append(list, State{name, c.err.Kind, c.failures, c.until, c.err})
		}
	}
	slices.SortFunc(list, func(a, b State) int { return cmp.Compare(a.Provider, b.Provider) })
	return list
}
