package agent

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools"
)

// Turn answers one message. On an error, the reply still has the rounds and tokens used. The error is the
// context's, a provider's, [ErrRounds], or one of history or notes.
func (a *Agent) Turn(ctx context.Context, r Request) (Reply, error) {
	t := &turn{Agent: a, Request: r, fence: newFence()}
	t.reply.Lang = language(r)
	if err := t.begin(ctx); err != nil {
		return t.reply, err
	}
	if r.DryRun {
		return t.plan(ctx)
	}
	err := t.loop(ctx)
	if err != nil && errors.Is(context.Cause(ctx), tools.ErrStopping) { // another daemon continues from the stored entries
		return t.reply, tools.ErrStopping // somebody else goes on from what is kept
	}
	if err != nil {
		t.leaveOpen(err)
	}
	t.note(err)
	return t.reply, err
}

// language returns the language of the question, else the user's language.
func language(r Request) i18n.Lang {
	if lang, ok := i18n.Detect(r.Text); ok {
		return lang
	}
	if r.Lang != "" {
		return r.Lang
	}
	return i18n.English
}

// turn is the state of one message while it is answered.
type turn struct {
	*Agent
	Request
	fence     fence
	system    string
	messages  []providers.Message
	repeat    repeat
	answering string // provider that answered the last round
	reply     Reply
	done      []string // commands that ran, for the day's note
	// untrusted reports that the model has read text that is not the user's: tool output or piped input. Its
	// author may have influenced the next call.
	untrusted bool
	// mixed reports that the conversation before this turn contains such text.
	mixed bool
	// earlier are the user's earlier messages in this conversation.
	earlier []string
	// tools are the tools at the beginning of the turn. Changes take effect with the next turn.
	tools []providers.ToolDefinition

	// since is the number of messages added after the user's message. leftOut reports that earlier ones do not
	// fit and are not sent.
	since   int
	leftOut bool

	observing sync.Mutex
	keeping   sync.Mutex
	calling   sync.Mutex
	midCalls  int   // number of calls made during answers
	lost      error // error of storing the result of one of them
}

// begin prepares the prompt and stores the user's message.
func (t *turn) begin(ctx context.Context) error {
	past, kept, err := t.past()
	if err != nil {
		return fmt.Errorf("cannot read the conversation: %w", err)
	}
	// Unreadable notes are omitted: they must not make a question fail.
	sections, err := t.o.Notes.Context(ctx, memory.Ask{Words: t.Text, Tokens: t.forNotes()})
	if err != nil && t.o.Warn != nil {
		t.o.Warn(fmt.Errorf("cannot read all notes: %w", err))
	}
	if past.Summary != "" {
		sections = append(sections, memory.Section{Title: "Earlier in this conversation, in short", Text: past.Summary})
	}
	sections = append(sections, memory.Section{Title: "Working directory", Text: t.o.Tools.WorkingDir(t.Dir)})
	t.system = systemPrompt(prompt{
		Lang: t.reply.Lang, SafeMode: t.o.SafeMode, OnlyAsked: t.o.OnlyAsked, Autonomy: t.o.Autonomy, Marker: t.fence.marker,
		Sections: t.withoutSecrets(sections), Fence: t.fence, Now: t.o.Now(),
	})
	t.tools = slices.Concat(t.o.Tools.Definitions(), t.Extra)
	t.untrusted = t.brought() || past.Untrusted
	t.mixed, t.earlier = past.Piped || mixed(past.Messages), past.Words
	words := providers.UserText(t.words())
	t.messages = append(past.Messages, t.seen(words))
	if t.DryRun || kept {
		return nil
	}
	about := t.about()
	about.Untrusted = t.brought()
	return t.say(words, about)
}

// past returns the conversation before the turn, and whether the message of a retried turn is already stored.
func (t *turn) past() (past session.Past, kept bool, err error) {
	if t.Again {
		return t.o.History.LoadRetried(t.Session, t.Origin.Task)
	}
	past, err = t.o.History.Load(t.Session)
	return past, false, err
}

// forNotes returns the token limit for the notes: a quarter of the model's context, 0 if unknown.
func (t *turn) forNotes() int {
	return t.o.Context(t.who(), t.o.Model.ModelID()) / 4
}

// withoutSecrets returns the notes as the model may see them.
func (t *turn) withoutSecrets(sections []memory.Section) []memory.Section {
	clean := make([]memory.Section, len(sections))
	for i, s := range sections {
		clean[i] = memory.Section{Title: s.Title, Text: t.o.Redactor.Confided(s.Text)}
	}
	return clean
}

// words returns the user's message with fenced piped input and attachments.
func (t *turn) words() string {
	if t.Stdin == "" {
		return t.withAttached(t.Text)
	}
	return t.withAttached(t.Text + "\n\n" + t.fence.wrap("standard input", t.o.Redactor.Redact(t.Stdin)))
}

// brought reports whether the message came with text that is not the user's.
func (t *turn) brought() bool { return t.Stdin != "" || len(t.Attached) > 0 }

func (t *turn) request() providers.Request {
	system := t.system
	if t.leftOut {
		system += "\nEarlier parts of this conversation are not shown, because there is no room for them.\n"
	}
	return providers.Request{
		System: system, Messages: t.messages, Tools: t.tools,
		MaxTokens: t.o.MaxTokens, Lang: string(t.reply.Lang), PlanOnly: t.DryRun,
		Session: t.Session, Answering: t.answering,
	}
}

// complete asks the model once and calls OnRound.
func (t *turn) complete(ctx context.Context) (providers.Completion, error) {
	began, shown := time.Now(), len(t.messages)
	c, err := t.ask(ctx)
	if t.OnRound != nil {
		t.OnRound(Round{
			Number: t.reply.Rounds, History: shown, Calls: len(c.ToolUses()), Stop: c.Stop, Usage: c.Usage,
			Provider: t.who(), Model: t.reply.Model, Took: time.Since(began), Err: err,
		})
	}
	return c, err
}

// ask asks the model, and once more with fewer messages if the conversation was too long.
func (t *turn) ask(ctx context.Context) (providers.Completion, error) {
	t.fit(t.room())
	c, size, err := t.send(ctx)
	if tooLong(err) && t.fit(size*2/3) {
		c, size, err = t.send(ctx)
	}
	t.reply.Rounds++
	if ctx.Err() != nil {
		return c, ctx.Err()
	}
	if err != nil {
		return c, err
	}
	for i, b := range c.Content {
		if b.Type == providers.BlockText {
			c.Content[i].Text = t.o.Redactor.Redact(b.Text)
		}
	}
	t.answered(c, size)
	return c, nil
}

// who returns the provider that answers next: the last one that answered, or else the first.
func (t *turn) who() string {
	if t.answering != "" {
		return t.answering
	}
	return t.o.Model.Name()
}

// answered records the model that answered and its usage.
func (t *turn) answered(c providers.Completion, size int) {
	t.answering, t.reply.Model = c.Provider, c.Model
	if c.Provider == "" {
		t.answering, t.reply.Model = t.o.Model.Name(), t.o.Model.ModelID()
	}
	t.reply.Provider = t.answering
	t.reply.Usage = t.reply.Usage.Add(c.Usage)
	t.reply.Stop, t.reply.Why = c.Stop, c.Why
	t.gauge.learn(t.reply.Provider, t.reply.Model, size, c.Usage.InputTokens)
}

// send sends the current request and returns its size in bytes.
func (t *turn) send(ctx context.Context) (providers.Completion, int, error) {
	req := t.request()
	size := sizeOf(req)
	show := t.showing()
	defer show.end()
	req.Call = t.called
	if t.DryRun {
		req.Call = t.judged
	}
	req.OnSwitch = func(change providers.Switch) {
		show.end() // text before the switch belongs before it
		if t.OnSwitch != nil {
			t.OnSwitch(change)
		}
	}
	c, err := t.o.Model.Complete(ctx, req, show.text())
	if err == nil {
		err = t.lost
	}
	return c, size, err
}

// loop asks the model and runs its calls until it answers.
func (t *turn) loop(ctx context.Context) error {
	for range t.o.Rounds {
		c, err := t.complete(ctx)
		if err != nil {
			return err
		}
		uses := c.ToolUses()
		answer := providers.Message{Role: providers.RoleAssistant, Content: c.Content}
		if len(uses) == 0 {
			return t.finish(c, answer)
		}
		// Calls are stored before they run, and results as soon as they are available, so that after a crash it
		// is known what may have been done.
		about := t.about()
		about.Tool = namesOf(uses)
		if err := t.say(answer, about); err != nil {
			return err
		}
		results, err := t.run(ctx, uses)
		if err != nil {
			return err
		}
		t.messages = append(t.messages, answer, providers.Message{Role: providers.RoleUser, Content: results})
		t.since += 2
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	t.reply.Stop = "max_rounds"
	return ErrRounds
}

// finish stores the answer.
func (t *turn) finish(c providers.Completion, answer providers.Message) error {
	t.reply.Text = strings.TrimSpace(c.Text())
	if t.reply.Text == "" {
		return &providers.Error{Kind: providers.KindEmpty, Provider: t.who(), Message: "an answer without text"}
	}
	return t.say(answer, t.about())
}

// plan asks the model once and judges its calls.
func (t *turn) plan(ctx context.Context) (Reply, error) {
	c, err := t.complete(ctx)
	if err != nil {
		return t.reply, err
	}
	t.reply.Text = strings.TrimSpace(c.Text())
	for _, use := range c.ToolUses() {
		t.planned(use)
	}
	return t.reply, nil
}

// callOf returns a call with the information about who may have written it. Verdicts on saving notes depend on
// that.
func (t *turn) callOf(use providers.Block) tools.Call {
	return tools.Call{ID: use.ID, Name: use.Name, Input: use.Input, Words: t.Text, Earlier: t.earlier, Untrusted: t.untrusted, Mixed: t.mixed}
}

// keepers are the tools whose results are texts of this program.
var keepers = []string{"remember", "forget", "update_user"}

// mixed reports whether messages contain text that others may have written: tool output.
func mixed(messages []providers.Message) bool {
	return slices.ContainsFunc(messages, func(m providers.Message) bool {
		return slices.ContainsFunc(m.Content, func(b providers.Block) bool {
			if b.Type != providers.BlockToolResult || slices.Contains(keepers, b.Name) {
				return false
			}
			return b.Output == nil || slices.ContainsFunc(b.Output.Steps, func(s providers.Step) bool { return s.Stdout != "" || s.Stderr != "" })
		})
	})
}

// note appends the turn's line to the day's note: time, question, commands, result. It ignores errors, because
// the answer was already given.
func (t *turn) note(err error) {
	result := t.brief(t.reply.Text, 120)
	if err != nil {
		result = "failed: " + t.brief(err.Error(), 120)
	}
	ran := strings.Join(t.done, "; ")
	if ran == "" {
		ran = "-"
	}
	line := fmt.Sprintf("- %s · %s · %s · %s", t.o.Now().Format("15:04"), t.brief(t.Text, 120), t.brief(ran, 200), result)
	if t.forgot() {
		line = fmt.Sprintf("- %s · … · forget · …", t.o.Now().Format("15:04"))
	}
	_ = t.o.Notes.Append(t.o.Now(), secret.Without(line, t.o.Redactor.Told(t.Text)))
}

// forgot reports whether the turn removed a note, which its line would otherwise store again.
func (t *turn) forgot() bool {
	return slices.ContainsFunc(t.reply.Noted, func(c memory.Change) bool { return len(c.Added) == 0 && c.Note.Text != "" })
}

// brief returns the first line of s without secrets, at most n bytes. Secrets are removed first, because half a
// key must not be stored either.
func (a *Agent) brief(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return firstLine(a.o.Redactor.Confided(s), n)
}

// firstLine returns the first line of s, at most n bytes plus "…".
func firstLine(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// newMarker returns an unguessable word.
func newMarker() string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil { // never fails on Linux (crypto/rand)
		panic(errors.New("agent: no randomness"))
	}
	return hex.EncodeToString(b[:])
}
