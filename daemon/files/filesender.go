package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
)

// CanReach reports whether a call comes from a person who writes over a bridge.
func (fl *Files) CanReach(from tools.Origin) bool {
	return from.Automation == "" && slices.Contains(ipc.Bridged, from.Channel)
}

// Send copies a file into the folder of the bridge and queues a message with it for the sender of the task.
func (fl *Files) Send(_ context.Context, file io.Reader, name string, size int64, from tools.Origin) error {
	r, err := fl.Tasks.Get(from.Task)
	if err != nil || !fl.CanReach(from) || r.Channel != from.Channel {
		return settings.ErrNoBridge
	}
	f, err := fl.spool(r.Channel, name, file)
	if err != nil {
		return err
	}
	if f.Size != size {
		fl.removeSpooled(r.Channel, spoolPath(spoolDir, f.Spool))
		return ErrTooLarge
	}
	if !fl.Post.Notify(fl.messageWith("file:"+f.Spool, r, f)) {
		return ErrUnsaved
	}
	return nil
}

// SendPicture queues a message with a picture that a tool of a task showed, for the person who sent the task. number
// distinguishes the pictures of a task, each of which is sent once. It sends nothing to anybody else, nor from an automation.
func (fl *Files) SendPicture(p *providers.Picture, number int, from tools.Origin) error {
	id := fmt.Sprintf("picture:%s:%d", from.Task, number)
	r, err := fl.Tasks.Get(from.Task)
	if err != nil || !fl.CanReach(from) || r.Channel != from.Channel || fl.Post.Outbox.IsKnown(id) {
		return err
	}
	name := filepath.Base(p.Path)
	if p.Path == "" {
		name = "picture." + strings.TrimPrefix(p.MediaType, "image/")
	}
	f, err := fl.spool(r.Channel, name, bytes.NewReader(p.Data))
	if err != nil {
		return err
	}
	f.Type = p.MediaType // its content decides, not its name
	if !fl.Post.Notify(fl.messageWith(id, r, f)) {
		return ErrUnsaved
	}
	return nil
}

// messageWith returns the message that brings a file to the person who sent a task.
func (*Files) messageWith(id string, r task.Record, f outbox.File) outbox.Message {
	return outbox.Message{
		ID: id, Channel: r.Channel, To: r.Name, Session: r.Session, Task: r.ID, Re: r.MessageID, Lang: r.Lang,
		Body: i18n.BridgeFile(f.Name).In(i18n.Lang(r.Lang)), Markup: ipc.MarkupPlain, Files: []outbox.File{f},
	}
}

// spool copies a file into the folder that a channel's bridge sends from, and syncs it.
func (fl *Files) spool(channel, name string, from io.Reader) (f outbox.File, err error) {
	root, err := openFolder(filepath.Join(fl.Home, channel), spoolDir)
	if err != nil {
		return f, err
	}
	defer root.Close()
	f = outbox.File{Name: fileName(name), Spool: task.NewID("f", 12)}
	place := spoolPath(spoolDir, f.Spool)
	out, err := root.OpenFile(place, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return f, fmt.Errorf("cannot save the file: %w", err)
	}
	f.Type = mediaOf(f.Name)
	f.Size, err = io.Copy(out, io.LimitReader(from, action.MaxFileSize+1))
	if err == nil {
		err = out.Sync()
	}
	err = errors.Join(err, out.Close())
	if err != nil {
		_ = root.Remove(place) // otherwise sweepFiles removes it
		return f, fmt.Errorf("cannot save the file: %w", err)
	}
	return f, nil
}

// fileName returns a file's name as a messenger shows it.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '/' || ipc.Unprintable(r) {
			return '_'
		}
		return r
	}, name)
	if len(name) > 120 {
		ext := filepath.Ext(name)
		if len(ext) > 16 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:120-len(ext)], "") + ext
	}
	return name
}

// mediaOf returns the media type of a file to send by its extension. Types that messengers do not display are sent
// as bytes.
func mediaOf(name string) string {
	media, ok := map[string]string{
		".txt": "text/plain", ".log": "text/plain", ".md": "text/markdown", ".csv": "text/csv", ".json": "application/json",
		".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp",
	}[strings.ToLower(filepath.Ext(name))]
	if !ok {
		return "application/octet-stream"
	}
	return media
}

const (
	// maxChatAnswer is the longest answer that a chat shows, in characters. Of a longer one it shows chatBeginning
	// characters.
	maxChatAnswer = 12_000
	chatBeginning = 1_500
)

// AttachLongAnswer attaches a long answer as a document and keeps only its beginning in the body.
func (fl *Files) AttachLongAnswer(t outbox.Message, lang i18n.Lang) outbox.Message {
	runes := []rune(t.Body)
	if len(runes) <= maxChatAnswer || fl.Post.Outbox.IsKnown(t.ID) {
		return t
	}
	f, err := fl.spool(t.Channel, "answer.md", strings.NewReader(t.Body))
	if err != nil {
		fl.Log.Warn().Err(err).Str("task", t.Task).Msg("cannot attach long answer")
		return t
	}
	t.Body, t.Files = firstParagraphs(string(runes[:chatBeginning]))+"\n\n"+i18n.BridgeLong.In(lang), []outbox.File{f}
	return t
}

// firstParagraphs cuts a text at the end of a paragraph if possible, and closes an open code block.
func firstParagraphs(text string) string {
	if i := strings.LastIndex(text, "\n\n"); i > len(text)/3 {
		text = text[:i]
	} else if i := strings.LastIndex(text, "\n"); i > len(text)/3 {
		text = text[:i]
	}
	text = strings.TrimRight(text, " \n") + " …"
	open := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			open++
		}
	}
	if open%2 == 1 {
		text += "\n```"
	}
	return text
}

// ErrUnsaved reports a reply that could not be stored in the outbox.
var ErrUnsaved = errors.New("cannot save the answer")
