package telegram

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/rs/zerolog"
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
	// lost receives the error if a call other than the poll finds that the account can no longer be
	// used.
	lost chan error
}

// Timeouts of calls. For a poll, the time that it waits at the server is added.
const (
	pollTime   = 50 * time.Second
	callTime   = 30 * time.Second
	uploadTime = 5 * time.Minute
)

// ErrToken reports that a text is not a bot token.
var ErrToken = errors.New("not a bot token")

// tokenForm matches a bot token: the bot's ID and a secret.
var tokenForm = regexp.MustCompile(`^[0-9]{3,20}:[A-Za-z0-9_-]{30,100}$`)

// New returns a bot. It sends nothing until it is used.
func New(o Options) (*Client, error) {
	if !tokenForm.MatchString(o.Token) {
		return nil, ErrToken // without the value
	}
	server, err := serverURL(o.Server)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o, server: server, http: newHTTP(), lost: make(chan error, 1)}
	c.api, err = bot.New(o.Token, bot.WithSkipGetMe(), bot.WithServerURL(server), bot.WithHTTPClient(pollTime, answerFilter{c.http}), bot.WithErrorsHandler(func(error) {}))
	if err != nil {
		return nil, c.redact(err)
	}
	return c, nil
}

// serverURL checks the server's URL. Requests contain the token, so the URL must use https or a
// loopback address.
func serverURL(server string) (string, error) {
	if server == "" {
		return DefaultServer, nil
	}
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("cannot use the server: not a URL like https://bot.example.org")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return strings.TrimRight(server, "/"), nil
	}
	return "", fmt.Errorf("cannot use the server %s: it must use https, or http on this computer", u.Host)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
