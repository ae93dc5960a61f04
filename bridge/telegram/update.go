package telegram

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/ipc"
)

// update has the used fields of an Update. Unused fields are not parsed, so that new or unusual ones cause no errors.
type update struct {
	ID       int64     `json:"update_id"`
	Message  *message  `json:"message"`
	Callback *callback `json:"callback_query"`
}

// message has the used fields of a Message. Fields that only need to be detected are of type [present].
type message struct {
	ID        int64              `json:"message_id"`
	From      *models.User       `json:"from"`
	Chat      models.Chat        `json:"chat"`
	Date      int64              `json:"date"`
	Text      string             `json:"text"`
	Caption   string             `json:"caption"`
	Album     string             `json:"media_group_id"`
	Photo     []models.PhotoSize `json:"photo"`
	Document  *models.Document   `json:"document"`
	Origin    present            `json:"forward_origin"`
	ViaBot    present            `json:"via_bot"`
	Business  string             `json:"business_connection_id"`
	Animation present            `json:"animation"`
	unsupported
}

// unsupported has the kinds of messages that are not supported.
type unsupported struct {
	Audio     present `json:"audio"`
	PaidMedia present `json:"paid_media"`
	Sticker   present `json:"sticker"`
	Story     present `json:"story"`
	Video     present `json:"video"`
	VideoNote present `json:"video_note"`
	Voice     present `json:"voice"`
	Checklist present `json:"checklist"`
	Contact   present `json:"contact"`
	Dice      present `json:"dice"`
	Game      present `json:"game"`
	Poll      present `json:"poll"`
	Venue     present `json:"venue"`
	Location  present `json:"location"`
}

func (u unsupported) names() []string {
	var names []string
	for _, k := range []struct {
		name string
		is   present
	}{
		{"audio", u.Audio},
		{"paid media", u.PaidMedia},
		{"sticker", u.Sticker},
		{"story", u.Story},
		{"video", u.Video},
		{"video note", u.VideoNote},
		{"voice", u.Voice},
		{"checklist", u.Checklist},
		{"contact", u.Contact},
		{"dice", u.Dice},
		{"game", u.Game},
		{"poll", u.Poll},
		{"location", u.Venue || u.Location},
	} {
		if k.is {
			names = append(names, k.name)
		}
	}
	return names
}

// present reports that a field is present, with any value.
type present bool

// UnmarshalJSON implements json.Unmarshaler.
func (p *present) UnmarshalJSON(data []byte) error {
	*p = present(!bytes.Equal(data, []byte("null")) && !bytes.Equal(data, []byte("false")))
	return nil
}

type callback struct {
	ID      string       `json:"id"`
	From    *models.User `json:"from"`
	Data    string       `json:"data"`
	Message *struct {
		Chat models.Chat `json:"chat"`
	} `json:"message"`
}

// idOf returns an update's ID, or 0 if it has no valid one.
func idOf(raw json.RawMessage) int64 {
	var u struct {
		ID int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &u) != nil || u.ID < 0 {
		return 0
	}
	return u.ID
}

// maxFiles is the maximum number of files of a message.
const maxFiles = ipc.MaxInboundFiles

// errNotPrivate rejects an update that is not a message or a button press in a private chat.
var errNotPrivate = errors.New("not a message in a private chat")

func (c *Client) convertUpdate(raw json.RawMessage) (in bridge.Incoming, album string, err error) {
	var u update
	if err := json.Unmarshal(raw, &u); err != nil {
		return in, "", fmt.Errorf("cannot read an update: %w", err)
	}
	switch {
	case u.Message != nil:
		in, err = c.convertMessage(u.Message)
		return in, u.Message.Album, err
	case u.Callback != nil:
		in, err = convertPress(u.Callback)
		return in, "", err
	}
	return in, "", errNotPrivate
}

// isPrivateChat reports whether chat is the private chat of the bot and from.
func isPrivateChat(chat models.Chat, from *models.User) bool {
	return from != nil && !from.IsBot && from.ID > 0 && chat.Type == models.ChatTypePrivate && chat.ID == from.ID
}

// convertMessage converts a message. Service messages (a pinned message, a new picture) have neither text nor
// files and are rejected.
func (c *Client) convertMessage(m *message) (bridge.Incoming, error) {
	if !isPrivateChat(m.Chat, m.From) || m.Business != "" || m.ID <= 0 {
		return bridge.Incoming{}, errNotPrivate
	}
	in := bridge.Incoming{
		ID: number(m.ID), Chat: number(m.Chat.ID), Sender: number(m.From.ID), Name: nameOf(m.From),
		Text: m.Text, Sent: time.Unix(m.Date, 0), Forwarded: bool(m.Origin || m.ViaBot),
	}
	in.Text = cmp.Or(in.Text, m.Caption)
	in.Files = c.files(m)
	if in.Text == "" && len(in.Files) == 0 {
		return bridge.Incoming{}, errNotPrivate
	}
	return in, nil
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func nameOf(u *models.User) string {
	name := strings.TrimSpace(u.FirstName + " " + u.LastName)
	if r := []rune(name); len(r) > 64 {
		name = string(r[:64])
	}
	return name
}

func (c *Client) files(m *message) []bridge.File {
	var files []bridge.File
	for _, kind := range m.names() {
		files = append(files, bridge.File{Name: kind, Problem: ipc.FileKind})
	}
	switch {
	case bool(m.Animation): // Telegram also reports it as a document
		files = append(files, bridge.File{Name: "animation", Problem: ipc.FileKind})
	case m.Document != nil:
		files = append(files, c.file(m.Document.FileID, m.Document.FileName, m.Document.MimeType, m.Document.FileSize))
	case len(m.Photo) > 0:
		p := bestSize(m.Photo)
		files = append(files, c.file(p.FileID, "photo_"+number(m.ID)+".jpg", "image/jpeg", int64(p.FileSize)))
	}
	return files
}

// bestSize returns the largest size of a photo that is accepted, or else the smallest.
func bestSize(sizes []models.PhotoSize) models.PhotoSize {
	least, most := sizes[0], models.PhotoSize{}
	for _, s := range sizes {
		if s.FileSize < least.FileSize {
			least = s
		}
		if s.FileSize <= ipc.MaxInboundFile && s.Width*s.Height >= most.Width*most.Height {
			most = s
		}
	}
	if most.FileID == "" {
		return least
	}
	return most
}

func (c *Client) file(id, name, kind string, size int64) bridge.File {
	f := bridge.File{Name: name, Type: kind, Size: size}
	switch {
	case size > ipc.MaxInboundFile:
		f.Problem = ipc.FileTooLarge
	case id == "" || size < 0:
		f.Problem = ipc.FileBroken
	default:
		f.Open = func(ctx context.Context) (io.ReadCloser, error) { return c.open(ctx, id) }
	}
	return f
}
