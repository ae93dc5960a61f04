package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/config"
)

func TestServersOfToolsAreTaken(t *testing.T) {
	l := newLayers(t)
	l.write("etc/config.toml", "[mcp.notes]\ncommand = ['of-the-system']\nallow = ['delete']\n[mcp.web-search]\nurl = 'https://example.org/mcp'\n")
	l.write("home/config.toml", "[mcp.notes]\ncommand = ['notes', '--stdio']\nallow = ['read']\nenv = { TOKEN = '$NOTES_TOKEN', N = '1' }\ntimeout = 5\n[mcp.here]\nurl = 'http://127.0.0.1:8080/mcp'\n")
	c := l.mustLoad()
	require.Equal(t, map[string]config.MCP{
		"notes":      {Command: []string{"notes", "--stdio"}, Allow: []string{"read"}, Env: map[string]string{"TOKEN": "$NOTES_TOKEN", "N": "1"}, Timeout: 5},
		"web-search": {URL: "https://example.org/mcp"},
		"here":       {URL: "http://127.0.0.1:8080/mcp"},
	}, c.MCP, "a later table stands for the whole server: nobody's allow stays beside another's command")
	require.Equal(t, 5*time.Second, c.MCP["notes"].TimeoutDuration())
	require.Equal(t, time.Minute, c.MCP["here"].TimeoutDuration())
}

func TestAServerOfToolsThatCannotBeUsedIsToldWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp.my_notes]\ncommand = ['x']":                        ":1:2: mcp.my_notes: a server name has at most 32 lower-case letters",
		"[mcp.Notes]\ncommand = ['x']":                           ":1:2: mcp.Notes: a server name",
		"[mcp." + strings.Repeat("n", 33) + "]\ncommand = ['x']": "a server name has at most 32",
		"[mcp.n]\nallow = ['x']":                                 ":1:2: mcp.n: needs command = ",
		"[mcp.n]\ncommand = ['x']\nurl = 'https://x'":            ":3:7: mcp.n.url: command is already set",
		"[mcp.n]\nurl = 'http://example.org'":                    ":2:7: mcp.n.url: \"http://example.org\" must be https",
		"[mcp.n]\nurl = 'https://me:secret@example.org'":         "without a user name or password",
		"[mcp.n]\nurl = 'file:///etc/passwd'":                    "must be https",
		"[mcp.n]\nurl = 'https://x'\nenv = { A = 'b' }":          ":3:7: mcp.n.env: env can be used only with command",
		"[mcp.n]\ncommand = ['']":                                ":2:12: mcp.n.command: \"\" is not a program",
		"[mcp.n]\ncommand = ['-x']":                              "is not a program",
		"[mcp.n]\ncommand = ['x', \"a\\nb\"]":                    ":2:17: mcp.n.command: contains a control character",
		"[mcp.n]\ncommand = ['x']\nallow = ['a', '*']":           ":3:15: mcp.n.allow: \"*\" is not a tool name",
		"[mcp.n]\ncommand = ['x']\ntimeout = -1":                 ":3:11: mcp.n.timeout: -1 must be from 0",
		"[mcp.n]\ncommand = ['x']\ntimeout = 4000":               "to 3600 seconds",
		"[mcp.n]\ncommand = ['x']\nenv = { A = '$' }":            ":3:13: mcp.n.env.A: \"$\" must be text, or $ and one variable name",
		"[mcp.n]\ncommand = ['x']\nenv = { A = '$B-c' }":         "must be text, or $",
		"[mcp.n]\ncommand = ['x']\nenv = { 'A=B' = 'c' }":        "\"A=B\" is not a variable name",
		"[mcp.n]\ncommand = ['x']\nwrite = ['add']":              ":3:1: unknown key mcp.n.write",
		"[mcp.n]\ncommand = 'x'":                                 ":2:11: mcp.n.command: expected list of strings, found string",
	} {
		t.Run(text, func(t *testing.T) {
			l := newLayers(t)
			l.write("home/config.toml", text+"\n")
			require.Contains(t, l.refused().Error(), want)
		})
	}
}
