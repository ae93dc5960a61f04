package turns

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// maxNoteChars bounds a note in an answer, in characters.
const maxNoteChars = 200

// describeNoteChanges describes the changes of the notes for the person, a line each, "" for none.
func describeNoteChanges(rt *settings.Runtime, changes []memory.Change, channel string, lang i18n.Lang) string {
	var lines []string
	for _, c := range changes {
		note := shorten(strings.Join(strings.Fields(rt.RedactNote(c.Note.Text)), " "))
		switch {
		case note == "":
			lines = append(lines, i18n.UserNotesChanged(len(c.Added), len(c.Removed)).In(lang))
		case len(c.Added) > 0:
			lines = append(lines, i18n.NoteStored(note, noteName(c.Note)).In(lang))
		default:
			lines = append(lines, i18n.NoteRemoved(note).In(lang))
			if more := forgottenNote(rt, c, channel).Describe(lang); more != "" {
				lines = append(lines, more)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// forgottenNote returns where a removed note is still stored. Remote senders only learn about conversations of their
// own channel.
func forgottenNote(rt *settings.Runtime, c memory.Change, channel string) notes.ForgottenNote {
	done := notes.ForgottenNote{Change: c}
	if rt.Notes == nil {
		return done
	}
	prefix := ""
	if !slices.Contains(post.AtTheMachine, channel) {
		prefix = session.Key(post.AgentID, channel, "")
	}
	done.Copies = rt.Notes.FindCopies(context.Background(), c.Note.Text, prefix)
	return done
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > maxNoteChars {
		return string(runes[:maxNoteChars]) + "…"
	}
	return text
}

// topic matches a word that ends the subject of a sentence: with a Korean particle or a Chinese verb. One syllable
// (나는) names no note.
var topic = regexp.MustCompile(`^(?:(.+[\p{Hangul}\p{Nd}A-Za-z])(?:은|는|이|가|을|를)|(\p{Han}{2,}?)(?:是|叫|在).*)$`)

// copulas end the subject of an English sentence.
var copulas = []string{"is", "are", "was", "were", "has", "=", ":"}

// noteName returns a short name of a note: its key, or its first words if the key was derived from these.
func noteName(n memory.Note) string {
	if n.Key != "" && !strings.HasPrefix(memory.Slug(n.Text), strings.TrimRight(n.Key, "-0123456789")) {
		return strings.ReplaceAll(n.Key, "-", " ")
	}
	const words = 4
	var name, subject []string
	for _, w := range strings.Fields(n.Text) {
		if len(name) == words || len(name) > 0 && slices.Contains(copulas, strings.ToLower(w)) {
			break
		}
		w = strings.Trim(w, ".,:;!?\"'`()")
		if m := topic.FindStringSubmatch(w); m != nil { // the last of them ends it: "내가 싫어하는 음식은 오이야"
			subject = append(slices.Clone(name), m[1]+m[2])
		}
		name = append(name, w)
	}
	if subject != nil {
		name = subject
	}
	return shorten(strings.Join(name, " "))
}

// noteChanges returns the changes of the notes as data.
func (w *worker) noteChanges(changes []memory.Change) []ipc.NoteChange {
	var list []ipc.NoteChange
	clean := func(lines []string) []string {
		var out []string
		for _, l := range lines {
			out = append(out, w.rt.RedactNote(l))
		}
		return out
	}
	for _, c := range changes {
		list = append(list, ipc.NoteChange{
			File: c.File, Key: c.Note.Key, Text: w.rt.RedactNote(c.Note.Text), Added: clean(c.Added), Removed: clean(c.Removed),
		})
	}
	return list
}
