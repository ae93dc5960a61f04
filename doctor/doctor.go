// Package doctor looks over everything the assistant stands on, one check
// after the other, and says of each whether it works, what is weaker without
// it, and the one command that helps. It changes nothing, asks nobody and
// starts no daemon.
package doctor

import (
	"context"
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
}

// Patient is what is looked over, as the daemon would have it.
type Patient struct {
	Lang   i18n.Lang
	Paths  config.Paths
	Source config.Source
	Getenv func(string) string
	User   string
	// Sandbox returns what holds SAFE commands, or why there is nothing.
	Sandbox func() (string, error)
	// Units reports nil, or why confirmed commands get no units of their own.
	Units func(context.Context) error
	// Ladder finds the way to root's rights under a setting of security.privilege.
	Ladder func(setting string) *elevation.Ladder
	// Awake takes what keeps the machine awake while packages change.
	Awake   tools.Inhibitor
	Manager systemd.UserManager
	Dialer  ipc.Dialer // starts nothing
	// Root is where /proc and /var are looked for; "" means /.
	Root string
}

// patience bounds a check.
const patience = 10 * time.Second

// checks are what is looked at, in the order in which it is told.
var checks = []struct {
	name string
	look func(context.Context, Patient) Finding
}{
	{"home", home},
	{"disk", disk},
	{"config", settings},
	{"keys", keys},
	{"log", log},
	{"sandbox", confined},
	{"units", units},
	{"rights", rights},
	{"awake", awake},
	{"linger", linger},
	{"service", service},
	{"daemon", running},
}

// Look does all checks.
func Look(ctx context.Context, p Patient) []Finding {
	found := make([]Finding, len(checks))
	for i, c := range checks {
		bounded, cancel := context.WithTimeout(ctx, patience)
		found[i] = c.look(bounded, p)
		found[i].Check = c.name
		cancel()
	}
	return found
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

// say makes a finding in the person's language.
func (p Patient) say(s State, help string, text i18n.Text, args ...any) Finding {
	return Finding{State: s, Help: help, Text: text.In(p.Lang, args...)}
}
