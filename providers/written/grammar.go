package written

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// call is one tool call written as text.
type call struct {
	name  string
	input json.RawMessage // an object
}

// grammar parses text calls of the offered tools. The forms are (seeds/agent-rs-design.md section 4,
// seeds/rrclaw-architecture.md, and the training formats of open models):
//
//	{"tool":"run_cmd","command":"…"}            agent-rs; the input next to the name
//	{"tool":"…","input":{…}}                    also arguments, parameters, args
//	{"name":"…","arguments":{…}}                Hermes, Qwen, Llama
//	{"function":{"name":"…","arguments":"…"}}   OpenAI's, also as {"tool_calls":[…]}
//	[{…},{…}]  [TOOL_CALLS][{…}]                several; Mistral
//	```json … ```                               any of these
//	<tool_call>{…}</tool_call>                  Hermes, Qwen
//	<function=NAME>{…}</function>               Llama; <parameter=KEY>…</parameter> in Qwen's
//	<invoke name="NAME"><parameter name="KEY">…</parameter></invoke>
//
// Several can follow each other, optionally inside <function_calls> or <tool_calls>. Other text is not allowed
// after the first call.
type grammar struct{ tools []providers.ToolDefinition }

// verdict is the result of parsing the beginning of a text.
type verdict int

const (
	no      verdict = iota // not a call, whatever follows
	partial                // the beginning of one or more calls
	whole                  // complete calls
)

// canBeCalls reports whether a text is or can become a list of calls and nothing else.
func (g grammar) canBeCalls(s string) bool {
	_, _, v := g.parse(s, "")
	return v != no
}

// calls returns the calls that a text consists of, or nil if it contains anything else.
func (g grammar) calls(s string) []call {
	calls, rest, v := g.parse(s, "")
	if v != whole || rest != "" {
		return nil
	}
	return calls
}

// parse parses calls up to the end mark, or to the end of the text if mark is "". rest is the text after the
// mark.
func (g grammar) parse(s, mark string) (calls []call, rest string, v verdict) {
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		switch {
		case len(calls) > maxCalls:
			return nil, "", partial // too many calls: not a call, but hold the text back to its end
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
		more, after, v := g.parseItem(s)
		if v != whole {
			return calls, "", v
		}
		calls, s = append(calls, more...), after
	}
}

// maxCalls bounds the calls of one message. A model that writes more is malfunctioning.
const maxCalls = 16

// parseItem parses one call, or several in one wrapper.
func (g grammar) parseItem(s string) ([]call, string, verdict) {
	switch s[0] {
	case '{', '[':
		return g.parseValue(s)
	case '`':
		return g.parseFenced(s)
	case '<':
		return g.parseTagged(s)
	}
	return nil, "", no
}

// fences are the accepted languages of a fenced call.
var fences = []string{"", "json", "tool_call", "tool_code", "xml", "tool"}

func (g grammar) parseFenced(s string) ([]call, string, verdict) {
	const fence = "```"
	if len(s) < len(fence) {
		return nil, "", prefixVerdict(fence, s)
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
	return g.parse(body, fence)
}

// prefixVerdict returns partial if s is a prefix of want, no otherwise.
func prefixVerdict(want, s string) verdict {
	if strings.HasPrefix(want, s) {
		return partial
	}
	return no
}

// findTool returns the offered tool of a name. agent-rs calls run_command run_cmd.
func (g grammar) findTool(name string) (providers.ToolDefinition, bool) {
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
