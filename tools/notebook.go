package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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

// noteRunner runs the commands about notes.
type noteRunner struct {
	Notebook
	redactor *secret.Redactor
}

var errNoteChanged = errors.New("the notes have changed since")

// judge classifies a command. A note that only the person can have written is saved without a confirmation.
// Removing text always needs one.
func (b noteRunner) judge(j *JudgedPlan, c Command) {
	n, ok := parseNoteCall(c.Argv)
	if !ok {
		j.isUnparsed = true
		j.requireConfirmation("unparsed", c.String())
		return
	}
	switch n.verb {
	case "remember":
		old, replaces := b.findReplaced(context.Background(), n)
		if replaces {
			b.addWarning(j, warnOldNote, old.Text)
		}
		b.judgeText(j, replaces, n.key, n.category, n.text)
	case "forget":
		note, _ := b.Find(context.Background(), n.text) // ready reports a missing note
		b.addWarning(j, warnOldNote, note.Text)
		b.showEchoes(j, note)
		j.requireConfirmation(ReasonForgetNote, n.text)
	case "user":
		change, _ := b.UserChange(n.text)
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
func (b noteRunner) judgeText(j *JudgedPlan, replaces bool, texts ...string) {
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
func (b noteRunner) addWarning(j *JudgedPlan, warning string, lines ...string) {
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
		j.warn(warning + ": " + b.redactor.RedactStrict(text))
	}
}

// maxEchoes is the number of lines shown that are removed together with a note.
const maxEchoes = 10

// showEchoes shows the lines that are removed together with a note.
func (b noteRunner) showEchoes(j *JudgedPlan, note memory.Note) {
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
func (b noteRunner) findReplaced(ctx context.Context, n noteCall) (memory.Note, bool) {
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

// currentDigest returns a digest of the current state of what a command acts on, or "".
func (b noteRunner) currentDigest(ctx context.Context, n noteCall) (string, error) {
	switch n.verb {
	case "remember":
		if old, ok := b.findReplaced(ctx, n); ok {
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

func (b noteRunner) check(ctx context.Context, c Command) error {
	n, _ := parseNoteCall(c.Argv)
	if now, err := b.currentDigest(ctx, n); err != nil || now != c.Against {
		return errNoteChanged
	}
	return nil
}

func (b noteRunner) execute(ctx context.Context, c Command, to io.Writer) (internalResult, error) {
	n, _ := parseNoteCall(c.Argv)
	if n.verb == "search" {
		return internalResult{failed: b.search(ctx, n, to) != nil}, nil
	}
	change, said, err := b.applyCall(ctx, n)
	if err != nil {
		fmt.Fprintln(to, "not done: "+err.Error())
		return internalResult{failed: true}, nil
	}
	fmt.Fprintln(to, said)
	if change.File == "" || len(change.Added)+len(change.Removed) == 0 {
		return internalResult{}, nil
	}
	return internalResult{noteChange: &change}, nil
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

// applyCall runs a command that changes notes and returns a message about it.
func (b noteRunner) applyCall(ctx context.Context, n noteCall) (applyCall memory.Change, said string, err error) {
	switch n.verb {
	case "remember":
		applyCall, err = b.Remember(ctx, memory.Note{Key: n.key, Category: memory.Category(n.category), Text: n.text})
		said = fmt.Sprintf("remembered in %s as %s: %s", applyCall.File, applyCall.Note.Key, b.line(applyCall.Note.Text))
		if len(applyCall.Added)+len(applyCall.Removed) == 0 {
			said = "it was remembered already: " + b.line(n.text)
		}
	case "forget":
		applyCall, err = b.Forget(ctx, n.text)
		said = fmt.Sprintf("forgotten, from %s: %s%s", applyCall.File, b.line(applyCall.Note.Text), describeOtherFiles(applyCall))
	case "user":
		applyCall, err = b.UpdateUser(ctx, n.text)
		said = fmt.Sprintf("USER.md is written: %d lines added, %d removed", len(applyCall.Added), len(applyCall.Removed))
	}
	return applyCall, said, err
}
