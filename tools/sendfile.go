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

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// FileSender sends files to a person who writes from a messenger. Calls of its tool are judged, confirmed and
// recorded like commands.
type FileSender interface {
	// CanReach reports whether files can be sent to the origin of a call.
	CanReach(from Origin) bool
	// Send stores a copy of a file of size bytes for sending, and returns when it is on disk.
	Send(ctx context.Context, file io.Reader, name string, size int64, from Origin) error
}

// bySendFile marks commands that send files in [Command.By].
const bySendFile = "courier"

// ReasonSendFile is the reason to confirm that a file is sent.
const ReasonSendFile = "leaves-machine"

// MaxFileSize is the maximum size of a file to send, in bytes.
const MaxFileSize = 16 << 20

var (
	errFileChanged = errors.New("the file has changed since it was shown")
	errCannotSend  = errors.New("files can be sent only to a person who writes from a messenger")
)

// sendCall returns the command line that sends a file. size is -1 if it is not known yet.
func sendCall(path string, size int64) Command {
	argv := []string{"blunux-ai", "send-file"}
	if size >= 0 {
		argv = append(argv, "--bytes", strconv.FormatInt(size, 10))
	}
	return Command{Argv: append(argv, "--", path), By: bySendFile}
}

// parseSendCall parses a command line of sendCall.
func parseSendCall(c Command) (path string, size int64, ok bool) {
	if len(c.Argv) != 6 {
		return "", 0, false
	}
	path = c.Argv[5]
	size, err := strconv.ParseInt(c.Argv[3], 10, 64)
	again := sendCall(path, size)
	return path, size, err == nil && size >= 0 && filepath.IsAbs(path) && filepath.Clean(path) == path && slices.Equal(again.Argv, c.Argv)
}

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
	return Plan{AtLeast: safety.Confirm, Reason: ReasonSendFile, Commands: []Command{sendCall(path, -1)}}, nil
}

// pinFile binds a command to the current state of the file, with links resolved.
func (g *Gate) pinFile(p Plan) (Plan, error) {
	argv := p.Commands[0].Argv
	path, err := filepath.EvalSymlinks(argv[len(argv)-1])
	if err != nil {
		return p, fmt.Errorf("cannot find the file: %w", err)
	}
	f, fi, err := openSendable(path)
	if err != nil {
		return p, err
	}
	f.Close()
	c := sendCall(path, fi.Size())
	c.Against = fileDigest(fi)
	p.Commands = []Command{c}
	return p, nil
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

// fileRunner runs the commands that send files.
type fileRunner struct {
	FileSender
	checker *safety.Checker
	blocked []string
	from    Origin
}

// judge always requires a confirmation. Files that cannot be read without a confirmation are never sent: they
// hold keys or unknown content.
func (p fileRunner) judge(j *JudgedPlan, c Command) {
	path, _, ok := parseSendCall(c)
	if !ok {
		j.isUnparsed = true
		j.requireConfirmation("unparsed", c.String())
		return
	}
	j.requireConfirmation(ReasonSendFile, path)
	v := p.checker.JudgeArgv("/", []string{"cat", "--", path})
	within := slices.ContainsFunc(p.blocked, func(dir string) bool { return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") })
	if v.Class == safety.Safe && !within && !strings.HasPrefix(path, "/proc/") && !strings.HasPrefix(path, "/sys/") && !strings.HasPrefix(path, "/dev/") {
		return
	}
	j.Class = safety.Blocked
	j.Parts = append(j.Parts, safety.Reason{Code: "secret-file", Part: path})
}

func (p fileRunner) check(_ context.Context, c Command) error {
	path, _, ok := parseSendCall(c)
	if !ok || !p.CanReach(p.from) {
		return errCannotSend
	}
	f, err := p.open(path, c)
	if err == nil {
		f.Close()
	}
	return err
}

// open opens the file if it is still the one that the person saw.
func (p fileRunner) open(path string, c Command) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return nil, errFileChanged
	}
	f, fi, err := openSendable(path)
	if err != nil {
		return nil, err
	}
	if fileDigest(fi) != c.Against {
		f.Close()
		return nil, errFileChanged
	}
	return f, nil
}

func (p fileRunner) execute(ctx context.Context, c Command, to io.Writer) (internalResult, error) {
	path, size, _ := parseSendCall(c)
	f, err := p.open(path, c)
	if err == nil {
		defer f.Close()
		err = p.Send(ctx, io.LimitReader(f, MaxFileSize), filepath.Base(path), size, p.from)
	}
	if err != nil {
		fmt.Fprintln(to, "not sent: "+err.Error())
		return internalResult{failed: true}, nil
	}
	fmt.Fprintf(to, "sent: %s (%d bytes)\n", path, size)
	return internalResult{}, nil
}

// SendTools returns the tools for a turn whose person can receive files; none without a [FileSender].
func (g *Gate) SendTools() (defs []providers.ToolDefinition) {
	for _, t := range g.tools {
		if t.needs == bySendFile {
			defs = append(defs, t.Definition)
		}
	}
	return defs
}
