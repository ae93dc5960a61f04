// Package doctor looks over everything the assistant stands on, and says of each
// part whether it works, what is weaker without it, and the one command that
// helps. [Look] changes nothing, asks nobody and starts no daemon; [Mender] runs
// those commands that can do no harm, each after a yes; [Report] packs what
// somebody else needs to help, without what is nobody's business.
package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// State is how something is.
type State string

// The states. Only what is broken keeps the assistant from working.
const (
	OK     State = "ok"
	Warn   State = "warn" // works, but weaker or without something
	Broken State = "broken"
)

// Finding is what one check found.
type Finding struct {
	Check string `json:"check"` // its name, which stays the same
	State State  `json:"state"`
	Text  string `json:"text"`           // for a person
	Help  string `json:"help,omitempty"` // the command that helps
	// Fix is that command in words, where it is one that [Mender] may run.
	Fix []string `json:"fix,omitempty"`
}

// Answer is who would answer a question now.
type Answer struct {
	Name    string // provider and model
	Why     string // the reason code of catalog.Detect
	Problem error  // why it cannot; nil when it can
	Server  string // its address; "" where nobody on the network is asked
	// Reach asks the server for something that costs nothing.
	Reach func(context.Context) error
}

// Rules are the automations.
type Rules struct {
	On       int      // how many are switched on
	Problems []string // what of their files cannot be used
}

// Manager is the user's service manager.
type Manager interface {
	Unit(ctx context.Context, name string) (systemd.UnitState, error)
	// Installed returns the names of unit files that match shell patterns.
	Installed(ctx context.Context, patterns ...string) ([]string, error)
}

// Patient is what is looked over, as the daemon would have it.
type Patient struct {
	Lang    i18n.Lang
	Version string // of this program
	Paths   config.Paths
	Source  config.Source
	Getenv  func(string) string
	User    string
	Groups  []string // names of the person's groups
	Columns int      // of the terminal; 0 where there is none
	// Sandbox returns what holds SAFE commands, or why there is nothing.
	Sandbox func() (string, error)
	// Units reports nil, or why confirmed commands get no units of their own.
	Units func(context.Context) error
	// Ladder finds the way to root's rights under a setting of security.privilege.
	Ladder func(setting string) *elevation.Ladder
	// Awake takes what keeps the machine awake while packages change.
	Awake   tools.Inhibitor
	Manager Manager
	Dialer  ipc.Dialer // starts nothing
	// Answer looks who would answer under a configuration.
	Answer func(config.Config) Answer
	Rules  func() Rules
	// Admission tells who may write over a messenger.
	Admission func(cfg config.Config, channel string) Admission
	// Desktop returns the name of the program that shows notifications, or why
	// there is none.
	Desktop func(context.Context) (string, error)
	// Clock tells how the clock is kept right.
	Clock func(context.Context) (systemd.TimeSync, error)
	Now   func() time.Time
	// Root is where /proc, /usr and /var are looked for; "" means /.
	Root string

	visit  func() visit  // of the daemon, once for all checks
	answer func() Answer // looked up once
}

// patience bounds a check.
const patience = 10 * time.Second

// checks are what is looked at, in the order in which it is told.
var checks = []struct {
	name string
	look func(context.Context, Patient) Finding
}{
	{"home", home},
	{"modes", modes},
	{"disk", disk},
	{"files", files},
	{"config", settings},
	{"automations", rules},
	{"keys", keys},
	{"log", log},
	{"sandbox", confined},
	{"units", units},
	{"rights", rights},
	{"awake", awake},
	{"linger", linger},
	{"service", service},
	{"socket", socket},
	{"timer", timer},
	{"daemon", running},
	{"version", version},
	{"model", model},
	{"reach", reach},
	{"pacman", pacman},
	{"lock", lock},
	{"keyring", keyring},
	{"aur", aur},
	{"journal", journal},
	{"notifications", notifications},
	{"clock", clock},
	{"bridges", bridges},
	{"whatsapp", messenger("whatsapp")},
	{"telegram", messenger("telegram")},
	{"terminal", terminal},
	{"language", language},
}

// Look does all checks, side by side. It takes no longer than the slowest one,
// which is given up after 10 s.
func Look(ctx context.Context, p Patient) []Finding {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p = p.prepared(ctx)
	results := make([]chan Finding, len(checks))
	for i, c := range checks {
		results[i] = make(chan Finding, 1)
		go func() { results[i] <- c.look(ctx, p) }()
	}
	found := make([]Finding, len(checks))
	for i, c := range checks {
		found[i] = p.await(ctx, results[i])
		found[i].Check = c.name
	}
	return found
}

// await takes what a check found. One that hangs in the kernel, as on a network
// file system, is left behind.
func (p Patient) await(ctx context.Context, result <-chan Finding) Finding {
	select {
	case f := <-result:
		return f
	case <-ctx.Done():
	}
	grace := time.NewTimer(time.Second) // for those that heed ctx
	defer grace.Stop()
	select {
	case f := <-result:
		return f
	case <-grace.C:
		return p.say(Warn, "", i18n.DoctorSlow, int(patience.Seconds()))
	}
}

// prepared has what several checks need found out once.
func (p Patient) prepared(ctx context.Context) Patient {
	if p.Now == nil {
		p.Now = time.Now
	}
	p.visit = sync.OnceValue(func() visit { return visited(ctx, p) })
	p.answer = sync.OnceValue(func() Answer {
		if cfg, err := config.Load(p.Source); err == nil && p.Answer != nil {
			return p.Answer(cfg)
		}
		return Answer{}
	})
	return p
}

// Sound reports whether nothing is broken.
func Sound(found []Finding) bool {
	for _, f := range found {
		if f.State == Broken {
			return false
		}
	}
	return true
}

// say makes a finding in the person's language. Where systemd does not run (a
// container, mostly), its commands would help nobody.
func (p Patient) say(s State, help string, text i18n.Text, args ...any) Finding {
	if tool, _, _ := strings.Cut(help, " "); s == Warn && (tool == "systemctl" || tool == "loginctl") && !p.booted() {
		help = ""
	}
	return Finding{State: s, Help: help, Text: text.In(p.Lang, args...)}
}

// booted tells whether systemd is this system's manager (sd_booted(3)).
func (p Patient) booted() bool {
	_, err := os.Stat(filepath.Join(p.Root, "/run/systemd/system"))
	return err == nil
}

// remedy makes a finding whose command [Mender] may run.
func (p Patient) remedy(s State, fix []string, text i18n.Text, args ...any) Finding {
	f := p.say(s, CommandLine(fix), text, args...)
	if f.Help != "" {
		f.Fix = fix
	}
	return f
}
