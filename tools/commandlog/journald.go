package commandlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// journaldSocket is where the systemd journal takes records.
const journaldSocket = "/run/systemd/journal/socket"

// Journald keeps records in the systemd journal while the command log cannot be
// written because of its disk. It is for commands that only read: what changes
// anything needs the log with its hash chain.
type Journald struct {
	// Socket is journald's; "" means the system's.
	Socket string
}

// Unwritable reports whether a record could not be written because of the disk or the
// directory: full, over quota, read-only, failing, or not ours to write.
func Unwritable(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO, fs.ErrPermission} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

// Begin records a command before it runs. It returns once the journal has it.
func (j Journald) Begin(e Entry) error {
	return j.send("command "+string(e.Class)+" "+Escape(e.Command), map[string]string{
		"CLASS": string(e.Class), "COMMAND": e.Command, "TOOL": e.Tool, "DIR": e.Dir, "TASK": e.Task, "SESSION": e.Session,
		"CHANNEL": e.Channel, "AUTOMATION": e.Automation, "REASON": e.Reason,
	})
}

// End records how it ended.
func (j Journald) End(e Entry, r Result) error {
	return j.send("command ended "+Escape(e.Command), map[string]string{
		"COMMAND": e.Command, "TASK": e.Task, "EXIT": strconv.Itoa(r.Exit), "MS": strconv.FormatInt(r.Took.Milliseconds(), 10), "PROBLEM": r.Error,
	})
}

// Ready reports whether the journal takes records.
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

// send writes one record. Source: systemd, "Native Journal Protocol".
func (j Journald) send(message string, fields map[string]string) error {
	var b bytes.Buffer
	put := func(name, value string) {
		switch {
		case value == "":
		case strings.ContainsRune(value, '\n'):
			b.WriteString(name + "\n")
			_ = binary.Write(&b, binary.LittleEndian, uint64(len(value))) // into memory
			b.WriteString(value + "\n")
		default:
			b.WriteString(name + "=" + value + "\n")
		}
	}
	put("MESSAGE", message)
	put("PRIORITY", "5")
	put("SYSLOG_IDENTIFIER", "blunux-ai")
	for name, value := range fields {
		put("BLUNUX_AI_"+name, value)
	}
	c, err := j.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write(b.Bytes()); err != nil {
		return fmt.Errorf("cannot write to the systemd journal: %w", err)
	}
	return nil
}
