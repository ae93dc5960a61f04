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

// cipherOverhead is how much longer an encrypted file is: padding of its last block and a signature.
const cipherOverhead = 16 + 10

var (
	errTooLarge = errors.New("the file is too large")
	errLength   = errors.New("the file's length differs from the announced one")
)

// newFile returns a file of a message. A file that claims to be too large is not downloaded.
func (l *connection) newFile(name, kind string, claims uint64, what whatsmeow.DownloadableMessage) bridge.File {
	f := bridge.File{Name: name, Type: cut(kind, maxNameLength), Size: int64(min(claims, 1<<62))}
	if claims > ipc.MaxInboundFile {
		f.Problem = ipc.FileTooLarge
		return f
	}
	f.Open = func(ctx context.Context) (io.ReadCloser, error) { return l.fetch(ctx, what, f.Size) }
	return f
}

// fetch downloads a file into an unnamed temporary file, which disappears when it is closed. It
// writes at most the maximum size, and rejects a file whose length differs from the claim.
func (l *connection) fetch(ctx context.Context, what whatsmeow.DownloadableMessage, claims int64) (io.ReadCloser, error) {
	f, err := os.CreateTemp(l.m.dir, ".media-")
	if err != nil {
		return nil, &bridge.FileError{Problem: fileProblem(wrapDiskFull(err)), Err: err}
	}
	err = os.Remove(f.Name())
	if err == nil {
		err = l.cli.DownloadToFile(ctx, what, &limitedFile{File: f})
	}
	if err == nil {
		err = checkLength(f, claims)
	}
	if err != nil {
		f.Close()
		return nil, &bridge.FileError{Problem: fileProblem(wrapDiskFull(err)), Err: err}
	}
	return f, nil
}

// checkLength compares a file's length with the claim.
func checkLength(f *os.File, claims int64) error {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return err
	case fi.Size() > ipc.MaxInboundFile:
		return errTooLarge
	case claims != 0 && fi.Size() != claims:
		return errLength
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// fileProblem returns the ipc.File reason why a download failed.
func fileProblem(err error) string {
	switch {
	case errors.Is(err, errTooLarge):
		return ipc.FileTooLarge
	case errors.Is(err, ErrDiskFull):
		return ipc.FileNoRoom
	case errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith403), errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith404),
		errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith410):
		return ipc.FileExpired
	}
	return ipc.FileBroken
}

// limitedFile is a file limited to the maximum encrypted size. It is not an *os.File, for which
// whatsmeow would allocate as much disk space as the server claims.
type limitedFile struct{ *os.File }

func (b *limitedFile) Write(p []byte) (int, error) {
	at, err := b.File.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if at+int64(len(p)) > ipc.MaxInboundFile+cipherOverhead {
		return 0, errTooLarge
	}
	return b.File.Write(p)
}

func (b *limitedFile) WriteAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > ipc.MaxInboundFile+cipherOverhead {
		return 0, errTooLarge
	}
	return b.File.WriteAt(p, at)
}

func (b *limitedFile) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{b}, r)
}
