package scripted

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/providers"
)

// placeholder matches {{name}}.
var placeholder = lazyregexp.New(`\{\{\s*([a-z_]+)(?:\.([0-9]))?\s*\}\}`)

// knownPlaceholders are the placeholders. true means that a group number is allowed.
var knownPlaceholders = map[string]bool{
	"user": true, "result": true,
	"last_tool_result": false, "last_tool_output": false, "last_answer": false, "system": false, "lang": false, "round": false,
}

// check rejects unknown placeholders.
func (t template) check() error {
	for _, m := range placeholder.FindAllStringSubmatch(t.string, -1) {
		grouped, ok := knownPlaceholders[m[1]]
		if !ok || (m[2] != "" && !grouped) || (m[1] == "result" && m[2] == "") {
			return fmt.Errorf("unknown placeholder %s", m[0])
		}
	}
	return nil
}

// view is the input of a step's matchers and placeholders: the conversation up to one request.
type view struct {
	user, system, lang       string
	result, output, answer   string
	hasResult                bool
	userGroups, resultGroups []string
	round                    int
}

// newView returns the view of messages whose last user text is at index start.
func newView(req providers.Request, messages []providers.Message, start int) view {
	v := view{system: req.System, lang: req.Lang, round: 1}
	if start >= 0 {
		v.user = messages[start].Text()
	}
	if start > 0 {
		v.answer = messages[start-1].Text()
	}
	for _, msg := range messages[start+1:] {
		if msg.Role == providers.RoleAssistant {
			v.round++
		}
		for _, b := range msg.Content {
			if b.Type == providers.BlockToolResult {
				v.result, v.output, v.hasResult = b.Content, outputOf(b), true
			}
		}
	}
	return v
}

// outputOf returns the output of a tool's commands, or the content if there is no Output.
func outputOf(b providers.Block) string {
	if b.Output == nil {
		return b.Content
	}
	var out strings.Builder
	for _, s := range b.Output.Steps {
		out.WriteString(s.Stdout)
	}
	return out.String()
}

func (v view) fill(t template) string {
	return placeholder.ReplaceAllStringFunc(t.string, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		switch m[1] {
		case "user":
			if m[2] == "" {
				return v.user
			}
			return group(v.userGroups, m[2])
		case "result":
			return group(v.resultGroups, m[2])
		case "last_tool_result":
			return v.result
		case "last_tool_output":
			return v.output
		case "last_answer":
			return v.answer
		case "system":
			return v.system
		case "lang":
			return v.lang
		case "round":
			return strconv.Itoa(v.round)
		}
		return s
	})
}

func group(groups []string, digit string) string {
	if i := int(digit[0] - '0'); i < len(groups) {
		return groups[i]
	}
	return ""
}

// fillAll replaces the placeholders in the strings of a decoded value.
func (v view) fillAll(value any) any {
	switch x := value.(type) {
	case string:
		return v.fill(template{x})
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = v.fillAll(x[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for name := range x {
			out[name] = v.fillAll(x[name])
		}
		return out
	}
	return value
}

// checkTemplates checks the strings of a decoded value.
func checkTemplates(value any) error {
	switch x := value.(type) {
	case string:
		return template{x}.check()
	case []any:
		for i := range x {
			if err := checkTemplates(x[i]); err != nil {
				return err
			}
		}
	case map[string]any:
		for name := range x {
			if err := checkTemplates(x[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// answer returns the step's completion.
func (s *step) answer(v view, req providers.Request) (providers.Completion, error) {
	done := providers.Completion{Usage: s.Usage.usage()}
	if text := v.fill(s.Text); text != "" {
		done.Content = append(done.Content, providers.Text(text))
	}
	for i, t := range s.Tools {
		input, err := t.input(v)
		if err != nil {
			return done, err
		}
		id := t.ID
		if id == "" { // unique in the conversation and deterministic
			id = fmt.Sprintf("call_%d_%d", len(req.Messages), i+1)
		}
		done.Content = append(done.Content, providers.Block{Type: providers.BlockToolUse, ID: id, Name: t.Name, Input: input})
	}
	switch {
	case s.Stop.StopReason != "":
		done.Stop = s.Stop.StopReason
	case len(s.Tools) > 0:
		done.Stop = providers.StopToolUse
	default:
		done.Stop = providers.StopEndTurn
	}
	return done, nil
}

func (t toolStep) input(v view) (json.RawMessage, error) {
	if t.InputRaw != nil {
		return providers.ToolInput(v.fill(*t.InputRaw)), nil
	}
	raw, err := json.Marshal(v.fillAll(t.Input))
	return providers.ToolInput(string(raw)), err
}
