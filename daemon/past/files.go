package past

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/internal/sorting"
	"github.com/nidoit/blunux-ai/timeline"
)

// The bounds of a snapshot.
const (
	maxFiles  = 8000 // files, in the order of their names
	maxDepth  = 5    // directories below the root of a tree
	keptDays  = 30   // days that changes are kept
	maxEvents = 2000
)

// stat is what a snapshot remembers of a file.
type stat struct {
	Size  int64 `json:"s"`
	Mtime int64 `json:"m"` // nanoseconds
}

// Watched are the trees whose files are compared, and the file in which the last comparison is stored.
type Watched struct {
	Trees []string
	// Path is the file of the last snapshot. The changes are in the file with ".changes" after it.
	Path string
}

// secretWords are parts of paths whose names alone can be secret or are of no use: keys, and what programs rewrite all the time.
var secretWords = []string{
	"shadow", "ssh", "ssl/private", "gnupg", "pki", "keyring", "password", "secret", "credential", "token", "cookie", "wireguard", "system-connections",
	"cache", "crash", "/logs/", "blob_storage", "indexeddb", "service worker", "local storage", "session storage", "leveldb", "gpucache", "history", "recent",
	"chromium/", "google-chrome", "brave", "firefox", "discord/", "slack/", "code/user", "ld.so.cache", ".lock", "mtab", "blunux-ai",
}

func isLeftOut(path string) bool {
	low := strings.ToLower(path)
	return slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(low, w) })
}

// Compare lists what is different since the last time and stores it. The first time nothing is different.
func (w Watched) Compare(now time.Time) error {
	before, at, known := w.read()
	after := w.scan()
	events := difference(before, after, at, now)
	if !known {
		events = nil
	}
	if err := w.keepTexts(after, events); err != nil {
		return err
	}
	if err := w.append(events); err != nil {
		return err
	}
	data, err := json.Marshal(struct {
		At    time.Time       `json:"at"`
		Files map[string]stat `json:"files"`
	}{now.UTC(), after})
	if err != nil {
		return err
	}
	return replace(w.Path, journal.AddVersion(data))
}

// replace replaces a file without syncing it: what a power cut loses is no loss.
func replace(path string, data []byte) error {
	next := path + ".new"
	err := os.WriteFile(next, data, 0o600)
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return fmt.Errorf("cannot save the changes of files: %w", err)
	}
	return nil
}

// read returns the last snapshot. A damaged one is as none: the next is complete again.
func (w Watched) read() (files map[string]stat, at time.Time, known bool) {
	var s struct {
		At    time.Time       `json:"at"`
		Files map[string]stat `json:"files"`
	}
	data, err := os.ReadFile(w.Path)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Files == nil {
		return nil, at, false
	}
	return s.Files, s.At, true
}

// scan lists the files of the trees. What cannot be read is left out.
func (w Watched) scan() map[string]stat {
	all := map[string]stat{}
	for _, tree := range w.Trees {
		_ = filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error { // unreadable directories are left out
			switch {
			case err != nil || len(all) >= maxFiles:
				return fs.SkipDir
			case isLeftOut(path) || d.IsDir() && strings.Count(strings.TrimPrefix(path, tree), "/") > maxDepth:
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
				all[path] = stat{info.Size(), info.ModTime().UnixNano()}
			}
			return nil
		})
	}
	return all
}

// difference returns the changes between two snapshots. A written file has its own time; others lie between the two.
func difference(before, after map[string]stat, at, now time.Time) (events []timeline.Event) {
	until := now.UTC()
	for path, s := range after {
		was, known := before[path]
		e := timeline.Event{At: time.Unix(0, s.Mtime).UTC(), Source: timeline.Files, Object: path}
		if e.At.Before(at) || e.At.After(now) { // such as a file that a package brings, with its own time
			e.At, e.Until = at.UTC(), &until
		}
		switch {
		case !known:
			e.Kind = timeline.Created
		case was != s:
			e.Kind = timeline.Written
		default:
			continue
		}
		events = append(events, e)
	}
	for path := range before {
		if _, there := after[path]; !there {
			events = append(events, timeline.Event{At: at.UTC(), Until: &until, Source: timeline.Files, Kind: timeline.Deleted, Object: path})
		}
	}
	sorting.By(events, func(a, b timeline.Event) int { return strings.Compare(a.Object, b.Object) })
	return events
}

func (w Watched) changes() string { return w.Path + ".changes" }

// append stores changes, and drops those that are too old or too many.
func (w Watched) append(events []timeline.Event) error {
	if len(events) == 0 {
		return nil
	}
	oldest := time.Now().AddDate(0, 0, -keptDays)
	all := slices.DeleteFunc(append(w.Events(), events...), func(e timeline.Event) bool { return e.At.Before(oldest) })
	all = all[max(0, len(all)-maxEvents):]
	var b strings.Builder
	for _, e := range all {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return replace(w.changes(), []byte(b.String()))
}

// Events returns the stored changes in the order in which they were found. An unreadable line is left out.
func (w Watched) Events() (events []timeline.Event) {
	f, err := os.Open(w.changes())
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var e timeline.Event
		if json.Unmarshal(lines.Bytes(), &e) == nil && e.Kind != "" {
			events = append(events, e)
		}
	}
	return events
}

// Age returns how long ago the last comparison was, and false if there was none.
func (w Watched) Age(now time.Time) (time.Duration, bool) {
	info, err := os.Stat(w.Path)
	if errors.Is(err, fs.ErrNotExist) || err != nil {
		return 0, false
	}
	return now.Sub(info.ModTime()), true
}
