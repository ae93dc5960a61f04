package claudecli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nidoit/blunux-ai/providers"
)

// answer is the state of one message that claude is answering.
type answer struct {
	*Model
	req     providers.Request
	onText  func(string)
	history []digest // the conversation according to the request

	ctx context.Context // cancelled at the end of the answer; running calls end with it

	mu           sync.Mutex
	runningCalls int       // number of running calls
	lastCallEnd  time.Time // end of the last call
	callCount    int       // number of calls so far
	callDigests  []digest  // the calls and their results

	model       string        // the model that answered, according to claude
	lastText    string        // text of the last message
	failureName string        // error name of the last failed message
	retryAfter  time.Duration // time to wait, if reported
	rateLimited bool
}

// key identifies the conversation's idle process, "" for none.
func (a *answer) key() string {
	if a.req.Session == "" {
		return ""
	}
	return a.req.Session + "\x00" + a.id
}

// run gets a process, sends it the message and reads until the answer is complete. Any error ends the process.
func (a *answer) run(ctx context.Context) (providers.Completion, error) {
	var cancel context.CancelFunc
	a.ctx, cancel = context.WithCancel(ctx)
	defer cancel()
	w, err := a.p.acquire(a.ctx, a)
	if err != nil {
		return providers.Completion{}, err
	}
	a.lastCallEnd = time.Now()
	w.setAnswer(a)
	c, err := a.ask(w)
	cancel() // cancel calls that are still running
	w.setAnswer(nil)
	if err != nil {
		w.end()
		return c, err
	}
	w.history = slices.Concat(a.history, a.callDigests, []digest{textDigest(providers.RoleAssistant, c.Text())})
	w.inputBytes += len(c.Text())
	w.system = a.req.System
	a.p.release(w, a.key())
	return c, nil
}

// ask sends the message and reads events until the result.
func (a *answer) ask(w *process) (providers.Completion, error) {
	type message struct {
		Role    string    `json:"role"`
		Content []content `json:"content"`
	}
	line := encodeJSON(struct {
		Type    string  `json:"type"`
		Message message `json:"message"`
		Parent  *string `json:"parent_tool_use_id"`
	}{"user", message{"user", messageContent(a.req, len(w.history) == 0, w.system)}, nil})
	sent := make(chan error, 1)
	go func() { sent <- w.write([]byte(line)) }() // a process that does not read is detected below
	timer := time.NewTimer(a.p.o.OutputTimeout)
	defer timer.Stop()
	quiet := time.Now()
	for {
		select {
		case <-a.ctx.Done():
			return providers.Completion{}, a.ctx.Err()
		case <-timer.C:
			wait := a.p.o.OutputTimeout - time.Since(a.lastActivity(quiet))
			if wait <= 0 {
				return providers.Completion{}, a.timeoutError()
			}
			timer.Reset(wait)
		case line, ok := <-w.lines:
			if !ok {
				return providers.Completion{}, a.exitError(w)
			}
			var e event
			if err := json.Unmarshal(line, &e); err != nil || e.Type == "" {
				return providers.Completion{}, a.formatError(w, line)
			}
			if e.Subtype != "api_retry" {
				quiet = time.Now()
			}
			done, err := a.handleEvent(w, e)
			if done || err != nil {
				if err == nil {
					err = a.sendError(sent)
				}
				return a.completion(w, e, err)
			}
		}
	}
}

// sendError returns the error of sending the request. A process that answers without reading all of it is not waited
// for longer than Patience.
func (a *answer) sendError(sent <-chan error) error {
	timer := time.NewTimer(a.p.o.OutputTimeout)
	defer timer.Stop()
	select {
	case err := <-sent:
		return err
	case <-a.ctx.Done():
		return a.ctx.Err()
	case <-timer.C:
		return a.timeoutError()
	}
}

// lastActivity returns the time of the last activity: an output line or a tool call. A running call counts as
// activity, because it can wait for a person's approval.
func (a *answer) lastActivity(line time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.runningCalls > 0:
		return time.Now()
	case a.lastCallEnd.After(line):
		return a.lastCallEnd
	}
	return line
}

// handleEvent processes an event and reports whether it is the last.
func (a *answer) handleEvent(w *process, e event) (done bool, err error) {
	switch e.Type {
	case "system":
		return false, a.handleSystem(w, e)
	case "stream_event":
		if d := e.Event.Delta; e.Event.Type == "content_block_delta" && d.Type == "text_delta" && d.Text != "" && a.onText != nil {
			a.onText(d.Text)
		}
	case "assistant":
		if name := e.errorName(); name != "" {
			a.failureName = name
		} else if a.model = e.Message.Model; e.text() != "" {
			a.lastText = e.text()
		}
	case "rate_limit_event":
		if e.RateLimit.Status == "rejected" {
			a.rateLimited = true
			a.retryAfter = durationUntil(e.RateLimit.ResetsAt)
		}
	case "result":
		return true, nil
	}
	return false, nil
}

// durationUntil returns the time until a Unix time, at most a week.
func durationUntil(at float64) time.Duration {
	const longest = 7 * 24 * time.Hour
	return max(0, min(time.Until(time.Unix(int64(at), 0)), longest))
}

// maxRetryDelay is the longest pause before claude's own retry. If it wants to wait longer, the error is returned,
// so that another provider can answer.
const maxRetryDelay = 3 * time.Second

// handleSystem processes a system event.
func (a *answer) handleSystem(w *process, e event) error {
	switch e.Subtype {
	case "init":
		return a.checkInit(w, e)
	case "api_retry":
		delay := time.Duration(e.RetryDelay) * time.Millisecond
		if e.ErrorStatus == 429 && delay > maxRetryDelay {
			return &providers.Error{Kind: providers.KindRateLimit, Status: 429, RetryAfter: delay, Message: "claude is rate limited"}
		}
	}
	return nil
}

// checkInit checks, before claude asks its model, that it offers our tools and no others. Its own tools would run
// commands without the gate.
func (a *answer) checkInit(w *process, e event) error {
	a.model = e.Model
	for _, name := range e.Tools {
		if !strings.HasPrefix(name, toolPrefix) {
			return &providers.Error{Kind: providers.KindOutdated, Message: fmt.Sprintf("claude %s offers its own tool %s to its model", e.Version, name)}
		}
	}
	if len(w.tools) == 0 {
		return nil
	}
	for _, s := range e.Servers {
		if s.Name == serverName && s.Status == "connected" {
			return nil
		}
	}
	return &providers.Error{Kind: providers.KindParse, Message: fmt.Sprintf("claude %s did not connect to our tools: %v", e.Version, e.Servers)}
}

// completion returns the answer of the last event, or the error that ended it.
func (a *answer) completion(w *process, e event, err error) (providers.Completion, error) {
	if err != nil {
		return providers.Completion{}, asError(err)
	}
	if e.IsError {
		return providers.Completion{}, a.failure(e)
	}
	text := e.Result
	if text == "" {
		text = a.lastText
	}
	if strings.TrimSpace(text) == "" {
		return providers.Completion{}, &providers.Error{Kind: providers.KindEmpty, Message: "an answer without text"}
	}
	c := providers.Completion{
		Content: []providers.Block{providers.Text(text)}, Stop: stopReason(e.StopReason), Provider: a.name, Model: a.model,
		Usage: providers.Usage{
			InputTokens: e.Usage.Input + e.Usage.Created + e.Usage.Read, CachedTokens: e.Usage.Read, OutputTokens: e.Usage.Output,
			CostUSD: max(0, e.Cost-w.cost),
		},
	}
	w.cost = e.Cost // claude reports the total of all its messages
	return c, nil
}

func asError(err error) error {
	var pe *providers.Error
	if errors.As(err, &pe) {
		return err
	}
	return &providers.Error{Kind: providers.KindNetwork, Message: "cannot write to claude: " + err.Error(), Err: err}
}

func stopReason(reason string) providers.StopReason {
	switch s := providers.StopReason(reason); s {
	case providers.StopMaxTokens, providers.StopRefusal:
		return s
	}
	return providers.StopEndTurn
}

func (a *answer) hasActed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.callCount > 0
}

func (a *answer) beginCall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runningCalls++
	a.callCount++
}

func (a *answer) endCall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runningCalls--
	a.lastCallEnd = time.Now()
}

// runCall runs one tool call.
func (a *answer) runCall(ctx context.Context, use providers.Block) providers.Block {
	use.Type = providers.BlockToolUse
	use.Input = providers.ToolInput(string(use.Input))
	result := providers.Block{Type: providers.BlockToolResult, ToolUseID: use.ID, Name: use.Name, IsError: true}
	a.mu.Lock()
	over := a.callCount > a.p.o.MaxCalls
	a.mu.Unlock()
	switch {
	case over:
		result.Content = "not run: too many calls for one answer; answer with what you know"
	case a.req.Call == nil:
		result.Content = "not run: nothing may be called here"
	default:
		result = a.req.Call(ctx, use)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !over {
		a.callDigests = append(append(a.callDigests, blockDigests(providers.RoleAssistant, use)...), blockDigests(providers.RoleUser, result)...)
	}
	return result
}
