package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/tools/safety"
)

// ReasonSendFile is the reason to confirm that a file is sent.
const ReasonSendFile = "leaves-machine"

// MaxFileSize is the maximum size of a file to send, in bytes.
const MaxFileSize = 16 << 20

const errFileChanged = changedError("the file has changed since it was shown")

var errCannotSend = errors.New("files can be sent only to a person who writes from a messenger")

// fileAction sends a file.
type fileAction struct {
	Path string `json:"path"`
	Size int64  `json:"size"` // -1 if it is not known yet
}

// Argv returns the command line of the action.
func (f fileAction) Argv() []string {
	argv := []string{"blunux-ai", "send-file"}
	if f.Size >= 0 {
		argv = append(argv, "--bytes", strconv.FormatInt(f.Size, 10))
	}
	return append(argv, "--", f.Path)
}

func (fileAction) Kind() string { return KindFile }

func (f fileAction) isValid() bool {
	return f.Size >= 0 && filepath.IsAbs(f.Path) && filepath.Clean(f.Path) == f.Path
}

func (fileAction) Changes() bool { return true }

// SendFile returns an action that sends the file with an absolute path.
func SendFile(path string) Action { return fileAction{Path: path, Size: -1} }

// Pin resolves the links of the path.
func (f fileAction) Pin(Services) (Action, string, error) {
	path, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return nil, "", fmt.Errorf("cannot find the file: %w", err)
	}
	file, fi, err := openSendable(path)
	if err != nil {
		return nil, "", err
	}
	file.Close()
	return fileAction{Path: path, Size: fi.Size()}, fileDigest(fi), nil
}

// openSendable opens a regular file of an acceptable size. It never blocks.
func openSendable(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", path)
	case fi.Size() == 0:
		err = fmt.Errorf("%s is empty", path)
	case fi.Size() > MaxFileSize:
		err = fmt.Errorf("%s has %d bytes, at most %d can be sent", path, fi.Size(), MaxFileSize)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// fileDigest returns a digest of a file's identity, size and modification time.
func fileDigest(fi fs.FileInfo) string {
	id := ""
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		id = fmt.Sprint(st.Dev, ":", st.Ino)
	}
	return digestOf(id, strconv.FormatInt(fi.Size(), 10), fi.ModTime().UTC().String())
}

// Judge always requires a confirmation. Files that cannot be read without a confirmation are never sent: they
// hold keys or unknown content.
func (f fileAction) Judge(s Services, _ Call) (v Verdict) {
	v.confirm(ReasonSendFile, f.Path)
	if !s.CanRead(f.Path) {
		v.Class = safety.Blocked
		v.Reasons = append(v.Reasons, safety.Reason{Code: "secret-file", Part: f.Path})
	}
	return v
}

// CanRead reports whether a file can be read without a confirmation.
func (s Services) CanRead(path string) bool {
	v := s.Checker.JudgeArgv("/", []string{"cat", "--", path})
	return v.Class == safety.Safe && !slices.ContainsFunc(append([]string{"/proc/", "/sys/", "/dev/"}, s.Blocked...), func(dir string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	})
}

func (f fileAction) Ready(_ context.Context, s Services, c Call) error {
	if !s.FileSender.CanReach(c.Origin) {
		return errCannotSend
	}
	file, err := f.open(c)
	if err == nil {
		file.Close()
	}
	return err
}

// open opens the file if it is still the one that the person saw.
func (f fileAction) open(c Call) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(f.Path); err != nil || real != f.Path {
		return nil, errFileChanged
	}
	file, fi, err := openSendable(f.Path)
	if err != nil {
		return nil, err
	}
	if fileDigest(fi) != c.Against {
		file.Close()
		return nil, errFileChanged
	}
	return file, nil
}

func (f fileAction) Do(ctx context.Context, s Services, c Call, to io.Writer) (Result, error) {
	file, err := f.open(c)
	if err == nil {
		defer file.Close()
		err = s.FileSender.Send(ctx, io.LimitReader(file, MaxFileSize), filepath.Base(f.Path), f.Size, c.Origin)
	}
	if err != nil {
		fmt.Fprintln(to, "not sent: "+err.Error())
		return Result{Failed: true}, nil
	}
	fmt.Fprintf(to, "sent: %s (%d bytes)\n", f.Path, f.Size)
	return Result{}, nil
}

func (fileAction) Edit(string) (Action, error) { return nil, errNotEditable }
