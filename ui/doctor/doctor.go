// Package doctor checks everything that the assistant depends on. For each part it reports whether it works, what
// is limited without it, and the command that helps. [RunChecks] changes nothing, sends no requests to models and
// starts no daemon. [Fixer] runs the harmless ones of these commands, each after a confirmation. [Report] packs
// what another person needs to help, without personal data.
package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/systemd"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// State is the result of a check.
type State string

// The states. Only a broken part prevents the assistant from working.
const (
	OK     State = "ok"
	Warn   State = "warn" // works with limitations
	Broken State = "broken"
)

// Finding is the result of one check.
type Finding struct {
	Check string `json:"check"` // the check's stable name
	State State  `json:"state"`
	Text  string `json:"text"`           // for display
	Help  string `json:"help,omitempty"` // the command that helps
	// Fix is that command as arguments, if [Fixer] can run it.
	Fix []string `json:"fix,omitempty"`
}

// Answer is the model that would answer a question now.
type Answer struct {
	Name    string // provider and model
	Why     string // reason code of catalog.Detect
	Problem error  // why it cannot answer, or nil
	Server  string // its address; "" for a local one
	// Reach sends a free request to the server.
	Reach func(context.Context) error
}

// Rules are the automations.
type Rules struct {
	On       int      // number of enabled rules
	Problems []string // errors in the files
	// WithoutLogin is an enabled rule that reports to a messenger without an account, and Messenger that messenger.
	WithoutLogin, Messenger string
}

// Manager is the user's service manager.
type Manager interface {
	Unit(ctx context.Context, name string) (systemd.UnitState, error)
	// Installed returns the names of unit files that match shell patterns.
	Installed(ctx context.Context, patterns ...string) ([]string, error)
}

// Machine is the machine to check, as the daemon sees it.
type Machine struct {
	Lang    i18n.Lang
	Version string // of this program
	Paths   config.Paths
	Source  config.Source
	Getenv  func(string) string
	User    string
	Groups  []string // names of the person's groups
	Columns int      // of the terminal; 0 without one
	// Sandbox returns the sandbox of SAFE commands, or why there is none.
	Sandbox func() (string, error)
	// Units returns nil, or why confirmed commands cannot have separate units.
	Units func(context.Context) error
	// Ladder finds the way to root's rights with a value of security.privilege.
	Ladder func(setting string) *elevation.Ladder
	// Awake keeps the machine awake during package changes.
	Awake   steps.Inhibitor
	Manager Manager
	Dialer  ipc.Dialer // must not start a daemon
	// Answer returns the model that would answer with a configuration.
	Answer func(config.Config) Answer
	Rules  func() Rules
	// Admission returns who may write over a messenger.
	Admission func(cfg config.Config, channel string) Admission
	// Desktop returns the name of the notification server, or why there is none.
	Desktop func(context.Context) (string, error)
	// Clock returns the state of the clock's synchronisation.
	Clock func(context.Context) (systemd.TimeSync, error)
	Now   func() time.Time
	// Root is the directory of /proc, /usr and /var. "" means /.
	Root string

	daemon func() DaemonState // of the daemon, shared by all checks
	answer func() Answer      // shared by all checks
}

// checkTimeout is the time limit of a check.
const checkTimeout = 10 * time.Second

type check struct {
	name string
	look func(context.Context, Machine) Finding
}

// checks returns the checks in the order of display.
func checks() []check {
	all := []check{
		{"home", home},
		{"modes", modes},
		{"disk", disk},
		{"files", files},
		{"config", settings},
		{"automations", rules},
		{"keys", keys},
		{"log", log},
		{"sandbox", sandbox},
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
		{"computer", computer},
		{"bridges", bridges},
		{"gateway", reachable},
	}
	for _, c := range channel.WithBridge() {
		all = append(all, check{c.Name, messenger(c)})
	}
	return append(all, check{"terminal", terminal}, check{"language", language})
}

// RunChecks runs all checks concurrently. Each has a time limit of 10 s.
func RunChecks(ctx context.Context, p Machine) []Finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	p = p.prepare(ctx)
	all := checks()
	results := make([]chan Finding, len(all))
	for i, c := range all {
		results[i] = make(chan Finding, 1)
		go func() { results[i] <- c.look(ctx, p) }()
	}
	found := make([]Finding, len(all))
	for i, c := range all {
		found[i] = p.await(ctx, results[i])
		found[i].Check = c.name
	}
	return found
}

// await returns the result of a check. It abandons a check that hangs in the kernel, for example on a network
// file system.
func (p Machine) await(ctx context.Context, result <-chan Finding) Finding {
	select {
	case f := <-result:
		return f
	case <-ctx.Done():
	}
	grace := time.NewTimer(time.Second) // for checks that return when ctx ends
	defer grace.Stop()
	select {
	case f := <-result:
		return f
	case <-grace.C:
		return p.finding(Warn, "", i18n.DoctorSlow(int(checkTimeout.Seconds())))
	}
}

// prepare sets up values that several checks share.
func (p Machine) prepare(ctx context.Context) Machine {
	if p.Now == nil {
		p.Now = time.Now
	}
	p.daemon = sync.OnceValue(func() DaemonState { return FindDaemon(ctx, p) })
	p.answer = sync.OnceValue(func() Answer {
		if cfg, err := config.Load(p.Source); err == nil && p.Answer != nil {
			return p.Answer(cfg)
		}
		return Answer{}
	})
	return p
}

// IsHealthy reports whether nothing is broken.
func IsHealthy(found []Finding) bool {
	return !slices.ContainsFunc(found, func(f Finding) bool { return f.State == Broken })
}

// finding returns a finding in the person's language. Without a running systemd (mostly in containers), it omits
// systemd's commands.
func (p Machine) finding(s State, help string, text i18n.Text) Finding {
	if tool, _, _ := strings.Cut(help, " "); s == Warn && (tool == "systemctl" || tool == "loginctl") && !p.hasSystemd() {
		help = ""
	}
	return Finding{State: s, Help: help, Text: text.In(p.Lang)}
}

// hasSystemd reports whether systemd is the system's manager (sd_booted(3)).
func (p Machine) hasSystemd() bool {
	_, err := os.Stat(filepath.Join(p.Root, "/run/systemd/system"))
	return err == nil
}

// fixable returns a finding with a command that [Fixer] can run.
func (p Machine) fixable(s State, fix []string, text i18n.Text) Finding {
	f := p.finding(s, CommandLine(fix), text)
	if f.Help != "" {
		f.Fix = fix
	}
	return f
}
