// Package telegram is the Telegram bot. It uses the Bot API (https://core.telegram.org/bots/api;
// comments name its sections).
//
// The library's own polling confirms an update before it is handled. Therefore this package calls
// getUpdates itself, and confirms an update by the next call only after [bridge.Receiver.Receive]
// has stored it. Messages are sent through the library.
//
// Only private chats with one person are processed. Edits of earlier messages are ignored.
package telegram

import (
	"net/http"
	"regexp"
	"time"

	"github.com/go-telegram/bot"
	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/bridge/account"
)

// DefaultServer is Telegram's server.
const DefaultServer = "https://api.telegram.org"

// Options configures a [Client].
type Options struct {
	// Token is the token from BotFather. Server overrides [DefaultServer].
	Token, Server string
	// Dir is the channel's directory, where the offset is saved; "" disables saving.
	Dir string
	Log zerolog.Logger
	// Idle is called each time a long poll ends without updates. It can be nil.
	Idle func()
	// Render and Literal are those of [bridge.Traits].
	Render  func(markdown string) string
	Literal func(text string) (markup string, ok bool)
}

// Client is the bot. It implements [bridge.Messenger].
type Client struct {
	options Options
	server  string
	api     *bot.Bot
	http    *http.Client
	// lost receives the error if a call other than the poll finds that the account can no longer be used.
	lost chan error
}

// Timeouts of calls. For a poll, the time that it waits at the server is added.
const (
	pollTime   = 50 * time.Second
	callTime   = 30 * time.Second
	uploadTime = 5 * time.Minute
)

// TokenForm matches a bot token: the bot's ID and a secret.
var TokenForm = regexp.MustCompile(`^[0-9]{3,20}:[A-Za-z0-9_-]{30,100}$`)

// New returns a bot. It sends nothing until it is used.
func New(o Options) (*Client, error) {
	if !TokenForm.MatchString(o.Token) {
		return nil, account.ErrToken // without the value
	}
	server, err := account.ServerURL(o.Server, DefaultServer)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o, server: server, http: account.NewHTTP(), lost: make(chan error, 1)}
	c.api, err = bot.New(o.Token, bot.WithSkipGetMe(), bot.WithServerURL(server), bot.WithHTTPClient(pollTime, answerFilter{c.http}), bot.WithErrorsHandler(func(error) {}))
	if err != nil {
		return nil, c.redact(err)
	}
	return c, nil
}
