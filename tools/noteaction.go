package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
)

// The reasons why the note tools need a confirmation.
const (
	ReasonUntrustedNote = "untrusted-note" // someone else can have written the text
	ReasonForgetNote    = "forget-note"
	ReasonRewriteNote   = "rewrite-note" // removes earlier text
)

// The warnings that show removed and added notes, before ": " and the text.
const (
	warnOldNote = "note-goes"
	warnNewNote = "note-comes"
	// warnNoteEchoes shows the lines that are removed together with a note.
	warnNoteEchoes = "note-echoes"
)

// noteKeeper shows notes without secrets.
type noteKeeper struct {
	Notebook
	redactor *secret.Redactor
}

const errNoteChanged = changedError("the notes have changed since")

// errSecretNote refuses a note with a secret.
const errSecretNote = secretError("not saved: it contains a password, a key or a token, and notes are plain text that every model is shown. Tell the person to use a password manager; a note can say where the secret is stored")

// pin refuses secrets, and keys that match no note or several.
func (n noteAction) pin(s services, p *Plan) error {
	keeps := n.Key + "\n" + n.Category + "\n" + n.Text
	if (n.Verb == "remember" || n.Verb == "user") && s.redactor.RedactStrict(keeps) != keeps {
		return errSecretNote
	}
	ctx := context.Background()
	if n.Verb == "forget" {
		note, err := s.notes.resolveKey(ctx, n.Text)
		if err != nil {
			return err
		}
		n.Text = note.Key
		if same, err := s.notes.Find(ctx, note.Key); err != nil || same.Text != note.Text || same.Source != note.Source {
			n.Text = note.Text
		}
	}
	var err error
	p.Action = n
	p.Against, err = s.notes.currentDigest(ctx, n)
	return err
}

// judge saves a note that only the person can have written without a confirmation. Removing text always needs one.
func (n noteAction) judge(s services, j *JudgedPlan) {
	b := s.notes
	switch n.Verb {
	case "remember":
		old, replaces := b.findReplaced(context.Background(), n)
		if replaces {
			b.addWarning(j, warnOldNote, old.Text)
		}
		b.judgeText(j, replaces, n.Key, n.Category, n.Text)
	case "forget":
		note, _ := b.Find(context.Background(), n.Text) // ready reports a missing note
		b.addWarning(j, warnOldNote, note.Text)
		b.showEchoes(j, note)
		j.requireConfirmation(ReasonForgetNote, n.Text)
	case "user":
		change, _ := b.UserChange(n.Text)
		b.addWarning(j, warnOldNote, change.Removed...)
		b.addWarning(j, warnNewNote, change.Added...)
		if len(change.Removed) > 0 {
			j.requireConfirmation(ReasonRewriteNote, "USER.md")
		}
		b.judgeText(j, false, change.Added...)
	}
}

// judgeText requires a confirmation if a turn that has read text of others would save text that is not in the
// person's own words, or would replace another note.
func (b noteKeeper) judgeText(j *JudgedPlan, replaces bool, texts ...string) {
	if !j.Call.Untrusted && !j.Call.Mixed {
		return
	}
	if !ownWords(j.Call.Words, texts...) {
		j.requireConfirmation(ReasonUntrustedNote, strings.Join(texts, " "))
	} else if replaces {
		j.requireConfirmation(ReasonRewriteNote, texts[0])
	}
}

// addWarning adds lines of notes to the question.
func (b noteKeeper) addWarning(j *JudgedPlan, warning string, lines ...string) {
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
		j.warn(warning + ": " + b.redactor.RedactStrict(text))
	}
}

// maxEchoes is the number of lines shown that are removed together with a note.
const maxEchoes = 10

// showEchoes shows the lines that are removed together with a note.
func (b noteKeeper) showEchoes(j *JudgedPlan, note memory.Note) {
	if note.Text == "" {
		return
	}
	var lines []string
	echoes := b.Echoes(context.Background(), note)
	for _, o := range echoes[:min(len(echoes), maxEchoes)] {
		lines = append(lines, fmt.Sprintf("%s:%d %s", o.Source, o.Line, b.line(o.Text)))
	}
	if more := len(echoes) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("… +%d", more))
	}
	b.addWarning(j, warnNoteEchoes, lines...)
}

// findReplaced returns the note that a new one replaces.
func (b noteKeeper) findReplaced(ctx context.Context, n noteAction) (memory.Note, bool) {
	if n.Key == "" {
		return memory.Note{}, false
	}
	old, err := b.Find(ctx, n.Key)
	found := []memory.Note{old}
	var several *memory.AmbiguousError
	if errors.As(err, &several) {
		found = several.Notes
	}
	i := slices.IndexFunc(found, func(old memory.Note) bool {
		return old.Source == "MEMORY.md" && old.Key == n.Key && old.Text != n.Text
	})
	if i < 0 {
		return memory.Note{}, false
	}
	return found[i], true
}

// currentDigest returns a digest of the current state of what a command acts on, or "".
func (b noteKeeper) currentDigest(ctx context.Context, n noteAction) (string, error) {
	switch n.Verb {
	case "remember":
		if old, ok := b.findReplaced(ctx, n); ok {
			return digestOf(old.Source, old.Key, old.Text), nil
		}
	case "forget":
		note, err := b.Find(ctx, n.Text)
		return digestOf(note.Source, note.Key, note.Text), err
	case "user":
		change, err := b.UserChange(n.Text)
		return digestOf(strings.Join(change.Removed, "\n"), strings.Join(change.Added, "\n")), err
	}
	return "", nil
}

func (n noteAction) ready(ctx context.Context, s services, c actionCall) error {
	if now, err := s.notes.currentDigest(ctx, n); err != nil || now != c.against {
		return errNoteChanged
	}
	return nil
}

func (n noteAction) do(ctx context.Context, s services, _ actionCall, to io.Writer) (actionResult, error) {
	if n.Verb == "search" {
		return actionResult{failed: s.notes.search(ctx, n, to) != nil}, nil
	}
	change, said, err := s.notes.apply(ctx, n)
	if err != nil {
		fmt.Fprintln(to, "not done: "+err.Error())
		return actionResult{failed: true}, nil
	}
	fmt.Fprintln(to, said)
	if change.File == "" || len(change.Added)+len(change.Removed) == 0 {
		return actionResult{}, nil
	}
	return actionResult{noteChange: &change}, nil
}

// describeOtherFiles lists the other files from which a note was removed, and the files that still have it.
func describeOtherFiles(c memory.Change) string {
	said := ""
	for _, f := range c.Also {
		said += fmt.Sprintf("; also from %s (lines: %d)", f.File, f.Lines)
	}
	if len(c.Still) > 0 {
		said += "; cannot be changed and still hold it: " + strings.Join(c.Still, ", ")
	}
	return said
}

// apply changes notes and returns a message about it.
func (b noteKeeper) apply(ctx context.Context, n noteAction) (change memory.Change, said string, err error) {
	switch n.Verb {
	case "remember":
		change, err = b.Remember(ctx, memory.Note{Key: n.Key, Category: memory.Category(n.Category), Text: n.Text})
		said = fmt.Sprintf("remembered in %s as %s: %s", change.File, change.Note.Key, b.line(change.Note.Text))
		if len(change.Added)+len(change.Removed) == 0 {
			said = "it was remembered already: " + b.line(n.Text)
		}
	case "forget":
		change, err = b.Forget(ctx, n.Text)
		said = fmt.Sprintf("forgotten, from %s: %s%s", change.File, b.line(change.Note.Text), describeOtherFiles(change))
	case "user":
		change, err = b.UpdateUser(ctx, n.Text)
		said = fmt.Sprintf("USER.md is written: %d lines added, %d removed", len(change.Added), len(change.Removed))
	}
	return change, said, err
}

// resolveKey returns the note that a key or an exact text refers to. The error lists similar notes.
func (b noteKeeper) resolveKey(ctx context.Context, key string) (memory.Note, error) {
	note, err := b.Find(ctx, key)
	var several *memory.AmbiguousError
	switch {
	case errors.As(err, &several):
		return note, fmt.Errorf("%q matches several notes: %s. Ask the person which one, and give its exact text", key, b.list(several.Notes))
	case errors.Is(err, memory.ErrNoNote):
		return note, fmt.Errorf("there is no note %q%s", key, b.nearest(ctx, key))
	}
	return note, err
}

// nearest lists the notes that are most similar to a key.
func (b noteKeeper) nearest(ctx context.Context, key string) string {
	hits, err := b.Recall(ctx, memory.Query{Words: strings.ReplaceAll(key, "-", " "), Limit: 3})
	if err != nil || len(hits) == 0 {
		return "; use recall to find the keys"
	}
	var found []memory.Note
	for _, h := range hits {
		found = append(found, h.Note)
	}
	return "; the nearest are: " + b.list(found)
}

// list returns the notes on one line.
func (b noteKeeper) list(found []memory.Note) string {
	const most, length = 5, 80
	var names []string
	for _, n := range found[:min(len(found), most)] {
		text := []rune(b.line(n.Text))
		names = append(names, fmt.Sprintf("%s (%s: %s)", n.Key, n.Source, string(text[:min(len(text), length)])))
	}
	return strings.Join(names, "; ")
}

// search writes the notes that match a query, one per line: [DATE] TEXT (FILE, key KEY, score SCORE).
func (b noteKeeper) search(ctx context.Context, n noteAction, to io.Writer) error {
	limit := n.Limit
	if limit == 0 {
		limit = defaultRecall
	}
	hits, err := b.Recall(ctx, memory.Query{Words: n.Text, Limit: 2 * limit})
	hits = slices.DeleteFunc(hits, isLookUp)
	hits = hits[:min(limit, len(hits))]
	if err != nil && len(hits) == 0 { // with hits, only some file could not be read
		fmt.Fprintln(to, "cannot look it up: "+err.Error())
		return err
	}
	for _, h := range hits {
		fmt.Fprintf(to, "[%s] %s (%s, key %s, score %.2f)\n", noteDate(h.Note), b.line(h.Text), h.Source, h.Key, h.Score)
	}
	if len(hits) == 0 {
		fmt.Fprintln(to, "there is no such note")
	}
	return nil
}

// isLookUp reports whether a hit is only the line of an earlier search in a daily note.
func isLookUp(h memory.Hit) bool {
	return h.Category == memory.Daily && strings.Contains(h.Text, " · blunux-ai memory search ")
}

// noteDate returns the date of a note.
func noteDate(n memory.Note) string {
	for _, at := range []time.Time{n.Created, n.Updated} {
		if !at.IsZero() {
			return at.Format(time.DateOnly)
		}
	}
	return "undated"
}

// line returns a note's text on one line, without secrets that were written by hand.
func (b noteKeeper) line(text string) string {
	return strings.Join(strings.Fields(b.redactor.RedactStrict(text)), " ")
}
