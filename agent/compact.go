package agent

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/internal/crash"
	"github.com/nidoit/blunux-ai/providers"
)

//go:embed summary.md
var summaryPrompt string

const (
	maxSummary     = 2 << 10  // of a summary, in bytes
	summaryTokens  = 1024     // of the model's answer, including thinking
	maxTranscript  = 48 << 10 // of the conversation given to the summarizing model, in bytes
	summaryTimeout = 30 * time.Second
)

// SummaryUsage is the usage of a request outside of a turn, and its model.
type SummaryUsage struct {
	Provider, Model string
	Usage           providers.Usage
}

// Compact summarizes the older part of a conversation that no longer fits its window, and stores the summary as
// an entry. It uses the summariser, or rules if there is none or if it fails, is cancelled or takes longer than
// 30 s. It does nothing if the conversation fits. Call it after a turn; turns of the session must not overlap
// with it. It returns the summariser's usage.
func (a *Agent) Compact(ctx context.Context, key string) (SummaryUsage, error) {
	old, err := a.o.History.Excess(key)
	if err != nil {
		return SummaryUsage{}, fmt.Errorf("cannot read the conversation: %w", err)
	}
	if len(old.Messages) == 0 {
		return SummaryUsage{}, nil
	}
	text, spent := a.summarise(ctx, old)
	if text == "" {
		text = a.ruleSummary(old)
	}
	crash.Here(crash.Compacting)
	if err := a.o.History.Append(key, session.NewSummary(text, old)); err != nil {
		return spent, fmt.Errorf("cannot save the summary: %w", err)
	}
	crash.Here(crash.Compacted)
	return spent, nil
}

// summarise asks the summariser and returns "" if that fails. It sends the conversation as one fenced text,
// without tools or other messages.
func (a *Agent) summarise(ctx context.Context, old session.Excess) (string, SummaryUsage) {
	if a.o.Summariser == nil || ctx.Err() != nil {
		return "", SummaryUsage{}
	}
	ctx, cancel := context.WithTimeout(ctx, summaryTimeout)
	defer cancel()
	f := newFence()
	words := "Summarise this conversation.\n\n" + f.wrap("conversation", a.transcript(old))
	c, err := a.o.Summariser.Complete(ctx, providers.Request{
		System: summaryPrompt, Messages: []providers.Message{providers.UserText(words)}, MaxTokens: summaryTokens,
	}, nil)
	spent := SummaryUsage{c.Provider, c.Model, c.Usage}
	if spent.Provider == "" {
		spent.Provider, spent.Model = a.o.Summariser.Name(), a.o.Summariser.ModelID()
	}
	if err != nil || len(c.ToolUses()) > 0 {
		return "", spent
	}
	return atMost(strings.TrimSpace(a.o.Redactor.Redact(f.without(neutralize(c.Text())))), maxSummary), spent
}

// transcript returns a conversation as text with shortened messages. If it is too long, only the end.
func (a *Agent) transcript(old session.Excess) string {
	var parts []string
	if old.Summary != "" {
		parts = append(parts, "Before: "+old.Summary)
	}
	for _, m := range old.Messages {
		for _, b := range m.Content {
			if text := a.transcriptLine(m.Role, b); text != "" {
				parts = append(parts, text)
			}
		}
	}
	size, first := 0, len(parts)
	for first > 0 && size+len(parts[first-1]) < maxTranscript {
		first--
		size += len(parts[first])
	}
	return strings.Join(parts[first:], "\n")
}

// transcriptLine returns a block as a line of the transcript.
func (a *Agent) transcriptLine(role providers.Role, b providers.Block) string {
	clean := func(s string, n int) string { return atMost(a.o.Redactor.Redact(s), n) }
	switch {
	case b.Type == providers.BlockText && role == providers.RoleUser:
		return "Person: " + clean(b.Text, 1000)
	case b.Type == providers.BlockText:
		return "Assistant: " + clean(b.Text, 1000)
	case b.Type == providers.BlockToolUse:
		return "Call: " + clean(b.Name+" "+string(b.Input), 300)
	case b.Type == providers.BlockToolResult:
		return "Result: " + clean(b.Content, 600)
	}
	return ""
}

// ruleSummary returns a summary made by rules: one line for each exchange, the latest that fit.
func (a *Agent) ruleSummary(old session.Excess) string {
	lines := strings.Split(old.Summary, "\n")
	for i := 0; i < len(old.Messages); {
		end := i + 1
		for end < len(old.Messages) && !isUserMessage(old.Messages[end]) {
			end++
		}
		lines = append(lines, a.exchangeLine(old.Messages[i:end]))
		i = end
	}
	size, first := 0, len(lines)
	for first > 0 && size+len(lines[first-1])+1 <= maxSummary-len("…\n") {
		first--
		size += len(lines[first]) + 1
	}
	text := strings.TrimSpace(strings.Join(lines[first:], "\n"))
	if first > 0 && text != "" {
		text = "…\n" + strings.TrimPrefix(text, "…\n")
	}
	return text
}

// isUserMessage reports whether a message was written by a user.
func isUserMessage(m providers.Message) bool {
	return m.Role == providers.RoleUser && len(m.Content) > 0 && m.Content[0].Type == providers.BlockText
}

// exchangeLine summarizes an exchange: the question, the commands with their results, and the first line of the
// answer.
func (a *Agent) exchangeLine(messages []providers.Message) string {
	var ran []string
	for _, m := range messages {
		for _, b := range m.Content {
			if b.Type == providers.BlockToolResult {
				ran = append(ran, a.commandLines(b)...)
			}
		}
	}
	line := "- " + a.shortLine(messages[0].Text(), 120)
	if len(ran) > 0 {
		line += " · " + atMost(strings.Join(ran, "; "), 240)
	}
	return line + " · " + a.shortLine(messages[len(messages)-1].Text(), 160)
}

// commandLines returns a call's commands with their exit codes.
func (a *Agent) commandLines(b providers.Block) []string {
	if b.Output == nil || len(b.Output.Steps) == 0 {
		how := "unknown"
		if b.Output != nil {
			how = b.Output.Refusal
		}
		return []string{label(b.Name) + " (" + how + ")"}
	}
	var lines []string
	for _, s := range b.Output.Steps {
		how := s.EndReason()
		if how == "" {
			how = strconv.Itoa(s.Exit)
		}
		lines = append(lines, fmt.Sprintf("%s (%s)", a.shortLine(s.Command, 80), how))
	}
	return lines
}

// atMost shortens s to at most n bytes including "…".
func atMost(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n-len("…")], "") + "…"
}
