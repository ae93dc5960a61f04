package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/tools/shell"
)

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

func (noteAction) Kind() string { return KindNote }

func (n noteAction) Changes() bool { return n.Verb != "search" }

// Remember plans to save a note.
func Remember(in struct{ Text, Key, Category string }) (Action, error) {
	text, err := noteText("text", in.Text, maxNote)
	if err != nil {
		return nil, err
	}
	key, category := memory.Slug(in.Key), memory.Slug(in.Category)
	switch memory.Category(category) {
	case memory.Daily, memory.Conversation:
		return nil, fmt.Errorf("%q notes are written automatically: use core or another category", category)
	}
	return noteAction{Verb: "remember", Key: key, Category: category, Text: text}, nil
}

// Recall plans a search in the notes.
func Recall(in struct {
	Query string
	Limit int
},
) (Action, error) {
	query, err := noteText("query", in.Query, maxQuery)
	if err != nil {
		return nil, err
	}
	if in.Limit < 0 || in.Limit > maxRecall {
		return nil, fmt.Errorf("limit is 1 to %d", maxRecall)
	}
	return noteAction{Verb: "search", Limit: in.Limit, Text: query}, nil
}

// Forget plans to remove a note.
func Forget(in struct{ Key string }) (Action, error) {
	key, err := noteText("key", in.Key, maxNote)
	return noteAction{Verb: "forget", Text: key}, err
}

// UpdateUser plans to replace USER.md.
func UpdateUser(in struct{ Content string }) (Action, error) {
	content, err := noteText("content", in.Content, maxUser)
	return noteAction{Verb: "user", Text: content}, err
}

// noteText returns a trimmed text without control characters. It fails if the text is empty or longer than most bytes.
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

// Edit replaces the text to remember by the person's own: the text alone, or the command line.
func (n noteAction) Edit(command string) (Action, error) {
	if n.Verb != "remember" {
		return nil, errNotEditable
	}
	n.Text = command
	steps, literal := shell.Command{Shell: command}.Invocations()
	if literal && len(steps) == 1 && steps[0].Program == "blunux-ai" {
		argv := []string{"blunux-ai"}
		for _, w := range steps[0].Words {
			argv = append(argv, w.Text)
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

func (s Services) notes() noteKeeper { return noteKeeper{s.Notebook, s.Redactor} }

const errNoteChanged = changedError("the notes have changed since")

// errSecretNote refuses a note with a secret.
const errSecretNote = secretError("not saved: it contains a password, a key or a token, and notes are plain text that every model is shown. Tell the person to use a password manager; a note can say where the secret is stored")

// Pin refuses secrets, and keys that match no note or several.
func (n noteAction) Pin(s Services) (Action, string, error) {
	keeps := n.Key + "\n" + n.Category + "\n" + n.Text
	if (n.Verb == "remember" || n.Verb == "user") && s.Redactor.RedactStrict(keeps) != keeps {
		return nil, "", errSecretNote
	}
	ctx := context.Background()
	if n.Verb == "forget" {
		note, err := s.notes().resolveKey(ctx, n.Text)
		if err != nil {
			return nil, "", err
		}
		n.Text = note.Key
		if same, err := s.notes().Find(ctx, note.Key); err != nil || same.Text != note.Text || same.Source != note.Source {
			n.Text = note.Text
		}
	}
	against, err := s.notes().currentDigest(ctx, n)
	return n, against, err
}

// Judge saves a note that only the person can have written without a confirmation. Removing text always needs one.
func (n noteAction) Judge(s Services, c Call) (v Verdict) {
	b := s.notes()
	switch n.Verb {
	case "remember":
		old, replaces := b.findReplaced(context.Background(), n)
		if replaces {
			b.addWarning(&v, warnOldNote, old.Text)
		}
		b.judgeText(&v, c, replaces, n.Key, n.Category, n.Text)
	case "forget":
		note, _ := b.Find(context.Background(), n.Text) // ready reports a missing note
		b.addWarning(&v, warnOldNote, note.Text)
		b.showEchoes(&v, note)
		v.confirm(ReasonForgetNote, n.Text)
	case "user":
		change, _ := b.UserChange(n.Text)
		b.addWarning(&v, warnOldNote, change.Removed...)
		b.addWarning(&v, warnNewNote, change.Added...)
		if len(change.Removed) > 0 {
			v.confirm(ReasonRewriteNote, "USER.md")
		}
		b.judgeText(&v, c, false, change.Added...)
	}
	return v
}

// judgeText requires a confirmation if a turn that has read text of others would save text that is not in the
// person's own words, or would replace another note.
func (b noteKeeper) judgeText(v *Verdict, c Call, replaces bool, texts ...string) {
	if !c.Untrusted {
		return
	}
	if !ownWords(c.Words, texts...) {
		v.confirm(ReasonUntrustedNote, strings.Join(texts, " "))
	} else if replaces {
		v.confirm(ReasonRewriteNote, texts[0])
	}
}

// addWarning adds lines of notes to the question.
func (b noteKeeper) addWarning(v *Verdict, warning string, lines ...string) {
	if text := strings.TrimSpace(strings.Join(lines, "\n")); text != "" {
		v.warn(warning + ": " + b.redactor.RedactStrict(text))
	}
}

// maxEchoes is the number of lines shown that are removed together with a note.
const maxEchoes = 10

// showEchoes shows the lines that are removed together with a note.
func (b noteKeeper) showEchoes(v *Verdict, note memory.Note) {
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
	b.addWarning(v, warnNoteEchoes, lines...)
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

func (n noteAction) Ready(ctx context.Context, s Services, c Call) error {
	if now, err := s.notes().currentDigest(ctx, n); err != nil || now != c.Against {
		return errNoteChanged
	}
	return nil
}

func (n noteAction) Do(ctx context.Context, s Services, _ Call, to io.Writer) (Result, error) {
	if n.Verb == "search" {
		return Result{Failed: s.notes().search(ctx, n, to) != nil}, nil
	}
	change, said, err := s.notes().apply(ctx, n)
	if err != nil {
		fmt.Fprintln(to, "not done: "+err.Error())
		return Result{Failed: true}, nil
	}
	fmt.Fprintln(to, said)
	if change.File == "" || len(change.Added)+len(change.Removed) == 0 {
		return Result{}, nil
	}
	return Result{NoteChange: &change}, nil
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
