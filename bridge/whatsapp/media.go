package whatsapp

import (
	"context"
	"errors"
	"io"
	"os"

	"go.mau.fi/whatsmeow"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/ipc"
)

// sealing is how much longer a file is while it is encrypted: its last block is
// filled up, and a signature follows.
const sealing = 16 + 10

var (
	errTooLarge = errors.New("the file is larger than is taken")
	errOther    = errors.New("the file is not as long as it was said to be")
)

// attached is a file of a message. One that says it is too large is not fetched.
func (l *line) attached(name, kind string, claims uint64, what whatsmeow.DownloadableMessage) bridge.File {
	f := bridge.File{Name: name, Type: cut(kind, longestName), Size: int64(min(claims, 1<<62))}
	if claims > ipc.MaxLetterFile {
		f.Problem = ipc.FileTooLarge
		return f
	}
	f.Open = func(ctx context.Context) (io.ReadCloser, error) { return l.fetch(ctx, what, f.Size) }
	return f
}

// fetch loads a file into one without a name, which is gone when it is closed or
// this program ends. However long it really is, no more than the largest is
// written, and what its message lied about is not handed on.
func (l *line) fetch(ctx context.Context, what whatsmeow.DownloadableMessage, claims int64) (io.ReadCloser, error) {
	f, err := os.CreateTemp(l.m.dir, ".media-")
	if err != nil {
		return nil, &bridge.FileError{Problem: problemOf(noRoom(err)), Err: err}
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = l.cli.DownloadToFile(ctx, what, &bounded{File: f})
	}
	if err == nil {
		err = measure(f, claims)
	}
	if err != nil {
		f.Close()
		return nil, &bridge.FileError{Problem: problemOf(noRoom(err)), Err: err}
	}
	return f, nil
}

// measure compares a file's length with what its message said.
func measure(f *os.File, claims int64) error {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return err
	case fi.Size() > ipc.MaxLetterFile:
		return errTooLarge
	case claims != 0 && fi.Size() != claims:
		return errOther
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// problemOf is why a file could not be fetched, as the daemon is told it.
func problemOf(err error) string {
	switch {
	case errors.Is(err, errTooLarge):
		return ipc.FileTooLarge
	case errors.Is(err, ErrNoRoom):
		return ipc.FileNoRoom
	case errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith403), errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith404),
		errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith410):
		return ipc.FileExpired
	}
	return ipc.FileBroken
}

// bounded is a file that takes no more than the largest one encrypted. It is no
// *os.File, for which whatsmeow would reserve as much of the disk as the server
// says the file is long.
type bounded struct{ *os.File }

func (b *bounded) Write(p []byte) (int, error) {
	at, err := b.File.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if at+int64(len(p)) > ipc.MaxLetterFile+sealing {
		return 0, errTooLarge
	}
	return b.File.Write(p)
}

func (b *bounded) WriteAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > ipc.MaxLetterFile+sealing {
		return 0, errTooLarge
	}
	return b.File.WriteAt(p, at)
}

// ReadFrom goes through Write.
func (b *bounded) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, r)
}
