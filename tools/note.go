package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/memory"
)

// Notebook stores notes; [memory.Memory] implements it. A call of its tools is a [noteAction].
type Notebook interface {
	Remember(ctx context.Context, n memory.Note) (memory.Change, error)
	Recall(ctx context.Context, q memory.Query) ([]memory.Hit, error)
	Forget(ctx context.Context, key string) (memory.Change, error)
	UpdateUser(ctx context.Context, content string) (memory.Change, error)
	// UserChange returns what UpdateUser would change.
	UserChange(content string) (memory.Change, error)
	// Find returns the note that Forget would remove, with the same errors.
	Find(ctx context.Context, key string) (memory.Note, error)
	// Echoes returns the other notes that Forget would remove as well.
	Echoes(ctx context.Context, n memory.Note) []memory.Note
}

// Limits of the tools' input.
const (
	maxNote       = 4 << 10  // bytes of one note
	maxUser       = 64 << 10 // bytes of USER.md, because a person reads it
	maxQuery      = 10_000   // bytes
	maxRecall     = 50       // notes
	defaultRecall = 8        // default number of notes
)

// noteAction reads or changes notes.
type noteAction struct {
	Verb     string `json:"verb"` // remember, search, forget, user
	Key      string `json:"key,omitempty"`
	Category string `json:"category,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	Text     string `json:"text"` // the note, the query, the key to forget, USER.md
}

// Argv returns the command line that a person would type.
func (n noteAction) Argv() []string {
	argv := []string{"blunux-ai", "memory", n.Verb}
	if n.Key != "" {
		argv = append(argv, "--key", n.Key)
	}
	if n.Category != "" {
		argv = append(argv, "--category", n.Category)
	}
	if n.Limit != 0 {
		argv = append(argv, "--limit", strconv.Itoa(n.Limit))
	}
	return append(argv, "--", n.Text)
}

// parseNoteAction parses a command line in the form of noteAction.Argv.
func parseNoteAction(argv []string) (n noteAction, ok bool) {
	if len(argv) < 5 || len(argv)%2 == 0 {
		return n, false
	}
	n.Verb, n.Text = argv[2], argv[len(argv)-1]
	for i := 3; i+2 < len(argv); i += 2 {
		switch argv[i] {
		case "--key":
			n.Key = argv[i+1]
		case "--category":
			n.Category = argv[i+1]
		case "--limit":
			n.Limit, _ = strconv.Atoi(argv[i+1])
		}
	}
	return n, n.isValid() && slices.Equal(n.Argv(), argv)
}

func (n noteAction) isValid() bool {
	return slices.Contains([]string{"remember", "search", "forget", "user"}, n.Verb)
}

func (noteAction) kind() string { return kindNote }

func (n noteAction) changes() bool { return n.Verb != "search" }

func planRemember(_ Env, input json.RawMessage) (Plan, error) {
	var in struct{ Text, Key, Category string }
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	text, err := noteText("text", in.Text, maxNote)
	if err != nil {
		return Plan{}, err
	}
	key, category := memory.Slug(in.Key), memory.Slug(in.Category)
	switch memory.Category(category) {
	case memory.Daily, memory.Conversation:
		return Plan{}, fmt.Errorf("%q notes are written automatically: use core or another category", category)
	}
	return actionPlan(noteAction{Verb: "remember", Key: key, Category: category, Text: text}), nil
}

func planRecall(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Query string
		Limit int
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	query, err := noteText("query", in.Query, maxQuery)
	if err != nil {
		return Plan{}, err
	}
	if in.Limit < 0 || in.Limit > maxRecall {
		return Plan{}, fmt.Errorf("limit is 1 to %d", maxRecall)
	}
	return actionPlan(noteAction{Verb: "search", Limit: in.Limit, Text: query}), nil
}

func planForget(_ Env, input json.RawMessage) (Plan, error) {
	var in struct{ Key string }
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	key, err := noteText("key", in.Key, maxNote)
	return actionPlan(noteAction{Verb: "forget", Text: key}), err
}

func planUpdateUser(_ Env, input json.RawMessage) (Plan, error) {
	var in struct{ Content string }
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	content, err := noteText("content", in.Content, maxUser)
	return actionPlan(noteAction{Verb: "user", Text: content}), err
}

// noteText returns a trimmed text without control characters. It fails if the text is empty or longer than most
// bytes.
func noteText(what, s string, most int) (string, error) {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.In(r, unicode.Zl, unicode.Zp):
			return '\n'
		case unicode.In(r, unicode.Cc, unicode.Cf) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, s))
	switch {
	case s == "":
		return "", fmt.Errorf("%s is missing", what)
	case len(s) > most:
		return "", fmt.Errorf("%s has %d bytes, at most %d are allowed: shorten it", what, len(s), most)
	}
	return s, nil
}

// edit replaces the text to remember by the person's own: the text alone, or the command line.
func (n noteAction) edit(command string) (Action, error) {
	if n.Verb != "remember" {
		return nil, errNotEditable
	}
	n.Text = command
	steps, literal := Command{Shell: command}.invocations()
	if literal && len(steps) == 1 && steps[0].program == "blunux-ai" {
		argv := []string{"blunux-ai"}
		for _, w := range steps[0].words {
			argv = append(argv, w.text)
		}
		var ok bool
		if n, ok = parseNoteAction(argv); !ok || n.Verb != "remember" {
			return nil, errors.New("write only the note, or blunux-ai memory remember -- TEXT")
		}
	}
	var err error
	n.Key, n.Category = memory.Slug(n.Key), memory.Slug(n.Category)
	n.Text, err = noteText("text", n.Text, maxNote)
	return n, err
}

// errNotEditable refuses an edit of an action that has no text of the person.
var errNotEditable = errors.New("a removal from the notes cannot be edited: reject it and say what you want instead")
