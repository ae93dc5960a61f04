package commandlog

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// journaldSocket is the socket on which the systemd journal receives records.
const journaldSocket = "/run/systemd/journal/socket"

// journalctl is an absolute path: another program of that name in PATH could hide records.
const journalctl = "/usr/bin/journalctl"

// The priorities of records, syslog(3).
const (
	notice = "5"
	debug  = "7"
)

// sendTimeout is how long to wait if the journal accepts no record.
const sendTimeout = time.Second

// Journald records commands in the systemd journal while the command log is not writable because of its disk.
// It is only for reading commands: changes need the log with its hash chain.
type Journald struct {
	// Socket of journald; "" means the system's.
	Socket string
}

// IsUnwritable reports whether a record could not be written because of the disk or the directory: full, over
// quota, read-only, failing, or without permission.
func IsUnwritable(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, fs.ErrPermission} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// Begin records a command before it runs. It returns when the journal has it.
func (j Journald) Begin(e Entry) error {
	return j.send(notice, "command "+string(e.Class)+" "+Escape(e.Command), map[string]string{
		"CLASS": string(e.Class), "COMMAND": e.Command, "TOOL": e.Tool, "DIR": e.Dir, "TASK": e.Task, "SESSION": e.Session,
		"CHANNEL": e.Channel, "AUTOMATION": e.Automation, "REASON": e.Reason,
	})
}

// End records a command's result.
func (j Journald) End(e Entry, r Result) error {
	return j.send(notice, "command ended "+Escape(e.Command), map[string]string{
		"COMMAND": e.Command, "TASK": e.Task, "EXIT": strconv.Itoa(r.Exit), "MS": strconv.FormatInt(r.Took.Milliseconds(), 10), "PROBLEM": r.Error,
	})
}

// Ready returns nil if the journal accepts records.
func (j Journald) Ready() error {
	c, err := j.dial()
	if err != nil {
		return err
	}
	return c.Close()
}

func (j Journald) dial() (*net.UnixConn, error) {
	path := j.Socket
	if path == "" {
		path = journaldSocket
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("cannot reach the systemd journal: %w", err)
	}
	return c, nil
}

// keep records a log's head in the journal.
func (j Journald) keep(path string, h Head) error {
	return j.send(debug, "command log is on the disk up to record "+strconv.FormatInt(h.Seq, 10), map[string]string{
		"LOG": path, "SEQ": strconv.FormatInt(h.Seq, 10), "HASH": h.Hash,
	})
}

// heads returns what this user's programs recorded about the log at path. Users can read their own journal
// without further rights. Source: journalctl(1), systemd.journal-fields(7) (_UID is set by journald itself).
func (j Journald) heads(path string) ([]Head, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, journalctl, "--quiet", "--no-pager", "--output=json", "--output-fields=BLUNUX_AI_SEQ,BLUNUX_AI_HASH",
		"--lines="+strconv.Itoa(maxHeads), "_UID="+strconv.Itoa(os.Getuid()), "BLUNUX_AI_LOG="+path)
	cmd.Env = []string{"LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot read the systemd journal: %w", err)
	}
	var heads []Head
	for line := range bytes.Lines(out) {
		var entry struct {
			Seq  string `json:"BLUNUX_AI_SEQ"`
			Hash string `json:"BLUNUX_AI_HASH"`
		}
		seq := int64(0)
		if err = json.Unmarshal(line, &entry); err == nil {
			seq, err = strconv.ParseInt(entry.Seq, 10, 64)
		}
		if err == nil && seq > 0 {
			heads = append(heads, Head{seq, entry.Hash})
		}
	}
	return heads, nil
}

// send writes one record. Source: systemd, "Native Journal Protocol".
func (j Journald) send(priority, message string, fields map[string]string) error {
	var b bytes.Buffer
	put := func(name, value string) {
		switch {
		case value == "":
		case strings.ContainsRune(value, '\n'):
			b.WriteString(name + "\n")
			_ = binary.Write(&b, binary.LittleEndian, uint64(len(value))) // writing to memory does not fail
			b.WriteString(value + "\n")
		default:
			b.WriteString(name + "=" + value + "\n")
		}
	}
	put("MESSAGE", message)
	put("PRIORITY", priority)
	put("SYSLOG_IDENTIFIER", "blunux-ai")
	for name, value := range fields {
		put("BLUNUX_AI_"+name, value)
	}
	c, err := j.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetWriteDeadline(time.Now().Add(sendTimeout))
	if _, err := c.Write(b.Bytes()); err != nil {
		return fmt.Errorf("cannot write to the systemd journal: %w", err)
	}
	return nil
}
