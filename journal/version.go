package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Version is the version of the state files and records that this program writes, and
// the newest one it reads. A record without one is of version 1.
const Version = 1

// VersionError reports a file that a newer program wrote. It is neither read nor
// written: what it means is not known.
type VersionError struct {
	File    string
	Version string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has version %s; %d is the newest this program reads", filepath.Base(e.File), e.Version, Version)
}

// versioned is what every record has in common.
type versioned struct {
	V json.RawMessage `json:"v"`
}

// CheckVersion returns a [VersionError] where a JSON object of a file was written by a
// newer program. Data that cannot be read is left to its reader.
func CheckVersion(file string, object []byte) error {
	if !bytes.Contains(object, []byte(`"v"`)) {
		return nil
	}
	var v versioned
	if json.Unmarshal(object, &v) != nil || v.V == nil {
		return nil
	}
	text := strings.TrimSpace(string(v.V))
	if n, err := strconv.Atoi(text); err == nil && n <= Version {
		return nil
	}
	return &VersionError{file, text[:min(len(text), 20)]}
}

// Stamp puts the version into a JSON object that has none, as its first field.
func Stamp(object []byte) []byte {
	object = bytes.TrimLeft(object, " \t\r\n")
	var v versioned
	if len(object) == 0 || object[0] != '{' || bytes.Contains(object, []byte(`"v"`)) && json.Unmarshal(object, &v) == nil && v.V != nil {
		return object
	}
	field := fmt.Sprintf(`{"v":%d`, Version)
	if rest := bytes.TrimLeft(object[1:], " \t\r\n"); len(rest) > 0 && rest[0] != '}' {
		field += ","
	}
	return append([]byte(field), object[1:]...)
}

// header is the first line of a journal, so that a file without any was emptied.
func header() []byte { return append(Stamp([]byte("{}")), '\n') }

// isHeader reports a line that is no record.
func isHeader(line []byte) bool { return bytes.Equal(line, bytes.TrimSpace(header())) }

// checkLines returns a [VersionError] where a line of a file was written by a newer
// program.
func checkLines(file string, data []byte) error {
	for line := range bytes.Lines(data) {
		if err := CheckVersion(file, line); err != nil {
			return err
		}
	}
	return nil
}
