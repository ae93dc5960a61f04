// Package past gathers what changed on this machine from the logs that there are: pacman's, the journal, the assistant's own
// changes, and the list of files in /etc and ~/.config, which it compares once an hour.
package past

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/timeline"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/receipt"
)

// every is how long the list of files is not compared again.
const every = time.Hour

// Options configures a past. All fields are required.
type Options struct {
	Path     string // of the list of files
	Home     string // of the person
	Settings *settings.Settings
	Now      func() time.Time
	Log      zerolog.Logger
}

// Past gathers changes. It is safe for concurrent use.
type Past struct {
	o       Options
	started time.Time
	mu      sync.Mutex // held while files are compared
	watched Watched
}

// New returns a past without reading anything.
func New(o Options) *Past {
	return &Past{o: o, started: o.Now(), watched: Watched{Trees: []string{"/etc", filepath.Join(o.Home, ".config")}, Path: o.Path}}
}

// settle is how long a daemon runs before it compares files by itself: its first answers come first.
const settle = 30 * time.Second

// Record compares the list of files if that was not done in the last hour.
func (p *Past) Record() {
	if p.o.Now().Sub(p.started) >= settle {
		p.compare(every)
	}
}

// compare compares the list of files unless that was done in the last least.
func (p *Past) compare(least time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	if age, known := p.watched.Age(now); known && age >= 0 && age < least {
		return
	}
	if err := p.watched.Compare(now); err != nil {
		p.o.Log.Warn().Err(err).Msg("cannot compare the list of files")
	}
}

// Events returns what changed in a span, the latest first. With a thing, only what is about it: its packages and libraries,
// its files and its unit. unseen are the sources that could not be read. A messenger's sender learns of changes through the
// assistant those of their conversation, session, and of no files.
func (p *Past) Events(ctx context.Context, span timeline.Span, thing string, from tools.Origin, session string) (events []timeline.Event, unseen []timeline.Source, err error) {
	rt, err := p.o.Settings.CurrentRuntime()
	if err != nil {
		return nil, nil, err
	}
	g := gathering{ctx, rt, from, session}
	if action.IsAtMachine(from.Channel) {
		p.compare(time.Minute)
		events = append(events, p.watched.Events()...)
	}
	packages, ok := g.packages()
	if !ok {
		unseen = append(unseen, timeline.Packages)
	}
	journal, ok := g.journal(span, p.o.Now())
	if !ok {
		unseen = append(unseen, timeline.Journal)
	}
	done, ok := g.done()
	if !ok {
		unseen = append(unseen, timeline.Assistant)
	}
	events = slices.Concat(events, packages, timeline.FirstFailures(journal), done)
	if thing != "" {
		events = timeline.About(events, g.namesOf(thing))
	}
	return timeline.Sort(events, span), unseen, ctx.Err()
}

// gathering reads the sources once.
type gathering struct {
	ctx     context.Context
	rt      *settings.Runtime
	from    tools.Origin
	session string
}

// look returns what a command printed, and false if it did not run or failed.
func (g gathering) look(probe machine.Probe) (stdout string, ok bool) {
	s, err := g.rt.Gate.Look(g.ctx, "changes", probe.String(), g.from, g.session)
	silent := s.Stdout == "" && s.Stderr != "" // such as a file or a journal that is not there
	return s.Stdout, err == nil && s.MissingProgram == "" && s.Exit <= 1 && !s.TimedOut && !silent
}

func (g gathering) packages() (events []timeline.Event, ok bool) {
	text, ok := g.look(machine.PackageLogProbe)
	changes, err := machine.ParsePackageLog([]byte(text))
	for _, c := range changes {
		events = append(events, timeline.Event{At: c.At, Source: timeline.Packages, Kind: timeline.Kind(c.Verb), Object: c.Name, From: c.From, To: c.To})
	}
	return events, ok && err == nil
}

// journal returns boots with their kernels and failed units, in order of time.
func (g gathering) journal(span timeline.Span, now time.Time) (events []timeline.Event, ok bool) {
	days := 30
	if !span.From.IsZero() {
		days = min(days, int(now.Sub(span.From).Hours()/24)+2)
	}
	health, ok := g.look(machine.HealthProbe(days))
	_, failures, _ := machine.ParseHealth([]byte(health))
	for _, f := range failures {
		events = append(events, timeline.Event{At: f.At, Source: timeline.Journal, Kind: timeline.Failed, Object: f.Unit})
	}
	kernels, seen := g.look(machine.KernelBootsProbe(days))
	for _, b := range machine.ParseKernelBoots([]byte(kernels)) {
		events = append(events, timeline.Event{At: b.At, Source: timeline.Journal, Kind: timeline.Booted, Object: b.Kernel})
	}
	sorting.Stably(events, func(a, b timeline.Event) int { return a.At.Compare(b.At) })
	return events, ok || seen
}

// mayKnow reports whether a person may learn what a receipt says.
func mayKnow(r receipt.Receipt, channel, session string) bool {
	return action.IsAtMachine(channel) || r.Channel == channel && r.Session == session
}

// done returns what approved changes did.
func (g gathering) done() (events []timeline.Event, ok bool) {
	all, err := g.rt.Gate.Changes()
	for _, r := range all {
		if !r.HasChanges() || !mayKnow(r, g.from.Channel, g.session) {
			continue
		}
		for _, s := range r.Steps {
			if !s.Looks && s.Command != "" {
				events = append(events, timeline.Event{At: r.Began, Source: timeline.Assistant, Kind: timeline.Done, Object: s.Command, To: r.ID})
			}
		}
	}
	return events, err == nil
}

// maxLibraries bounds how many libraries of a program are looked at.
const maxLibraries = 24

// namesOf returns what belongs to a thing: the packages of its program and of the libraries that the program needs, and its
// name.
func (g gathering) namesOf(thing string) timeline.Names {
	n := timeline.Names{Words: []string{thing}, Packages: []string{thing}}
	file := thing
	if !strings.HasPrefix(thing, "/") {
		file = "/usr/bin/" + thing
	}
	add := func(path string) {
		text, _ := g.look(machine.PackageFileProbe(path))
		if owner, err := machine.ParsePackageFile([]byte(text)); err == nil && !slices.Contains(n.Packages, owner.Name) {
			n.Packages = append(n.Packages, owner.Name)
		}
	}
	add(file)
	text, _ := g.look(machine.DynamicProbe(file))
	d, err := machine.ParseDynamic([]byte(text))
	if err != nil {
		return n
	}
	for _, library := range d.Needed[:min(maxLibraries, len(d.Needed))] {
		if machine.IsLibrary(library) {
			add("/usr/lib/" + library)
		}
	}
	return n
}
