package notes

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// RemainingCopies lists where a forgotten note is still stored outside the notes.
type RemainingCopies struct {
	Conversations []string `json:"conversations,omitempty"` // CHANNEL/NAME, latest first
	Files         []string `json:"files,omitempty"`         // below the state directory
}

// ForgottenNote is a removed note and its remaining copies.
type ForgottenNote struct {
	memory.Change
	Copies RemainingCopies `json:"remains,omitzero"`
}

const (
	copySearchTime = 3 * time.Second // bounds the search for copies
	maxSearchBytes = 128 << 20       // bytes searched in one file, from its end
)

// FindCopies searches for a note's text in the conversations whose keys begin with prefix and in the other files of
// the state directory.
func (n *Notes) FindCopies(ctx context.Context, text, prefix string) RemainingCopies {
	var found RemainingCopies
	forms := textForms(text)
	if len(forms) == 0 {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, copySearchTime)
	defer cancel()
	named, _ := session.New(session.Options{Dir: filepath.Join(n.home, "sessions")}).Files(ctx)
	for _, s := range named {
		if strings.HasPrefix(s.Key, prefix) && fileContains(ctx, filepath.Join(n.home, "sessions", s.Name), forms) {
			found.Conversations = append(found.Conversations, ipc.SessionName(s.Key))
		}
	}
	found.Files = n.findInFiles(ctx, forms)
	return found
}

// skippedDirs lists directories that are not searched: conversations and notes are handled separately, and
// credentials contain no notes.
var skippedDirs = []string{"sessions", "memory", "credentials"}

// findInFiles returns the other state files that contain one of the forms.
func (n *Notes) findInFiles(ctx context.Context, forms [][]byte) []string {
	var files []string
	_ = filepath.WalkDir(n.home, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(n.home, path)
		switch {
		case err != nil && d == nil, ctx.Err() != nil:
			return fs.SkipAll
		case d.IsDir() && slices.Contains(skippedDirs, name):
			return fs.SkipDir
		case err == nil && d.Type().IsRegular() && fileContains(ctx, path, forms):
			files = append(files, name)
		}
		return nil
	})
	return files
}

// textForms returns the forms in which files contain a text: unchanged, as JSON, and quoted for a shell.
func textForms(text string) [][]byte {
	if text = strings.TrimSpace(text); len(text) < 4 {
		return nil
	}
	forms := [][]byte{[]byte(text), []byte(strings.ReplaceAll(text, "'", `'\''`))}
	for _, escape := range []bool{true, false} {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(escape)
		if enc.Encode(text) == nil {
			forms = append(forms, bytes.Trim(b.Bytes(), "\"\n"))
		}
	}
	slices.SortFunc(forms, bytes.Compare)
	return slices.CompactFunc(forms, bytes.Equal)
}

// fileContains reports whether a file contains one of the forms.
func fileContains(ctx context.Context, file string, forms [][]byte) bool {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return false
	} else if fi.Size() > maxSearchBytes {
		_, _ = f.Seek(-maxSearchBytes, io.SeekEnd)
	}
	longest := 0
	for _, form := range forms {
		longest = max(longest, len(form))
	}
	buf, kept := make([]byte, 256<<10+longest), 0
	for ctx.Err() == nil {
		n, err := f.Read(buf[kept:])
		seen := buf[:kept+n]
		if slices.ContainsFunc(forms, func(form []byte) bool { return bytes.Contains(seen, form) }) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(buf, seen[max(0, len(seen)-longest):])
	}
	return false
}

// maxListedCopies bounds how many conversations a message lists.
const maxListedCopies = 3

// Describe describes in a person's language where the note was removed, where copies remain and how to remove those, a
// line each. It returns "" if there is nothing to say.
func (f ForgottenNote) Describe(lang i18n.Lang) string {
	var lines []string
	for _, also := range f.Also {
		lines = append(lines, i18n.ForgotAlso(also.File, also.Lines).In(lang))
	}
	if len(f.Still) > 0 {
		lines = append(lines, i18n.ForgotStill(strings.Join(f.Still, ", ")).In(lang))
	}
	for _, name := range f.Copies.Conversations[:min(len(f.Copies.Conversations), maxListedCopies)] {
		name = ipc.VisibleLine(name)
		lines = append(lines, i18n.RemainsSaid(name, name).In(lang))
	}
	if more := len(f.Copies.Conversations) - maxListedCopies; more > 0 {
		lines = append(lines, i18n.RemainsMore(more).In(lang))
	}
	if len(f.Copies.Files) > 0 {
		lines = append(lines, i18n.RemainsFiles(ipc.VisibleLine(strings.Join(f.Copies.Files, ", "))).In(lang))
	}
	return strings.Join(lines, "\n")
}
