// Package setup is the guided and the non-interactive set-up: provider and key, rights, who may
// write by messenger, automations. It writes nothing until the last question is answered.
//
// Decisions are plain values: what was found ([Found]), what the person wants ([Answers]), and the
// resulting file changes ([Plan]). [Setup.Guide] asks with forms or line by line ([dialog.Asker]). A
// command line provides [Answers] without questions.
package setup

import (
	"context"
	"net/http"
	"os"
	"strings"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/ui/dialog"
)

// Claude is the installed `claude`, see providers/claudecli.
type Claude interface {
	Find() (file string, ok bool)
	LoggedIn() bool
}

// Setup has the settings to change and access to the computer. What is nil finds nothing and does nothing.
type Setup struct {
	Lang   i18n.Lang
	Paths  config.Paths
	Source config.Source
	Getenv func(string) string

	HTTPClient *http.Client
	Claude     Claude
	// Local returns the models of the local server, the best first. It returns none if there is no
	// server, or if it belongs to another user.
	Local func(context.Context) []string
	// IsInstalled reports whether a program is installed.
	IsInstalled func(program string) bool
	// Rights and Sandbox describe the way to root's rights and the sandbox, for display.
	Rights  func(context.Context) string
	Sandbox func() string
	// Rules counts the automations that exist, or will exist after the first start.
	Rules func() int
	// Run runs a confirmed command at the person's terminal.
	Run func(ctx context.Context, argv []string) error
	// Reload makes a running daemon reload its settings. running is false if there is none.
	Reload func(context.Context) (running bool, err error)
	// HasDormantSocket reports whether the daemon's socket unit is installed but not enabled.
	HasDormantSocket func(context.Context) bool
	// Shell is the person's shell, nil if it has no integration.
	Shell *Shell
	// Unit returns the state of a systemd unit.
	Unit func(ctx context.Context, name string) Unit
	// Remember saves the facts about this computer for the models.
	Remember func() error
	// Verify checks a provider; nil for [Verify].
	Verify func(context.Context, catalog.Spec) Check
}

func (s *Setup) say(text i18n.Text) string { return text.In(s.Lang) }

// IsUnconfigured reports whether nothing is set up: there are no settings of the person, no key in a file,
// and no provider named by the distribution or the environment. Invalid settings count as settings.
func IsUnconfigured(src config.Source) bool {
	own, err := config.OwnValues(src)
	if err != nil || len(own) > 0 {
		return false
	}
	if keys, err := os.ReadDir(src.Paths.Credentials()); err == nil && len(keys) > 0 {
		return false
	}
	c, err := config.Load(src)
	return err == nil && (c.Agent.Provider == "" || c.Agent.Provider == "auto")
}

// Done is the result of writing.
type Done struct {
	Written  []string `json:"written"` // files
	Reloaded bool     `json:"reloaded"`
	// Problem is why a running daemon cannot use the settings.
	Problem string `json:"problem,omitempty"`
	Memory  bool   `json:"memory"` // the facts about this computer are saved
	// Messengers are those with admitted senders, and Next the commands that are still necessary for them.
	Messengers []string `json:"-"`
	Next       []string `json:"next"`
}

// Finish writes a plan, saves the facts about this computer, and reloads a running daemon. It does
// not start the daemon. It fails only if the plan cannot be written.
func (s *Setup) Finish(ctx context.Context, p Plan) (Done, error) {
	if err := p.Write(s.Paths); err != nil {
		return Done{}, err
	}
	d := Done{Written: []string{}, Messengers: p.Messengers, Next: s.NextCommands(p.Messengers)}
	for _, f := range p.files() {
		d.Written = append(d.Written, f.Path)
	}
	if s.Remember != nil {
		d.Memory = s.Remember() == nil // otherwise the daemon does it at start
	}
	if s.Reload != nil && !p.IsEmpty() {
		running, err := s.Reload(ctx)
		d.Reloaded = running && err == nil
		if err != nil {
			d.Problem = i18n.Cause(err, s.Lang)
		}
	}
	return d, nil
}

// ReportDone reports what was done and what to do next, and offers to enable the daemon's socket
// unit if it is disabled. If the person leaves, the rest stays undone.
func (s *Setup) ReportDone(ctx context.Context, ask dialog.Asker, d Done) {
	if len(d.Written) > 0 {
		ask.Tell(s.say(i18n.SetupSaved))
	}
	if d.Memory {
		ask.Tell(s.say(i18n.SetupMemory))
	}
	switch {
	case d.Problem != "":
		ask.Tell(s.say(i18n.SetupNoReload(ipc.VisibleLine(d.Problem))))
	case d.Reloaded:
		ask.Tell(s.say(i18n.SetupReloaded))
	}
	if s.HasDormantSocket != nil && s.Run != nil && s.HasDormantSocket(ctx) {
		argv := []string{"systemctl", "--user", "enable", "--now", ipc.SocketUnit}
		ok, err := ask.Confirm(ctx, dialog.Question{Title: s.say(i18n.SetupSocket), Help: s.say(i18n.SetupRuns(strings.Join(argv, " "))), Value: dialog.Yes})
		if err == nil && ok {
			if err := s.Run(ctx, argv); err != nil {
				ask.Tell(ipc.VisibleLine(i18n.Cause(err, s.Lang)))
			}
		}
	}
	s.linkMessengers(ctx, ask, d.Messengers)
	s.offerShell(ctx, ask)
	ask.Tell(s.say(i18n.SetupDone))
}
