// Package search answers the desktop's own search: KRunner and the overview of GNOME Shell. Both call it over the session bus,
// which starts it for a call. It only shows rows and opens the chat: nothing that another program sends over the bus runs a
// command, approves one, or is remembered.
package search

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Name is the program's name on the session bus, and Icon the icon of its rows.
const (
	Name = "org.blunux.ai.Search"
	Icon = "org.blunux.ai"
)

// The objects on the bus: the paths of KRunner's and of GNOME Shell's file.
const (
	runnerPath   = dbus.ObjectPath("/org/blunux/ai/Search/runner")
	providerPath = dbus.ObjectPath("/org/blunux/ai/Search/provider")
)

// The interfaces of KRunner (KDE Frameworks, krunner, src/data/org.kde.krunner1.xml) and of GNOME Shell (GNOME developer
// documentation, "Search Provider").
const (
	runnerInterface   = "org.kde.krunner1"
	providerInterface = "org.gnome.Shell.SearchProvider2"
)

// Options configure the answers.
type Options struct {
	// Address is the session bus.
	Address string
	Lang    i18n.Lang
	// Ask asks the daemon.
	Ask func(ctx context.Context, words string) (ipc.QuickAnswer, error)
	// Open opens the chat with words as its first message. token is the desktop's permission to show a window, "" for none.
	Open func(words, token string) error
	// Warn gets the errors of Ask and Open.
	Warn func(error)
	// Idle is how long the program waits for another call before it ends, Settle how long it waits for the next key press
	// before it asks.
	Idle, Settle time.Duration
}

// Serve answers calls until none came for a while, the bus ends or ctx ends.
func Serve(ctx context.Context, o Options) error {
	s := &service{o: o, queries: map[dbus.Sender]*query{}, touched: make(chan struct{}, 1)}
	conn, err := dbus.Connect(o.Address, dbus.WithContext(ctx), dbus.WithIncomingInterceptor(s.notice))
	if err != nil {
		return fmt.Errorf("cannot connect to the session bus: %w", err)
	}
	defer conn.Close()
	for _, object := range []struct {
		path    dbus.ObjectPath
		name    string
		methods map[string]any
	}{{runnerPath, runnerInterface, s.runner()}, {providerPath, providerInterface, s.provider()}} {
		if err := conn.ExportMethodTable(object.methods, object.path, object.name); err != nil {
			return fmt.Errorf("cannot serve %s: %w", object.name, err)
		}
	}
	return s.serve(ctx, conn)
}

// errNameTaken reports that another process answers.
var errNameTaken = errors.New("another process answers the search")

// serve holds the name while calls come. A call that arrives while the name is given up is still answered, and takes the name
// back, because the bus has delivered it to this process.
func (s *service) serve(ctx context.Context, conn *dbus.Conn) error {
	for {
		reply, err := conn.RequestName(Name, dbus.NameFlagDoNotQueue)
		if err != nil {
			return fmt.Errorf("cannot own %s: %w", Name, err)
		}
		if reply != dbus.RequestNameReplyPrimaryOwner {
			return errNameTaken
		}
		if !s.awaitIdle(ctx, conn) {
			return nil
		}
		if _, err := conn.ReleaseName(Name); err != nil {
			return fmt.Errorf("cannot give up %s: %w", Name, err)
		}
		if !s.wasTouched() && s.running.isIdle() {
			return nil
		}
	}
}

// awaitIdle waits until no call came for a while. It reports false if the bus or ctx ends before.
func (s *service) awaitIdle(ctx context.Context, conn *dbus.Conn) bool {
	for {
		late := time.NewTimer(s.o.Idle)
		select {
		case <-ctx.Done():
		case <-conn.Context().Done():
		case <-s.touched:
			late.Stop()
			continue
		case <-late.C:
			if s.running.isIdle() {
				return true
			}
			continue
		}
		late.Stop()
		return false
	}
}

// service is the state of the program.
type service struct {
	o       Options
	touched chan struct{} // a call came
	running count

	mu      sync.Mutex
	token   string // of the next window
	queries map[dbus.Sender]*query
	answers []answered // the latest, which GNOME Shell asks for once more; at most maxAnswers
}

// count counts running calls.
type count struct {
	mu sync.Mutex
	n  int
}

func (c *count) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n += n
}

func (c *count) isIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n == 0
}

// notice sees each message in its order, before the calls run side by side.
func (s *service) notice(m *dbus.Message) {
	if m.Type != dbus.TypeMethodCall {
		return
	}
	if member, _ := m.Headers[dbus.FieldMember].Value().(string); member == "SetActivationToken" && len(m.Body) == 1 {
		token, _ := m.Body[0].(string)
		s.setToken(token)
	}
	select {
	case s.touched <- struct{}{}:
	default:
	}
}

func (s *service) wasTouched() bool {
	select {
	case <-s.touched:
		return true
	default:
		return false
	}
}

// maxToken bounds an activation token, in bytes.
const maxToken = 256

// setToken keeps the token of the window that the next Run opens. It becomes an environment variable, so that it must be
// printable.
func (s *service) setToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token = token; len(token) > maxToken || strings.ContainsFunc(token, ipc.Unprintable) {
		s.token = ""
	}
}

func (s *service) takeToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := s.token
	s.token = ""
	return token
}

// open opens the chat with the words of a row or of a search field.
func (s *service) open(text string) {
	s.running.add(1)
	defer s.running.add(-1)
	words := clean(text)
	if words == "" {
		return
	}
	if err := s.o.Open(words, s.takeToken()); err != nil {
		s.o.Warn(fmt.Errorf("cannot open the chat: %w", err))
	}
}
