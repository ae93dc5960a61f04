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

// Timing of a login. WhatsApp's own clients show the first code for a minute and each other code for twenty seconds.
const (
	firstCodeTime = time.Minute
	codeTime      = 20 * time.Second
	maxRounds     = 3 // of six codes each
	syncQuiet     = 3 * time.Second
	syncLimit     = 45 * time.Second
	logoutTimeout = 20 * time.Second
)

// Errors of login and logout, in addition to those of [Messenger.Run].
var (
	ErrNotScanned  = errors.New("the device was not linked in time")
	ErrOutdated    = errors.New("the server no longer accepts this version")
	ErrRefused     = errors.New("the server rejected the device")
	ErrPasskey     = errors.New("the phone asks for a passkey, which a terminal cannot provide")
	ErrUnreachable = errors.New("the server cannot be reached")
)

// LinkOptions configures how the person links the device.
type LinkOptions struct {
	// Number is the account's phone number: digits with the country code. If set, the person types
	// a code into the phone instead of scanning a QR code.
	Number string
	// QR shows a QR code, replacing the previous one.
	QR func(code string) error
	// Code shows the code to type.
	Code func(code string)
	// Linked is called when the phone has accepted the device. The initial synchronization follows.
	Linked func(account string)
	// dial is only set in tests.
	dial func(*whatsmeow.Client) error
}

// Account returns the number that the session in dir is linked to. Its errors are [ErrNoSession] and [ErrBroken].
func Account(ctx context.Context, dir string) (string, error) {
	s, err := openSession(ctx, dir)
	if err != nil {
		return "", err
	}
	defer s.close()
	return "+" + s.device.ID.User, nil
}

// Link links a device to an account and saves the session in dir, replacing an existing one. Until
// that succeeds, an existing session stays unchanged.
func Link(ctx context.Context, dir string, log zerolog.Logger, way LinkOptions) (account string, err error) {
	s, err := newSession(ctx, dir)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(filepath.Join(dir, newDir))
	defer s.close()
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	cli, err := newClient(inner, s.device, logAdapter{log})
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
	// The phone has accepted the device, so the session is valid even if a later step failed.
	account = "+" + s.device.ID.User
	if err := s.close(); err != nil {
		return "", fmt.Errorf("cannot close the session: %w", err)
	}
	return account, installSession(dir)
}

type linker struct {
	way    LinkOptions
	cli    *whatsmeow.Client
	events chan any
	codes  []string
	next   *time.Timer
	rounds int
}

// handle forwards events to the login. It leaves messages with the server for the bridge to receive.
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

// link connects and handles events until the device is linked and synchronized.
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
			if err := l.showCode(ctx); err != nil {
				return err
			}
		case event := <-l.events:
			done, err := l.handleEvent(ctx, event)
			if done {
				return l.waitSync(ctx)
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

// handleEvent handles an event. done reports that the linked device is logged in.
func (l *linker) handleEvent(ctx context.Context, event any) (done bool, err error) {
	switch e := event.(type) {
	case *events.QR:
		if l.way.Number != "" && l.rounds > 0 {
			return false, ErrNotScanned
		}
		l.rounds++
		l.codes = e.Codes
		return false, l.startCodes(ctx)
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
		return false, l.reconnect(ctx)
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

// startCodes shows the first QR code, or requests a code to type.
func (l *linker) startCodes(ctx context.Context) error {
	if l.way.Number == "" {
		return l.showCode(ctx)
	}
	code, err := l.cli.PairPhone(ctx, l.way.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	l.next.Reset(firstCodeTime + 5*codeTime)
	l.codes = nil
	l.way.Code(code)
	return nil
}

// showCode shows the next QR code. If there are none left, it reconnects for more, a limited number of times.
func (l *linker) showCode(ctx context.Context) error {
	if len(l.codes) == 0 {
		return l.reconnect(ctx)
	}
	time, code := codeTime, l.codes[0]
	if len(l.codes) == 6 {
		time = firstCodeTime
	}
	l.codes = l.codes[1:]
	l.next.Reset(time)
	return l.way.QR(code)
}

// reconnect reconnects after the codes have run out or the connection was lost.
func (l *linker) reconnect(ctx context.Context) error {
	if l.rounds >= maxRounds || l.way.Number != "" && l.cli.Store.ID == nil {
		return ErrNotScanned
	}
	if l.cli.Store.ID != nil {
		l.rounds++ // there are no more codes to count rounds by
	}
	hangUp(l.cli)
	return l.connect(ctx)
}

// waitSync waits for the initial synchronization from the phone. It is complete when no event arrives
// for syncQuiet. Ctrl-C ends the wait but keeps the link.
func (l *linker) waitSync(ctx context.Context) error {
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

// Unlink makes the server remove the device, and deletes the session. If the server cannot be reached, the session is
// still deleted, and the error is [ErrUnreachable]: the phone lists the device until it is removed there.
func Unlink(ctx context.Context, dir string, log zerolog.Logger) error {
	return unlink(ctx, dir, log, nil)
}

func unlink(ctx context.Context, dir string, log zerolog.Logger, dial func(*whatsmeow.Client) error) error {
	s, err := openSession(ctx, dir)
	switch {
	case errors.Is(err, ErrNoSession):
		return errors.Join(err, removeSessions(dir))
	case err != nil:
		return errors.Join(fmt.Errorf("%w: %w", ErrUnreachable, err), removeSessions(dir))
	}
	logoutErr := logOut(ctx, s, log, dial)
	s.close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(logoutErr, removeSessions(dir))
}

// logOut makes the server unlink the device.
func logOut(ctx context.Context, s *session, log zerolog.Logger, dial func(*whatsmeow.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, logoutTimeout)
	defer cancel()
	cli, err := newClient(ctx, s.device, logAdapter{log})
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
			return fmt.Errorf("%w: login timed out", ErrUnreachable)
		case event := <-l.events:
			switch event.(type) {
			case *events.Connected:
				// The caller deletes the device's data with the whole directory.
				if err := cli.Logout(ctx); err != nil && !errors.Is(err, errNotDeleted) {
					return fmt.Errorf("%w: %w", ErrUnreachable, err)
				}
				return nil
			case *events.LoggedOut:
				return nil // already unlinked on the phone
			case events.PermanentDisconnect, *events.Disconnected:
				return fmt.Errorf("%w: %s", ErrUnreachable, reason(event))
			}
		}
	}
}
