package offline_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/providers/offline"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// A talk is a conversation about a machine whose outputs were recorded: what
// the person says is kept, everything else is what the engine does, through
// the real planners and the real checker. testdata/talks/NAME.txt:
//
//	machine: NAME ...    testdata/machines/NAME.txtar; later ones replace commands of earlier ones
//	lang: ko             optional
//	> what the person says
//	$ [SAFE] command     each command as the checker judged it
//	the answer
//
// A machine's file names are commands as they are logged; "| exit 3" and "| cut"
// or "| late" may follow, "2> " before it is standard error. A command that is
// not there is a program that is not installed, or a file that does not exist.
//
// go test ./providers/offline -run Talks -update writes the answers anew.

const talkHome = "/home/blu"

// talkNow is when talks take place.
func talkNow() time.Time { return time.Date(2026, 11, 21, 9, 0, 0, 0, time.FixedZone("KST", 9*3600)) }

type machine map[string]*providers.Step

func loadMachine(t *testing.T, names []string) machine {
	t.Helper()
	m := machine{}
	for _, name := range names {
		a, err := txtar.ParseFile(filepath.Join("testdata", "machines", name+".txtar"))
		require.NoError(t, err)
		fresh := map[string]bool{}
		for _, f := range a.Files {
			m.add(f, fresh)
		}
	}
	return m
}

// add files one recorded output; the first mention of a command in a file
// replaces what an earlier machine said.
func (m machine) add(f txtar.File, fresh map[string]bool) {
	name, stderr := strings.CutPrefix(f.Name, "2> ")
	parts := strings.Split(name, " | ")
	end := len(parts)
	var how []string
	for end > 1 && (strings.HasPrefix(parts[end-1], "exit ") || parts[end-1] == "cut" || parts[end-1] == "late") {
		end--
		how = append(how, parts[end])
	}
	command := strings.Join(parts[:end], " | ")
	if !fresh[command] {
		m[command], fresh[command] = &providers.Step{Command: command}, true
	}
	s := m[command]
	if stderr {
		s.Stderr = string(f.Data)
	} else {
		s.Stdout = strings.ReplaceAll(string(f.Data), "\\-- ", "-- ")
	}
	for _, h := range how {
		switch {
		case h == "cut":
			s.Cut = true
		case h == "late":
			s.TimedOut, s.Exit = true, -1
		default:
			s.Exit, _ = strconv.Atoi(strings.TrimPrefix(h, "exit "))
		}
	}
}

// has reports whether a program is on the machine: some command begins with it.
func (m machine) has(program string) bool {
	for c := range m {
		f := strings.Fields(c)
		if f[0] == program || f[0] == "sudo" && strings.Contains(c, " "+program+" ") {
			return true
		}
	}
	return false
}

func (m machine) run(c tools.Command) providers.Step {
	text := c.String()
	if s := m[text]; s != nil {
		return *s
	}
	f := strings.Fields(text)
	program := f[0]
	switch {
	case !m.has(program):
		return providers.Step{Command: text, Exit: -1, Missing: program}
	case program == "cat" || program == "ls" || program == "du" || program == "grep":
		return providers.Step{Command: text, Exit: 1, Stderr: program + ": " + f[len(f)-1] + ": No such file or directory\n"}
	case program == "pgrep":
		return providers.Step{Command: text, Exit: 1}
	}
	return providers.Step{Command: text, Exit: 1, Stderr: program + ": not recorded\n"}
}

// talker drives the engine as the agent does.
type talker struct {
	t        *testing.T
	model    *offline.Model
	lang     string
	machine  machine
	tools    map[string]tools.Tool
	checker  *safety.Checker
	messages []providers.Message
	out      strings.Builder
}

func newTalker(t *testing.T, m machine, lang string) *talker {
	all, err := tools.All()
	require.NoError(t, err)
	k := &talker{
		t: t, model: offline.New(offline.Options{Now: talkNow, Lang: "en", Home: talkHome}), lang: lang, machine: m, tools: map[string]tools.Tool{},
		checker: safety.New(safety.Options{Home: talkHome, User: "blu"}),
	}
	for _, tool := range all {
		k.tools[tool.Definition.Name] = tool
	}
	return k
}

func (k *talker) definitions() []providers.ToolDefinition {
	var out []providers.ToolDefinition
	for _, tool := range k.tools {
		out = append(out, tool.Definition)
	}
	return out
}

func (k *talker) say(words string) {
	k.messages = append(k.messages, providers.UserText(words))
	k.out.WriteString("> " + words + "\n")
	for range 10 {
		c, err := k.model.Complete(context.Background(), providers.Request{Messages: k.messages, Tools: k.definitions(), Lang: k.lang}, nil)
		require.NoError(k.t, err)
		k.messages = append(k.messages, providers.Message{Role: providers.RoleAssistant, Content: c.Content})
		if len(c.ToolUses()) == 0 {
			k.out.WriteString(c.Text() + "\n\n")
			return
		}
		var results []providers.Block
		for _, use := range c.ToolUses() {
			results = append(results, k.call(use))
		}
		k.messages = append(k.messages, providers.Message{Role: providers.RoleUser, Content: results})
	}
	require.Fail(k.t, "no answer within ten rounds", words)
}

// call plans, judges and "runs" one call. What is not SAFE is shown and taken
// as approved.
func (k *talker) call(use providers.Block) providers.Block {
	plan, err := k.tools[use.Name].Plan(tools.Env{Home: talkHome, Has: k.machine.has}, use.Input)
	require.NoError(k.t, err, "%s %s", use.Name, use.Input)
	var out providers.Output
	for _, c := range plan.Commands {
		class := max(k.checker.Judge(c.String()).Class, plan.AtLeast)
		if c.By != "" { // by the gate, of the person's own words
			class = safety.Safe
		}
		if slices.Contains([]string{"forget", "schedule", "remove_automation"}, use.Name) || use.Name == "change_automation" && !strings.Contains(string(use.Input), "snooze") {
			class = safety.Confirm
		}
		k.out.WriteString("$ [" + class.String() + "] " + c.String() + "\n")
		require.NotEqual(k.t, safety.Blocked, class, c.String())
		out.Steps = append(out.Steps, k.machine.run(c))
	}
	return providers.Block{Type: providers.BlockToolResult, ToolUseID: use.ID, Output: &out}
}

var updateTalks = flag.Bool("update-talks", false, "write the talks anew")

func TestTalks(t *testing.T) {
	files, err := filepath.Glob("testdata/talks/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			got := replay(t, string(raw))
			if *updateTalks {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			require.Equal(t, string(raw), got)
		})
	}
}

// replay holds the talk of a file again.
func replay(t *testing.T, text string) string {
	t.Helper()
	var head strings.Builder
	var names []string
	lang := ""
	var k *talker
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if v, ok := strings.CutPrefix(line, "machine: "); ok && k == nil {
			names = strings.Fields(v)
			head.WriteString(line + "\n")
		} else if v, ok := strings.CutPrefix(line, "lang: "); ok && k == nil {
			lang = v
			head.WriteString(line + "\n")
		} else if v, ok := strings.CutPrefix(line, "> "); ok {
			if k == nil {
				k = newTalker(t, loadMachine(t, names), lang)
			}
			k.say(v)
		}
	}
	require.NotNil(t, k, "a talk needs words")
	checkWords(t, k.out.String())
	return head.String() + "\n" + strings.TrimRight(k.out.String(), "\n") + "\n"
}

// checkWords keeps formatting mistakes out of every answer.
func checkWords(t *testing.T, text string) {
	t.Helper()
	for _, bad := range []string{"%!", "%[", "%%", "\x1b", "\n\n\n", "은/는", "이/가}", "을/를}", "{"} {
		require.NotContains(t, text, bad)
	}
}
