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

// Errors for responses that are not valid Bot API answers.
var (
	errNoAnswer      = errors.New("the response is not from the Bot API")
	errAnswerTooLong = errors.New("the server's answer is too long")
)

// redactedError is an error whose text has the token redacted. URLs contain the token, and errors of
// net/http contain the URL. The wrapped error can be compared but not printed.
type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.cause, target) }

// As supports only the error type that carries data and contains no URL.
func (e *redactedError) As(target any) bool {
	busy, ok := target.(**bot.TooManyRequestsError)
	return ok && errors.As(e.cause, busy)
}

// redact replaces the token in an error's text.
func (c *Client) redact(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if _, secret, ok := strings.Cut(c.options.Token, ":"); ok {
		text = strings.ReplaceAll(text, c.options.Token, "TOKEN")
		text = strings.ReplaceAll(text, secret, "TOKEN") // for example with an escaped colon
	}
	return &redactedError{text, err}
}

// postError converts the error of a call that posts something to a bridge error.
func (c *Client) postError(ctx context.Context, err error) error {
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
		return &bridge.Busy{After: delayOf(busy.RetryAfter)}
	case errors.As(err, &moved), errors.Is(err, bot.ErrorForbidden), errors.Is(err, bot.ErrorBadRequest) && strings.Contains(text, "chat not found"):
		return fmt.Errorf("%w: %w", bridge.ErrNoChat, c.redact(err))
	case errors.Is(err, bot.ErrorBadRequest), strings.Contains(text, " 413 "):
		return fmt.Errorf("%w: %w", bridge.ErrRefused, c.redact(err))
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		c.reportLost(err)
		return fmt.Errorf("%w: %w", bridge.ErrOffline, c.redact(err))
	case ctx.Err() == nil && wasNotSent(err):
		return fmt.Errorf("%w: %w", bridge.ErrOffline, c.redact(err))
	}
	return c.redact(err)
}

// wasNotSent reports whether the request cannot have reached the server.
func wasNotSent(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}

// reportLost makes Run return because the account can no longer be used.
func (c *Client) reportLost(err error) {
	select {
	case c.lost <- err:
	default: // already reported
	}
}

// maxDelay is the maximum delay accepted from the server.
const maxDelay = time.Hour

func delayOf(seconds int) time.Duration {
	return min(max(time.Duration(seconds)*time.Second, time.Second), maxDelay)
}

// haltError returns a [bridge.Halt] if the person must act, or nil. A conflict only counts if it lasts:
// the server may briefly count an aborted poll of this bot.
func (c *Client) haltError(err error, conflicts int) error {
	phase := state.Phase("")
	switch {
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		phase = state.LoggedOut
	case errors.Is(err, bot.ErrorForbidden):
		phase = state.Banned
	case errors.Is(err, bot.ErrorConflict) && (conflicts >= maxConflicts || strings.Contains(err.Error(), "webhook")):
		phase = state.Replaced
	default:
		return nil
	}
	return &bridge.Halt{State: state.State{Phase: phase, Detail: shorten(c.redact(err).Error())}}
}

// shorten shortens a server's message for a log.
func shorten(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// Unknown reports whether the server does not know the token: it was revoked or is incomplete.
func Unknown(err error) bool {
	return errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}
