// Package discord is the Discord bot. It speaks Discord's REST API and its gateway, version 10
// (https://discord.com/developers/docs; comments name its sections).
//
// A message counts as received once [bridge.Receiver.Receive] has stored it: only then its sequence number is used to
// resume a session, and its ID is saved. After each new session, the messages since the saved ones are fetched before
// live events are handled, so that a message is neither lost nor doubled.
//
// Only direct messages between one person and the bot are processed, and messages that mention the bot in the rooms of
// [bridge.Receiver.Rooms]. Edits and deletions are ignored.
package discord

import (
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/bridge/account"
)

// DefaultServer is Discord's server.
const DefaultServer = "https://discord.com"

// Options configures a [Client].
type Options struct {
	// Token is the bot's token from the Developer Portal. Server overrides [DefaultServer].
	Token, Server string
	// Version of the program, which it sends to Discord.
	Version string
	// Dir is the channel's directory, where the last messages are saved; "" disables saving.
	Dir string
	Log zerolog.Logger
	// Idle is called when the connection is idle. It can be nil.
	Idle func()
	// Render and Literal are those of [bridge.Traits].
	Render  func(markdown string) string
	Literal func(text string) (markup string, ok bool)
	// Denied is the answer to a button press by another person than the one asked.
	Denied string
}

// Client is the bot. It implements [bridge.Messenger].
type Client struct {
	options       Options
	server        string
	http          *http.Client
	limits        *limits
	conversations *conversations
	own           atomic.Pointer[string] // the bot's user ID, nil until it is known
	// lost receives the error if a call finds that the account can no longer be used.
	lost chan error
}

// Timeouts of calls.
const (
	callTime   = 30 * time.Second
	uploadTime = 5 * time.Minute
)

// TokenForm matches a bot token: the bot's ID, a time and a signature, each in base64.
var TokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{18,40}\.[A-Za-z0-9_-]{4,12}\.[A-Za-z0-9_-]{25,80}$`)

// New returns a bot. It sends nothing until it is used.
func New(o Options) (*Client, error) {
	if !TokenForm.MatchString(o.Token) {
		return nil, account.ErrToken // without the value
	}
	server, err := account.ServerURL(o.Server, DefaultServer)
	if err != nil {
		return nil, err
	}
	saved, err := openConversations(o)
	if err != nil {
		return nil, err
	}
	return &Client{
		options: o, server: server, http: account.NewHTTP(), limits: newLimits(), conversations: saved, lost: make(chan error, 1),
	}, nil
}
