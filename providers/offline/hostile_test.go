package offline_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
)

// payloads are hostile values for names in outputs: the name of a disk, network, unit or printer must not
// become a command.
var payloads = []string{";touch${IFS}x", "$(touch x)", "`touch x`", "' ; touch x ; '", "|touch x"}

// TestNothingInAnOutputBecomesACommand replaces every word that is copied from an output into a step or an
// offer with a command.
func TestNothingInAnOutputBecomesACommand(t *testing.T) {
	files, err := filepath.Glob("testdata/talks/*.ko.txt")
	require.NoError(t, err)
	tried, checker := 0, newTalker(t, machine{}, "").checker
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var machines []string
		words := ""
		for line := range strings.Lines(string(raw)) {
			if v, ok := strings.CutPrefix(line, "machine: "); ok {
				machines = strings.Fields(v)
			} else if v, ok := strings.CutPrefix(line, "> "); ok && words == "" {
				words = strings.TrimSpace(v)
			}
		}
		honest := loadMachine(t, machines)
		for i, word := range outputWords(honest, commandsOf(t, honest, words)) {
			evil := honest.replace(word, word+payloads[i%len(payloads)])
			for _, c := range commandsOf(t, evil, words) {
				tried++
				if slices.Contains(checker.Judge(c).Programs, "touch") {
					t.Errorf("%s: %q: %s", file, word, c)
				}
			}
		}
	}
	require.Greater(t, tried, 200)
}

// outputWords returns the words of commands that come from outputs.
func outputWords(m machine, commands []string) []string {
	var out []string
	for _, c := range commands {
		for _, w := range strings.FieldsFunc(c, func(r rune) bool { return strings.ContainsRune(" '\"=/,|", r) }) {
			if len(w) >= 3 && !slices.Contains(out, w) && m.prints(w) {
				out = append(out, w)
			}
		}
	}
	return out
}

func (m machine) prints(word string) bool {
	for _, s := range m {
		if strings.Contains(s.Stdout, word) {
			return true
		}
	}
	return false
}

func (m machine) replace(old, new string) machine {
	out := machine{}
	for c, s := range m {
		changed := *s
		changed.Stdout = strings.ReplaceAll(s.Stdout, old, new)
		out[c] = &changed
	}
	return out
}

// commandsOf returns the commands of a question and of accepting its offer.
func commandsOf(t *testing.T, m machine, words string) []string {
	t.Helper()
	k := newTalker(t, m, "")
	var out []string
	for _, says := range []string{words, "네"} {
		k.messages = append(k.messages, providers.UserText(says))
		for range 10 {
			c, err := k.model.Complete(context.Background(), providers.Request{Messages: k.messages, Tools: k.definitions()}, nil)
			require.NoError(t, err)
			k.messages = append(k.messages, providers.Message{Role: providers.RoleAssistant, Content: c.Content})
			if len(c.ToolUses()) == 0 {
				break
			}
			var results []providers.Block
			for _, use := range c.ToolUses() {
				result := providers.Output{Refusal: tools.RefusedInput}
				if plan, err := k.tools[use.Name].Plan(tools.Env{Home: talkHome, HasProgram: m.has}, use.Input); err == nil {
					result = providers.Output{}
					for _, line := range (tools.JudgedPlan{Plan: plan}).Lines() {
						out = append(out, line)
						result.Steps = append(result.Steps, k.do(use, line))
					}
				}
				results = append(results, providers.Block{Type: providers.BlockToolResult, ToolUseID: use.ID, Output: &result})
			}
			k.messages = append(k.messages, providers.Message{Role: providers.RoleUser, Content: results})
		}
	}
	return out
}
