// Package chat is the full-screen terminal chat. It is a client of the daemon: a state machine (Input, Thinking,
// ReviewAction, Executing, Finalizing, Done) that handles the daemon's frames, and its display.
package chat

import (
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Daemon is the connection to the daemon. It reconnects automatically.
type Daemon interface {
	// Send queues a message whose ID the chat has set. It never blocks.
	Send(m ipc.Message) error
	// Events returns the channel of received events, in order. It is closed at the end.
	Events() <-chan ipc.LinkEvent
}

// History stores typed lines across sessions.
type History interface {
	// Load returns the stored lines, the oldest first.
	Load() ([]string, error)
	Append(line string) error
}

// Options configures a chat. Daemon, In and Out are required.
type Options struct {
	Lang    i18n.Lang
	Daemon  Daemon
	Channel string // as in the link's hello; "" for cli
	Session string // the conversation's name in the channel; "" for the default one
	// Resume shows the last messages of Session at start.
	Resume bool
	// Pick shows the list of conversations at start.
	Pick    bool
	History History // nil stores nothing
	// Hint is shown below the welcome, "" for none.
	Hint    string
	NoColor bool
	Vi      bool // keys of vi
	// In and Out must be the same terminal.
	In  io.Reader
	Out io.Writer
	// Env is the environment as "NAME=value". TERM, COLORTERM, NO_COLOR and LANG are used.
	Env     []string
	Version string
	Cwd     string           // the person's working directory, in which commands run
	Now     func() time.Time // defaults to [time.Now]
}

// Result is the result of a chat.
type Result struct {
	Session string // name of the last conversation; "" for the default one
}

// Run shows the chat until the person leaves or ctx ends, and then returns nil. It handles no
// signals. It restores the terminal before it returns, also after a panic.
func Run(ctx context.Context, o Options) (Result, error) {
	idle := &idler{}
	defer idle.stop()
	o.NoColor = o.NoColor || noColour(o.Env)
	m := newModel(o)
	m.updated = idle.wake
	// ctx handles signals. bubbletea's handler would block at a second signal, and the shutdown
	// would wait for the handler forever (bubbletea v2.0.9, tea.go, handleSignals).
	options := []tea.ProgramOption{tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env), tea.WithoutSignalHandler()}
	if o.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	p := tea.NewProgram(m, options...)
	idle.program = p
	// Quit instead of cancelling the program's own context: a killed program releases the terminal
	// while it is still being read (bubbletea v2.0.9, tea.go, shutdown).
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	result := Result{Session: m.session}
	if err != nil {
		return result, fmt.Errorf("cannot show the chat: %w", err)
	}
	return result, nil
}

// noColour reports whether the environment asks for no colour (no-color.org: NO_COLOR is set and not empty).
func noColour(env []string) bool {
	for _, v := range env {
		if value, found := strings.CutPrefix(v, "NO_COLOR="); found && value != "" {
			return true
		}
	}
	return false
}

// suspend handles Ctrl-Z.
func (m *model) suspend() tea.Cmd {
	if !m.stoppable() {
		m.notice = i18n.ChatNoSuspend.In(m.lang)
		return nil
	}
	return tea.Suspend
}

// underShell reports whether the parent process is another job of this session. The kernel does not stop a process
// group without such a parent (signal(7), "orphaned"), and bubbletea would wait forever for the continue signal.
func underShell() bool {
	parent := os.Getppid()
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	theirs, err := unix.Getsid(parent)
	if err != nil || theirs != own {
		return false
	}
	group, err := unix.Getpgid(parent)
	return err == nil && group != unix.Getpgrp()
}

// The renderer's ticker fires 60 times a second as long as the program runs (bubbletea v2.0.9, tea.go, startRenderer).
// An idle chat does not need that. idler slows the ticker down after a time without updates.
const (
	frameTime    = time.Second / 60
	idleAfter    = 200 * time.Millisecond
	slowInterval = time.Hour
)

// idler slows the renderer's ticker while the chat is idle.
type idler struct {
	program *tea.Program
	mu      sync.Mutex
	timer   *time.Timer
	slow    bool
	stopped bool
}

// tickerOf returns the ticker of a program's renderer. It returns nil before the program runs, and
// if another version of bubbletea has no such field. Then the ticker is not slowed.
func tickerOf(p *tea.Program) *time.Ticker {
	if slot := tickerSlot(p); slot != nil {
		return *slot
	}
	return nil
}

// tickerSlot returns the address of the ticker's field, or nil.
func tickerSlot(p *tea.Program) **time.Ticker {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (**time.Ticker)(unsafe.Pointer(field.UnsafeAddr()))
}

// wake restores the ticker's normal rate for a while. The program's goroutine calls it with every
// update. The renderer was started before the first update.
func (i *idler) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stopped || i.program == nil {
		return
	}
	ticker := tickerOf(i.program)
	if ticker == nil {
		return
	}
	if i.slow {
		ticker.Reset(frameTime)
		i.slow = false
	}
	if i.timer == nil {
		i.timer = time.AfterFunc(idleAfter, func() { i.slowDown(ticker) })
		return
	}
	i.timer.Reset(idleAfter)
}

func (i *idler) slowDown(ticker *time.Ticker) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.stopped {
		ticker.Reset(slowInterval)
		i.slow = true
	}
}

func (i *idler) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	if i.timer != nil {
		i.timer.Stop()
	}
}
