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

// Courier takes files to the person who writes from afar. A call of its tool is
// judged, asked about and recorded like any command, and carried out here.
type Courier interface {
	// Reaches reports whether files can be sent to where a call comes from.
	Reaches(from Origin) bool
	// Send keeps a copy of a file of so many bytes to be sent, and returns when that
	// is on the disk.
	Send(ctx context.Context, file io.Reader, name string, size int64, from Origin) error
}

// byCourier are commands that send files, as [Command.By] names them.
const byCourier = "courier"

// ReasonLeaves is why sending a file asks.
const ReasonLeaves = "leaves-machine"

// MaxSent bounds a file that is sent, in bytes.
const MaxSent = 16 << 20

var (
	errFileChanged = errors.New("the file has changed since it was shown")
	errNoCourier   = errors.New("files can be sent only to a person who writes from a messenger")
)

// sendCall is the command line of a file that is sent; size is -1 before the file was
// looked at.
func sendCall(path string, size int64) Command {
	argv := []string{"blunux-ai", "send-file"}
	if size >= 0 {
		argv = append(argv, "--bytes", strconv.FormatInt(size, 10))
	}
	return Command{Argv: append(argv, "--", path), By: byCourier}
}

// sentFile reads a command line back.
func sentFile(c Command) (path string, size int64, ok bool) {
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
	return Plan{AtLeast: safety.Confirm, Reason: ReasonLeaves, Commands: []Command{sendCall(path, -1)}}, nil
}

// pinnedFile binds a command to the file itself, wherever links lead, as it is now.
func (g *Gate) pinnedFile(p Plan) (Plan, error) {
	argv := p.Commands[0].Argv
	path, err := filepath.EvalSymlinks(argv[len(argv)-1])
	if err != nil {
		return p, fmt.Errorf("there is no such file: %w", err)
	}
	f, fi, err := openPlain(path)
	if err != nil {
		return p, err
	}
	f.Close()
	c := sendCall(path, fi.Size())
	c.Against = stateOf(fi)
	p.Commands = []Command{c}
	return p, nil
}

// openPlain opens a plain file that may be sent. It waits for nothing.
func openPlain(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case !fi.Mode().IsRegular():
		err = fmt.Errorf("%s is not a plain file", path)
	case fi.Size() == 0:
		err = fmt.Errorf("%s is empty", path)
	case fi.Size() > MaxSent:
		err = fmt.Errorf("%s has %d bytes, and at most %d are sent", path, fi.Size(), MaxSent)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, fi, nil
}

// stateOf names a file's state: which it is, how long, and when it was written last.
func stateOf(fi fs.FileInfo) string {
	id := ""
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		id = fmt.Sprint(st.Dev, ":", st.Ino)
	}
	return digestOf(id, strconv.FormatInt(fi.Size(), 10), fi.ModTime().UTC().String())
}

// post carries out the commands that send files.
type post struct {
	Courier
	checker *safety.Checker
	blocked []string
	from    Origin
}

// judge has a person asked in any case. What may not be read unasked is never sent: it
// holds keys, or nobody knows what.
func (p post) judge(j *Judged, c Command) {
	path, _, ok := sentFile(c)
	if !ok {
		j.unparsed = true
		j.confirm("unparsed", c.String())
		return
	}
	j.confirm(ReasonLeaves, path)
	v := p.checker.JudgeArgv("/", []string{"cat", "--", path})
	within := slices.ContainsFunc(p.blocked, func(dir string) bool { return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/") })
	if v.Class == safety.Safe && !within && !strings.HasPrefix(path, "/proc/") && !strings.HasPrefix(path, "/sys/") && !strings.HasPrefix(path, "/dev/") {
		return
	}
	j.Class = safety.Blocked
	j.Parts = append(j.Parts, safety.Reason{Code: "secret-file", Part: path})
}

func (p post) ready(_ context.Context, c Command) error {
	path, _, ok := sentFile(c)
	if !ok || !p.Reaches(p.from) {
		return errNoCourier
	}
	f, err := p.open(path, c)
	if err == nil {
		f.Close()
	}
	return err
}

// open opens the file that was shown, and no other.
func (p post) open(path string, c Command) (*os.File, error) {
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path {
		return nil, errFileChanged
	}
	f, fi, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	if stateOf(fi) != c.Against {
		f.Close()
		return nil, errFileChanged
	}
	return f, nil
}

func (p post) carry(ctx context.Context, c Command, to io.Writer) (carried, error) {
	path, size, _ := sentFile(c)
	f, err := p.open(path, c)
	if err == nil {
		defer f.Close()
		err = p.Send(ctx, io.LimitReader(f, MaxSent), filepath.Base(path), size, p.from)
	}
	if err != nil {
		fmt.Fprintln(to, "not sent: "+err.Error())
		return carried{failed: true}, nil
	}
	fmt.Fprintf(to, "sent: %s (%d bytes)\n", path, size)
	return carried{}, nil
}

// Deliveries are the tools for a turn whose person can be sent files; none without a
// [Courier].
func (g *Gate) Deliveries() (defs []providers.ToolDefinition) {
	for _, t := range g.tools {
		if t.needs == byCourier {
			defs = append(defs, t.Definition)
		}
	}
	return defs
}
