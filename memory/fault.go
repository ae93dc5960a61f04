package memory

import (
	"errors"
	"fmt"
	"io/fs"
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
	text := fmt.Sprintf("cannot %s %s: %s", f.Act, f.File, f.why())
	if help := helps[f.Reason] + f.Help; help != "" {
		text += " (" + help + ")"
	}
	return text
}

func (f *Fault) why() string {
	if why, ok := reasons[f.Reason]; ok {
		return why
	}
	return fmt.Sprint(f.Err)
}

func (f *Fault) Unwrap() error { return f.Err }

var reasons = map[string]string{
	"link":        "it is a link, which is not followed",
	"not-regular": "it is not a regular file",
	"not-text":    "it is not a UTF-8 text",
	"too-large":   "it is larger than 8 MiB",
	"full":        "it would get larger than 256 KiB",
	"shape":       errShape.Error(),
	"read-only":   "it is read-only",
	"no-space":    "the disk is full",
	"permission":  "it is not allowed",
	"busy":        "another program is writing the notes",

	"read-only-disk": "its file system is mounted read-only",
}

// helps introduces the command of a reason.
var helps = map[string]string{
	"link":        "put the file itself there: ",
	"not-regular": "move it away: ",
	"not-text":    "if it is UTF-16: ",
	"too-large":   "shorten it: ",
	"full":        "shorten it: ",
	"shape":       "close it: ",
	"read-only":   "let it be written: ",
	"no-space":    "see what takes the room: ",
	"permission":  "look at it with: ",
	"busy":        "try again",

	"read-only-disk": "see how it is mounted: ",
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
	f := &Fault{File: name, Act: act, Reason: "io", Err: err}
	quoted := "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	switch {
	case errors.Is(err, errLink), errors.Is(err, syscall.ELOOP):
		f.Reason, f.Help = "link", "cp --remove-destination \"$(readlink -f "+quoted+")\" "+quoted
	case errors.Is(err, errNotRegular), errors.Is(err, syscall.ENXIO):
		f.Reason, f.Help = "not-regular", "mv "+quoted+" "+quoted+".away"
	case errors.Is(err, errNotText):
		f.Reason, f.Help = "not-text", "iconv -f UTF-16 -t UTF-8 -o "+quoted+".new "+quoted+" && mv "+quoted+".new "+quoted
	case errors.Is(err, errTooLarge):
		f.Reason, f.Help = "too-large", "blunux-ai memory edit "+name
	case errors.Is(err, errFull):
		f.Reason, f.Help = "full", "blunux-ai memory edit "+name
	case errors.Is(err, errShape):
		f.Reason, f.Help = "shape", "blunux-ai memory edit "+name
	case errors.Is(err, errReadOnly):
		f.Reason, f.Help = "read-only", "chmod u+w "+quoted
	case errors.Is(err, syscall.EROFS):
		f.Reason, f.Help = "read-only-disk", "findmnt -T "+quoted
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f.Reason, f.Help = "no-space", "df -h "+quoted
	case errors.Is(err, errBusy):
		f.Reason = "busy"
	case errors.Is(err, fs.ErrPermission):
		f.Reason, f.Help = "permission", "ls -ld "+quoted+"; lsattr -d "+quoted
	}
	return f
}
