package daemon

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
)

// maxNoted is how much of a note the person is told, in characters.
const maxNoted = 200

// noted tells the person what was changed in the notes, a line each; "" for
// nothing.
func (rt *Runtime) noted(changes []memory.Change, channel string, lang i18n.Lang) string {
	var lines []string
	for _, c := range changes {
		note := shortened(strings.Join(strings.Fields(rt.confided(c.Note.Text)), " "))
		switch {
		case note == "":
			lines = append(lines, i18n.NotedUser.In(lang, len(c.Added), len(c.Removed)))
		case len(c.Added) > 0:
			lines = append(lines, i18n.NotedKept.In(lang, note, nameOf(c.Note)))
		default:
			lines = append(lines, i18n.NotedGone.In(lang, note))
			if more := rt.forgotten(c, channel).Tell(lang); more != "" {
				lines = append(lines, more)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// forgotten tells where a note that is forgotten is still kept, as far as who
// writes over a channel may see that.
func (rt *Runtime) forgotten(c memory.Change, channel string) Forgotten {
	done := Forgotten{Change: c}
	if rt.Notes == nil {
		return done
	}
	prefix := ""
	if !slices.Contains(atTheMachine, channel) {
		prefix = session.Key(agentID, channel, "")
	}
	done.Remains = rt.Notes.Remains(context.Background(), c.Note.Text, prefix)
	return done
}

// confided takes secrets out of a note that a hand may have written.
func (rt *Runtime) confided(text string) string {
	if rt.Redactor == nil {
		return text
	}
	return rt.Redactor.Confided(text)
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > maxNoted {
		return string(runes[:maxNoted]) + "…"
	}
	return text
}

// topic is a word with what ends the thing that is spoken of: a Korean particle,
// a Chinese verb.
var topic = regexp.MustCompile(`^(?:(.*[\p{Hangul}\p{Nd}A-Za-z])(?:은|는|이|가|을|를)|(\p{Han}{2,}?)(?:是|叫|在).*)$`)

// copulas end the same in English.
var copulas = []string{"is", "are", "was", "were", "has", "=", ":"}

// nameOf is what a person would call a note by: its key, or its first words
// where the key is made of these.
func nameOf(n memory.Note) string {
	if n.Key != "" && !strings.HasPrefix(memory.Slug(n.Text), strings.TrimRight(n.Key, "-0123456789")) {
		return strings.ReplaceAll(n.Key, "-", " ")
	}
	const words = 4
	var name []string
	for _, w := range strings.Fields(n.Text) {
		if len(name) == words || len(name) > 0 && slices.Contains(copulas, strings.ToLower(w)) {
			break
		}
		w = strings.Trim(w, ".,:;!?\"'`()")
		if m := topic.FindStringSubmatch(w); m != nil {
			name = append(name, m[1]+m[2])
			break
		}
		name = append(name, w)
	}
	return shortened(strings.Join(name, " "))
}

// noteChanges is the same for programs.
func (w *worker) noteChanges(changes []memory.Change) []ipc.NoteChange {
	var list []ipc.NoteChange
	clean := func(lines []string) []string {
		var out []string
		for _, l := range lines {
			out = append(out, w.rt.confided(l))
		}
		return out
	}
	for _, c := range changes {
		list = append(list, ipc.NoteChange{
			File: c.File, Key: c.Note.Key, Text: w.rt.confided(c.Note.Text), Added: clean(c.Added), Removed: clean(c.Removed),
		})
	}
	return list
}
