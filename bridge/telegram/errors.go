package telegram

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
)

// What a server may say that is no answer.
var (
	errNoAnswer = errors.New("what answered is not the Bot API")
	errTooMuch  = errors.New("the server's answer is too long")
)

// secretive is an error without the token, which addresses hold and errors of
// net/http repeat. What it wraps can be compared with and not be printed.
type secretive struct {
	text  string
	cause error
}

func (e *secretive) Error() string        { return e.text }
func (e *secretive) Is(target error) bool { return errors.Is(e.cause, target) }

// As finds the one error that holds more than words, and no address.
func (e *secretive) As(target any) bool {
	busy, ok := target.(**bot.TooManyRequestsError)
	return ok && errors.As(e.cause, busy)
}

// redact takes the token out of an error.
func (c *Client) redact(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if _, secret, ok := strings.Cut(c.options.Token, ":"); ok {
		text = strings.ReplaceAll(text, c.options.Token, "TOKEN")
		text = strings.ReplaceAll(text, secret, "TOKEN") // as when the colon is escaped
	}
	return &secretive{text, err}
}

// posting is what a failed call means for what was to be sent.
func (c *Client) posting(ctx context.Context, err error) error {
	var busy *bot.TooManyRequestsError
	var moved *bot.MigrateError
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &busy):
		return &bridge.Busy{After: pauseOf(busy.RetryAfter)}
	case errors.As(err, &moved), errors.Is(err, bot.ErrorForbidden), errors.Is(err, bot.ErrorBadRequest) && strings.Contains(text, "chat not found"):
		return fmt.Errorf("%w: %w", bridge.ErrNoChat, c.redact(err))
	case errors.Is(err, bot.ErrorBadRequest), strings.Contains(text, " 413 "):
		return fmt.Errorf("%w: %w", bridge.ErrRefused, c.redact(err))
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		c.lose(err)
		return fmt.Errorf("%w: %w", bridge.ErrOffline, c.redact(err))
	case ctx.Err() == nil && unsent(err):
		return fmt.Errorf("%w: %w", bridge.ErrOffline, c.redact(err))
	}
	return c.redact(err)
}

// unsent reports that nothing can have reached the server.
func unsent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// lose has Run find out at once that the account is gone.
func (c *Client) lose(err error) {
	select {
	case c.lost <- err:
	default: // it is told already
	}
}

// The pauses a server may ask for.
const longestPause = time.Hour

func pauseOf(seconds int) time.Duration {
	return min(max(time.Duration(seconds)*time.Second, time.Second), longestPause)
}

// halt is why nothing goes on without the person, or nil. A conflict halts when it
// lasts: a poll of this bot's own that was cut off may be counted for a moment.
func (c *Client) halt(err error, conflicts int) error {
	phase := state.Phase("")
	switch {
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		phase = state.LoggedOut
	case errors.Is(err, bot.ErrorForbidden):
		phase = state.Banned
	case errors.Is(err, bot.ErrorConflict) && (conflicts >= mostConflicts || strings.Contains(err.Error(), "webhook")):
		phase = state.Replaced
	default:
		return nil
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: brief(c.redact(err).Error())}}
}

// brief is a server's words for a log.
func brief(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// Unknown reports that a server does not know the token: it was revoked, or is not
// whole.
func Unknown(err error) bool {
	return errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}
