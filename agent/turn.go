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
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/executor"
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
	if err != nil && errors.Is(context.Cause(ctx), executor.ErrStopping) { // another daemon continues from the stored entries
		return t.reply, executor.ErrStopping // somebody else goes on from what is kept
	}
	if err != nil {
		t.storeFailure(err)
	}
	t.appendNote(err)
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
	fence        fence
	system       string
	messages     []providers.Message
	repeat       repeat
	lastProvider string // provider that answered the last round
	reply        Reply
	ran          []string // commands that ran, for the day's note
	// untrusted reports that the model has read text that is not the user's: tool output or piped input. Its
	// author may have influenced the next call.
	untrusted bool
	// pastUntrusted reports that the conversation before this turn contains such text.
	pastUntrusted bool
	// pages are the hosts of the web pages in the conversation.
	pages []string
	// earlier are the user's earlier messages in this conversation.
	earlier []string
	// tools are the tools at the beginning of the turn. Changes take effect with the next turn.
	tools []providers.ToolDefinition
	// addedTools are the names of the deferred tools that the conversation needs.
	addedTools []string

	// added is the number of messages added after the user's message. truncated reports that earlier ones do not
	// fit and are not sent.
	added     int
	truncated bool

	observeMu sync.Mutex
	storeMu   sync.Mutex
	callMu    sync.Mutex
	midCalls  int   // number of calls made during answers
	storeErr  error // error of storing the result of one of them
}

// begin prepares the prompt and stores the user's message.
func (t *turn) begin(ctx context.Context) error {
	past, kept, err := t.loadPast()
	if err != nil {
		return fmt.Errorf("cannot read the conversation: %w", err)
	}
	// Unreadable notes are omitted: they must not make a question fail.
	sections, err := t.o.Notes.Context(ctx, memory.ContextQuery{Words: t.Text, Tokens: t.notesTokens()})
	if err != nil && t.o.Warn != nil {
		t.o.Warn(fmt.Errorf("cannot read all notes: %w", err))
	}
	if past.Summary != "" {
		sections = append(sections, memory.Section{Title: "Earlier in this conversation, in short", Text: past.Summary})
	}
	sections = append(sections, memory.Section{Title: "Working directory", Text: t.o.Tools.WorkingDir(t.Dir)})
	t.system = systemPrompt(prompt{
		Lang: t.reply.Lang, SafeMode: t.o.SafeMode, OnlyAsked: t.o.OnlyAsked, Autonomy: t.o.Autonomy, Marker: t.fence.marker,
		Instructions: t.o.Instructions,
		Sections:     t.redactSections(sections), Fence: t.fence, Now: t.o.Now(),
	})
	t.setTools(past.Messages)
	t.untrusted = t.hasForeignInput() || past.Untrusted
	t.addPages(past.Messages)
	t.pastUntrusted, t.earlier = past.HasForeignText || hasToolOutput(past.Messages), past.UserTexts
	if t.Late != nil {
		return t.continueLate(past)
	}
	words := providers.UserText(t.userText())
	t.messages = append(past.Messages, t.withImages(words))
	if t.DryRun || kept {
		return nil
	}
	about := t.metadata()
	about.Untrusted = t.hasForeignInput()
	return t.storeMessage(words, about)
}

// loadPast returns the conversation before the turn, and whether the message of a retried turn is already stored.
func (t *turn) loadPast() (loadPast session.Past, kept bool, err error) {
	if t.IsRetry {
		return t.o.History.LoadRetried(t.Session, t.Origin.Task)
	}
	loadPast, err = t.o.History.Load(t.Session)
	return loadPast, false, err
}

// notesTokens returns the token limit for the notes: a quarter of the model's context, 0 if unknown.
func (t *turn) notesTokens() int {
	return t.o.Context(t.provider(), t.o.Model.ModelID()) / 4
}

// userText returns the user's message with fenced piped input and attachments.
func (t *turn) userText() string {
	if t.Stdin == "" {
		return t.withAttached(t.Text)
	}
	return t.withAttached(t.Text + "\n\n" + t.fence.wrap("standard input", t.o.Redactor.Redact(t.Stdin)))
}

// hasForeignInput reports whether the message came with text that is not the user's.
func (t *turn) hasForeignInput() bool { return t.Stdin != "" || len(t.Attachments) > 0 || t.Foreign }

func (t *turn) request() providers.Request {
	system := t.system
	if t.truncated {
		system += "\nEarlier parts of this conversation are not shown, because there is no room for them.\n"
	}
	return providers.Request{
		System: system, Messages: t.messages, Tools: t.tools, Added: t.addedTools,
		MaxTokens: t.o.MaxTokens, Lang: string(t.reply.Lang), PlanOnly: t.DryRun,
		Session: t.Session, LastProvider: t.lastProvider, Continues: t.Late != nil,
	}
}

// complete asks the model once and calls OnRound.
func (t *turn) complete(ctx context.Context) (providers.Completion, error) {
	began, shown := time.Now(), len(t.messages)
	c, err := t.ask(ctx)
	if t.OnRound != nil {
		t.OnRound(Round{
			Number: t.reply.Rounds, History: shown, Calls: len(c.ToolUses()), Stop: c.Stop, Usage: c.Usage,
			Provider: t.provider(), Model: t.reply.Model, Took: time.Since(began), Err: err,
		})
	}
	return c, err
}

// ask asks the model, and once more with fewer messages if the conversation was too long, or without pictures that it
// rejected.
func (t *turn) ask(ctx context.Context) (providers.Completion, error) {
	t.fit(t.room())
	c, size, err := t.send(ctx)
	if tooLong(err) && t.fit(size*2/3) {
		c, size, err = t.send(ctx)
	}
	if refusesPictures(err) && t.dropPictures() {
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
	t.recordAnswer(c, size)
	return c, nil
}

// provider returns the provider that answers next: the last one that answered, or else the first.
func (t *turn) provider() string {
	if t.lastProvider != "" {
		return t.lastProvider
	}
	return t.o.Model.Name()
}

// recordAnswer records the model that answered and its usage.
func (t *turn) recordAnswer(c providers.Completion, size int) {
	t.lastProvider, t.reply.Model = c.Provider, c.Model
	if c.Provider == "" {
		t.lastProvider, t.reply.Model = t.o.Model.Name(), t.o.Model.ModelID()
	}
	t.reply.Provider = t.lastProvider
	t.reply.Usage = t.reply.Usage.Add(c.Usage)
	t.reply.Stop, t.reply.Why = c.Stop, c.Explanation
	t.gauge.record(t.reply.Provider, t.reply.Model, size, c.Usage.InputTokens)
}

// send sends the current request and returns its size in bytes.
func (t *turn) send(ctx context.Context) (providers.Completion, int, error) {
	req := t.request()
	size := sizeOf(req)
	show := t.newStream()
	defer show.end()
	req.Call = t.runMidAnswer
	if t.DryRun {
		req.Call = t.planMidAnswer
	}
	req.OnSwitch = func(change providers.Switch) {
		show.end() // text before the switch belongs before it
		if t.OnSwitch != nil {
			t.OnSwitch(change)
		}
	}
	c, err := t.o.Model.Complete(ctx, req, show.handler())
	if err == nil {
		err = t.storeErr
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
		about := t.metadata()
		about.Tool = namesOf(uses)
		if err := t.storeMessage(answer, about); err != nil {
			return err
		}
		results, err := t.runCalls(ctx, uses)
		if err != nil {
			return err
		}
		t.messages = append(t.messages, answer, providers.Message{Role: providers.RoleUser, Content: results})
		t.added += 2
		t.boundPictures()
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
		return &providers.Error{Kind: providers.KindEmpty, Provider: t.provider(), Message: "an answer without text"}
	}
	return t.storeEnd(session.NewEntry(answer, t.metadata()))
}

// plan asks the model and judges its calls. It asks again while the model only adds tools.
func (t *turn) plan(ctx context.Context) (Reply, error) {
	for range t.o.Rounds {
		c, err := t.complete(ctx)
		if err != nil {
			return t.reply, err
		}
		t.reply.Text = strings.TrimSpace(c.Text())
		var results []providers.Block
		for _, use := range c.ToolUses() {
			if text, ok := t.addTools(use); ok {
				results = append(results, t.result(use, tools.Outcome{Text: text}))
				continue
			}
			t.addPlanned(use)
		}
		if len(results) == 0 || len(t.reply.Planned) > 0 {
			break
		}
		answer := providers.Message{Role: providers.RoleAssistant, Content: c.Content}
		t.messages = append(t.messages, answer, providers.Message{Role: providers.RoleUser, Content: results})
	}
	return t.reply, nil
}

// callOf returns a call with the information about who may have written it. Verdicts on saving notes depend on
// that.
func (t *turn) callOf(use providers.Block) tools.Call {
	return tools.Call{
		ID: use.ID, Name: use.Name, Input: use.Input, Words: t.Text, Earlier: t.earlier, Untrusted: t.untrusted,
		Mixed: t.pastUntrusted, Pages: t.pages, Attached: t.attachedPaths(), Lang: t.reply.Lang,
	}
}

// addPages notes whose web pages are in messages.
func (t *turn) addPages(messages []providers.Message) {
	for _, m := range messages {
		for _, b := range m.Content {
			if b.Type != providers.BlockToolResult || b.Output == nil {
				continue
			}
			for _, host := range tools.PagesRead(*b.Output) {
				if !slices.Contains(t.pages, host) {
					t.pages = append(slices.Clip(t.pages), host)
				}
			}
		}
	}
}

// hasToolOutput reports whether messages contain text that others may have written: tool output.
func hasToolOutput(messages []providers.Message) bool {
	return slices.ContainsFunc(messages, func(m providers.Message) bool {
		return slices.ContainsFunc(m.Content, func(b providers.Block) bool {
			if b.Type != providers.BlockToolResult || tools.PrintsOwnText(b.Name) {
				return false
			}
			return b.Output == nil || b.Output.HasText()
		})
	})
}

// appendNote appends the turn's line to the day's note: time, question, commands, result. It ignores errors, because
// the answer was already given.
func (t *turn) appendNote(err error) {
	result := t.shortLine(t.reply.Text, 120)
	if err != nil {
		result = "failed: " + t.shortLine(err.Error(), 120)
	}
	ran := strings.Join(t.ran, "; ")
	if ran == "" {
		ran = "-"
	}
	line := fmt.Sprintf("- %s · %s · %s · %s", t.o.Now().Format("15:04"), t.shortLine(t.Text, 120), t.shortLine(ran, 200), result)
	if t.removedNote() {
		line = fmt.Sprintf("- %s · … · forget · …", t.o.Now().Format("15:04"))
	}
	_ = t.o.Notes.Append(t.o.Now(), secret.ReplaceWords(line, t.o.Redactor.StatedSecrets(t.Text)))
}

// removedNote reports whether the turn removed a note, which its line would otherwise store again.
func (t *turn) removedNote() bool {
	return slices.ContainsFunc(t.reply.NoteChanges, func(c memory.Change) bool { return len(c.Added) == 0 && c.Note.Text != "" })
}

// shortLine returns the first line of s without secrets, at most n bytes. Secrets are removed first, because half a
// key must not be stored either.
func (a *Agent) shortLine(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return firstLine(a.o.Redactor.RedactStrict(s), n)
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
