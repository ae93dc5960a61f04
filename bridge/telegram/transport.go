package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/ipc"
)

// maxAnswer is the maximum size of an answer. A hundred updates of the largest kind are below 2 MB.
const maxAnswer = 8 << 20

// envelope is the format of every answer (section "Making requests").
type envelope struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result,omitempty"`
	Code        int             `json:"error_code,omitempty"`
	Description string          `json:"description,omitempty"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after,omitempty"`
		MigrateTo  int64 `json:"migrate_to_chat_id,omitempty"`
	} `json:"parameters"`
}

// answerFilter filters the answers between the network and the library. It limits their size, and reduces
// the answer to a sent message to its ID and times. The answer also repeats the message that was
// replied to. If the library could not parse that, sending would seem to have failed.
type answerFilter struct{ http *http.Client }

// Do implements the library's client interface.
func (g answerFilter) Do(r *http.Request) (*http.Response, error) {
	resp, err := g.http.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := readAnswer(resp)
	if err != nil {
		return nil, err
	}
	method := path.Base(r.URL.Path)
	if strings.HasPrefix(method, "send") || strings.HasPrefix(method, "edit") {
		body = reduceAnswer(body)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// readAnswer reads an answer. Another kind of response, such as a proxy's page, becomes an error
// without its content. With errAnswerTooLong it returns the start of the answer.
func readAnswer(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the server's answer: %w", err)
	}
	if len(body) > maxAnswer {
		return body[:maxAnswer], errAnswerTooLong
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil || !e.OK && e.Code == 0 {
		return nil, fmt.Errorf("%w: status %d", errNoAnswer, resp.StatusCode)
	}
	return body, nil
}

// reduceAnswer reduces an answer to the needed fields of a message.
func reduceAnswer(body []byte) []byte {
	var e envelope
	var m struct {
		ID     int   `json:"message_id"`
		Date   int64 `json:"date"`
		Edited int64 `json:"edit_date,omitempty"`
	}
	if json.Unmarshal(body, &e) != nil || !e.OK || json.Unmarshal(e.Result, &m) != nil {
		return body
	}
	e.Result, _ = json.Marshal(m) // three numbers
	if brief, err := json.Marshal(e); err == nil {
		return brief
	}
	return body
}

// open downloads a file (sections "getFile", "File").
func (c *Client) open(ctx context.Context, id string) (io.ReadCloser, error) {
	f, err := c.fileOf(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+"/file/bot"+c.options.Token+"/"+(&url.URL{Path: f.FilePath}).EscapedPath(), nil)
	if err != nil {
		cancel()
		return nil, c.redact(err)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		cancel()
		return nil, c.redact(err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		cancel()
		return nil, fmt.Errorf("cannot fetch the file: status %d", resp.StatusCode)
	}
	return &download{resp.Body, cancel, c}, nil
}

// fileOf returns a file's path, which must be inside the bot's own directory.
func (c *Client) fileOf(ctx context.Context, id string) (*models.File, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	f, err := c.getFile(ctx, id)
	if err != nil {
		return nil, fetchError(err)
	}
	if f.FilePath == "" || path.Clean("/"+f.FilePath) != "/"+f.FilePath {
		return nil, fmt.Errorf("cannot fetch the file: the server returned no valid path")
	}
	return f, nil
}

// fetchError converts an error to a [bridge.FileError] if the server reports the reason.
func fetchError(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "file is too big"):
		return &bridge.FileError{Problem: ipc.FileTooLarge, Err: err}
	case errors.Is(err, bot.ErrorBadRequest):
		return &bridge.FileError{Problem: ipc.FileExpired, Err: err}
	}
	return fmt.Errorf("cannot fetch the file: %w", err)
}

// download is a file being downloaded. Its errors do not contain the URL.
type download struct {
	io.ReadCloser
	cancel context.CancelFunc
	client *Client
}

// Read implements io.Reader.
func (f *download) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = f.client.redact(err)
	}
	return n, err
}

// Close implements io.Closer.
func (f *download) Close() error {
	defer f.cancel()
	return f.ReadCloser.Close()
}

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
	case ctx.Err() == nil && account.WasNotSent(err):
		return fmt.Errorf("%w: %w", bridge.ErrOffline, c.redact(err))
	}
	return c.redact(err)
}

// reportLost makes Run return because the account can no longer be used.
func (c *Client) reportLost(err error) {
	select {
	case c.lost <- err:
	default: // already reported
	}
}

func delayOf(seconds int) time.Duration { return account.Delay(time.Duration(seconds) * time.Second) }

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
	return &bridge.Halt{State: state.State{Phase: phase, Detail: account.Shorten(c.redact(err).Error())}}
}

// Unknown reports whether the server does not know the token: it was revoked or is incomplete.
func Unknown(err error) bool {
	return errors.Is(err, bot.ErrorUnauthorized) || errors.Is(err, bot.ErrorNotFound)
}
