package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Version is the version of the state files and records that this program writes, and the newest that it reads. A
// record without a version has version 1.
const Version = 1

// VersionError reports a file of a newer program. It is neither read nor written, because its meaning is unknown.
type VersionError struct {
	File    string
	Version string
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has version %s; %d is the newest this program reads", filepath.Base(e.File), e.Version, Version)
}

// versioned is the common part of all records.
type versioned struct {
	V json.RawMessage `json:"v"`
}

// CheckVersion returns a [VersionError] if a newer program wrote a JSON object. Invalid data is left to its
// reader.
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

// AddVersion adds the version to a JSON object without one, as its first field.
func AddVersion(object []byte) []byte {
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

// header is the first line of a journal. A file without any line was therefore emptied.
func header() []byte { return append(AddVersion([]byte("{}")), '\n') }

// isHeader reports whether a line is the header.
func isHeader(line []byte) bool { return bytes.Equal(line, bytes.TrimSpace(header())) }

// checkLines returns a [VersionError] if a newer program wrote one of the lines.
func checkLines(file string, data []byte) error {
	for line := range bytes.Lines(data) {
		if err := CheckVersion(file, line); err != nil {
			return err
		}
	}
	return nil
}
