package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/secret"
)

// Why the notes' tools ask.
const (
	ReasonUntrustedNote = "untrusted-note" // somebody else may have written what would be kept
	ReasonForgetNote    = "forget-note"
	ReasonRewriteNote   = "rewrite-note" // takes away what was kept
)

// The warnings that show a note which goes or comes; the text stands behind.
const (
	warnNoteGoes  = "note-goes"
	warnNoteComes = "note-comes"
)

// notes carry out the commands of the notes.
type notes struct {
	Notebook
	redactor *secret.Redactor
}

var errNoteChanged = errors.New("the notes have changed since")

// judge classes a command. What nobody else can have written is kept unasked;
// nothing is taken away unasked.
func (b notes) judge(j *Judged, c Command) {
	n, ok := noteCallOf(c.Argv)
	if !ok {
		j.unparsed = true
		j.confirm("unparsed", c.String())
		return
	}
	switch n.verb {
	case "remember":
		old, replaces := b.replaced(context.Background(), n)
		if replaces {
			b.show(j, warnNoteGoes, old.Text)
		}
		b.judgeKept(j, replaces, n.key, n.category, n.text)
	case "forget":
		note, _ := b.Find(context.Background(), n.text) // one that is gone is told by ready
		b.show(j, warnNoteGoes, note.Text)
		j.confirm(ReasonForgetNote, n.text)
	case "user":
		change, _ := b.UserChange(n.text)
		b.show(j, warnNoteGoes, change.Removed...)
		b.show(j, warnNoteComes, change.Added...)
		if len(change.Removed) > 0 {
			j.confirm(ReasonRewriteNote, "USER.md")
		}
		b.judgeKept(j, false, change.Added...)
	}
}

// judgeKept has the person asked about texts to be kept which are not their own
// words, in a turn where somebody else's could have come in; and about what
// takes another note's place there.
func (b notes) judgeKept(j *Judged, replaces bool, texts ...string) {
	if !j.Call.Untrusted && !j.Call.Mixed {
		return
	}
	if !ownWords(j.Call.Words, texts...) {
		j.confirm(ReasonUntrustedNote, strings.Join(texts, " "))
	} else if replaces {
		j.confirm(ReasonRewriteNote, texts[0])
	}
}

// show puts lines of notes before the person who is asked.
func (b notes) show(j *Judged, warning string, lines ...string) {
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
		j.warn(warning + ": " + b.redactor.Confided(text))
	}
}

// meant returns the one note that a key, or the exact text, stands for. The error
// names what else could be meant.
func (b notes) meant(ctx context.Context, key string) (memory.Note, error) {
	note, err := b.Find(ctx, key)
	var several *memory.AmbiguousError
	switch {
	case errors.As(err, &several):
		return note, fmt.Errorf("%q stands for several notes: %s. Ask the person which one, and give its exact text", key, b.list(several.Notes))
	case errors.Is(err, memory.ErrNoNote):
		return note, fmt.Errorf("there is no note %q%s", key, b.nearest(ctx, key))
	}
	return note, err
}

// nearest names the notes that come next to a key.
func (b notes) nearest(ctx context.Context, key string) string {
	hits, err := b.Recall(ctx, memory.Query{Words: strings.ReplaceAll(key, "-", " "), Limit: 3})
	if err != nil || len(hits) == 0 {
		return "; recall finds the keys"
	}
	var found []memory.Note
	for _, h := range hits {
		found = append(found, h.Note)
	}
	return "; the nearest are: " + b.list(found)
}

// list names notes in one line.
func (b notes) list(found []memory.Note) string {
	const most, length = 5, 80
	var names []string
	for _, n := range found[:min(len(found), most)] {
		text := []rune(b.line(n.Text))
		names = append(names, fmt.Sprintf("%s (%s: %s)", n.Key, n.Source, string(text[:min(len(text), length)])))
	}
	return strings.Join(names, "; ")
}

// replaced is the note that a new one takes the place of.
func (b notes) replaced(ctx context.Context, n noteCall) (memory.Note, bool) {
	if n.key == "" {
		return memory.Note{}, false
	}
	old, err := b.Find(ctx, n.key)
	found := []memory.Note{old}
	var several *memory.AmbiguousError
	if errors.As(err, &several) {
		found = several.Notes
	}
	i := slices.IndexFunc(found, func(old memory.Note) bool {
		return old.Source == "MEMORY.md" && old.Key == n.key && old.Text != n.text
	})
	if i < 0 {
		return memory.Note{}, false
	}
	return found[i], true
}

// against is a digest of what a command acts on now; "" for nothing.
func (b notes) against(ctx context.Context, n noteCall) (string, error) {
	switch n.verb {
	case "remember":
		if old, ok := b.replaced(ctx, n); ok {
			return digestOf(old.Source, old.Key, old.Text), nil
		}
	case "forget":
		note, err := b.Find(ctx, n.text)
		return digestOf(note.Source, note.Key, note.Text), err
	case "user":
		change, err := b.UserChange(n.text)
		return digestOf(strings.Join(change.Removed, "\n"), strings.Join(change.Added, "\n")), err
	}
	return "", nil
}

func (b notes) ready(ctx context.Context, c Command) error {
	n, _ := noteCallOf(c.Argv)
	if now, err := b.against(ctx, n); err != nil || now != c.Against {
		return errNoteChanged
	}
	return nil
}

func (b notes) carry(ctx context.Context, c Command, to io.Writer) (carried, error) {
	n, _ := noteCallOf(c.Argv)
	if n.verb == "search" {
		return carried{failed: b.search(ctx, n, to) != nil}, nil
	}
	change, said, err := b.change(ctx, n)
	if err != nil {
		fmt.Fprintln(to, "not done: "+err.Error())
		return carried{failed: true}, nil
	}
	fmt.Fprintln(to, said)
	if change.File == "" || len(change.Added)+len(change.Removed) == 0 {
		return carried{}, nil
	}
	return carried{noted: &change}, nil
}

// change does what a command says to the notes, and says so.
func (b notes) change(ctx context.Context, n noteCall) (change memory.Change, said string, err error) {
	switch n.verb {
	case "remember":
		change, err = b.Remember(ctx, memory.Note{Key: n.key, Category: memory.Category(n.category), Text: n.text})
		said = fmt.Sprintf("remembered in %s as %s: %s", change.File, change.Note.Key, b.line(change.Note.Text))
		if len(change.Added)+len(change.Removed) == 0 {
			said = "it was remembered already: " + b.line(n.text)
		}
	case "forget":
		change, err = b.Forget(ctx, n.text)
		said = fmt.Sprintf("forgotten, from %s: %s", change.File, b.line(change.Note.Text))
	case "user":
		change, err = b.UpdateUser(ctx, n.text)
		said = fmt.Sprintf("USER.md is written: %d lines added, %d removed", len(change.Added), len(change.Removed))
	}
	return change, said, err
}

// search writes the notes that answer a query, one a line:
// [DATE] TEXT (FILE, key KEY, score SCORE).
func (b notes) search(ctx context.Context, n noteCall, to io.Writer) error {
	limit := n.limit
	if limit == 0 {
		limit = recalls
	}
	hits, err := b.Recall(ctx, memory.Query{Words: n.text, Limit: limit})
	if err != nil {
		fmt.Fprintln(to, "cannot look it up: "+err.Error())
		return err
	}
	for _, h := range hits {
		fmt.Fprintf(to, "[%s] %s (%s, key %s, score %.2f)\n", dated(h.Note), b.line(h.Text), h.Source, h.Key, h.Score)
	}
	if len(hits) == 0 {
		fmt.Fprintln(to, "there is no such note")
	}
	return nil
}

// dated is the day of a note.
func dated(n memory.Note) string {
	for _, at := range []time.Time{n.Created, n.Updated} {
		if !at.IsZero() {
			return at.Format(time.DateOnly)
		}
	}
	return "undated"
}

// line is a note's text on one line, without secrets that a hand wrote there.
func (b notes) line(text string) string {
	return strings.Join(strings.Fields(b.redactor.Confided(text)), " ")
}

// editNote puts the person's own text in the place of what would be remembered:
// the words alone, or the command line.
func (g *Gate) editNote(j Judged, command string) (e Judged, refusal string) {
	n, ok := noteCallOf(j.Plan.Commands[0].Argv)
	if !ok || n.verb != "remember" {
		return j, "what is taken from the notes cannot be edited; say no, and say what is wanted instead"
	}
	n.text = command
	steps, literal := Command{Shell: command}.invocations()
	if literal && len(steps) == 1 && steps[0].program == "blunux-ai" {
		argv := []string{"blunux-ai"}
		for _, w := range steps[0].words {
			argv = append(argv, w.text)
		}
		if n, ok = noteCallOf(argv); !ok || n.verb != "remember" {
			return j, "the question was what to remember; write the note alone, or blunux-ai memory remember -- TEXT"
		}
	}
	text, err := noteText("text", n.text, maxNote)
	n.key, n.category, n.text = memory.Slug(n.key), memory.Slug(n.category), text
	plan := n.plan()
	if err == nil {
		plan, err = g.pinned(plan)
	}
	if err != nil {
		return j, err.Error()
	}
	plan.Tool, plan.Dir, plan.Timeout = j.Plan.Tool, j.Plan.Dir, j.Plan.Timeout
	call := j.Call
	call.Words, call.Untrusted, call.Mixed = command, false, false
	e = g.judge(call, plan, j.Session)
	e.Origin, e.By = j.Origin, j.By
	return e, ""
}
