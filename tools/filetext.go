package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/internal/charset"
	"github.com/nidoit/blunux-ai/tools/file"
	"github.com/nidoit/blunux-ai/tools/receipt"
)

// maxEdited bounds the files that steps edit, in bytes.
const maxEdited = file.MaxPut

// fileText is a file as it is when a step changes it.
type fileText struct {
	exists   bool
	data     []byte
	text     string
	encoding charset.Encoding
	info     fs.FileInfo // nil if a step above writes it
}

// identity returns what the program that replaces the file compares it with.
func (t fileText) identity() string {
	if !t.exists {
		return file.Absent
	}
	return file.Identity(t.data, t.info)
}

// readText returns the text of the file at a path without links as it is after the steps above.
func readText(path string, texts map[string][]byte) (t fileText, err error) {
	data, written := texts[path]
	if !written {
		data, t.info, err = file.Read(path, maxEdited)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fileText{}, nil
		case errors.Is(err, file.ErrNotRegular):
			return t, fmt.Errorf("%s is not a file", path)
		case errors.Is(err, file.ErrTooLarge):
			return t, fmt.Errorf("%s is too large: at most %d bytes can be changed", path, maxEdited)
		case err != nil:
			return t, fmt.Errorf("cannot read the file: %w", err)
		}
	}
	t.exists, t.data = true, data
	if t.text, t.encoding, err = charset.Decode(data); err != nil {
		return t, fmt.Errorf("%s is %w", path, err)
	}
	return t, nil
}

// currentText returns the text that a path leads to. It never blocks.
func currentText(path string) ([]byte, fs.FileInfo, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, nil, err
	}
	return file.Read(real, maxEdited)
}

// noFile represents the digest of a file that was not there.
const noFile = file.Absent

// isAsPlanned reports whether the file that a step of a plan changes is still the one that was shown, or has its new text
// already from an earlier try.
func isAsPlanned(s plan.Step) bool {
	was := s.Args["was"]
	if was == "" {
		return true
	}
	data, _, err := file.Read(s.Args["path"], maxEdited)
	if errors.Is(err, fs.ErrNotExist) {
		return was == noFile
	}
	return err == nil && slices.Contains([]string{was, s.Args["kept"]}, receipt.Digest(data))
}

// maxDiff bounds the lines that a step can change, because a person reads them before the yes.
const maxDiff = 500

// showDiff shows the lines of a file that go and come. It is an error if they are too many; then it shows the first.
func showDiff(path string, old fileText, data []byte) (string, error) {
	text, _, err := charset.Decode(data)
	if err != nil { // it was kept before
		text = string(data)
	}
	var rows []string
	for line := range strings.Lines(string(diff.Diff(path, []byte(old.text), path, []byte(text)))) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
			rows = append(rows, line)
		}
	}
	if len(rows) > 2 {
		rows = rows[2:] // the names of the files
	}
	if more := len(rows) - maxDiff; more > 0 {
		rows = append(rows[:maxDiff], fmt.Sprintf("… (+%d)", more))
		return strings.Join(rows, "\n"), fmt.Errorf("%s would change in %d lines: at most %d can be shown to the person", path, len(rows)+more-1, maxDiff)
	}
	return strings.Join(rows, "\n"), nil
}
