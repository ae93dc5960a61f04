// Package files exchanges files with the messengers' bridges: what senders attach, and what people have sent to them. It also
// keeps what clients at the machine attach.
//
// A bridge and the daemon use two folders of the channel's own directory. A compromised bridge can put anything there, so
// links are not followed and sizes are bounded.
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/rs/zerolog"
)

// Files exchanges files with the bridges.
type Files struct {
	Home  string
	Log   zerolog.Logger
	Post  *post.Post
	Tasks *task.Store
}

// The folders of a channel's own directory through which its bridge and the daemon exchange files.
const (
	inboxDir = "inbox"
	spoolDir = "outbox"
)

// LocalDir is the directory with those folders for clients at the machine, whose channels have none.
const LocalDir = "attached"

// dir returns the directory with the folders of a channel.
func (fl *Files) dir(channel string) string {
	if !slices.Contains(ipc.Bridged, channel) {
		channel = LocalDir
	}
	return filepath.Join(fl.Home, channel)
}

// maxDocument bounds a text file that is shown to a model, in bytes.
const maxDocument = 256 << 10

// errNotBridgeFile reports a file that a bridge did not create.
var errNotBridgeFile = errors.New("not a regular file created by the bridge")

// ReadAttachments returns the files that came with a task's words, as the turn shows them to the model. The file
// type is detected from the content, not from the name.
func (fl *Files) ReadAttachments(r task.Record) []agent.Attachment {
	var all []agent.Attachment
	for _, f := range r.Files {
		a := agent.Attachment{Name: f.Name}
		data, err := fl.readInboundFile(r.Channel, f)
		if err != nil {
			fl.Log.Info().Err(err).Str("task", r.ID).Msg("cannot read attachment")
			a.Problem = "[not read: " + fileProblem(f, err) + "]"
			all = append(all, a)
			continue
		}
		a = a.WithContent(data, mediaType(data), isText(data))
		if a.Problem != "" && isPlainName(f.Spool) {
			a.Path = filepath.Join(fl.dir(r.Channel), inboxDir, f.Spool)
		}
		all = append(all, a)
	}
	return all
}

// mediaType returns the media type of a file by its content. A picture that no model takes has none that is shown.
func mediaType(data []byte) string {
	if h, ok := picture.Read(data); ok && !h.IsShowable(len(data)) {
		return h.MediaType[len("image/"):] + " picture, " + strconv.Itoa(h.Width) + "×" + strconv.Itoa(h.Height)
	}
	return http.DetectContentType(data)
}

// isPlainName reports whether the name of a stored file can be given to a model. A bridge chooses it, and a compromised one
// could write instructions there.
func isPlainName(name string) bool {
	return len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// AppendInbound appends a piece to a file that a client at the machine attaches, and returns its name. "" begins a new file.
// A file that grows too large is [ErrTooLarge].
func (fl *Files) AppendInbound(channel, name string, piece []byte) (string, error) {
	root, err := openFolder(fl.dir(channel), inboxDir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	flags := os.O_WRONLY | os.O_APPEND | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
	if name == "" {
		name, flags = task.NewID("f", 12), flags|os.O_CREATE|os.O_EXCL
	}
	f, err := root.OpenFile(spoolPath(inboxDir, name), flags, 0o600)
	if err != nil {
		return "", fmt.Errorf("cannot save the file: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && fi.Size()+int64(len(piece)) > ipc.MaxInboundFile {
		err = ErrTooLarge
	}
	if err == nil {
		_, err = f.Write(piece)
	}
	if err == nil {
		err = f.Sync() // an accepted message is not lost, nor are its files
	}
	if err != nil {
		return name, fmt.Errorf("cannot save the file: %w", err)
	}
	return name, nil
}

// openFolder opens a channel's directory, and makes it and one of its folders if they are missing.
func openFolder(dir, folder string) (*os.Root, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("cannot save the file: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot save the file: %w", err)
	}
	if err := root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		root.Close()
		return nil, fmt.Errorf("cannot save the file: %w", err)
	}
	return root, nil
}

// fileProblem returns why a file cannot be read, for the model.
func fileProblem(f task.File, err error) string {
	if why, ok := map[string]string{
		ipc.FileTooLarge: "it is too large", ipc.FileBroken: "it is incomplete or not of its claimed type", ipc.FileKind: "voice messages, videos and stickers cannot be read",
		ipc.FileExpired: "the messenger no longer has it", ipc.FileNoRoom: "the disk is full",
	}[f.Problem]; ok {
		return why
	}
	if errors.Is(err, ErrTooLarge) {
		return "it is too large"
	}
	return "it no longer exists"
}

// ErrTooLarge reports a file of more than [ipc.MaxInboundFile] bytes, or of another size than announced.
var ErrTooLarge = errors.New("file too large")

// isText reports whether a file can be shown as text.
func isText(data []byte) bool {
	return len(data) > 0 && len(data) <= maxDocument && utf8.Valid(data) && !bytes.ContainsFunc(data, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\n\r\t\f\x1b", r)
	})
}

// readInboundFile reads a file from the folder of a channel's bridge. A compromised bridge can put anything there, so
// links are not followed and the size is bounded.
func (fl *Files) readInboundFile(channel string, f task.File) ([]byte, error) {
	if f.Problem != "" {
		return nil, errors.New(f.Problem)
	}
	root, err := os.OpenRoot(fl.dir(channel))
	if err != nil {
		return nil, fmt.Errorf("cannot open the bridge's folder: %w", err)
	}
	defer root.Close()
	file, err := root.OpenFile(spoolPath(inboxDir, f.Spool), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	fi, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if st, ok := fi.Sys().(*syscall.Stat_t); !ok || !fi.Mode().IsRegular() || st.Nlink != 1 || int(st.Uid) != os.Getuid() {
		return nil, errNotBridgeFile
	}
	data, err := io.ReadAll(io.LimitReader(file, ipc.MaxInboundFile+1))
	if err == nil && len(data) > ipc.MaxInboundFile {
		err = ErrTooLarge
	}
	return data, err
}

// spoolPath returns the path of a file in a folder. A name that is not plain gets a path that does not exist.
func spoolPath(dir, name string) string {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		name = "none"
	}
	return filepath.Join(dir, name)
}

// RemoveInboundFiles removes inbound files that are no longer needed.
func (fl *Files) RemoveInboundFiles(channel string, files []task.File) {
	for _, f := range files {
		if f.Spool != "" {
			fl.removeSpooled(channel, spoolPath(inboxDir, f.Spool))
		}
	}
}

// RemoveSentFiles removes the files of a delivered message.
func (fl *Files) RemoveSentFiles(t outbox.Message) {
	for _, f := range t.Files {
		fl.removeSpooled(t.Channel, spoolPath(spoolDir, f.Spool))
	}
}

// removeSpooled removes a file from a channel's folders.
func (fl *Files) removeSpooled(channel, place string) {
	root, err := os.OpenRoot(fl.dir(channel))
	if err != nil {
		return
	}
	defer root.Close()
	if err := root.Remove(place); err != nil && !errors.Is(err, fs.ErrNotExist) {
		fl.Log.Warn().Err(err).Str("channel", channel).Msg("cannot remove attachment")
	}
}

// SweepFiles removes files that a crash left in the folders of bridges and clients: no task or message refers to them, and
// they are older than maxFileAge.
func (fl *Files) SweepFiles(left []task.Record) {
	for _, channel := range append([]string{LocalDir}, ipc.Bridged...) {
		root, err := os.OpenRoot(fl.dir(channel))
		if err != nil {
			continue
		}
		needed := fl.neededFiles(channel, left)
		for _, dir := range []string{inboxDir, spoolDir} {
			entries, _ := fs.ReadDir(root.FS(), dir)
			for _, e := range entries {
				fi, err := e.Info()
				if err == nil && fi.Mode().IsRegular() && time.Since(fi.ModTime()) > maxFileAge && !slices.Contains(needed, e.Name()) {
					_ = root.Remove(filepath.Join(dir, e.Name())) // the next daemon tries again
				}
			}
		}
		root.Close()
	}
}

// maxFileAge is longer than any task or message with files can wait.
const maxFileAge = 8 * 24 * time.Hour

// neededFiles returns the names of files that tasks or messages of a channel still need.
func (fl *Files) neededFiles(channel string, left []task.Record) (names []string) {
	for _, r := range left {
		for _, f := range r.Files {
			names = append(names, f.Spool)
		}
	}
	for _, t := range fl.Post.Outbox.Waiting(channel) {
		for _, f := range t.Files {
			names = append(names, f.Spool)
		}
	}
	return names
}
