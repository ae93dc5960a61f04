package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/ipc"
)

// message has the used fields of a message (section "Message Object"). Unused fields are not parsed, so that new or
// unusual ones cause no errors.
type message struct {
	ID      string          `json:"id"`
	Channel string          `json:"channel_id"`
	Guild   string          `json:"guild_id"`
	Kind    *int            `json:"channel_type"`
	Author  author          `json:"author"`
	Webhook string          `json:"webhook_id"`
	Sent    time.Time       `json:"timestamp"`
	Type    int             `json:"type"`
	Poll    json.RawMessage `json:"poll"`
	content
	Mentions []author `json:"mentions"`
	Answers  struct {
		Author author `json:"author"`
	} `json:"referenced_message"`
	Reference struct {
		Type int `json:"type"`
	} `json:"message_reference"`
	Snapshots []struct {
		Message content `json:"message"`
	} `json:"message_snapshots"`
}

// content is what a message or a forwarded one says.
type content struct {
	Text        string            `json:"content"`
	Flags       int               `json:"flags"`
	Attachments []attachment      `json:"attachments"`
	Stickers    []json.RawMessage `json:"sticker_items"`
}

type author struct {
	ID     string `json:"id"`
	Name   string `json:"username"`
	Global string `json:"global_name"`
	Bot    bool   `json:"bot"`
	System bool   `json:"system"`
}

// attachment is an attached file (section "Attachment Object").
type attachment struct {
	Name string `json:"filename"`
	Type string `json:"content_type"`
	Size int64  `json:"size"`
	URL  string `json:"url"`
}

// Values of the fields of a message that are processed.
const (
	typeDefault     = 0
	typeReply       = 19
	referenceReply  = 0
	channelDM       = 1
	flagVoice       = 1 << 13
	flagEphemeral   = 1 << 6
	flagNoEmbeds    = 1 << 2
	interactionOpen = 3 // a press of a component
)

// convertMessage converts a message of a person in a direct message, or one that mentions the bot in a room. ok is false
// for others, such as those of bots, service messages and empty ones.
func (g *gateway) convertMessage(m *message) (in bridge.Incoming, ok bool) {
	person := isSnowflake(m.Author.ID) && !m.Author.Bot && !m.Author.System && m.Webhook == ""
	if !person || m.Type != typeDefault && m.Type != typeReply || !isSnowflake(m.ID) || !isSnowflake(m.Channel) {
		return in, false
	}
	if g.isRoom(m.Channel) {
		return g.convertMention(m)
	}
	if m.Guild != "" || m.Kind != nil && *m.Kind != channelDM {
		return in, false
	}
	in = g.incoming(m, m.Author.ID)
	return in, in.Text != "" || len(in.Files) > 0
}

// isRoom reports whether messages of a channel of a server count.
func (g *gateway) isRoom(channel string) bool {
	ids, _ := g.to.Rooms()
	return slices.Contains(ids, channel)
}

// convertMention converts a message of a person in a room. ok is false if it does not mention the bot itself. Mentions of
// everyone or of a role do not count, and a reply only if Discord lists the bot.
func (g *gateway) convertMention(m *message) (in bridge.Incoming, ok bool) {
	bot := g.account()
	if bot == "" || !slices.ContainsFunc(m.Mentions, func(a author) bool { return a.ID == bot }) {
		return in, false
	}
	m.Text = withoutMention(m.Text, bot)
	return g.incoming(m, ipc.InRoom(m.Author.ID, m.Channel)), true
}

// withoutMention returns a text without the mentions of a user (section "Message Formatting").
func withoutMention(text, user string) string {
	plain, named := "<@"+user+">", "<@!"+user+">"
	return strings.TrimSpace(strings.NewReplacer(plain+" ", "", named+" ", "", plain, "", named, "").Replace(text))
}

// incoming returns a person's message, whose sender has this address.
func (c *Client) incoming(m *message, sender string) bridge.Incoming {
	in := bridge.Incoming{
		ID: m.ID, Chat: sender, Sender: sender, Name: nameOf(m.Author), Text: m.Text, Sent: m.Sent, Files: c.files(m.content),
		Forwarded: m.Reference.Type != referenceReply || len(m.Snapshots) > 0,
	}
	if len(m.Poll) > 0 && string(m.Poll) != "null" {
		in.Files = append(in.Files, bridge.File{Name: "poll", Problem: ipc.FileKind})
	}
	for _, s := range m.Snapshots {
		in.Text = strings.TrimSpace(in.Text + "\n" + s.Message.Text)
		in.Files = append(in.Files, c.files(s.Message)...)
	}
	if in.Sent.IsZero() {
		in.Sent = timeOf(m.ID)
	}
	return in
}

// timeOf returns the time of an ID.
func timeOf(id string) time.Time {
	const epoch = 1420070400000 // section "Snowflakes"
	n, _ := strconv.ParseInt(id, 10, 64)
	return time.UnixMilli(n>>snowflakeTime + epoch)
}

func nameOf(a author) string {
	name := a.Global
	if name == "" {
		name = a.Name
	}
	if r := []rune(name); len(r) > 64 {
		name = string(r[:64])
	}
	return name
}

func (c *Client) files(from content) []bridge.File {
	var files []bridge.File
	for range from.Stickers {
		files = append(files, bridge.File{Name: "sticker", Problem: ipc.FileKind})
	}
	for _, a := range from.Attachments {
		if from.Flags&flagVoice != 0 {
			files = append(files, bridge.File{Name: "voice", Problem: ipc.FileKind})
			continue
		}
		files = append(files, c.file(a))
	}
	return files
}

func (c *Client) file(a attachment) bridge.File {
	f := bridge.File{Name: a.Name, Type: a.Type, Size: a.Size}
	switch {
	case a.Size > ipc.MaxInboundFile:
		f.Problem = ipc.FileTooLarge
	case a.Size < 0 || !c.isAttachmentURL(a.URL):
		f.Problem = ipc.FileBroken
	default:
		f.Open = func(ctx context.Context) (io.ReadCloser, error) { return c.open(ctx, a.URL) }
	}
	return f
}

// isAttachmentURL reports whether an address is one of Discord's for attachments, or of the configured server.
func (c *Client) isAttachmentURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || path.Clean(u.Path) != u.Path {
		return false
	}
	if own, err := url.Parse(c.server); err == nil && c.server != DefaultServer {
		return u.Scheme == own.Scheme && u.Host == own.Host
	}
	return u.Scheme == "https" && (u.Host == "cdn.discordapp.com" || u.Host == "media.discordapp.net")
}

// open downloads an attachment. Its address is signed, so the token is not sent.
func (c *Client) open(ctx context.Context, address string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("cannot fetch the file: %w", err)
	}
	r.Header.Set("User-Agent", c.userAgent())
	resp, err := c.http.Do(r)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("cannot fetch the file: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		cancel()
		err := fmt.Errorf("cannot fetch the file: status %d", resp.StatusCode)
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusForbidden { // deleted, or the signature is too old
			return nil, &bridge.FileError{Problem: ipc.FileExpired, Err: err}
		}
		return nil, err
	}
	return &download{resp.Body, cancel}, nil
}

// download is a file being downloaded.
type download struct {
	io.ReadCloser
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (d *download) Close() error {
	defer d.cancel()
	return d.ReadCloser.Close()
}

// interaction has the used fields of an interaction (section "Interaction Object").
type interaction struct {
	ID          string `json:"id"`
	Application string `json:"application_id"`
	Type        int    `json:"type"`
	Token       string `json:"token"`
	Channel     string `json:"channel_id"`
	Guild       string `json:"guild_id"`
	User        author `json:"user"` // in direct messages only
	Member      struct {
		User author `json:"user"`
	} `json:"member"` // in servers only
	Data struct {
		ID string `json:"custom_id"`
	} `json:"data"`
}

// interactionPath matches paths that contain the token of an interaction.
var interactionPath = regexp.MustCompile(`((?:interactions|webhooks)/[0-9]+)/[A-Za-z0-9_=.%-]+`)

// interactionToken matches the token of an interaction.
var interactionToken = regexp.MustCompile(`^[A-Za-z0-9_=.-]{1,400}$`)

var (
	// errNotPressed rejects an interaction that is no press of a button by the person of the conversation.
	errNotPressed = errors.New("not a button press")
	errForeign    = errors.New("a button press by another person")
)

// presser returns who pressed a button, and the address of that person in its channel. ok is false if the button is not
// that person's. In a room, the daemon knows who was asked.
func (g *gateway) presser(i interaction) (who author, sender string, ok bool) {
	if i.Guild != "" {
		who = i.Member.User
		return who, ipc.InRoom(who.ID, i.Channel), isSnowflake(who.ID) && !who.Bot && g.isRoom(i.Channel)
	}
	asked := g.conversations.personIn(i.Channel)
	return i.User, i.User.ID, isSnowflake(i.User.ID) && !i.User.Bot && (asked == "" || asked == i.User.ID)
}

// convertPress converts a button press. With errForeign, the interaction is to be answered.
func (g *gateway) convertPress(data json.RawMessage) (bridge.Incoming, interaction, error) {
	var i interaction
	if err := json.Unmarshal(data, &i); err != nil {
		return bridge.Incoming{}, i, fmt.Errorf("cannot read an interaction: %w", err)
	}
	if !isSnowflake(i.ID) || !isSnowflake(i.Application) || !interactionToken.MatchString(i.Token) || i.Type != interactionOpen {
		return bridge.Incoming{}, i, errNotPressed
	}
	who, sender, ok := g.presser(i)
	if !ok {
		return bridge.Incoming{}, i, errForeign
	}
	p, ok := bridge.DecodePress(i.Data.ID, maxButtonData)
	if !ok {
		return bridge.Incoming{}, i, errNotPressed
	}
	p.ID = i.Application + "/" + i.Token
	return bridge.Incoming{
		ID: "p" + i.ID, Chat: sender, Sender: sender, Name: nameOf(who), Sent: timeOf(i.ID), Press: p,
	}, i, nil
}

// Types of responses to interactions (section "Interaction Callback Type").
const (
	responseMessage  = 4
	responseDeferred = 6 // nothing is shown
)

// respondPress responds to a press: to a person's own that the answer follows, to another person's with a no that only
// they see. Its error means that the press does not count.
func (k *link) respondPress(ctx context.Context, data json.RawMessage) error {
	_, i, errPress := k.convertPress(data)
	body := map[string]any{"type": responseDeferred}
	switch {
	case errors.Is(errPress, errForeign):
		body = map[string]any{"type": responseMessage, "data": k.ephemeral(k.options.Denied)}
	case errPress != nil && !interactionToken.MatchString(i.Token):
		return errPress
	}
	err := k.call(ctx, request{method: "POST", path: "interactions/" + i.ID + "/" + i.Token + "/callback", body: body}, nil)
	if api := apiErrorOf(err); api != nil && api.Code == codeAcknowledged { // by an earlier connection, whose event comes again
		err = nil
	}
	return errors.Join(errPress, err)
}

// handlePress passes on a press that was responded to. For one that came too late, Discord has informed the person that it
// failed.
func (k *link) handlePress(ctx context.Context, e event) error {
	var err error
	select {
	case err = <-e.response:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err != nil {
		k.options.Log.Debug().AnErr("reason", k.redact(err)).Msg("button press ignored")
		return nil
	}
	in, _, err := k.convertPress(e.data)
	if err != nil {
		return nil
	}
	if err := k.to.Receive(ctx, in); err != nil {
		return storeError{fmt.Errorf("cannot store a button press: %w", err)}
	}
	return nil
}

// apiErrorOf returns the error of the API in err, or nil.
func apiErrorOf(err error) *apiError {
	var api *apiError
	errors.As(err, &api)
	return api
}

// ephemeral returns a message that only one person sees.
func (c *Client) ephemeral(text string) outgoing {
	shown, ok := c.options.Literal(text)
	if !ok {
		shown = text
	}
	return outgoing{Content: cut(shown, mostText), Flags: flagEphemeral, Components: []row{}}
}

// AnswerPress implements [bridge.Messenger].
func (c *Client) AnswerPress(ctx context.Context, press, text string) error {
	app, token, ok := strings.Cut(press, "/")
	if !ok || !isSnowflake(app) || !interactionToken.MatchString(token) || strings.TrimSpace(text) == "" {
		return nil
	}
	err := c.call(ctx, request{method: "POST", path: "webhooks/" + app + "/" + token, body: c.ephemeral(text)}, nil)
	if api := apiErrorOf(err); api != nil && api.Status == http.StatusNotFound { // too old
		return nil
	}
	return c.postError(ctx, err)
}
