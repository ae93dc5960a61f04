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

// Turn answers one message. On an error the reply still tells the rounds and
// tokens used; the error is the context's, a provider's, [ErrRounds], or one
// of history or notes.
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
	if err != nil && errors.Is(context.Cause(ctx), tools.ErrStopping) {
		return t.reply, tools.ErrStopping // somebody else goes on from what is kept
	}
	if err != nil {
		t.leaveOpen(err)
	}
	t.note(err)
	return t.reply, err
}

// language returns the language of the question, else the person's own.
func language(r Request) i18n.Lang {
	if lang, ok := i18n.Detect(r.Text); ok {
		return lang
	}
	if r.Lang != "" {
		return r.Lang
	}
	return i18n.English
}

// turn is one message on its way to an answer.
type turn struct {
	*Agent
	Request
	fence     fence
	system    string
	messages  []providers.Message
	repeat    repeat
	answering string // who answered the last round
	reply     Reply
	done      []string // what ran, for the day's note
	// untrusted reports that the model has read text that is not the person's:
	// a tool's output or piped input. Whoever wrote it may have chosen the next call.
	untrusted bool
	// mixed reports that the conversation before this turn holds such text.
	mixed bool
	// earlier are the person's own words in this conversation before.
	earlier []string
	// tools are those the turn began with: one that changes counts with the next.
	tools []providers.ToolDefinition

	// since is how many messages the turn added behind the person's words, and
	// leftOut that earlier ones are not shown for want of room.
	since   int
	leftOut bool

	observing sync.Mutex
	keeping   sync.Mutex
	calling   sync.Mutex
	midCalls  int   // calls in the midst of an answer
	lost      error // what one of them brought could not be kept
}

// begin lays out the prompt and keeps the person's words.
func (t *turn) begin(ctx context.Context) error {
	past, kept, err := t.past()
	if err != nil {
		return fmt.Errorf("cannot read the conversation: %w", err)
	}
	// What of the notes cannot be read is left out: a question must not fail for it.
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

// past is the conversation before the turn, and whether the person's words are kept
// already: those of a turn that is tried again.
func (t *turn) past() (past session.Past, kept bool, err error) {
	if t.Again {
		return t.o.History.LoadRetried(t.Session, t.Origin.Task)
	}
	past, err = t.o.History.Load(t.Session)
	return past, false, err
}

// forNotes is how many tokens the notes may take at most: a quarter of what the
// model holds, 0 where that is not known.
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

// words is the person's message with what was piped in or came with it, fenced.
func (t *turn) words() string {
	if t.Stdin == "" {
		return t.withAttached(t.Text)
	}
	return t.withAttached(t.Text + "\n\n" + t.fence.wrap("standard input", t.o.Redactor.Redact(t.Stdin)))
}

// brought reports whether text came with the person's words that is not theirs.
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

// complete asks the model once and tells who watches.
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

// ask asks the model once, and once more where the conversation was too long
// for it.
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

// who answers next: who did last, or whoever is asked first.
func (t *turn) who() string {
	if t.answering != "" {
		return t.answering
	}
	return t.o.Model.Name()
}

// answered takes over who answered, and what that took.
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

// send sends the request as it stands and returns its size in bytes.
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
		show.end() // what was said before it stands before it
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

// loop asks the model and runs what it wants until it has an answer.
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
		// Calls are kept before they run, and what they bring when it is there:
		// whatever dies in between, it is known what may have been done.
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

// finish keeps the answer.
func (t *turn) finish(c providers.Completion, answer providers.Message) error {
	t.reply.Text = strings.TrimSpace(c.Text())
	if t.reply.Text == "" {
		return &providers.Error{Kind: providers.KindEmpty, Provider: t.who(), Message: "an answer without text"}
	}
	return t.say(answer, t.about())
}

// plan asks the model once and judges what it would call.
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

// callOf is a call with what a verdict on what it wants to keep depends on: who
// may have written it.
func (t *turn) callOf(use providers.Block) tools.Call {
	return tools.Call{ID: use.ID, Name: use.Name, Input: use.Input, Words: t.Text, Earlier: t.earlier, Untrusted: t.untrusted, Mixed: t.mixed}
}

// keepers are the tools whose results are words of this program's own.
var keepers = []string{"remember", "forget", "update_user"}

// mixed reports whether messages hold text that others may have written: what
// tools have put out.
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

// note writes the day's line: when, what was asked, what ran, how it ended.
// A note that cannot be written must not spoil an answer that was given.
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

// forgot reports whether the turn took a note out: its words would keep it again.
func (t *turn) forgot() bool {
	return slices.ContainsFunc(t.reply.Noted, func(c memory.Change) bool { return len(c.Added) == 0 && c.Note.Text != "" })
}

// brief returns the first line of s without secrets, at most n bytes of it: half
// a key that was cut off is still half a key.
func (a *Agent) brief(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return firstLine(a.o.Redactor.Confided(s), n)
}

// firstLine returns the first line of s, at most n bytes of it.
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

// newMarker returns a word nobody outside can guess.
func newMarker() string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil { // never fails on Linux, crypto/rand
		panic(errors.New("agent: no randomness"))
	}
	return hex.EncodeToString(b[:])
}
