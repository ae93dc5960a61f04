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

// DefaultServer is Telegram's own.
const DefaultServer = "https://api.telegram.org"

// Options is what a [Client] is made of.
type Options struct {
	// Token is BotFather's. Server takes the place of [DefaultServer].
	Token, Server string
	// Dir is the channel's own directory, where the offset is kept; "" keeps none.
	Dir string
	Log zerolog.Logger
	// Idle is called each time the server had nothing to say for a while; nil for
	// nothing.
	Idle func()
	// Render and Literal are the ones of [bridge.Traits].
	Render  func(markdown string) string
	Literal func(text string) (markup string, ok bool)
}

// Client is the bot. It is a [bridge.Messenger].
type Client struct {
	options Options
	server  string
	api     *bot.Bot
	http    *http.Client
	// lost holds why the account cannot be used any more, found by a call that was
	// not the poll's.
	lost chan error
}

// How long calls may take. A poll's is beside what it waits at the server.
const (
	pollTime   = 50 * time.Second
	callTime   = 30 * time.Second
	uploadTime = 5 * time.Minute
)

// ErrToken reports that something is no token of a bot's.
var ErrToken = errors.New("this is no bot's token")

// tokenForm is how tokens look: the bot's id and a secret.
var tokenForm = regexp.MustCompile(`^[0-9]{3,20}:[A-Za-z0-9_-]{30,100}$`)

// New returns a bot. Nothing is sent before it is used.
func New(o Options) (*Client, error) {
	if !tokenForm.MatchString(o.Token) {
		return nil, ErrToken // not said what it was
	}
	server, err := serverURL(o.Server)
	if err != nil {
		return nil, err
	}
	c := &Client{options: o, server: server, http: newHTTP(), lost: make(chan error, 1)}
	c.api, err = bot.New(o.Token, bot.WithSkipGetMe(), bot.WithServerURL(server), bot.WithHTTPClient(pollTime, guard{c.http}), bot.WithErrorsHandler(func(error) {}))
	if err != nil {
		return nil, c.redact(err)
	}
	return c, nil
}

// serverURL checks whose server it is: what is sent there holds the token, so it
// is encrypted or does not leave the machine.
func serverURL(server string) (string, error) {
	if server == "" {
		return DefaultServer, nil
	}
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("cannot use the server: it is no address like https://bot.example.org")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return strings.TrimRight(server, "/"), nil
	}
	return "", fmt.Errorf("cannot use the server %s: only https is, and http on this machine", u.Host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
