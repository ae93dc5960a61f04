// Package setup asks what the person wants and writes it down: the provider and
// its key, rights, who may write from afar, automations. Nothing is written
// before the last question was answered.
//
// What is decided is in plain values: what was found ([Found]), what is wanted
// ([Answers]), what that means for the files ([Plan]). [Setup.Guide] asks, by
// forms or line by line ([Asker]); a command line gives [Answers] without asking.
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

// errEscaped reports that they left by Esc, which may mean one question only.
var errEscaped = fmt.Errorf("%w by Esc", ErrAborted)

// Claude is the installed `claude`, as providers/claudecli has it.
type Claude interface {
	Find() (file string, ok bool)
	LoggedIn() bool
}

// Setup is what is set up, and what of the machine that takes. A nil function
// finds nothing and does nothing.
type Setup struct {
	Lang   i18n.Lang
	Paths  config.Paths
	Source config.Source
	Getenv func(string) string

	HTTPClient *http.Client
	Claude     Claude
	// Local returns the models of the server on this computer, the best first;
	// none where there is no server, or another person's.
	Local func(context.Context) []string
	// Has reports whether a program is installed.
	Has func(program string) bool
	// Rights and Sandbox tell the way to root's rights, and what holds commands
	// that only read, in the person's words.
	Rights  func(context.Context) string
	Sandbox func() string
	// Rules counts the automations there are, or will be with the first start.
	Rules func() int
	// Run runs a command the person said yes to, at their terminal.
	Run func(ctx context.Context, argv []string) error
	// Reload has a running daemon read its settings again; false where none runs.
	Reload func(context.Context) (running bool, err error)
	// Dormant reports whether the daemon's socket unit is installed and not
	// enabled.
	Dormant func(context.Context) bool
	// Unit looks at a unit of the service manager.
	Unit func(ctx context.Context, name string) Unit
	// Remember writes what is known of this machine for the models.
	Remember func() error
	// Verify asks whether a provider answers; nil for [Verify].
	Verify func(context.Context, catalog.Spec) Check
}

func (s *Setup) say(text i18n.Text, args ...any) string { return text.In(s.Lang, args...) }

// Never reports that nobody has set anything up: there are no settings of the
// person's own, no key in a file, and no provider named by the distribution or
// the environment. Broken settings are settings.
func Never(src config.Source) bool {
	own, err := config.Own(src)
	if err != nil || len(own) > 0 {
		return false
	}
	if keys, err := os.ReadDir(src.Paths.Credentials()); err == nil && len(keys) > 0 {
		return false
	}
	c, err := config.Load(src)
	return err == nil && (c.Agent.Provider == "" || c.Agent.Provider == "auto")
}
