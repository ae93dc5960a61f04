package written

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// call is one written call.
type call struct {
	name  string
	input json.RawMessage // an object
}

// grammar reads written calls to the tools that are offered:
//
//	{"tool":"run_cmd","command":"…"}            agent-rs; the input beside the name
//	{"tool":"…","input":{…}}                    also arguments, parameters, args
//	{"name":"…","arguments":{…}}                Hermes, Qwen, Llama
//	{"function":{"name":"…","arguments":"…"}}   OpenAI's, as {"tool_calls":[…]} too
//	[{…},{…}]  [TOOL_CALLS][{…}]                several; Mistral
//	```json … ```                               any of these
//	<tool_call>{…}</tool_call>                  Hermes, Qwen
//	<function=NAME>{…}</function>               Llama; <parameter=KEY>…</parameter> in Qwen's
//	<invoke name="NAME"><parameter name="KEY">…</parameter></invoke>
//
// one after another, with <function_calls> or <tool_calls> around them or not,
// and nothing else from the first to the end.
type grammar struct{ tools []providers.ToolDefinition }

// verdict is what a text is so far.
type verdict int

const (
	no      verdict = iota // no call, whatever follows
	partial                // the beginning of calls
	whole                  // calls
)

// may reports whether a text is, or may yet become, calls and nothing else.
func (g grammar) may(s string) bool {
	_, _, v := g.run(s, "")
	return v != no
}

// calls returns the calls a text consists of, nil when there is anything else
// in it.
func (g grammar) calls(s string) []call {
	calls, rest, v := g.run(s, "")
	if v != whole || rest != "" {
		return nil
	}
	return calls
}

// run reads calls up to the mark that ends them, or to the end of the text when
// that is "". rest is what follows the mark.
func (g grammar) run(s, mark string) (calls []call, rest string, v verdict) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case len(calls) > maxCalls:
			return nil, "", partial // it is none, and no part of it is: wait for its end
		case s == "" && mark == "" && len(calls) > 0:
			return calls, "", whole
		case s == "":
			return calls, "", partial
		case mark != "" && strings.HasPrefix(s, mark):
			if len(calls) == 0 {
				return nil, "", no
			}
			return calls, s[len(mark):], whole
		case mark != "" && strings.HasPrefix(mark, s):
			return calls, "", partial
		}
		more, after, v := g.item(s)
		if v != whole {
			return calls, "", v
		}
		calls, s = append(calls, more...), after
	}
}

// maxCalls bounds the calls of one message; a model that wants more has lost
// its way.
const maxCalls = 16

// item reads one call, or several that are wrapped up as one.
func (g grammar) item(s string) ([]call, string, verdict) {
	switch s[0] {
	case '{', '[':
		return g.value(s)
	case '`':
		return g.fenced(s)
	case '<':
		return g.tagged(s)
	}
	return nil, "", no
}

// fences are the languages a fenced call is said to be in.
var fences = []string{"", "json", "tool_call", "tool_code", "xml", "tool"}

func (g grammar) fenced(s string) ([]call, string, verdict) {
	const fence = "```"
	if len(s) < len(fence) {
		return nil, "", prefix(fence, s)
	}
	if !strings.HasPrefix(s, fence) {
		return nil, "", no
	}
	line, body, ended := strings.Cut(s[len(fence):], "\n")
	language := strings.TrimRight(line, " \t\r")
	if !ended {
		if slices.ContainsFunc(fences, func(f string) bool { return strings.HasPrefix(f, language) }) {
			return nil, "", partial
		}
		return nil, "", no
	}
	if !slices.Contains(fences, language) {
		return nil, "", no
	}
	return g.run(body, fence)
}

// prefix tells whether a text is the beginning of what it should be.
func prefix(want, s string) verdict {
	if strings.HasPrefix(want, s) {
		return partial
	}
	return no
}

// offered returns the name of the offered tool that a model means; run_cmd is
// what agent-rs calls run_command.
func (g grammar) offered(name string) (providers.ToolDefinition, bool) {
	find := func(name string) int {
		return slices.IndexFunc(g.tools, func(t providers.ToolDefinition) bool { return t.Name == name })
	}
	i := find(name)
	if i < 0 && name == "run_cmd" {
		i = find("run_command")
	}
	if i < 0 {
		return providers.ToolDefinition{}, false
	}
	return g.tools[i], true
}
