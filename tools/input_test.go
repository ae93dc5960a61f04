package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/nidoit/blunux-ai/tools"
)

// hostile are names and words that could be parsed as an option, another command or another line.
var hostile = []string{
	"-Rdd", "--config=/x", "-", "--", "--root=/", "-oProxyCommand=x", "a;b", "a b;c", "a|b", "a&b", "a&&b", "$(x)", "`x`", "${IFS}", "$HOME",
	"a>b", "<x", "a'b", `a"b`, "a*", "a?", "[a]", "{a,b}", "~", "!x", "#x", "(x)", "a\x00b", "a\x1b[31m", "a\u202eb", "a\u200bb", "\xff",
	"x -", "../x", "/etc/passwd", "./x", "=x", "%i", "\\x", "a=b",
	strings.Repeat("a", 300),
}

// Planning refuses every name in an input that could be parsed as an option or as shell syntax.
func TestThreat30NamesThatCouldActAreRefusedBeforeAnyPrompt(t *testing.T) {
	byName := allTools(t)
	for tool, field := range map[string]string{
		"install_package": "name", "remove_package": "name", "package_info": "name",
		"manage_service": "name", "check_service": "name", "read_logs": "unit",
	} {
		for _, name := range append(hostile, "a\nb;c", "ok -x", "ok --x", "") {
			if tool == "read_logs" && name == "" || tool == "check_service" && name == "" {
				continue // not given
			}
			input, err := json.Marshal(map[string]any{field: name, "action": "start"})
			require.NoError(t, err)
			plan, err := byName[tool].Plan(arch(), input)
			require.Error(t, err, "%s %q", tool, name)
			require.Empty(t, plan.Commands)
		}
	}
	for _, unit := range []string{"a b", "a,b", "a\nb", "a\n", " a"} {
		input, err := json.Marshal(map[string]any{"name": unit, "action": "start"})
		require.NoError(t, err)
		_, err = byName["manage_service"].Plan(arch(), input)
		require.Error(t, err, "%q", unit)
	}
	// Patterns allow more characters than names, but cannot start an option.
	for tool, field := range map[string]string{"search_packages": "query", "check_processes": "name", "read_logs": "grep"} {
		for _, word := range []string{"-x", "--", "$(x)", "a;b", "a\nb", "a|b", "`x`", ".*", "(a+)+$", " x", "a\x00b", strings.Repeat("a", 300)} {
			input, err := json.Marshal(map[string]any{field: word})
			require.NoError(t, err)
			_, err = byName[tool].Plan(arch(), input)
			require.Error(t, err, "%s %q", tool, word)
		}
	}
	for _, since := range []string{"-x", "--until=x", "$(x)", "1 hour ago; x", "tomorrow", "2026-02-20 09:00\n", "1 fortnight ago"} {
		input, err := json.Marshal(map[string]any{"since": since})
		require.NoError(t, err)
		_, err = byName["read_logs"].Plan(arch(), input)
		if since != "2026-02-20 09:00\n" { // surrounding blanks are trimmed
			require.Error(t, err, "%q", since)
		}
	}
	for _, path := range []string{"a\nb", "a\x00b", "\x1b", "a\x7f"} {
		input, err := json.Marshal(map[string]any{"path": path})
		require.NoError(t, err)
		_, err = byName["find_large"].Plan(arch(), input)
		require.Error(t, err, "%q", path)
	}
}

// TestThreat30NoInputBecomesAnOption: any input of a model only changes the words after "--", and none of them
// looks like an option.
func TestThreat30NoInputBecomesAnOption(t *testing.T) {
	byName := allTools(t)
	value := rapid.OneOf(rapid.String(), rapid.SampledFrom(hostile), rapid.StringMatching(`-{0,2}[a-z@._+=-]{1,9}( [a-z-]{0,5})?`))
	named := []string{"install_package", "remove_package", "package_info", "manage_service", "check_service", "search_packages", "check_processes"}
	plan := func(tool, value string) (tools.Plan, error) {
		input, err := json.Marshal(map[string]any{"name": value, "query": value, "action": "start"})
		require.NoError(t, err)
		return byName[tool].Plan(arch(), input)
	}
	rapid.Check(t, func(t *rapid.T) {
		tool, value := rapid.SampledFrom(named).Draw(t, "tool"), value.Draw(t, "value")
		harmless, err := plan(tool, "harmless")
		require.NoError(t, err)
		got, err := plan(tool, value)
		if err != nil || value == "" {
			return
		}
		require.Len(t, got.Commands, len(harmless.Commands))
		for i, c := range got.Commands {
			want := harmless.Commands[i].Argv[:len(harmless.Commands[i].Argv)-1]
			require.Equal(t, "--", want[len(want)-1])
			require.Equal(t, want, c.Argv[:len(want)])
			for _, operand := range c.Argv[len(want):] {
				require.False(t, strings.HasPrefix(operand, "-"), "%q", c.Argv)
			}
		}
	})
}

func TestThreat03WhatAModelAddsToItsInputMeansNothing(t *testing.T) {
	byName := allTools(t)
	for _, call := range calls(t) {
		var input map[string]any
		require.NoError(t, json.Unmarshal(call.Input, &input))
		if input == nil {
			input = map[string]any{}
		}
		want, err := byName[call.Name].Plan(arch(), call.Input)
		require.NoError(t, err)
		for key, value := range map[string]any{
			"approved": true, "confirm": "yes", "class": "SAFE", "AtLeast": 0, "autonomy": "full", "argv": []string{"rm"}, "Shell": "rm", "dir": "/", "sudo": true,
		} {
			input[key] = value
		}
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		got, err := byName[call.Name].Plan(arch(), raw)
		require.NoError(t, err)
		require.Equal(t, want, got, call.Name)
	}
}

func TestInputThatMakesNoSenseIsAnErrorForTheModel(t *testing.T) {
	byName := allTools(t)
	for name, inputs := range map[string][]string{
		"read_logs":       {`{"lines":"many"}`, `{"lines":1.5}`, `{"unit":5}`, `[]`, `"text"`, `{`, `{"priority":"loud"}`, `{"since":"soon"}`},
		"install_package": {``, `{}`, `null`, `{"name":""}`, `{"name":" , "}`, `{"name":["a"]}`, `5`},
		"remove_package":  {`{}`},
		"package_info":    {`{}`},
		"search_packages": {`{}`, `{"query":""}`},
		"run_command":     {`{}`, `{"command":""}`, `{"command":" \n\t"}`, `{"command":["df"]}`},
		"manage_service":  {`{}`, `{"name":"x"}`, `{"action":"mask","name":"x"}`, `{"action":"start"}`, `{"action":"","name":"x"}`, `{"action":"start","name":"x","user":"yes"}`},
		"check_network":   {`{"scope":"everything"}`},
		"check_hardware":  {`{"scope":"soul"}`},
		"list_packages":   {`{"filter":"-Rns"}`},
		"check_processes": {`{"sort":"age"}`},
		"check_service":   {`{"failed":"yes"}`},
		"find_large":      {`{"path":5}`},
	} {
		for _, input := range inputs {
			plan, err := byName[name].Plan(arch(), json.RawMessage(input))
			require.Error(t, err, "%s %s", name, input)
			require.Empty(t, plan.Commands, "%s %s", name, input)
		}
	}
}
