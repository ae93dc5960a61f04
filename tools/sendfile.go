package tools

import (
	"context"
	"encoding/json"
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

// FileSender sends files to a person who writes from a messenger. A call of its tool is a [fileAction].
type FileSender interface {
	// CanReach reports whether files can be sent to the origin of a call.
	CanReach(from Origin) bool
	// Send stores a copy of a file of size bytes for sending, and returns when it is on disk.
	Send(ctx context.Context, file io.Reader, name string, size int64, from Origin) error
}

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

// Argv returns the command line that stands for the action.
func (f fileAction) Argv() []string {
	argv := []string{"blunux-ai", "send-file"}
	if f.Size >= 0 {
		argv = append(argv, "--bytes", strconv.FormatInt(f.Size, 10))
	}
	return append(argv, "--", f.Path)
}

func (fileAction) kind() string { return kindFile }

func (f fileAction) isValid() bool {
	return f.Size >= 0 && filepath.IsAbs(f.Path) && filepath.Clean(f.Path) == f.Path
}

func (fileAction) changes() bool { return true }

func planSendFile(env Env, input json.RawMessage) (Plan, error) {
	var in struct{ Path string }
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	if strings.TrimSpace(in.Path) == "" {
		return Plan{}, errors.New("path is missing")
	}
	path, err := absolutePath(env, in.Path)
	if err != nil {
		return Plan{}, err
	}
	return Plan{AtLeast: safety.Confirm, Reason: ReasonSendFile, Action: fileAction{Path: path, Size: -1}}, nil
}

// pin resolves the links of the path.
func (f fileAction) pin(_ services, p *Plan) error {
	path, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return fmt.Errorf("cannot find the file: %w", err)
	}
	file, fi, err := openSendable(path)
	if err != nil {
		return err
	}
	file.Close()
	p.Action, p.Against = fileAction{Path: path, Size: fi.Size()}, fileDigest(fi)
	return nil
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

// fileKeeper decides which files can be sent.
type fileKeeper struct {
	FileSender
	checker *safety.Checker
	blocked []string
}

// judge always requires a confirmation. Files that cannot be read without a confirmation are never sent: they
// hold keys or unknown content.
func (f fileAction) judge(s services, j *JudgedPlan) {
	j.requireConfirmation(ReasonSendFile, f.Path)
	if !s.files.canRead(f.Path) {
		j.Class = safety.Blocked
		j.Parts = append(j.Parts, safety.Reason{Code: "secret-file", Part: f.Path})
	}
}

func (k fileKeeper) canRead(path string) bool {
	v := k.checker.JudgeArgv("/", []string{"cat", "--", path})
	return v.Class == safety.Safe && !slices.ContainsFunc(append([]string{"/proc/", "/sys/", "/dev/"}, k.blocked...), func(dir string) bool {
		return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
	})
}

func (f fileAction) ready(_ context.Context, s services, c actionCall) error {
	if !s.files.CanReach(c.from) {
		return errCannotSend
	}
	file, err := f.open(c)
	if err == nil {
		file.Close()
	}
	return err
}

// open opens the file if it is still the one that the person saw.
func (f fileAction) open(c actionCall) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(f.Path); err != nil || real != f.Path {
		return nil, errFileChanged
	}
	file, fi, err := openSendable(f.Path)
	if err != nil {
		return nil, err
	}
	if fileDigest(fi) != c.against {
		file.Close()
		return nil, errFileChanged
	}
	return file, nil
}

func (f fileAction) do(ctx context.Context, s services, c actionCall, to io.Writer) (actionResult, error) {
	file, err := f.open(c)
	if err == nil {
		defer file.Close()
		err = s.files.Send(ctx, io.LimitReader(file, MaxFileSize), filepath.Base(f.Path), f.Size, c.from)
	}
	if err != nil {
		fmt.Fprintln(to, "not sent: "+err.Error())
		return actionResult{failed: true}, nil
	}
	fmt.Fprintf(to, "sent: %s (%d bytes)\n", f.Path, f.Size)
	return actionResult{}, nil
}

func (fileAction) edit(string) (Action, error) { return nil, errNotEditable }
