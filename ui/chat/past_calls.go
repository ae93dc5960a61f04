package chat

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// showPastCalls shows the calls of an earlier turn. The entry has one line per call, with the tool's
// name and its input as JSON, after the model's text.
func (m *model) showPastCalls(e entry) {
	var said []string
	for line := range strings.Lines(e.Content) {
		line = strings.TrimRight(line, "\n")
		name, input, isCall := strings.Cut(line, " ")
		if !isCall || name == "" || !strings.HasPrefix(input, "{") {
			said = append(said, line)
			continue
		}
		if text := strings.TrimSpace(strings.Join(said, "\n")); text != "" {
			m.log.add(byAssistant, ipc.Clean(text))
		}
		said = nil
		m.log.add(byTool, shortCommand(callSummary(name, input), name))
	}
	if text := strings.TrimSpace(strings.Join(said, "\n")); text != "" {
		m.log.add(byTool, shortCommand(text, ""))
	}
}

// callSummary returns a call's command, or else the tool's name and its input values.
func callSummary(name, input string) string {
	var in map[string]any
	if json.Unmarshal([]byte(input), &in) != nil { // it may be truncated
		return name
	}
	if command, ok := in["command"].(string); ok && command != "" {
		return command
	}
	if len(in) == 0 {
		return name
	}
	return name + " " + input
}

// showPastResult shows the end of a call of an earlier turn. It also shows the end of its output,
// unless the call was read-only and succeeded.
func (m *model) showPastResult(e entry, text string) {
	about := e.Metadata
	if about != nil {
		m.completePastCall(*about)
		if about.Class == "SAFE" && about.Exit != nil && *about.Exit == 0 {
			return
		}
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if over := len(lines) - keptLines; over > 0 {
		lines = append([]string{i18n.ChatOutputCut.In(m.lang)}, lines[over:]...)
	}
	m.log.add(byOutput, strings.Join(lines, "\n"))
}

// completePastCall completes the line of a result's call with class and exit status.
func (m *model) completePastCall(about entryInfo) {
	var end []string
	if about.Class != "" {
		end = append(end, ipc.VisibleLine(about.Class))
	}
	switch {
	case about.Refusal != "":
		end = append(end, i18n.ToolRefused(ipc.VisibleLine(i18n.Refusal(about.Refusal, m.lang))).In(m.lang))
	case about.Exit != nil:
		end = append(end, i18n.CommandEnd(m.lang, i18n.CommandResult{Code: about.Ended, Exit: *about.Exit, Program: ipc.VisibleLine(about.Program), Limit: about.Limit}))
	}
	if n := len(m.log.blocks); len(end) > 0 && n > 0 && m.log.blocks[n-1].role == byTool {
		m.log.grow(" · " + strings.Join(end, " · "))
	} else if len(end) > 0 {
		m.log.add(byTool, strings.Join(append([]string{ipc.VisibleLine(about.Tool)}, end...), " · "))
	}
}
