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
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/internal/charset"
	"github.com/nidoit/blunux-ai/internal/picture"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/listing"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// The ways to look at files.
const (
	lookRead = "read-file"
	lookList = "list-files"
	lookGlob = "glob"
)

// The bounds of what is read and shown.
const (
	maxRead     = 1 << 20 // bytes of a file
	usualLines  = 400     // shown without a limit
	maxLineSize = 2000    // bytes of a shown line
)

// lookAction reads a part of a text file or a picture, or lists a directory.
type lookAction struct {
	How string `json:"how"`
	// Path has no links after Pin. Named is the path as it was given, which can be secret too.
	Path    string `json:"path"`
	Named   string `json:"named"`
	Offset  int    `json:"offset,omitempty"` // number of the first line, from 1
	Limit   int    `json:"limit,omitempty"`  // lines
	Pattern string `json:"pattern,omitempty"`
	Hidden  bool   `json:"hidden,omitempty"`
}

// ReadFile returns an action that shows a picture, or the lines of a text file from offset on, at most limit; 0 means from
// the beginning, and the usual number.
func ReadFile(path string, offset, limit int) (Action, error) {
	a := lookAction{How: lookRead, Path: path, Named: path, Offset: max(offset, 1), Limit: limit}
	if limit == 0 {
		a.Limit = usualLines
	}
	if offset < 0 || limit < 0 {
		return nil, errors.New("offset and limit are numbers of lines, from 1")
	}
	return a, nil
}

// ListFiles returns an action that lists a directory; hidden includes names that begin with a dot.
func ListFiles(path string, hidden bool) Action {
	return lookAction{How: lookList, Path: path, Named: path, Hidden: hidden}
}

// Glob returns an action that lists the files below a directory that match a pattern such as **/*.txt.
func Glob(path, pattern string, hidden bool) (Action, error) {
	if pattern == "" {
		return nil, errors.New("pattern is missing")
	}
	return lookAction{How: lookGlob, Path: path, Named: path, Pattern: pattern, Hidden: hidden}, listing.Query{Pattern: pattern}.Check()
}

// Argv returns the command line of the action.
func (l lookAction) Argv() []string {
	argv := []string{"blunux-ai", l.How}
	if l.Offset > 1 {
		argv = append(argv, "--offset", strconv.Itoa(l.Offset))
	}
	if l.Limit != 0 && l.Limit != usualLines {
		argv = append(argv, "--limit", strconv.Itoa(l.Limit))
	}
	if l.Hidden {
		argv = append(argv, "--hidden")
	}
	argv = append(argv, "--", l.Path)
	if l.Pattern != "" {
		argv = append(argv, l.Pattern)
	}
	return argv
}

func (lookAction) Kind() string { return KindLook }

func (l lookAction) isValid() bool {
	for _, path := range []string{l.Path, l.Named} {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return false
		}
	}
	switch l.How {
	case lookRead:
		return l.Offset > 0 && l.Limit > 0
	case lookList:
		return l.Pattern == ""
	case lookGlob:
		return l.Pattern != "" && listing.Query{Pattern: l.Pattern}.Check() == nil
	}
	return false
}

func (lookAction) Changes() bool { return false }

// Pin resolves the links of the path. A file that cannot be read is refused.
func (l lookAction) Pin(Services) (Action, string, error) {
	var err error
	if l.Path, err = filepath.EvalSymlinks(l.Named); err != nil {
		return nil, "", fmt.Errorf("cannot find it: %w", err)
	}
	against, err := l.identity()
	return l, against, err
}

// identity says which file or directory is at the path.
func (l lookAction) identity() (string, error) {
	var fi fs.FileInfo
	if l.How == lookRead {
		f, info, err := file.Open(l.Path)
		switch {
		case errors.Is(err, file.ErrNotRegular):
			return "", fmt.Errorf("%s is not a file on a disk (a directory, device, pipe or file of the kernel); use list_files or run_command", l.Path)
		case err != nil:
			return "", fmt.Errorf("cannot read it: %w", err)
		}
		f.Close()
		fi = info
	} else {
		root, err := file.OpenDir(l.Path)
		if err != nil {
			return "", fmt.Errorf("cannot list it: %w", err)
		}
		defer root.Close()
		if fi, err = root.Stat("."); err != nil {
			return "", err
		}
	}
	return inodeOf(fi)
}

func inodeOf(fi fs.FileInfo) (string, error) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("the file has no identity")
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino), nil
}

// isAttached reports whether the file came with the person's message. It is then in the folder of a bridge, which can put
// there a link to another file: that is none. Pin holds the file that is judged here.
func (l lookAction) isAttached(c Call) bool {
	if l.How != lookRead || !slices.Contains(c.Attached, l.Named) {
		return false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(l.Named))
	if err != nil || filepath.Join(dir, filepath.Base(l.Named)) != l.Path {
		return false
	}
	f, fi, err := file.Open(l.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1 && int(st.Uid) == os.Getuid()
}

// Judge classifies the action as the command that prints the same, and a file that came with the message as harmless.
func (l lookAction) Judge(s Services, c Call) (v Verdict) {
	if l.isAttached(c) {
		return v
	}
	for _, path := range []string{l.Path, l.Named} {
		argv := []string{"ls", "-A", "--", path}
		switch l.How {
		case lookRead:
			argv = []string{"cat", "--", path}
		case lookGlob:
			argv = []string{"ls", "-AR", "--", path}
		}
		judged := s.Checker.JudgeArgv("/", argv)
		if judged.Class == safety.Safe {
			continue
		}
		v.Class = max(v.Class, judged.Class)
		v.Reasons = append(v.Reasons, judged.Reasons...)
		if path == l.Named { // one of them says enough
			break
		}
	}
	return v
}

func (l lookAction) Ready(_ context.Context, _ Services, c Call) error {
	if is, err := l.identity(); err != nil || is != c.Against {
		return errFileChanged
	}
	return nil
}

func (l lookAction) Do(ctx context.Context, _ Services, c Call, to io.Writer) (res Result, err error) {
	if l.How == lookRead {
		res.Picture, err = l.read(c.Against, to)
	} else {
		err = l.list(ctx, to)
	}
	if err != nil {
		fmt.Fprintln(to, "not read: "+err.Error())
		return Result{Failed: true}, nil
	}
	return res, nil
}

func (lookAction) Edit(string) (Action, error) { return nil, errNotEditable }

// read shows the file that was judged: the picture that it is, else lines of its text.
func (l lookAction) read(against string, to io.Writer) (*providers.Picture, error) {
	f, fi, err := file.Open(l.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if is, err := inodeOf(fi); err != nil || is != against {
		return nil, errFileChanged
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return nil, err
	}
	if h, ok := picture.Read(data); ok {
		return l.readPicture(f, data, h, to)
	}
	return nil, l.readText(data, fi, to)
}

// readPicture returns the picture that begins with data and goes on in f. Only what it is is shown of one that is too large.
func (l lookAction) readPicture(f io.Reader, data []byte, h picture.Header, to io.Writer) (*providers.Picture, error) {
	rest, err := io.ReadAll(io.LimitReader(f, picture.MaxSize+1-int64(len(data))))
	if err != nil {
		return nil, err
	}
	if data = append(data, rest...); len(data) > picture.MaxSize {
		fmt.Fprintf(to, "[%s: %s, more than %d bytes; too large to be shown to you]\n", l.Path, h, picture.MaxSize)
		return nil, nil
	}
	return &providers.Picture{Data: data, Path: l.Path}, nil
}

// readText shows lines of a text with their numbers. data is the beginning of the file.
func (l lookAction) readText(data []byte, fi fs.FileInfo, to io.Writer) error {
	cut := fi.Size() > int64(len(data))
	if cut {
		data = wholeLines(data)
	}
	text, encoding, err := charset.Decode(data)
	if err != nil {
		return fmt.Errorf("%s is %w (%d bytes)", l.Path, err, fi.Size())
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	first, last := min(l.Offset-1, len(lines)), len(lines)
	if l.Limit < last-first {
		last = first + l.Limit
	}
	fmt.Fprintf(to, "[%s: %d bytes, %s]\n", l.Path, fi.Size(), encoding)
	for i, line := range lines[first:last] {
		fmt.Fprintf(to, "%6d\t%s\n", first+i+1, shorten(line, maxLineSize))
	}
	switch {
	case last < len(lines):
		fmt.Fprintf(to, "[%d more lines: offset %d]\n", len(lines)-last, last+1)
	case cut:
		fmt.Fprintf(to, "[only the first %d bytes are read; for the end use run_command with tail]\n", len(data))
	case first == last && l.Offset > 1:
		fmt.Fprintf(to, "[the file has %d lines]\n", len(lines))
	}
	return nil
}

// wholeLines returns the beginning of a text up to the end of a line, or of a character if there is no line.
func wholeLines(data []byte) []byte {
	if i := strings.LastIndexByte(string(data), '\n'); i >= 0 {
		return data[:i+1]
	}
	for n := 0; n < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data); n++ {
		data = data[:len(data)-1]
	}
	return data
}

// shorten returns the beginning of a line.
func shorten(line string, limit int) string {
	if len(line) <= limit {
		return line
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (+%d bytes)", line[:cut], len(line)-cut)
}

// list shows the names, sizes and times of files.
func (l lookAction) list(ctx context.Context, to io.Writer) error {
	found, err := listing.Find(ctx, l.Path, listing.Query{Pattern: l.Pattern, Hidden: l.Hidden})
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "[%s: %d entries]\n", l.Path, len(found.Entries))
	for _, e := range found.Entries {
		size, name := strconv.FormatInt(e.Info.Size(), 10), e.Path
		switch {
		case e.Info.IsDir():
			size, name = "-", name+"/"
		case e.Target != "":
			name += " -> " + e.Target
		}
		fmt.Fprintf(to, "%10s  %s  %s\n", size, e.Info.ModTime().Format("2006-01-02 15:04"), name)
	}
	if found.Cut {
		fmt.Fprintln(to, "[there are more: use a narrower pattern or path]")
	}
	if found.Hidden > 0 {
		fmt.Fprintf(to, "[%d hidden names left out]\n", found.Hidden)
	}
	if found.Ignored > 0 {
		fmt.Fprintf(to, "[%d names left out by .gitignore]\n", found.Ignored)
	}
	return nil
}
