package commandlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The events of the chain, explained in the package's comment.
const (
	eventChain     = "chain"
	eventRun       = "run"
	eventRefused   = "refused"
	eventEnd       = "end"
	eventRecovered = "recovered"
	eventRepair    = "repair"
	eventDamage    = "damage"
)

// maxLine bounds a line of audit.jsonl, in bytes. What is longer is not
// written, and not a record.
const maxLine = 8 << 20

// link is one record of the chain.
type link struct {
	Seq     int64  `json:"seq"`
	Time    string `json:"time"` // UTC, whole seconds, as in commands.log
	Event   string `json:"event"`
	Class   Class  `json:"class,omitempty"`
	Command string `json:"command,omitempty"` // escaped, as in commands.log
	Tool    string `json:"tool,omitempty"`
	Dir     string `json:"dir,omitempty"`
	Task    string `json:"task,omitempty"`
	Session string `json:"session,omitempty"`
	Channel string `json:"channel,omitempty"`
	// Automation is the rule it was for.
	Automation string `json:"automation,omitempty"`
	Approver   string `json:"approver,omitempty"`
	Digest     string `json:"digest,omitempty"`
	Reason     string `json:"reason,omitempty"`

	Of       int64  `json:"of,omitempty"`
	Exit     *int   `json:"exit,omitempty"`
	MS       *int64 `json:"ms,omitempty"`
	TimedOut bool   `json:"timed_out,omitempty"`
	Error    string `json:"error,omitempty"`

	Lost   int64    `json:"lost,omitempty"`
	Cut    *span    `json:"cut,omitempty"`
	Text   *span    `json:"text,omitempty"`
	Damage []Damage `json:"damage,omitempty"`

	Log  int64  `json:"log"`
	Prev string `json:"prev"`
	Hash string `json:"-"` // written last, by hand
}

// span stands for a piece of a file.
type span struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// genesis is the prev of the first record.
func genesis() string { return sum([]byte("blunux-ai audit v1")) }

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// hashMember stands before a record's hash, which is 64 digits and two bytes
// before the line's end.
const hashMember = `,"hash":"`

// encode seals a record and returns its line, with the line feed.
func (k *link) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // commands stand as they were typed
	if err := enc.Encode(k); err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	k.Hash = sum(body)
	line := append(body[:len(body)-1], hashMember+k.Hash+"\"}\n"...)
	if len(line) > maxLine {
		return nil, fmt.Errorf("a record of %d bytes is too long", len(line))
	}
	return line, nil
}

var errNoRecord = errors.New("not a record")

// decode reads a line, without its line feed, whose hash fits it.
func decode(line []byte) (link, error) {
	at := len(line) - len(hashMember) - 2*sha256.Size - 2
	if at < 1 || len(line) > maxLine || !bytes.HasPrefix(line[at:], []byte(hashMember)) || !bytes.HasSuffix(line, []byte(`"}`)) {
		return link{}, errNoRecord
	}
	hash := sha256.New()
	hash.Write(line[:at])
	hash.Write([]byte("}"))
	k := link{Hash: string(line[at+len(hashMember) : len(line)-2])}
	if hex.EncodeToString(hash.Sum(nil)) != k.Hash || json.Unmarshal(line, &k) != nil || k.Seq < 1 {
		return link{}, errNoRecord
	}
	return k, nil
}

// line is what commands.log has of a command's record, with the line feed.
func (k link) line() string {
	class := k.Class
	if k.Event == eventRun && k.Automation != "" {
		class = Automation
	}
	return lineOf(k.Time, class, k.Command) + "\n"
}

// hasLine reports whether the record is of a command.
func (k link) hasLine() bool { return k.Event == eventRun || k.Event == eventRefused }

// spanOf describes the bytes of a file between two offsets, with what will be
// written after them.
func spanOf(f io.ReaderAt, from, to int64, then string) (*span, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, from, to-from)); err != nil {
		return nil, err
	}
	h.Write([]byte(then))
	return &span{Bytes: to - from + int64(len(then)), SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}
