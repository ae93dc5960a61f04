package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// Fault describes a file of the notes that could not be used, the reason, and a command that helps. The other
// files stay usable.
type Fault struct {
	File   string // path below the notes' directory
	Act    string // "read" or "write"
	Reason string // a code: link, not-regular, not-text, too-large, full, shape, read-only, read-only-disk, no-space, permission, busy, io
	Help   string // a command; helps says what it is for
	Err    error  // the system's error; nil if Reason is sufficient
}

func (f *Fault) Error() string {
	why, help := fmt.Sprint(f.Err), f.Help
	for _, k := range faultKinds {
		if k.reason == f.Reason {
			why, help = k.why, k.advice+f.Help
		}
	}
	text := fmt.Sprintf("cannot %s %s: %s", f.Act, f.File, why)
	if help != "" {
		text += " (" + help + ")"
	}
	return text
}

func (f *Fault) Unwrap() error { return f.Err }

// faultKinds are the faults in the order in which errors are compared with them: the code, why it is one, advice, the
// command for it with its quoted FILE or its NAME below the notes, and the errors.
var faultKinds = []struct {
	reason, why, advice, command string
	errs                         []error
}{
	{
		"link", "it is a link, which is not followed", "put the file itself there: ",
		`cp --remove-destination "$(readlink -f FILE)" FILE`,
		[]error{errLink, syscall.ELOOP},
	},
	{
		"not-regular", "it is not a regular file", "move it away: ",
		"mv FILE FILE.away",
		[]error{errNotRegular, syscall.ENXIO},
	},
	{
		"not-text", "it is not a UTF-8 text", "if it is UTF-16: ",
		"iconv -f UTF-16 -t UTF-8 -o FILE.new FILE && mv FILE.new FILE",
		[]error{errNotText},
	},
	{"too-large", "it is larger than 8 MiB", "shorten it: ", "blunux-ai memory edit NAME", []error{errTooLarge}},
	{"full", "it would get larger than 256 KiB", "shorten it: ", "blunux-ai memory edit NAME", []error{errFull}},
	{"shape", errShape.Error(), "close it: ", "blunux-ai memory edit NAME", []error{errShape}},
	{"read-only", "it is read-only", "let it be written: ", "chmod u+w FILE", []error{errReadOnly}},
	{
		"read-only-disk", "its file system is mounted read-only", "see how it is mounted: ",
		"findmnt -T FILE",
		[]error{syscall.EROFS},
	},
	{"no-space", "the disk is full", "see what takes the room: ", "df -h FILE", []error{syscall.ENOSPC, syscall.EDQUOT}},
	{"busy", "another program is writing the notes", "try again", "", []error{errBusy}},
	{"permission", "it is not allowed", "look at it with: ", "ls -ld FILE; lsattr -d FILE", []error{fs.ErrPermission}},
}

// Reasons for which a file is refused before any system call fails.
var (
	errLink       = errors.New("is a link")
	errNotRegular = errors.New("not a regular file")
	errNotText    = errors.New("contains NUL bytes")
	errTooLarge   = errors.New("larger than 8 MiB")
	errFull       = errors.New("larger than 256 KiB")
	errReadOnly   = errors.New("read-only")
	errBusy       = errors.New("locked")
)

// fault returns err as a [Fault] of the file, or nil if err is nil.
func fault(act, file, name string, err error) error {
	var known *Fault
	if err == nil || errors.As(err, &known) {
		return err
	}
	quoted := "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	for _, k := range faultKinds {
		if slices.ContainsFunc(k.errs, func(e error) bool { return errors.Is(err, e) }) {
			return &Fault{name, act, k.reason, strings.NewReplacer("FILE", quoted, "NAME", name).Replace(k.command), err}
		}
	}
	return &Fault{File: name, Act: act, Reason: "io", Err: err}
}
