package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/fleet"
)

// Entry is a machine of the fleet, or the leaf server of a site.
type Entry struct {
	fleet.Machine
	Key    string            `json:"key"` // its public nkey
	Labels map[string]string `json:"labels,omitempty"`
	Added  time.Time         `json:"added"`
	// Leaf is set of a machine that was paired through its site's leaf server.
	Leaf bool `json:"leaf,omitempty"`
	// Shown is the sum of the certificate that a leaf server shows to its machines, in hexadecimal.
	Shown string `json:"shown,omitempty"`
	// Seen is when its last heartbeat came, zero if none came since the server started, and Beat what it said. They are
	// not kept.
	Seen time.Time  `json:"-"`
	Beat fleet.Beat `json:"-"`
	// Twins reports that two machines have this key: a run of the bridge came back after another one.
	Twins bool     `json:"-"`
	runs  []string // of the bridge, the latest last
}

// The errors of changing the registry.
var (
	ErrTaken   = errors.New("another machine has this name or this key")
	ErrUnknown = errors.New("there is no such machine")
)

// registry is a list of machines or of leaf servers, in a file that is replaced as a whole. It is safe for concurrent use.
type registry struct {
	path string

	mu       sync.Mutex
	machines map[fleet.Machine]Entry
}

func openRegistry(path string) (*registry, error) {
	r := &registry{path: path, machines: map[fleet.Machine]Entry{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	var all []Entry
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the list of machines %s: %w", path, err)
	}
	for _, e := range all {
		r.machines[e.Machine] = e
	}
	return r, nil
}

// list returns the machines in the order of their names.
func (r *registry) list() []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Entry
	for _, m := range fleet.SortMachines(r.machines) {
		all = append(all, r.machines[m])
	}
	return all
}

// behind returns the machines that were paired through the leaf server of a site.
func (r *registry) behind(site string) []Entry {
	return slices.DeleteFunc(r.list(), func(e Entry) bool { return e.Site != site || !e.Leaf })
}

// set replaces the list, and returns the added and the removed entries.
func (r *registry) set(all []Entry) (added, removed []Entry, err error) {
	machines := map[fleet.Machine]Entry{}
	for _, e := range all {
		machines[e.Machine] = e
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for m, e := range machines {
		if r.machines[m].Key != e.Key {
			added = append(added, e)
		}
	}
	for m, e := range r.machines {
		if machines[m].Key != e.Key {
			removed = append(removed, e)
		}
	}
	if len(added) == 0 && len(removed) == 0 {
		return nil, nil, nil
	}
	return added, removed, r.replace(machines)
}

// byKey returns the machine with a key.
func (r *registry) byKey(key string) (Entry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.machines {
		if e.Key == key {
			return e, true
		}
	}
	return Entry{}, false
}

func (r *registry) get(m fleet.Machine) (Entry, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.machines[m]
	return e, ok
}

func (r *registry) add(e Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m, other := range r.machines {
		if m == e.Machine || other.Key == e.Key {
			return fmt.Errorf("cannot add %s: %w", e.Machine, ErrTaken)
		}
	}
	all := maps.Clone(r.machines)
	all[e.Machine] = e
	return r.replace(all)
}

func (r *registry) remove(m fleet.Machine) (Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.machines[m]
	if !ok {
		return Entry{}, fmt.Errorf("cannot remove %s: %w", m, ErrUnknown)
	}
	all := maps.Clone(r.machines)
	delete(all, m)
	return e, r.replace(all)
}

// replace writes the list and then uses it.
func (r *registry) replace(machines map[fleet.Machine]Entry) error {
	all := slices.Collect(maps.Values(machines))
	slices.SortFunc(all, func(a, b Entry) int { return a.Added.Compare(b.Added) })
	data, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = renameio.WriteFile(r.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot write the list of machines: %w", err)
	}
	r.machines = machines
	return nil
}

// maxRuns bounds the remembered runs of a machine's bridge.
const maxRuns = 16

// note records a heartbeat.
func (r *registry) note(m fleet.Machine, beat fleet.Beat, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.machines[m]; ok {
		e.Seen, e.Beat = at, beat
		switch i := slices.Index(e.runs, beat.Run); {
		case i < 0:
			e.runs = append(e.runs[max(0, len(e.runs)-maxRuns+1):], beat.Run)
		case i < len(e.runs)-1:
			e.Twins = true
		}
		r.machines[m] = e
	}
}
