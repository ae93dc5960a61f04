// Package setup is the guided and the non-interactive set-up: provider and key, rights, who may
// write by messenger, automations. It writes nothing until the last question is answered.
//
// Decisions are plain values: what was found ([Found]), what the person wants ([Answers]), and the
// resulting file changes ([Plan]). [Setup.Guide] asks with forms or line by line ([Asker]). A
// command line provides [Answers] without questions.
package setup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/catalog"
)

// ErrAborted reports that the person left before the end. Nothing was written.
var ErrAborted = errors.New("aborted")

// errEscaped reports that the person pressed Esc, which can apply to a single question.
var errEscaped = fmt.Errorf("%w by Esc", ErrAborted)

// Claude is the installed `claude`, see providers/claudecli.
type Claude interface {
	Find() (file string, ok bool)
	LoggedIn() bool
}

// Setup has the settings to change and access to the computer. Nil functions find nothing and do
// nothing.
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
