package discord

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/ipc"
)

// Limits from sections "Create Message", "Uploading Files", "Trigger Typing Indicator" and "Button".
const (
	mostText       = 2000
	maxUpload      = 10 << 20
	typingInterval = 8 * time.Second // it is shown for 10 s
	pace           = time.Second
	maxButtonData  = 100
	maxLabel       = 80
	maxNonce       = 25
)

// Name implements [bridge.Messenger].
func (*Client) Name() string { return "discord" }

// Traits implements [bridge.Messenger]. Discord counts code points, of which there are never more than code units.
func (c *Client) Traits() bridge.Traits {
	return bridge.Traits{
		Edits: true, Buttons: true, Typing: typingInterval, Length: mostText, Pace: pace,
		Render: c.options.Render, Literal: c.options.Literal,
	}
}

// outgoing is a message of the bot (section "Create Message").
type outgoing struct {
	Content    string         `json:"content"`
	Flags      int            `json:"flags,omitempty"`
	Components []row          `json:"components"`
	Mentions   mentions       `json:"allowed_mentions"`
	Nonce      string         `json:"nonce,omitempty"`
	Enforce    bool           `json:"enforce_nonce,omitempty"`
	Reference  *reference     `json:"message_reference,omitempty"`
	Files      []attachedFile `json:"attachments,omitempty"`
}

// mentions says that a message notifies no one in particular, regardless of its content.
type mentions struct{}

// MarshalJSON implements json.Marshaler.
func (mentions) MarshalJSON() ([]byte, error) {
	return []byte(`{"parse":[],"replied_user":false}`), nil
}

// row is a row of buttons (section "Action Row").
type row struct {
	Type    int      `json:"type"`
	Buttons []button `json:"components"`
}

type button struct {
	Type  int    `json:"type"`
	Style int    `json:"style"`
	Label string `json:"label"`
	ID    string `json:"custom_id"`
}

type reference struct {
	Message string `json:"message_id"`
	Fail    bool   `json:"fail_if_not_exists"`
}

type attachedFile struct {
	ID   int    `json:"id"`
	Name string `json:"filename"`
}

// channelOf returns the channel of a chat: a person's, or a room. It opens a person's if there is none yet (section
// "Create DM").
func (c *Client) channelOf(ctx context.Context, chat string) (string, error) {
	person, room := ipc.SplitRoom(chat)
	if isSnowflake(person) && isSnowflake(room) {
		return room, nil
	}
	if !isSnowflake(chat) {
		return "", fmt.Errorf("%w: not a person", bridge.ErrNoChat)
	}
	if k := c.conversations.of(person); k.Channel != "" {
		return k.Channel, nil
	}
	var opened struct {
		ID string `json:"id"`
	}
	q := request{method: "POST", path: "users/@me/channels", route: "users/@me/channels", body: map[string]string{"recipient_id": person}}
	if err := c.call(ctx, q, &opened); err != nil {
		if isRefused(err) || apiStatus(err) == http.StatusBadRequest {
			return "", fmt.Errorf("%w: %w", bridge.ErrNoChat, err)
		}
		return "", c.postError(ctx, err)
	}
	if !isSnowflake(opened.ID) {
		return "", errors.New("the server returned no channel")
	}
	c.conversations.advance(person, opened.ID, "")
	return opened.ID, nil
}

func apiStatus(err error) int {
	if api := apiErrorOf(err); api != nil {
		return api.Status
	}
	return 0
}

// Post implements [bridge.Messenger]. The server drops a piece that it got with the same ID in the last minutes.
func (c *Client) Post(ctx context.Context, p bridge.Piece) (bridge.Posted, error) {
	channel, err := c.channelOf(ctx, p.Chat)
	if err != nil {
		return bridge.Posted{}, err
	}
	out := outgoing{
		Content: p.Text, Flags: flagNoEmbeds, Components: rows(p.Buttons), Reference: c.replyTo(p),
		Nonce: p.ID[:min(len(p.ID), maxNonce)], Enforce: p.ID != "",
	}
	q := request{method: "POST", path: "channels/" + channel + "/messages", route: "POST channels/" + channel + "/messages"}
	if p.File != nil {
		f, err := openFile(p.File.Path)
		if err != nil {
			return bridge.Posted{}, fmt.Errorf("%w: %w", bridge.ErrRefused, err)
		}
		defer f.Close()
		fi, err := f.Stat()
		if err != nil {
			return bridge.Posted{}, fmt.Errorf("%w: cannot send the file: %w", bridge.ErrRefused, err)
		}
		q.file = &upload{p.File.Name, fi.Size(), f}
		out.Files = []attachedFile{{0, p.File.Name}}
	}
	q.body = out
	var posted struct {
		ID string    `json:"id"`
		At time.Time `json:"timestamp"`
	}
	if err := c.call(ctx, q, &posted); err != nil {
		return bridge.Posted{}, c.postError(ctx, err)
	}
	if !isSnowflake(posted.ID) {
		return bridge.Posted{}, errors.New("the server returned no message")
	}
	if isSnowflake(p.Chat) && c.conversations.of(p.Chat).Last == "" { // what the person writes from now on is fetched after an outage
		c.conversations.advance(p.Chat, channel, posted.ID)
		if err := c.conversations.save(); err != nil {
			c.options.Log.Warn().Err(err).Msg("cannot save a conversation")
		}
	}
	return bridge.Posted{Handle: posted.ID, At: posted.At}, nil
}

// replyTo returns the reference to the message that is answered. The message is sent even if that one was deleted. In a
// room, each message answers one of its person, so that everyone sees whom it is for.
func (c *Client) replyTo(p bridge.Piece) *reference {
	re := p.Re
	if person, room := ipc.SplitRoom(p.Chat); room != "" && !isSnowflake(re) {
		re = c.conversations.lastOf(person, room)
	}
	if !isSnowflake(re) {
		return nil // a button press, or none
	}
	return &reference{Message: re}
}

// openFile opens a file to send, which must be a regular file of an accepted size.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot send the file: %w", err)
	}
	fi, err := f.Stat()
	switch {
	case err == nil && !fi.Mode().IsRegular():
		err = errors.New("not a regular file")
	case err == nil && (fi.Size() == 0 || fi.Size() > maxUpload):
		err = fmt.Errorf("the server accepts 1 byte to %d MB, the file has %d bytes", maxUpload>>20, fi.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot send the file: %w", err)
	}
	return f, nil
}

// multipartBody returns the body of a call with a file, which is read while it is sent (section "Uploading Files").
func multipartBody(payload []byte, f *upload) (body io.Reader, contentType string, size int64, err error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormField("payload_json")
	if err == nil {
		_, err = part.Write(payload)
	}
	if err == nil {
		_, err = w.CreateFormFile("files[0]", f.name)
	}
	if err != nil {
		return nil, "", 0, fmt.Errorf("cannot encode the file: %w", err)
	}
	head := slices.Clone(form.Bytes())
	form.Reset()
	if err := w.Close(); err != nil {
		return nil, "", 0, fmt.Errorf("cannot encode the file: %w", err)
	}
	size = int64(len(head)) + f.size + int64(form.Len())
	return io.MultiReader(bytes.NewReader(head), io.LimitReader(f.from, f.size), &form), w.FormDataContentType(), size, nil
}

// Edit implements [bridge.Messenger]. A piece without buttons removes those of the message.
func (c *Client) Edit(ctx context.Context, handle string, p bridge.Piece) error {
	channel, err := c.channelOf(ctx, p.Chat)
	if err != nil {
		return err
	}
	if !isSnowflake(handle) {
		return fmt.Errorf("%w: no such message", bridge.ErrRefused)
	}
	return c.postError(ctx, c.call(ctx, request{
		method: "PATCH", path: "channels/" + channel + "/messages/" + handle, route: "PATCH channels/" + channel + "/messages",
		body: outgoing{Content: p.Text, Components: rows(p.Buttons)},
	}, nil))
}

// Remove implements [bridge.Remover].
func (c *Client) Remove(ctx context.Context, chat, handle string) error {
	channel, err := c.channelOf(ctx, chat)
	if err != nil {
		return err
	}
	if !isSnowflake(handle) {
		return fmt.Errorf("%w: no such message", bridge.ErrRefused)
	}
	return c.call(ctx, request{
		method: "DELETE", path: "channels/" + channel + "/messages/" + handle, route: "DELETE channels/" + channel + "/messages",
	}, nil)
}

// maxRetracted is how many messages are checked for copies, maxRetractedInRoom how many in a room, where others write too.
const maxRetracted, maxRetractedInRoom = 32, pageSize

// Retract implements [bridge.Remover]. The only bot in a direct message is this one. In a room, only answers to the
// chat's person are deleted.
func (c *Client) Retract(ctx context.Context, chat, after, until string) error {
	if !isSnowflake(after) {
		return nil // a button press: no older message is known
	}
	if !isSnowflake(until) {
		return fmt.Errorf("%w: no such message", bridge.ErrRefused)
	}
	channel, err := c.channelOf(ctx, chat)
	if err != nil {
		return err
	}
	own := func(m message) bool { return m.Author.Bot }
	most := maxRetracted
	if person, room := ipc.SplitRoom(chat); room != "" {
		bot, err := c.requestAccount(ctx)
		if err != nil {
			return err
		}
		own = func(m message) bool { return m.Author.ID == bot && m.Answers.Author.ID == person }
		most = maxRetractedInRoom
	}
	page, err := c.messages(ctx, channel, after, most)
	if err != nil {
		return err
	}
	var failed error
	for _, m := range page {
		if own(m) && isLater(m.ID, after) && isLater(until, m.ID) {
			failed = errors.Join(failed, c.Remove(ctx, chat, m.ID))
		}
	}
	return failed
}

// messages requests the messages of a channel that follow one, or the last ones if after is "", newest first (section "Get
// Channel Messages"). Unreadable ones are omitted.
func (c *Client) messages(ctx context.Context, channel, after string, most int) ([]message, error) {
	var raw []json.RawMessage
	q := request{method: "GET", path: "channels/" + channel + "/messages?limit=" + strconv.Itoa(most), route: "GET channels/" + channel + "/messages"}
	if after != "" {
		q.path += "&after=" + after
	}
	if err := c.call(ctx, q, &raw); err != nil {
		return nil, err
	}
	var list []message
	for _, text := range raw {
		var m message
		if json.Unmarshal(text, &m) != nil {
			m = message{} // its ID may still be read
			_ = json.Unmarshal(text, &struct {
				ID *string `json:"id"`
			}{&m.ID})
		}
		if isSnowflake(m.ID) {
			list = append(list, m)
		}
	}
	return list, nil
}

// Typing implements [bridge.Messenger].
func (c *Client) Typing(ctx context.Context, chat string) error {
	channel, err := c.channelOf(ctx, chat)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, typingInterval)
	defer cancel()
	return c.postError(ctx, c.call(ctx, request{method: "POST", path: "channels/" + channel + "/typing", route: "POST channels/" + channel + "/typing"}, nil))
}

// Styles of buttons (section "Button Styles").
const (
	styleSecondary = 2
	styleSuccess   = 3
	styleDanger    = 4
)

// rows returns a piece's buttons in one row, or none if one of them does not fit.
func rows(buttons []bridge.Button) []row {
	r := row{Type: 1}
	for _, b := range buttons {
		data, ok := bridge.EncodePress(b, maxButtonData)
		if !ok {
			return []row{}
		}
		style := styleSecondary
		switch b.Action {
		case ipc.ActionAllowOnce:
			style = styleSuccess
		case ipc.ActionReject:
			style = styleDanger
		}
		r.Buttons = append(r.Buttons, button{Type: 2, Style: style, Label: cut(b.Label, maxLabel), ID: data})
	}
	if len(r.Buttons) == 0 {
		return []row{}
	}
	return []row{r}
}

// cut shortens text to most code points.
func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}
