// Package tui is the terminal chat: a state machine (Input, Thinking,
// ReviewAction, Executing, Finalizing, Done) over the daemon's frames, and what a
// person sees of it. It is a client of the daemon like any other.
package tui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Daemon is the way to the daemon. It reconnects by itself.
type Daemon interface {
	// Send hands a message over, with an ID that the chat chose. It never blocks.
	Send(m ipc.Message) error
	// Events are what comes, in order, until the channel is closed.
	Events() <-chan ipc.LinkEvent
}

// History keeps what was typed, over sessions.
type History interface {
	// Load returns the lines typed before, the oldest first.
	Load() ([]string, error)
	// Append adds one.
	Append(line string) error
}

// Options are what a chat is started with. Daemon, In and Out are needed.
type Options struct {
	Lang    i18n.Lang
	Daemon  Daemon
	Channel string // as the link's hello has it; "" for cli
	Session string // the conversation's name in that channel; "" for the channel's own
	// Resume shows the last messages of Session on start.
	Resume bool
	// Pick begins with the list of conversations.
	Pick    bool
	History History // nil keeps nothing
	// Hint is said below the welcome, "" for nothing.
	Hint    string
	NoColor bool
	// In and Out are the terminal, both of it.
	In  io.Reader
	Out io.Writer
	// Env is the environment, "NAME=value" each: TERM, COLORTERM, NO_COLOR and LANG count.
	Env     []string
	Version string
	Cwd     string           // where the person is, which commands run in
	Now     func() time.Time // nil for [time.Now]
}

// Result is how a chat ended.
type Result struct {
	Session string // the name of the conversation that was open at last; "" for the channel's own
}

// Run shows the chat until the person leaves or ctx ends, which is no error; it takes
// no signals. The terminal is as it was when Run returns, also after a panic.
func Run(ctx context.Context, o Options) (Result, error) {
	idle := &idler{}
	defer idle.end()
	o.NoColor = o.NoColor || noColour(o.Env)
	m := newModel(o)
	m.updated = idle.awake
	// Signals are ctx's business: a second word to leave would be waited for by nobody
	// and by the shutdown for ever (bubbletea v2.0.9, tea.go, handleSignals).
	options := []tea.ProgramOption{tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env), tea.WithoutSignalHandler()}
	if o.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	p := tea.NewProgram(m, options...)
	idle.program = p
	// A program that is killed, as its own context does it, lets go of the terminal
	// while it is still being read (bubbletea v2.0.9, tea.go, shutdown).
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	result := Result{Session: m.session}
	if err != nil {
		return result, fmt.Errorf("cannot show the chat: %w", err)
	}
	return result, nil
}

// noColour reports whether the environment asks for no colour (no-color.org: the
// variable is there and not empty).
func noColour(env []string) bool {
	for _, v := range env {
		if value, found := strings.CutPrefix(v, "NO_COLOR="); found && value != "" {
			return true
		}
	}
	return false
}
