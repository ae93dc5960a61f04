package e2e

import (
	"bufio"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/providertest"
)

// The planted keys: one from the environment, one from a credentials file, and one that only looks like a key.
const (
	keyOfEnvironment = "markerkey-0c6f4b1d9a7e25f38b40"
	keyOfFile        = "markerkey-e9d1705c3fa8462b97d1"
	keyByItsShape    = "ghp_mArKeR0123456789abcdefghijklmnopqrst"
)

var plantedKeys = []string{keyOfEnvironment, keyOfFile, keyByItsShape}

// requireNoKey requires that a text contains no planted key, nor most of one.
func requireNoKey(t *testing.T, where, text string) {
	t.Helper()
	for _, key := range plantedKeys {
		require.NotContains(t, text, key[:len(key)-6], "%s", where)
	}
}

// plantKeys configures the keys, and writes a file that contains them all, as a note or a log could.
func (d *machine) plantKeys() {
	// At level trace the daemon's log contains the bodies of requests and answers.
	d.env = append(d.env, "DEEPSEEK_API_KEY="+keyOfEnvironment, "BLUNUX_AI_LOG=trace")
	d.write("credentials/claude", keyOfFile+"\n")
	note := "before\n" + strings.Join(plantedKeys, "\nexport TOKEN=") + "\nafter\n"
	require.NoError(d.t, os.WriteFile(d.home+"/pasted", []byte(note), 0o600))
	d.write("memory/MEMORY.md", "# Notes\nmy key is "+keyOfFile+" and "+keyByItsShape+"\n")
}

// requireNoKeyInFiles checks all files of the program, and those in its socket's directory, except the
// credentials and the note that the user wrote.
func (d *machine) requireNoKeyInFiles() {
	d.t.Helper()
	seen := 0
	for _, dir := range []string{d.home + "/.config/blunux-ai", d.home + "/run"} {
		require.NoError(d.t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || strings.Contains(path, "/credentials/") || strings.HasSuffix(path, "MEMORY.md") {
				return err
			}
			text, err := os.ReadFile(path)
			requireNoKey(d.t, path, string(text))
			seen++
			return err
		}))
	}
	require.Greater(d.t, seen, 3, "conversation, log, notes")
}

// ownLog returns the daemon's log.
func (d *machine) ownLog() string {
	d.t.Helper()
	files, err := filepath.Glob(d.home + "/.config/blunux-ai/logs/blunux-ai.log.*")
	require.NoError(d.t, err)
	require.NotEmpty(d.t, files)
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(d.t, err)
		all.Write(text)
	}
	return all.String()
}

// markerPlot scripts a model that reads a file, and writes keys into text, calls and errors.
const markerPlot = `
[[step]]
user = "read"
[[step.tool]]
name = "run_command"
input = { command = "cat pasted" }
[[step]]
text = "it holds {{last_tool_output}} end"
[[step]]
user = "fail"
forever = true
[step.error]
kind = "api"
status = 500
message = "bad key %[1]s or %[2]s or %[3]s"
[[step]]
user = "say"
text = "your keys are %[1]s, %[2]s and %[3]s."
[[step]]
user = "prompt"
text = "{{system}}"
[[step]]
user = "stderr"
[[step.tool]]
name = "run_command"
input = { command = "cat pasted >&2; cat pasted; false" }
[[step]]
text = "{{last_tool_result}}"
`

func TestThreat18NoKeyInFilesAnswersAndErrors(t *testing.T) {
	t.Parallel()
	d := newMachine(t, fmt.Sprintf(markerPlot, keyOfEnvironment, keyOfFile, keyByItsShape))
	d.plantKeys()
	for _, c := range []struct {
		says    string
		answers []string
		args    []string
	}{
		{"it holds", nil, []string{"ask", "read"}},
		{"it holds", nil, []string{"ask", "--json", "read"}},
		{"it holds", nil, []string{"ask", "--jsonl", "read"}},
		{"bad key", nil, []string{"ask", "fail"}},
		{"bad key", nil, []string{"ask", "--json", "fail"}},
		{"your keys", nil, []string{"ask", "say"}},
		{"your keys", nil, []string{"ask", "--json", "say"}},
		{"your keys", nil, []string{"ask", "--jsonl", "say"}},
		{"my key is", nil, []string{"ask", "prompt"}},
		{"after", []string{"y"}, []string{"ask", "stderr"}},
		{"cat", nil, []string{"log"}},
		{"cat", nil, []string{"status", "--json"}},
		{"tool call", nil, []string{"log", "--daemon", "-n", "1000"}},
		{"deepseek", nil, []string{"call", `{"type":"query","id":"q","data":{"what":"models"}}`}},
		{"files", nil, []string{"call", `{"type":"query","id":"q","data":{"what":"config"}}`}},
	} {
		shown := d.run(c.answers, c.args...)
		require.Contains(t, shown, c.says, c.args)
		requireNoKey(t, strings.Join(c.args, " "), shown)
	}
	// Check an original peer, too.
	c, err := net.Dial("unix", d.home+"/run/blunux-ai.sock")
	require.NoError(t, err)
	defer c.Close()
	r := bufio.NewReader(c)
	for body, says := range map[string]string{"say": "your keys", "read": "it holds", "fail": "Request failed"} {
		_, err = fmt.Fprintf(c, `{"type":"message","from":"821012345678","body":%q}`+"\n", body)
		require.NoError(t, err)
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, says)
		requireNoKey(t, "an original peer: "+body, line)
	}
	d.requireNoKeyInFiles()
}

// TestThreat18NoKeyInWhatAProviderIsSent: neither in command output nor in notes. Keys that the model writes
// itself are neither shown nor saved.
func TestThreat18NoKeyInWhatAProviderIsSent(t *testing.T) {
	t.Parallel()
	for kind, server := range map[string]func(providertest.Script) *providertest.Handler{
		"claude": providertest.NewAnthropic, "deepseek": providertest.NewChatCompletions, "gemini": providertest.NewGemini,
	} {
		t.Run(kind, func(t *testing.T) {
			said := strings.Join(plantedKeys, " ")
			server := server(func(n int, seen providertest.Request) providertest.Reply {
				switch {
				case strings.Contains(seen.Last("text"), "refuse"):
					return providertest.Reply{Status: 401, Message: "invalid key " + said}
				case seen.Last("tool_result") != "" && n%2 == 1:
					pieces := []string{"I saw: "}
					for at := 0; at < len(said); at += 5 {
						pieces = append(pieces, said[at:min(len(said), at+5)])
					}
					return providertest.Reply{Text: append(pieces, ". That is all.")}
				}
				return providertest.Reply{Tools: []providertest.Call{{ID: fmt.Sprint("t", n), Name: "run_command", Input: `{"command":"cat pasted"}`}}}
			})
			url, stop, err := serve(http.Handler(server))
			require.NoError(t, err)
			defer stop()
			d := newMachine(t, "")
			d.write("config.toml", "[ai_agent]\nprovider = \""+kind+"\"\n[providers."+kind+"]\nbase_url = \""+url+"\"\n")
			d.plantKeys()
			require.NoError(t, os.WriteFile(d.home+"/piped", []byte("log: "+said+"\n"), 0o600))
			for _, args := range [][]string{{"ask", "look"}, {"ask", "--jsonl", "look"}} {
				shown := d.run(nil, args...)
				require.Contains(t, shown, "That is all.")
				requireNoKey(t, strings.Join(args, " "), shown)
			}
			shown := d.run(nil, "ask", "--json", "refuse")
			require.Contains(t, shown, "auth")
			requireNoKey(t, "an error", shown)
			seen := server.Requests()
			require.Len(t, seen, 5)
			for _, s := range seen {
				requireNoKey(t, "a request", s.Body)
				require.Contains(t, s.Body, "my key is")
			}
			require.Contains(t, seen[1].Body, "before")
			d.requireNoKeyInFiles()
			log := d.ownLog()
			require.Contains(t, log, "provider bodies", "they were logged")
			require.Contains(t, log, "I saw: ")
			require.Contains(t, log, "run_command")
			require.Contains(t, log, "status=401")
			require.NotContains(t, strings.ToLower(log), "x-api-key")
			require.NotContains(t, log, "Authorization")
		})
	}
}
