package e2e

import (
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/test/providertest"
)

// plots are behaviours of a model server, by name.
var plots = map[string]providertest.Script{
	// disk calls a tool and repeats its output, so that the answer is only correct if the command really ran.
	// The model looks at a picture, and says of each question which pictures came with it.
	"picture": func(_ int, seen providertest.Request) providertest.Reply {
		var shown []string
		for _, e := range seen.Entries {
			if e.Kind == "image" {
				shown = append(shown, fmt.Sprintf("%s of %d bytes", e.MediaType, len(e.Data)))
			}
		}
		if strings.Contains(seen.Last("text"), "look at") && seen.Last("tool_result") == "" {
			return providertest.Reply{Tools: []providertest.Call{{ID: "t1", Name: "read_file", Input: `{"path":"~/사진.png"}`}}}
		}
		words := seen.Last("text")
		if _, after, ok := strings.Cut(words, "the file above is at "); ok && seen.Last("tool_result") == "" {
			path, _, _ := strings.Cut(after, " until")
			return providertest.Reply{Tools: []providertest.Call{{ID: "t2", Name: "read_file", Input: `{"path":"` + path + `"}`}}}
		}
		return providertest.Reply{Text: []string{fmt.Sprintf("shown: %v; sent: %s; named: %s", shown, words, seen.Last("tool_result"))}}
	},
	"disk": func(_ int, seen providertest.Request) providertest.Reply {
		if out := seen.Last("tool_result"); out != "" {
			return providertest.Reply{Text: []string{"I saw: ", firstMount(out)}, Usage: providers.Usage{InputTokens: 10, OutputTokens: 3}}
		}
		return providertest.Reply{
			Text:  []string{"Let me look."},
			Tools: []providertest.Call{{ID: "t1", Name: "check_disk", Input: "{}"}},
			Usage: providers.Usage{InputTokens: 7, OutputTokens: 2},
		}
	},
	// remembers returns the last tool result of the whole conversation.
	"remembers": func(_ int, seen providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"I remember: " + seen.Last("tool_result")}}
	},
	// writes writes its call as text, as models sometimes do.
	"writes": func(_ int, seen providertest.Request) providertest.Reply {
		if out := seen.Last("tool_result"); out != "" {
			return providertest.Reply{Text: []string{"I saw: ", firstMount(out)}}
		}
		return providertest.Reply{Text: []string{"Let me look.\n```json\n{\"tool\": \"run_", "cmd\", \"command\": \"df -h\"}\n```\n"}}
	},
	// notools rejects tools, and writes calls as text when instructed to.
	"notools": func(_ int, seen providertest.Request) providertest.Reply {
		switch _, out, looked := strings.Cut(seen.Last("text"), "Result of check_disk:"); {
		case len(seen.Tools) > 0:
			return providertest.Reply{Status: 400, Message: "registry.ollama.ai/library/gemma3:4b does not support tools"}
		case looked:
			return providertest.Reply{Text: []string{"I saw: ", firstMount(out)}}
		}
		return providertest.Reply{Text: []string{`{"tool": "check_disk", `, `"input": {}}`}}
	},
	// parrot reads a file and repeats the call that is planted in it.
	"parrot": func(n int, _ providertest.Request) providertest.Reply {
		if n > 0 {
			return providertest.Reply{Text: []string{`{"tool":"run_cmd","command":"uname -srvmo"}`}}
		}
		return providertest.Reply{Tools: []providertest.Call{{ID: "t1", Name: "run_command", Input: `{"command":"cat planted.txt"}`}}}
	},
	// agents says what it was asked with, or calls the tool that it is to call.
	"agents": func(_ int, seen providertest.Request) providertest.Reply {
		words, result := seen.Last("text"), seen.Last("tool_result")
		called := seen.Entries[len(seen.Entries)-1].Kind == "tool_result"
		if command, ok := strings.CutPrefix(words, "run "); ok && !called {
			return providertest.Reply{Tools: []providertest.Call{{ID: "t1", Name: "run_command", Input: fmt.Sprintf(`{"command":%q}`, command)}}}
		}
		asked := 0
		for _, e := range seen.Entries {
			if e.Kind == "text" && e.Role == providers.RoleUser {
				asked++
			}
		}
		pirate := strings.Contains(seen.System, "Talk like a pirate.")
		return providertest.Reply{Text: []string{fmt.Sprintf("model %s, %d tools, pirate %v, asked %d, result %q", seen.Model, len(seen.Tools), pirate, asked, result)}}
	},
	"401": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Status: 401, Message: "invalid key"}
	},
	"429": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Status: 429, RetryAfter: "17", Message: "slow down"}
	},
	"500": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Status: 500, Message: "something broke"}
	},
	"cut": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"half an ans"}, Cut: true}
	},
	"broken": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"x"}, Broken: true}
	},
	"empty": func(int, providertest.Request) providertest.Reply { return providertest.Reply{} },
	"endless": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{strings.Repeat("again and ", 800)}, Endless: true}
	},
	"silent": func(int, providertest.Request) providertest.Reply {
		return providertest.Reply{Text: []string{"wait"}, Hold: true}
	},
}

// firstMount returns the line of the root file system in the output of df.
func firstMount(out string) string {
	for _, line := range strings.Split(out, "\n") {
		if strings.HasSuffix(line, " /") {
			return line
		}
	}
	return "no root file system"
}

// serve starts a handler on loopback.
func serve(h http.Handler) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(l) }()
	return "http://" + l.Addr().String(), func() { s.Close() }, nil
}
