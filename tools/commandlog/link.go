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

// The events of the chain, explained at [link].
const (
	eventChain     = "chain"
	eventRun       = "run"
	eventRefused   = "refused"
	eventEnd       = "end"
	eventRecovered = "recovered"
	eventRepair    = "repair"
	eventDamage    = "damage"
)

// maxLine is the maximum length of a line of audit.jsonl in bytes. Longer lines are not written, and not
// accepted as records.
const maxLine = 8 << 20

// link is one record of the chain: one JSON object per line of audit.jsonl.
//
// Its last two members are prev and hash. hash is the SHA-256, in lower-case hex, of the line's bytes without its
// line feed and without the hash member, which is everything before `,"hash":` and a closing brace. prev is the hash
// of the record before it; for the first one it is the SHA-256 of "blunux-ai audit v1". There is no canonical form:
// the bytes in the file are hashed, and a shell can check them:
//
//	sed 's/,"hash":"[0-9a-f]*"}$/}/' audit.jsonl | while IFS= read -r r; do printf %s "$r" | sha256sum; done
//
// seq counts from 1. log is how many bytes of commands.log the records up to this one account for. The events:
//
//   - chain: the first record. text is length and hash of the commands.log from before the chain.
//   - run, refused: a command, whose line in commands.log has its time, class and command. The class of an
//     automation's command is AUTOMATION there, and the verdict's class here. run is written before the command
//     starts.
//   - end: the result of the command of record `of`. It is not synced separately.
//   - recovered: a line of commands.log whose record a crash prevented; the command did not run. text is length and
//     hash of the line.
//   - repair: other effects of a crash. cut is length and hash of the bytes before this record that are no record,
//     text of a part of a line in commands.log; of is the record whose line had to be completed; lost is how many
//     records, none of them synced, were lost in a power failure: their numbers are not used again.
//   - damage: damage that a writer found and no crash explains. It continues recording, and [Log.Verify] reports the
//     damage from then on.
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
	// Automation is the name of the automation that ran the command.
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
	Hash string `json:"-"` // appended as text after the other members
}

// span describes a part of a file.
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

// hashMember precedes a record's hash, which has 64 digits and ends two bytes before the line's end.
const hashMember = `,"hash":"`

// encode computes a record's hash and returns its line, with the line feed.
func (k *link) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keep commands as they were typed
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

// decode parses a line without its line feed, if its hash is correct.
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

// line returns the line of commands.log for a command's record, with the line feed.
func (k link) line() string {
	class := k.Class
	if k.Event == eventRun && k.Automation != "" {
		class = Automation
	}
	return formatLine(k.Time, class, k.Command) + "\n"
}

// hasLine reports whether the record is about a command.
func (k link) hasLine() bool { return k.Event == eventRun || k.Event == eventRefused }

// spanOf describes the bytes of a file between two offsets, including the text then that will be written after them.
func spanOf(f io.ReaderAt, from, to int64, then string) (*span, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, from, to-from)); err != nil {
		return nil, err
	}
	h.Write([]byte(then))
	return &span{Bytes: to - from + int64(len(then)), SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}
