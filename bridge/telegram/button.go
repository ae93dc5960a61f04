package telegram

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/nidoit/blunux-ai/bridge"
)

// maxButtonData is the maximum size of a button's data in bytes (section "InlineKeyboardButton"),
// maxPressAnswer that of the answer to a press (section "answerCallbackQuery").
const (
	maxButtonData  = 64
	maxPressAnswer = 200
)

const digestHead = "sha256:"

// encodePress encodes a button's action, code and full digest. ok is false if they do not fit or are
// invalid. Then the person must answer with a message.
func encodePress(b bridge.Button) (data string, ok bool) {
	sum, err := hex.DecodeString(strings.TrimPrefix(b.Digest, digestHead))
	if err != nil || len(sum) != 32 || !strings.HasPrefix(b.Digest, digestHead) || !isWord(b.Action) || !isWord(b.Code) {
		return "", false
	}
	data = b.Action + "|" + b.Code + "|" + base64.RawURLEncoding.EncodeToString(sum)
	return data, len(data) <= maxButtonData
}

// decodePress decodes a button's data, which the client may have forged.
func decodePress(data string) (*bridge.Press, bool) {
	parts := strings.Split(data, "|")
	if len(data) > maxButtonData || len(parts) != 3 || !isWord(parts[0]) || !isWord(parts[1]) {
		return nil, false
	}
	sum, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(sum) != 32 {
		return nil, false
	}
	return &bridge.Press{Action: parts[0], Code: parts[1], Digest: digestHead + hex.EncodeToString(sum)}, true
}

// isWord reports whether s is a valid action or code.
func isWord(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}

// convertPress converts a press of a button in a private chat.
func convertPress(q *callback) (bridge.Incoming, error) {
	if q.ID == "" || q.Message == nil || !isPrivateChat(q.Message.Chat, q.From) {
		return bridge.Incoming{}, errNotPrivate
	}
	p, ok := decodePress(q.Data)
	if !ok {
		return bridge.Incoming{}, errNotPrivate
	}
	p.ID = q.ID
	return bridge.Incoming{
		ID: "p" + q.ID, Chat: number(q.Message.Chat.ID), Sender: number(q.From.ID), Name: nameOf(q.From),
		Sent: time.Now(), Press: p,
	}, nil
}

// keyboard returns a piece's buttons: in one row, or in one column if there are more than two or a
// label is long.
func keyboard(buttons []bridge.Button) models.ReplyMarkup {
	if len(buttons) == 0 {
		return nil
	}
	var row []models.InlineKeyboardButton
	letters := 0
	for _, b := range buttons {
		data, ok := encodePress(b)
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

// AnswerPress implements [bridge.Messenger]. It ignores the error that a press is too old to be
// answered.
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
