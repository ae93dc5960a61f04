package whatsapp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"github.com/nidoit/blunux-ai/bridge"
)

// Timeouts of requests to the server.
const (
	postTimeout = 30 * time.Second
	fileTimeout = 5 * time.Minute
	ackTimeout  = 25 * time.Second
)

// messageID returns the message ID of a piece. It is deterministic, so that phones show a message
// that was sent twice only once. It has the format of WhatsApp's own IDs.
func messageID(piece string) types.MessageID {
	sum := sha256.Sum256([]byte(piece))
	return fmt.Sprintf("%s%X", whatsmeow.WebMessageIDPrefix, sum[:9])
}

// Post sends a piece and returns once the server has it.
func (m *Messenger) Post(ctx context.Context, p bridge.Piece) (bridge.Posted, error) {
	cli, err := m.client()
	if err != nil {
		return bridge.Posted{}, err
	}
	patience := postTimeout
	if p.File != nil {
		patience = fileTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	to, err := address(ctx, cli, p.Chat)
	if err != nil {
		return bridge.Posted{}, err
	}
	msg, err := m.compose(ctx, cli, p)
	if err != nil {
		return bridge.Posted{}, postError(err)
	}
	m.markRead(ctx, cli, p.Chat)
	sent, err := cli.SendMessage(ctx, to, msg, whatsmeow.SendRequestExtra{ID: messageID(p.ID), Timeout: ackTimeout})
	if err != nil {
		return bridge.Posted{}, postError(err)
	}
	return bridge.Posted{Handle: sent.ID, At: sent.Timestamp}, nil
}

// address returns the address of a person, or [bridge.ErrNoChat] if the number is not on WhatsApp.
func address(ctx context.Context, cli *whatsmeow.Client, chat string) (types.JID, error) {
	if !isNumber(chat) {
		return types.JID{}, bridge.ErrNoChat
	}
	to := types.NewJID(chat, types.DefaultUserServer)
	lid, err := cli.Store.LIDs.GetLIDForPN(ctx, to)
	if err != nil {
		return types.JID{}, fmt.Errorf("cannot look up a number: %w", wrapDiskFull(err))
	}
	if !lid.IsEmpty() {
		return to, nil
	}
	info, err := cli.GetUserInfo(ctx, []types.JID{to})
	switch {
	case err != nil:
		return types.JID{}, postError(err)
	case info[to].LID.IsEmpty():
		return types.JID{}, bridge.ErrNoChat
	}
	return to, nil
}

// compose creates the message for a piece, and uploads its file.
func (m *Messenger) compose(ctx context.Context, cli *whatsmeow.Client, p bridge.Piece) (*waE2E.Message, error) {
	about := m.quote(p)
	if p.File != nil {
		d, err := uploadDocument(ctx, cli, p.File)
		if err != nil {
			return nil, err
		}
		d.ContextInfo = about
		if p.Text != "" {
			d.Caption = proto.String(p.Text)
		}
		return &waE2E.Message{DocumentMessage: d}, nil
	}
	if about == nil {
		return &waE2E.Message{Conversation: proto.String(p.Text)}, nil
	}
	return &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String(p.Text), ContextInfo: about}}, nil
}

// quote returns the quotation of the message that a piece answers, if that is recent.
func (m *Messenger) quote(p bridge.Piece) *waE2E.ContextInfo {
	to, ok := m.recentMessage(p.Chat, p.Re)
	if !ok || to.text == "" {
		return nil
	}
	return &waE2E.ContextInfo{
		StanzaID: proto.String(to.id), Participant: proto.String(to.sender.ToNonAD().String()),
		QuotedMessage: &waE2E.Message{Conversation: proto.String(to.text)},
	}
}

func uploadDocument(ctx context.Context, cli *whatsmeow.Client, o *bridge.Outgoing) (*waE2E.DocumentMessage, error) {
	f, err := os.OpenFile(o.Path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot read the file to send: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, o.Size+1))
	if err == nil && int64(len(data)) != o.Size {
		err = bridge.ErrRefused
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the file to send: %w", err)
	}
	up, err := cli.Upload(ctx, data, whatsmeow.MediaDocument)
	if err != nil {
		return nil, fmt.Errorf("cannot upload the file: %w", err)
	}
	return &waE2E.DocumentMessage{
		FileName: proto.String(o.Name), Title: proto.String(o.Name), Mimetype: proto.String(o.Type),
		URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey,
		FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256, FileLength: &up.FileLength,
	}, nil
}

// markRead marks a person's messages as read. Only people who are answered see that.
func (m *Messenger) markRead(ctx context.Context, cli *whatsmeow.Client, number string) {
	ids, last := m.takeUnread(number)
	if len(ids) == 0 {
		return
	}
	if err := cli.MarkRead(ctx, ids, time.Now(), last.chat, last.sender); err != nil {
		m.log.Debug().Err(err).Msg("cannot mark messages as read")
	}
}

// postError converts whatsmeow's errors to bridge errors.
func postError(err error) error {
	var gone *whatsmeow.DisconnectedError
	switch {
	case errors.Is(err, whatsmeow.ErrNotConnected), errors.Is(err, whatsmeow.ErrNotLoggedIn), errors.As(err, &gone):
		return fmt.Errorf("%w: %w", bridge.ErrOffline, err)
	case errors.Is(err, whatsmeow.ErrIQRateOverLimit):
		return &bridge.Busy{After: time.Minute}
	case errors.Is(err, whatsmeow.ErrServerReturnedError):
		return serverError(err)
	}
	return wrapDiskFull(err)
}

// serverError converts the code of the server's error answer.
func serverError(err error) error {
	text := err.Error()
	code, _ := strconv.Atoi(text[strings.LastIndexByte(text, ' ')+1:])
	switch code {
	case 429:
		return &bridge.Busy{After: time.Minute}
	case 463: // the account is temporarily not allowed to write to unknown people
		return &bridge.Busy{After: 30 * time.Minute}
	case 403, 404, 410:
		return fmt.Errorf("%w: %w", bridge.ErrNoChat, err)
	case 400, 406, 413, 479:
		return fmt.Errorf("%w: %w", bridge.ErrRefused, err)
	}
	return err
}
