package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/memory"
)

// Notebook stores notes; [memory.Memory] implements it. A call of its tools becomes the command line that a
// person would type. It is judged, confirmed and recorded like any other and runs inside this program.
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

// noteCall is one command about notes.
type noteCall struct {
	verb          string // remember, search, forget, user
	key, category string
	limit         int
	text          string // the note, the query, the key to forget, USER.md
}

// argv returns the command line of a call.
func (n noteCall) argv() []string {
	argv := []string{"blunux-ai", "memory", n.verb}
	if n.key != "" {
		argv = append(argv, "--key", n.key)
	}
	if n.category != "" {
		argv = append(argv, "--category", n.category)
	}
	if n.limit != 0 {
		argv = append(argv, "--limit", strconv.Itoa(n.limit))
	}
	return append(argv, "--", n.text)
}

func (n noteCall) plan() Plan {
	return Plan{Commands: []Command{{Argv: n.argv(), By: byNotes}}}
}

// parseNoteCall parses a command line that noteCall.argv wrote.
func parseNoteCall(argv []string) (n noteCall, ok bool) {
	if len(argv) < 5 || len(argv)%2 == 0 {
		return n, false
	}
	n.verb, n.text = argv[2], argv[len(argv)-1]
	for i := 3; i+2 < len(argv); i += 2 {
		switch argv[i] {
		case "--key":
			n.key = argv[i+1]
		case "--category":
			n.category = argv[i+1]
		case "--limit":
			n.limit, _ = strconv.Atoi(argv[i+1])
		}
	}
	known := slices.Contains([]string{"remember", "search", "forget", "user"}, n.verb)
	return n, known && slices.Equal(n.argv(), argv)
}

// changesNotes reports whether a plan changes notes.
func (p Plan) changesNotes() bool {
	if !p.isRunBy(byNotes) {
		return false
	}
	n, ok := parseNoteCall(p.Commands[0].Argv)
	return !ok || n.verb != "search"
}

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
	return noteCall{verb: "remember", key: key, category: category, text: text}.plan(), nil
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
	return noteCall{verb: "search", limit: in.Limit, text: query}.plan(), nil
}

func planForget(_ Env, input json.RawMessage) (Plan, error) {
	var in struct{ Key string }
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	key, err := noteText("key", in.Key, maxNote)
	return noteCall{verb: "forget", text: key}.plan(), err
}

func planUpdateUser(_ Env, input json.RawMessage) (Plan, error) {
	var in struct{ Content string }
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	content, err := noteText("content", in.Content, maxUser)
	return noteCall{verb: "user", text: content}.plan(), err
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

// errSecretNote refuses a note with a secret.
var errSecretNote = errors.New("not saved: it contains a password, a key or a token, and notes are plain text that every model is shown. Tell the person to use a password manager; a note can say where the secret is stored")

// planningRefusal returns the refusal code for a planning error.
func planningRefusal(err error) string {
	if errors.Is(err, errSecretNote) || errors.Is(err, errSecretAutomation) {
		return RefusedSecret
	}
	return RefusedInput
}

// pin binds a command that runs inside this program to the current state of what it acts on.
func (g *Gate) pin(p Plan) (Plan, error) {
	switch {
	case p.isRunBy(byNotes) && g.notebook != nil:
		return g.pinNote(p)
	case p.isRunBy(byAutomations) && g.timetable != nil:
		return g.pinAutomation(p)
	case p.isRunBy(bySendFile) && g.fileSender != nil:
		return g.pinFile(p)
	}
	return p, nil
}

// pinNote binds a command about notes. It refuses secrets, and keys that match no note or several.
func (g *Gate) pinNote(p Plan) (Plan, error) {
	book := noteRunner{g.notebook, g.redactor}
	n, _ := parseNoteCall(p.Commands[0].Argv)
	keeps := n.key + "\n" + n.category + "\n" + n.text
	if (n.verb == "remember" || n.verb == "user") && g.redactor.RedactStrict(keeps) != keeps {
		return p, errSecretNote
	}
	if n.verb == "forget" {
		note, err := book.resolveKey(context.Background(), n.text)
		if err != nil {
			return p, err
		}
		n.text = note.Key
		if same, err := book.Find(context.Background(), note.Key); err != nil || same.Text != note.Text || same.Source != note.Source {
			n.text = note.Text
		}
	}
	against, err := book.currentDigest(context.Background(), n)
	c := n.plan().Commands[0]
	c.Against = against
	p.Commands = []Command{c}
	return p, err
}

// digestOf returns a digest of a state.
func digestOf(parts ...string) string {
	data, err := json.Marshal(parts)
	if err != nil { // strings always marshal
		panic(err)
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
