package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/nidoit/blunux-ai/bridge"
)

// Limits from sections "sendMessage", "sendDocument", "sendChatAction", and from
// https://core.telegram.org/bots/faq ("My bot is hitting limits").
const (
	mostText       = 4096
	maxUpload      = 50 << 20
	typingInterval = 4 * time.Second // it is shown for 5 s
	pace           = time.Second
)

// Name implements [bridge.Messenger].
func (*Client) Name() string { return "telegram" }

// Traits implements [bridge.Messenger].
func (c *Client) Traits() bridge.Traits {
	return bridge.Traits{
		Edits: true, Buttons: true, Typing: typingInterval, Length: mostText, Pace: pace,
		Render: c.options.Render, Literal: c.options.Literal,
	}
}

// chatOf parses a chat ID, which must be a person's.
func chatOf(chat string) (int64, error) {
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%w: not a person's chat", bridge.ErrNoChat)
	}
	return id, nil
}

// Post implements [bridge.Messenger].
func (c *Client) Post(ctx context.Context, p bridge.Piece) (bridge.Posted, error) {
	chat, err := chatOf(p.Chat)
	if err != nil {
		return bridge.Posted{}, err
	}
	var m *models.Message
	if p.File != nil {
		m, err = c.sendDocument(ctx, chat, p)
	} else {
		m, err = c.sendMessage(ctx, chat, p)
	}
	if err != nil {
		return bridge.Posted{}, err
	}
	return bridge.Posted{Handle: strconv.Itoa(m.ID), At: time.Unix(int64(m.Date), 0)}, nil
}

func (c *Client) sendMessage(ctx context.Context, chat int64, p bridge.Piece) (*models.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	params := &bot.SendMessageParams{ChatID: chat, Text: p.Text, ParseMode: models.ParseModeHTML, LinkPreviewOptions: noPreview(), ReplyParameters: replyTo(p.Re)}
	if k := keyboard(p.Buttons); k != nil {
		params.ReplyMarkup = k
	}
	m, err := c.api.SendMessage(ctx, params)
	return m, c.postError(ctx, err)
}

// noPreview disables link previews, for which Telegram's servers would fetch the links.
func noPreview() *models.LinkPreviewOptions {
	return &models.LinkPreviewOptions{IsDisabled: bot.True()}
}

// replyTo returns the parameters to answer message re. The message is sent even if re was deleted.
func replyTo(re string) *models.ReplyParameters {
	id, err := strconv.Atoi(re)
	if err != nil || id <= 0 {
		return nil // a button press, or none
	}
	return &models.ReplyParameters{MessageID: id, AllowSendingWithoutReply: true}
}

func (c *Client) sendDocument(ctx context.Context, chat int64, p bridge.Piece) (*models.Message, error) {
	f, err := openFile(p.File.Path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", bridge.ErrRefused, err)
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(ctx, uploadTime)
	defer cancel()
	params := &bot.SendDocumentParams{
		ChatID: chat, Document: &models.InputFileUpload{Filename: p.File.Name, Data: io.LimitReader(f, maxUpload)},
		Caption: p.Text, ParseMode: models.ParseModeHTML, ReplyParameters: replyTo(p.Re),
	}
	if k := keyboard(p.Buttons); k != nil {
		params.ReplyMarkup = k
	}
	m, err := c.api.SendDocument(ctx, params)
	return m, c.postError(ctx, err)
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

// Edit implements [bridge.Messenger].
func (c *Client) Edit(ctx context.Context, handle string, p bridge.Piece) error {
	chat, err := chatOf(p.Chat)
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(handle)
	if err != nil || id <= 0 {
		return fmt.Errorf("%w: no such message", bridge.ErrRefused)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	params := &bot.EditMessageTextParams{ChatID: chat, MessageID: id, Text: p.Text, ParseMode: models.ParseModeHTML, LinkPreviewOptions: noPreview()}
	if k := keyboard(p.Buttons); k != nil {
		params.ReplyMarkup = k
	}
	_, err = c.api.EditMessageText(ctx, params)
	if errors.Is(err, bot.ErrorBadRequest) && strings.Contains(err.Error(), "message is not modified") {
		return nil
	}
	return c.postError(ctx, err)
}

// maxRetracted is how many messages are checked for copies.
const maxRetracted = 32

// Remove implements [bridge.Remover].
func (c *Client) Remove(ctx context.Context, chat, handle string) error {
	to, err := chatOf(chat)
	if err != nil {
		return err
	}
	id, err := strconv.Atoi(handle)
	if err != nil || id <= 0 {
		return fmt.Errorf("%w: no such message", bridge.ErrRefused)
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err = c.api.DeleteMessage(ctx, &bot.DeleteMessageParams{ChatID: to, MessageID: id})
	return c.redact(err)
}

// Retract implements [bridge.Remover]. The Bot API cannot list messages, and can also delete the
// person's messages. Therefore each message is edited first, which only works for the bot's own.
func (c *Client) Retract(ctx context.Context, chat, after, before string) error {
	first, err := strconv.Atoi(after)
	if err != nil {
		return nil // a button press: no older message is known
	}
	last, err := strconv.Atoi(before)
	if err != nil {
		return fmt.Errorf("%w: no such message", bridge.ErrRefused)
	}
	var failed error
	for id := max(first+1, last-maxRetracted, 1); id < last; id++ {
		handle := strconv.Itoa(id)
		err := c.Edit(ctx, handle, bridge.Piece{Chat: chat, Text: "⏳"})
		if errors.Is(err, bridge.ErrRefused) {
			continue // not the bot's
		}
		if err == nil {
			err = c.Remove(ctx, chat, handle)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// Typing implements [bridge.Messenger].
func (c *Client) Typing(ctx context.Context, chat string) error {
	id, err := chatOf(chat)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, typingInterval)
	defer cancel()
	_, err = c.api.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: id, Action: models.ChatActionTyping})
	return c.postError(ctx, err)
}

// getFile returns the server's path of a file.
func (c *Client) getFile(ctx context.Context, id string) (*models.File, error) {
	f, err := c.api.GetFile(ctx, &bot.GetFileParams{FileID: id})
	return f, c.redact(err)
}

// maxButtonData is the maximum size of a button's data in bytes (section "InlineKeyboardButton"),
// maxPressAnswer that of the answer to a press (section "answerCallbackQuery").
const (
	maxButtonData  = 64
	maxPressAnswer = 200
)

// convertPress converts a press of a button in a private chat.
func convertPress(q *callback) (bridge.Incoming, error) {
	if q.ID == "" || q.Message == nil || !isPrivateChat(q.Message.Chat, q.From) {
		return bridge.Incoming{}, errNotPrivate
	}
	p, ok := bridge.DecodePress(q.Data, maxButtonData)
	if !ok {
		return bridge.Incoming{}, errNotPrivate
	}
	p.ID = q.ID
	return bridge.Incoming{
		ID: "p" + q.ID, Chat: number(q.Message.Chat.ID), Sender: number(q.From.ID), Name: nameOf(q.From),
		Sent: time.Now(), Press: p,
	}, nil
}

// keyboard returns a piece's buttons: in one row, or in one column if there are more than two or a label is long.
func keyboard(buttons []bridge.Button) models.ReplyMarkup {
	if len(buttons) == 0 {
		return nil
	}
	var row []models.InlineKeyboardButton
	letters := 0
	for _, b := range buttons {
		data, ok := bridge.EncodePress(b, maxButtonData)
		if !ok {
			return nil
		}
		row = append(row, models.InlineKeyboardButton{Text: b.Label, CallbackData: data})
		letters += len([]rune(b.Label))
	}
	if len(row) <= 2 && letters <= 30 {
		return &models.InlineKeyboardMarkup{InlineKeyboard: [][]models.InlineKeyboardButton{row}}
	}
	k := &models.InlineKeyboardMarkup{}
	for _, b := range row {
		k.InlineKeyboard = append(k.InlineKeyboard, []models.InlineKeyboardButton{b})
	}
	return k
}

// AnswerPress implements [bridge.Messenger]. It ignores the error that a press is too old to be answered.
func (c *Client) AnswerPress(ctx context.Context, press, text string) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	_, err := c.api.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: press, Text: truncate(text, maxPressAnswer), ShowAlert: len([]rune(text)) > 60})
	if err != nil && strings.Contains(err.Error(), "query is too old") {
		return nil
	}
	return c.postError(ctx, err)
}

// truncate truncates s to most UTF-16 code units.
func truncate(s string, most int) string {
	units := 0
	for i, r := range s {
		n := 1
		if r > 0xffff {
			n = 2
		}
		if units+n > most-1 && units+n+len([]rune(s[i:])) > most {
			return s[:i] + "…"
		}
		units += n
	}
	return s
}
