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
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/go-telegram/bot"
	"github.com/google/renameio/v2"
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
	// lost receives the error if a call other than the poll finds that the account can no longer be used.
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

// serverURL checks the server's URL. Requests contain the token, so the URL must use https or a loopback address.
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

const (
	tokenFile = "token"
	mostToken = 4 << 10
)

// Errors of the saved token.
var (
	// ErrNoToken reports that no token is saved.
	ErrNoToken = errors.New("no bot token is saved")
	// ErrOpenToken reports that other users can read the token file.
	ErrOpenToken = errors.New("the bot token is readable by other users")
)

// TokenPath returns the path of the token file in the channel's directory.
func TokenPath(dir string) string { return filepath.Join(dir, tokenFile) }

// ReadToken reads the saved token. Its errors include [ErrNoToken], [ErrOpenToken] and [ErrToken].
func ReadToken(dir string) (string, error) {
	f, err := os.OpenFile(TokenPath(dir), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoToken
	}
	if err != nil {
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("cannot read the bot's token: %s is not a regular file", f.Name())
	case fi.Mode().Perm()&0o077 != 0:
		return "", ErrOpenToken
	}
	return ParseToken(f)
}

// ParseToken reads a token, with optional blanks around it.
func ParseToken(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostToken))
	if err != nil {
		return "", fmt.Errorf("cannot read the bot's token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if !tokenForm.MatchString(token) {
		return "", ErrToken
	}
	return token, nil
}

// WriteToken saves a token, which logs the bot in on this computer.
func WriteToken(dir, token string) error {
	if !tokenForm.MatchString(token) {
		return ErrToken
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot save the bot's token: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("cannot save the bot's token: %w", err)
	}
	if err := renameio.WriteFile(TokenPath(dir), []byte(token+"\n"), 0o600, renameio.IgnoreUmask()); err != nil {
		return fmt.Errorf("cannot save the bot's token: %w", err)
	}
	return nil
}
