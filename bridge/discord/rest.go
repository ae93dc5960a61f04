package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/account"
)

const apiPath = "/api/v10/"

// maxAnswer is the maximum size of an answer. A hundred messages of the largest kind are below 4 MB.
const maxAnswer = 8 << 20

// maxInlineWait is the maximum time that a call waits for its rate limit. The caller waits longer ones.
const maxInlineWait = 5 * time.Second

// apiError is an answer with an error (section "Error Messages"). Code is 0 if the answer is not the API's, such as a
// proxy's page.
type apiError struct {
	Status int
	Code   int
	Text   string
}

func (e *apiError) Error() string {
	return fmt.Sprintf("the server refused: status %d, code %d: %s", e.Status, e.Code, account.Shorten(e.Text))
}

// Error codes of the API (section "JSON Error Codes").
const (
	codeUnknownChannel     = 10003
	codeUnknownMessage     = 10008
	codeUnknownUser        = 10013
	codeUnknownInteraction = 10062
	codeOpeningTooFast     = 40003
	codeTooLarge           = 40005
	codeAcknowledged       = 40060
)

// Unknown reports whether the server does not know the token: it was reset or is incomplete.
func Unknown(err error) bool {
	var api *apiError
	return errors.As(err, &api) && api.Status == http.StatusUnauthorized
}

// upload is a file to send with a call.
type upload struct {
	name string
	size int64
	from io.Reader
}

// request is a call of the API.
type request struct {
	method, path string
	// route identifies the rate limit; "" for calls that have none and do not count globally.
	route string
	body  any
	file  *upload
}

// call makes a call and decodes its answer into result, unless that is nil. It waits a short time for the rate limit, and
// returns a [bridge.Busy] for a longer one.
func (c *Client) call(ctx context.Context, q request, result any) error {
	if err := c.limits.wait(ctx, q.route); err != nil {
		return err
	}
	timeout := callTime
	if q.file != nil {
		timeout = uploadTime
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := c.newRequest(ctx, q)
	if err != nil {
		return c.redact(fmt.Errorf("cannot call %s: %w", q.path, err))
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return c.redact(fmt.Errorf("cannot call Discord: %w", err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.redact(fmt.Errorf("cannot read the server's answer: %w", err))
	case len(body) > maxAnswer:
		return errors.New("the server's answer is too long")
	}
	c.limits.update(q.route, resp.Header)
	if resp.StatusCode == http.StatusTooManyRequests {
		return c.limits.exceeded(q.route, resp.Header, body)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return c.redact(newAPIError(resp.StatusCode, body))
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(body, result); err != nil {
		return c.redact(fmt.Errorf("cannot read the server's answer: %w", err))
	}
	return nil
}

func newAPIError(status int, body []byte) *apiError {
	e := &apiError{Status: status}
	var said struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &said) == nil {
		e.Code, e.Text = said.Code, said.Message
	} else if status == http.StatusUnauthorized || status == http.StatusForbidden {
		e.Status = http.StatusBadGateway // a proxy's answer says nothing about the token
	}
	return e
}

// newRequest returns the HTTP request of a call.
func (c *Client) newRequest(ctx context.Context, q request) (*http.Request, error) {
	kind, size := "application/json", int64(0)
	var body io.Reader
	if q.body != nil {
		data, err := json.Marshal(q.body)
		if err != nil {
			return nil, err
		}
		body, size = bytes.NewReader(data), int64(len(data))
		if q.file != nil {
			body, kind, size, err = multipartBody(data, q.file)
			if err != nil {
				return nil, err
			}
		}
	}
	r, err := http.NewRequestWithContext(ctx, q.method, c.server+apiPath+q.path, body)
	if err != nil {
		return nil, err
	}
	r.ContentLength = size
	if body != nil {
		r.Header.Set("Content-Type", kind)
	}
	r.Header.Set("Authorization", "Bot "+c.options.Token)
	r.Header.Set("User-Agent", c.userAgent())
	return r, nil
}

// userAgent returns the form that Discord requires (section "User Agent").
func (c *Client) userAgent() string {
	version := c.options.Version
	if version == "" {
		version = "dev"
	}
	return "DiscordBot (https://github.com/nidoit/blunux-ai, " + version + ")"
}

// redactedError is an error whose text has the token redacted. The wrapped error can be compared but not printed.
type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string        { return e.text }
func (e *redactedError) Is(target error) bool { return errors.Is(e.cause, target) }

// As supports only the error type that carries data and contains no token.
func (e *redactedError) As(target any) bool {
	api, ok := target.(**apiError)
	return ok && errors.As(e.cause, api)
}

// redact replaces the token, and the tokens of interactions, in an error's text.
func (c *Client) redact(err error) error {
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(err.Error(), c.options.Token, "TOKEN")
	for _, secret := range strings.Split(c.options.Token, ".")[2:] {
		text = strings.ReplaceAll(text, secret, "TOKEN")
	}
	return &redactedError{interactionPath.ReplaceAllString(text, "$1/TOKEN"), err}
}

// postError converts the error of a call that posts something to a bridge error.
func (c *Client) postError(ctx context.Context, err error) error {
	var busy *bridge.Busy
	var api *apiError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &busy):
		return busy
	case errors.As(err, &api):
		return c.refusalError(api)
	case ctx.Err() == nil && account.WasNotSent(unredacted(err)):
		return fmt.Errorf("%w: %w", bridge.ErrOffline, err)
	}
	return err
}

func unredacted(err error) error {
	var r *redactedError
	if errors.As(err, &r) {
		return r.cause
	}
	return err
}

// refusalError converts an error of the API to a bridge error.
func (c *Client) refusalError(api *apiError) error {
	err := c.redact(api)
	switch {
	case api.Status == http.StatusUnauthorized:
		c.reportLost(err)
		return fmt.Errorf("%w: %w", bridge.ErrOffline, err)
	case api.Code == codeOpeningTooFast:
		return &bridge.Busy{After: time.Minute}
	case api.Code == codeUnknownChannel, api.Code == codeUnknownUser, api.Status == http.StatusForbidden:
		return fmt.Errorf("%w: %w", bridge.ErrNoChat, err)
	case api.Status == http.StatusBadRequest, api.Status == http.StatusRequestEntityTooLarge, api.Code == codeTooLarge, api.Code == codeUnknownMessage:
		return fmt.Errorf("%w: %w", bridge.ErrRefused, err)
	}
	return err
}

// reportLost makes Run return because the account can no longer be used.
func (c *Client) reportLost(err error) {
	select {
	case c.lost <- err:
	default: // already reported
	}
}

// account returns the ID of the bot's user, "" until it is known.
func (c *Client) account() string {
	if id := c.own.Load(); id != nil {
		return *id
	}
	return ""
}

func (c *Client) setAccount(id string) { c.own.Store(&id) }

// requestAccount returns the ID of the bot's user, and requests it if it is not known yet.
func (c *Client) requestAccount(ctx context.Context) (string, error) {
	if id := c.account(); id != "" {
		return id, nil
	}
	me, err := c.Me(ctx)
	if err != nil {
		return "", err
	}
	c.setAccount(me.ID)
	return me.ID, nil
}

// Account is the bot's account: its user's ID and name, and the ID of its application.
type Account struct{ ID, Name, Application string }

// Me requests the bot's account.
func (c *Client) Me(ctx context.Context) (Account, error) {
	var me struct {
		ID   string `json:"id"`
		Name string `json:"username"`
		Bot  bool   `json:"bot"`
	}
	if err := c.call(ctx, request{method: "GET", path: "users/@me", route: "users/@me"}, &me); err != nil {
		return Account{}, err
	}
	if !me.Bot || !isSnowflake(me.ID) || me.Name == "" {
		return Account{}, errors.New("the answer is not about a bot")
	}
	var app struct {
		ID string `json:"id"`
	}
	if err := c.call(ctx, request{method: "GET", path: "applications/@me", route: "applications/@me"}, &app); err != nil {
		return Account{}, err
	}
	if !isSnowflake(app.ID) {
		return Account{}, errors.New("the answer is not about an application")
	}
	return Account{me.ID, me.Name, app.ID}, nil
}

// InviteURL returns the address at which a person adds the bot to a server, without any permission.
func (a Account) InviteURL() string {
	return "https://discord.com/oauth2/authorize?client_id=" + a.Application + "&scope=bot&permissions=0"
}

// isSnowflake reports whether s is an ID (section "Snowflakes").
func isSnowflake(s string) bool {
	n, err := strconv.ParseUint(s, 10, 63)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}

// snowflakeTime is how many bits of an ID are below its time in milliseconds.
const snowflakeTime = 22

// before returns the ID of a moment before that of another ID.
func before(id string, by time.Duration) string {
	n, _ := strconv.ParseUint(id, 10, 63)
	return strconv.FormatUint(n-min(n, uint64(by.Milliseconds())<<snowflakeTime), 10)
}

// isLater reports whether the ID a is later than b, "" being the first.
func isLater(a, b string) bool {
	n, _ := strconv.ParseUint(a, 10, 63)
	m, _ := strconv.ParseUint(b, 10, 63)
	return n > m
}
