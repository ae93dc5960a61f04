package bridge

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/ipc"
)

// Subdirectories of the channel's directory, and limits of received files.
const (
	inFolder      = "inbox"
	outFolder     = "outbox"
	maxSpoolBytes = 100 << 20
	spoolTTL      = 7 * 24 * time.Hour
	fetchTimeout  = 2 * time.Minute
	maxFileName   = 255
)

// files stores received files and reads those to send. It cannot access anything outside of its directory.
type files struct {
	root *os.Root
	dir  string
	now  func() time.Time
	mu   sync.Mutex // serializes downloads
}

func openFiles(dir string, now func() time.Time) (*files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open the bridge's directory: %w", err)
	}
	for _, folder := range []string{inFolder, outFolder} {
		if err := root.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			root.Close()
			return nil, fmt.Errorf("cannot create the files directory: %w", err)
		}
	}
	return &files{root: root, dir: dir, now: now}, nil
}

// fetch downloads the files of a message within the limits.
func (s *files) fetch(ctx context.Context, came []File) []ipc.InboundFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	var all []ipc.InboundFile
	for _, f := range came[:min(len(came), ipc.MaxInboundFiles)] {
		kept := ipc.InboundFile{Name: cut(f.Name, maxNameLength), Type: cut(f.Type, maxNameLength), Size: f.Size, Problem: f.Problem}
		if kept.Problem == "" {
			kept.Spool, kept.Size, kept.Problem = s.fetchOne(ctx, f)
		}
		all = append(all, kept)
	}
	return all
}

func (s *files) fetchOne(ctx context.Context, f File) (spool string, size int64, problem string) {
	if f.Size > ipc.MaxInboundFile {
		return "", f.Size, ipc.FileTooLarge
	}
	if f.Open == nil {
		return "", f.Size, ipc.FileBroken
	}
	s.makeRoom()
	from, err := f.Open(ctx)
	if err != nil {
		return "", f.Size, fileProblem(err)
	}
	defer from.Close()
	spool = randomName()
	size, err = s.saveFile(spool, from)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		problem = ipc.FileNoRoom
	case err != nil:
		problem = ipc.FileBroken
	case size > ipc.MaxInboundFile:
		problem = ipc.FileTooLarge
	default:
		return spool, size, ""
	}
	_ = s.root.Remove(filepath.Join(inFolder, spool))
	return "", size, problem
}

// fileProblem returns the ipc.File reason why a download failed.
func fileProblem(err error) string {
	var why *FileError
	if errors.As(err, &why) && why.Problem != "" {
		return why.Problem
	}
	return ipc.FileBroken
}

func (s *files) saveFile(spool string, from io.Reader) (int64, error) {
	to, err := s.root.OpenFile(filepath.Join(inFolder, spool), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer to.Close()
	n, err := io.Copy(to, io.LimitReader(from, ipc.MaxInboundFile+1))
	if err == nil {
		err = to.Sync()
	}
	return n, err
}

func randomName() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// makeRoom removes old files, and the oldest ones if the directory is too large.
func (s *files) makeRoom() {
	entries, err := fs.ReadDir(s.root.FS(), inFolder)
	if err != nil {
		return
	}
	var infos []fs.FileInfo
	var sum int64
	for _, e := range entries {
		if fi, err := e.Info(); err == nil {
			infos = append(infos, fi)
			sum += fi.Size()
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, fi := range infos {
		if sum+ipc.MaxInboundFile <= maxSpoolBytes && s.now().Sub(fi.ModTime()) < spoolTTL {
			return
		}
		if s.root.Remove(filepath.Join(inFolder, fi.Name())) == nil {
			sum -= fi.Size()
		}
	}
}

// outgoing returns one of the daemon's files to send.
func (s *files) outgoing(f ipc.NoticeFile) (*Outgoing, error) {
	if !isPlainName(f.Spool) {
		return nil, errors.New("invalid file name")
	}
	path := filepath.Join(outFolder, f.Spool)
	fi, err := s.root.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot find the file: %w", err)
	}
	if !fi.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	name := cmp.Or(cut(filepath.Base(filepath.Clean("/"+f.Name)), maxFileName), "file")
	return &Outgoing{Path: filepath.Join(s.dir, path), Name: ipc.VisibleLine(name), Type: f.Type, Size: fi.Size()}, nil
}

func isPlainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= maxFileName && filepath.Base(name) == name
}

func (s *files) remove(sent []ipc.NoticeFile) {
	for _, f := range sent {
		if isPlainName(f.Spool) {
			_ = s.root.Remove(filepath.Join(outFolder, f.Spool))
		}
	}
}

func (s *files) close() { _ = s.root.Close() }
