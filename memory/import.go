package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// maxImport bounds the size of an import, in bytes.
const maxImport = 64 << 20

// ErrLargeImport reports an import of more than 64 MiB.
var ErrLargeImport = errors.New("the import is larger than 64 MiB: split it")

// ImportResult counts the notes of an import by outcome.
type ImportResult struct {
	Added    int       `json:"added"`
	Replaced int       `json:"replaced"` // replaced an older note with the same key
	Same     int       `json:"same"`     // existed already, or a newer note has the same key
	Refused  []Refusal `json:"refused,omitempty"`
}

// Refusal is a line that was refused.
type Refusal struct {
	Line int    `json:"line"` // of the import, from 1
	Why  string `json:"why"`
}

func (i *ImportResult) refuse(line int, why string) {
	i.Refused = append(i.Refused, Refusal{line, why})
}

// Import adds notes from any of: the output of [Memory.Export]; JSON notes, one a line or in an array
// ({"key","content","category"}, the format of RRClaw); plain Markdown, whose notes go to MEMORY.md. A file that does
// not exist yet is created as exported, byte for byte. To an existing file, only missing notes are added. An existing
// note is replaced only by one with the same key and a later date; the former file is then kept as FILE~.
//
// A line that cannot be imported is refused with the reason, and the others are imported. Errors:
// [ErrLargeImport], those of reading r, or [Fault]s of the files that could not be written.
func (m *Memory) Import(ctx context.Context, r io.Reader) (ImportResult, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxImport+1))
	if err != nil {
		return ImportResult{}, fmt.Errorf("cannot read the import: %w", err)
	}
	if len(data) > maxImport {
		return ImportResult{}, ErrLargeImport
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return ImportResult{}, err
	}
	defer unlock()
	var done ImportResult
	var faults []error
	for _, f := range m.parseImport(data, &done) {
		if err := ctx.Err(); err != nil {
			return done, errors.Join(append(faults, err)...)
		}
		faults = append(faults, m.mergeText(f, &done))
	}
	return done, errors.Join(faults...)
}

// importedText is a text whose notes are to be merged into a file.
type importedText struct {
	name, text string
	lines      []int // line of the import for each line of text; nil if they are the same
	line       int   // line of the import for the whole text; 0 if there is none
}

func (f importedText) sourceLine(line int) int {
	switch {
	case f.line > 0:
		return f.line
	case line < len(f.lines):
		return f.lines[line]
	}
	return line + 1
}

func (m *Memory) parseImport(data []byte, done *ImportResult) []importedText {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	start := bytes.TrimLeft(data, " \t\r\n")
	var array []json.RawMessage
	switch {
	case len(start) == 0:
		return nil
	case start[0] == '[' && json.Unmarshal(data, &array) == nil:
		return m.fromJSON(array, done)
	case start[0] == '{':
		lines := bytes.Split(data, []byte("\n"))
		for _, l := range lines {
			array = append(array, bytes.TrimSpace(l))
		}
		return m.fromJSON(array, done)
	}
	return []importedText{{name: memoryFile, text: string(data)}}
}

// entry is one line of JSON: a file or a note. A category is a string, or {"Custom":"word"} as RRClaw writes
// custom categories.
type entry struct {
	exportLine
	Key      string          `json:"key"`
	Content  *string         `json:"content"`
	Category json.RawMessage `json:"category"`
	Source   string          `json:"source"`
	Created  string          `json:"created_at"`
}

// fromJSON converts lines to files: the whole ones, and one file made of the single notes.
func (m *Memory) fromJSON(lines []json.RawMessage, done *ImportResult) []importedText {
	var files []importedText
	whole := map[string]bool{}
	loose := importedText{name: memoryFile}
	var text strings.Builder
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		var e entry
		switch err := json.Unmarshal(line, &e); {
		case err != nil:
			done.refuse(i+1, "invalid JSON: "+err.Error())
		case e.File != "" && !isNoteFile(e.File):
			done.refuse(i+1, "not a file of the notes: "+truncate(oneLine(e.File), 200))
		case e.File != "" && e.Text == nil && e.Base64 == nil:
			done.refuse(i+1, "a file without text")
		case e.File != "":
			whole[e.File] = true
			files = append(files, importedText{name: e.File, text: e.whole(), line: i + 1})
		case e.Content == nil:
			done.refuse(i+1, `neither a file ("file", "text") nor a note ("content")`)
		case whole[e.Source]: // already in its file
		default:
			m.appendLoose(e, i+1, &loose, &text, done)
		}
	}
	if loose.text = text.String(); loose.text != "" {
		files = append(files, loose)
	}
	return files
}

func (e entry) whole() string {
	if e.Text != nil {
		return *e.Text
	}
	return string(e.Base64)
}

// appendLoose adds a note without a file to the text of such notes.
func (m *Memory) appendLoose(e entry, line int, loose *importedText, text *strings.Builder, done *ImportResult) {
	n, err := m.prepareNote(Note{Key: e.Key, Text: *e.Content, Category: e.category(), Created: e.created()})
	if err != nil {
		done.refuse(line, err.Error())
		return
	}
	if n.Key == "" {
		n.Key = hashKey(Note{Text: n.Text})
	}
	if n.Category == "" {
		n.Category = Core
	}
	more := "## " + title(n.Category) + "\n" + formatNote(n) + "\n"
	text.WriteString(more)
	for range strings.Count(more, "\n") {
		loose.lines = append(loose.lines, line)
	}
}

func (e entry) category() Category {
	var word string
	var custom map[string]string
	if json.Unmarshal(e.Category, &word) != nil && json.Unmarshal(e.Category, &custom) == nil {
		for _, w := range custom {
			word = w
		}
	}
	return Category(word)
}

func (e entry) created() time.Time {
	at, err := time.Parse(time.RFC3339, e.Created)
	if err != nil {
		return time.Time{}
	}
	return at
}

// exportLine is one line of an export: a whole file or a note.
type exportLine struct {
	File     string    `json:"file,omitempty"`
	Text     *string   `json:"text,omitempty"`
	Base64   []byte    `json:"base64,omitempty"` // instead of Text, for a file that is not UTF-8
	Modified time.Time `json:"modified,omitzero"`
}

// Export writes everything as JSON lines: first every whole file, {"file","text"}, then every note,
// {"key","content",…}. [Memory.Import] restores the files from it byte for byte. Files that cannot be read are
// left out and listed in the error.
func (m *Memory) Export(ctx context.Context, w io.Writer) error {
	var notes []Note
	to := json.NewEncoder(w)
	to.SetEscapeHTML(false)
	var failed error
	put := func(v any) {
		if failed == nil {
			failed = to.Encode(v)
		}
	}
	err := m.readEach(ctx, func(name string, c content) {
		line := exportLine{File: name, Modified: c.modified}
		if utf8.ValidString(c.text) {
			line.Text = &c.text
		} else {
			line.Base64 = []byte(c.text)
		}
		put(line)
		notes = append(notes, Split(name, c.text, c.modified)...)
	})
	for _, n := range notes {
		put(n)
	}
	if failed != nil {
		return failed
	}
	return err
}
