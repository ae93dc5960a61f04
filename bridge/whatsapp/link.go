package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types/events"
)

// The times of a login. WhatsApp's own program shows the first code for a minute
// and each of the others for twenty seconds.
const (
	firstCode  = time.Minute
	otherCodes = 20 * time.Second
	mostRounds = 3 // of six codes each
	syncQuiet  = 3 * time.Second
	syncLimit  = 45 * time.Second
	byeTime    = 20 * time.Second
)

// Why a login or a logout did not come about, besides what [Messenger.Run] ends
// with.
var (
	ErrNotScanned  = errors.New("nobody has linked the device in time")
	ErrOutdated    = errors.New("the server takes this version no more")
	ErrRefused     = errors.New("the server does not let the device in")
	ErrPasskey     = errors.New("the phone asks for a passkey, which a terminal has not")
	ErrUnreachable = errors.New("the server cannot be reached")
)

// Way is how a person links the device.
type Way struct {
	// Number has the phone of that number show where to type a code, in place of a QR
	// code: digits with the country's code.
	Number string
	// QR shows a code, which takes the place of the one before.
	QR func(code string) error
	// Code shows the code to be typed.
	Code func(code string)
	// Linked is told when the phone has let the device in; what it wants to tell a
	// new device comes then.
	Linked func(account string)
	// dial is for tests.
	dial func(*whatsmeow.Client) error
}

// Account is the number a directory's session is linked to: [ErrNoSession],
// [ErrBroken].
func Account(ctx context.Context, dir string) (string, error) {
	s, err := openSession(ctx, dir)
	if err != nil {
		return "", err
	}
	defer s.close()
	return "+" + s.device.ID.User, nil
}

// Link links a device to an account and puts its session into a directory, in the
// place of one that is there. Before that is done, nothing has changed there.
func Link(ctx context.Context, dir string, log zerolog.Logger, way Way) (account string, err error) {
	s, err := newSession(ctx, dir)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(filepath.Join(dir, newDir))
	defer s.close()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	cli, err := newClient(inner, s.device, quiet{log})
	if err == nil && way.dial != nil {
		err = way.dial(cli)
	}
	if err != nil {
		return "", err
	}
	l := &linker{way: way, cli: cli, events: make(chan any, 64)}
	cli.AddEventHandlerWithSuccessStatus(l.handle)
	err = l.link(ctx)
	hangUp(cli)
	if s.device.ID == nil {
		return "", err
	}
	// The phone has let the device in: it is a session now, whatever came after.
	account = "+" + s.device.ID.User
	if err := s.close(); err != nil {
		return "", fmt.Errorf("cannot close the session: %w", err)
	}
	return account, adopt(dir)
}

// linker is a login under way.
type linker struct {
	way    Way
	cli    *whatsmeow.Client
	events chan any
	codes  []string
	next   *time.Timer
	rounds int
}

// handle passes on what a login follows. Messages are left with the server: they
// are the bridge's to take.
func (l *linker) handle(event any) bool {
	if _, ok := event.(*events.Message); ok {
		return false
	}
	select {
	case l.events <- event:
	default:
	}
	return true
}

// link connects and follows what happens until the device is linked and knows
// what the phone told it.
func (l *linker) link(ctx context.Context) error {
	l.next = time.NewTimer(time.Hour)
	defer l.next.Stop()
	if err := l.connect(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.next.C:
			if err := l.show(ctx); err != nil {
				return err
			}
		case event := <-l.events:
			done, err := l.follow(ctx, event)
			if done {
				return l.settle(ctx)
			}
			if err != nil {
				return err
			}
		}
	}
}

func (l *linker) connect(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- l.cli.Connect() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow acts on an event; done reports that the linked device is logged in.
func (l *linker) follow(ctx context.Context, event any) (done bool, err error) {
	switch e := event.(type) {
	case *events.QR:
		if l.way.Number != "" && l.rounds > 0 {
			return false, ErrNotScanned
		}
		l.rounds++
		l.codes = e.Codes
		return false, l.begin(ctx)
	case *events.PairSuccess:
		l.next.Stop()
		l.way.Linked("+" + e.ID.User)
	case *events.PairError:
		return false, fmt.Errorf("%w: %w", ErrRefused, e.Error)
	case *events.PairPasskeyRequest, *events.PairPasskeyConfirmation:
		return false, ErrPasskey
	case *events.ManualLoginReconnect:
		hangUp(l.cli)
		return false, l.connect(ctx)
	case *events.Connected:
		return true, nil
	case *events.Disconnected:
		return false, l.lost(ctx)
	case *events.ClientOutdated:
		return false, ErrOutdated
	case *events.LoggedOut, *events.ConnectFailure, *events.TemporaryBan:
		return false, fmt.Errorf("%w: %s", ErrRefused, reason(event))
	}
	return false, nil
}

func reason(event any) string {
	if e, ok := event.(events.PermanentDisconnect); ok {
		return e.PermanentDisconnectDescription()
	}
	return fmt.Sprintf("%T", event)
}

// begin shows the first code, or asks for one to be typed.
func (l *linker) begin(ctx context.Context) error {
	if l.way.Number == "" {
		return l.show(ctx)
	}
	code, err := l.cli.PairPhone(ctx, l.way.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	l.next.Reset(firstCode + 5*otherCodes)
	l.codes = nil
	l.way.Code(code)
	return nil
}

// show shows the next code; without one the server is asked for more, a few
// times.
func (l *linker) show(ctx context.Context) error {
	if len(l.codes) == 0 {
		return l.lost(ctx)
	}
	time, code := otherCodes, l.codes[0]
	if len(l.codes) == 6 {
		time = firstCode
	}
	l.codes = l.codes[1:]
	l.next.Reset(time)
	return l.way.QR(code)
}

// lost connects again where codes have run out or the connection has.
func (l *linker) lost(ctx context.Context) error {
	if l.rounds >= mostRounds || l.way.Number != "" && l.cli.Store.ID == nil {
		return ErrNotScanned
	}
	if l.cli.Store.ID != nil {
		l.rounds++ // after the link there are no codes any more to count by
	}
	hangUp(l.cli)
	return l.connect(ctx)
}

// settle waits until the phone has told the new device what it wants to, which is
// over when nothing comes for a while. A Ctrl-C ends the waiting, not the link.
func (l *linker) settle(ctx context.Context) error {
	limit := time.NewTimer(syncLimit)
	defer limit.Stop()
	for {
		quiet := time.NewTimer(syncQuiet)
		select {
		case <-l.events:
			quiet.Stop()
		case <-quiet.C:
			return nil
		case <-limit.C:
			quiet.Stop()
			return nil
		case <-ctx.Done():
			quiet.Stop()
			return ctx.Err()
		}
	}
}

// Unlink tells the server that the device is no more, and removes the session.
// Where the server cannot be told, the session is removed all the same, and the
// error is [ErrUnreachable]: the phone lists the device until it is removed there.
func Unlink(ctx context.Context, dir string, log zerolog.Logger) error {
	return unlink(ctx, dir, log, nil)
}

func unlink(ctx context.Context, dir string, log zerolog.Logger, dial func(*whatsmeow.Client) error) error {
	s, err := openSession(ctx, dir)
	switch {
	case errors.Is(err, ErrNoSession):
		return errors.Join(err, discard(dir))
	case err != nil:
		return errors.Join(fmt.Errorf("%w: %w", ErrUnreachable, err), discard(dir))
	}
	told := farewell(ctx, s, log, dial)
	s.close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(told, discard(dir))
}

// farewell has the server unlink the device.
func farewell(ctx context.Context, s *session, log zerolog.Logger, dial func(*whatsmeow.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, byeTime)
	defer cancel()
	cli, err := newClient(ctx, s.device, quiet{log})
	if err == nil && dial != nil {
		err = dial(cli)
	}
	if err != nil {
		return err
	}
	l := &linker{cli: cli, events: make(chan any, 64)}
	cli.AddEventHandlerWithSuccessStatus(l.handle)
	defer hangUp(cli)
	if err := l.connect(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: it did not let us in", ErrUnreachable)
		case event := <-l.events:
			switch event.(type) {
			case *events.Connected:
				// The device's row is ours to delete, with the whole directory.
				if err := cli.Logout(ctx); err != nil && !errors.Is(err, errKept) {
					return fmt.Errorf("%w: %w", ErrUnreachable, err)
				}
				return nil
			case *events.LoggedOut:
				return nil // the phone was faster
			case events.PermanentDisconnect, *events.Disconnected:
				return fmt.Errorf("%w: %s", ErrUnreachable, reason(event))
			}
		}
	}
}
