package past

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/timeline"
)

const (
	maxText  = 64 << 10 // bytes of a file whose text is kept
	maxShown = 3        // lines that went, and lines that came, of a change
)

// secretLine matches a line that can hold a secret. A file with one is not kept.
var secretLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)passw|passphrase|secret|token|credential|api.?key|private.?key|psk\b|-----BEGIN`)
})

// texts is the file with the texts of the last comparison, a tar.
func (w Watched) texts() string { return w.Path + ".texts" }

// keepTexts keeps the texts of the files that may be kept, and adds the changed lines to the events. Without changes it only reads
// that the texts are there.
func (w Watched) keepTexts(after map[string]stat, events []timeline.Event) error {
	old, err := os.Open(w.texts())
	isFirst := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !isFirst:
		return fmt.Errorf("cannot read the texts of files: %w", err)
	case err == nil:
		defer old.Close()
		if len(events) == 0 {
			return nil
		}
	}
	next, err := os.OpenFile(w.texts()+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("cannot keep the texts of files: %w", err)
	}
	k := keeper{to: tar.NewWriter(next), changed: map[string]*timeline.Event{}}
	for i := range events {
		k.changed[events[i].Object] = &events[i]
	}
	if isFirst {
		k.changed = make(map[string]*timeline.Event, len(after))
		for path := range after {
			k.changed[path] = &timeline.Event{}
		}
	} else {
		k.copyFrom(tar.NewReader(old))
	}
	k.addRest()
	err = errors.Join(k.err, k.to.Close(), next.Close())
	if err == nil {
		err = os.Rename(w.texts()+".new", w.texts())
	}
	if err != nil {
		return fmt.Errorf("cannot keep the texts of files: %w", err)
	}
	return nil
}

// keeper writes the texts. changed are those that are read again.
type keeper struct {
	to      *tar.Writer
	changed map[string]*timeline.Event
	err     error
}

// copyFrom copies the texts that did not change, and notes which lines of the others did. A damaged end is left out.
func (k *keeper) copyFrom(old *tar.Reader) {
	for k.err == nil {
		h, err := old.Next()
		if err != nil {
			return
		}
		before, err := io.ReadAll(io.LimitReader(old, maxText+1))
		e, isChanged := k.changed[h.Name]
		switch {
		case err != nil:
			return
		case !isChanged:
			k.add(h.Name, string(before))
			continue
		}
		delete(k.changed, h.Name)
		if text, ok := keptText(h.Name); ok {
			e.Lines = changedLines(string(before), text)
			k.add(h.Name, text)
		}
	}
}

// addRest adds the texts of new files.
func (k *keeper) addRest() {
	names := make([]string, 0, len(k.changed))
	for path := range k.changed {
		names = append(names, path)
	}
	slices.Sort(names)
	for _, path := range names {
		if text, ok := keptText(path); ok {
			k.add(path, text)
		}
	}
}

func (k *keeper) add(path, text string) {
	if k.err != nil {
		return
	}
	if k.err = k.to.WriteHeader(&tar.Header{Name: path, Mode: 0o600, Size: int64(len(text)), Format: tar.FormatPAX}); k.err == nil {
		_, k.err = io.WriteString(k.to, text)
	}
}

// keptText returns the text of a file that every account may read and that holds no secret. ok is false for all others.
func keptText(path string) (text string, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText || info.Mode().Perm()&0o004 == 0 {
		return "", false
	}
	data, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil || len(data) > maxText || !utf8.Valid(data) || strings.ContainsRune(string(data), 0) || secretLine().Match(data) {
		return "", false
	}
	return string(data), true
}

// changedLines returns some lines that went and came: those between what both texts have at their beginning and at their end.
func changedLines(before, after string) (shown []string) {
	a, b := strings.Split(before, "\n"), strings.Split(after, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"- ", a}, {"+ ", b}} {
		n := 0
		for _, line := range side.lines {
			if line = strings.TrimSpace(machine.CleanLine(line)); line != "" && n < maxShown {
				shown = append(shown, side.sign+line)
				n++
			}
		}
	}
	return shown
}
