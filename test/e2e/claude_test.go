package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/test/providertest"
)

// fakeClaude imitates claude as far as the daemon sees it, with a real MCP client. The message "call NAME
// INPUT" calls that tool and answers with its result. The test binary runs it if FAKE_CLAUDE is set.
func fakeClaude() int {
	if os.Args[1] == "--version" {
		fmt.Println("2.1.197 (Claude Code)")
		return 0
	}
	ctx := context.Background()
	session, err := toolsOfClaude(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer session.Close()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	names := []string{}
	for _, t := range list.Tools {
		names = append(names, "mcp__blunux__"+t.Name)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		emit(map[string]any{
			"type": "system", "subtype": "init", "tools": names, "model": "fake", "mcp_servers": []map[string]string{{"name": "blunux", "status": "connected"}},
		})
		answer := "you said nothing to call"
		if name, input, ok := requestedCall(in.Text()); ok {
			answer = resultText(session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(input), Meta: mcp.Meta{"claudecode/toolUseId": "toolu_1"}}))
		}
		emit(map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": answer, "stop_reason": "end_turn"})
	}
	return 0
}

func emit(event any) { _ = json.NewEncoder(os.Stdout).Encode(event) }

// resultText returns the text of a call's result.
func resultText(res *mcp.CallToolResult, err error) string {
	if err != nil {
		return err.Error()
	}
	var text []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text = append(text, t.Text)
		}
	}
	return "It said: " + strings.Join(text, "\n")
}

// toolsOfClaude starts the server of --mcp-config.
func toolsOfClaude(ctx context.Context) (*mcp.ClientSession, error) {
	at := slices.Index(os.Args, "--mcp-config")
	data, err := os.ReadFile(os.Args[at+1])
	if err != nil {
		return nil, err
	}
	var config struct {
		Servers map[string]struct {
			Command string            `json:"command"`
			Args    []string          `json:"args"`
			Env     map[string]string `json:"env"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	s := config.Servers["blunux"]
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Env, cmd.Stderr = os.Environ(), os.Stderr
	for k, v := range s.Env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return mcp.NewClient(&mcp.Implementation{Name: "fake", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
}

// requestedCall returns the call that a message asks for.
func requestedCall(message string) (name, input string, ok bool) {
	var m struct {
		Message struct {
			Content []struct{ Text string }
		}
	}
	if json.Unmarshal([]byte(message), &m) != nil {
		return "", "", false
	}
	for _, c := range m.Message.Content {
		if rest, found := strings.CutPrefix(c.Text, "call "); found {
			name, input, ok = strings.Cut(rest, " ")
		}
	}
	return name, input, ok
}

// callingModel is a model server on loopback that does the same for the real claude, and records the requests.
type callingModel struct {
	mu   sync.Mutex
	seen []providertest.Request
}

func (c *callingModel) reply(_ int, seen providertest.Request) providertest.Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, seen)
	for _, e := range slices.Backward(seen.Entries) {
		if e.Kind == "tool_result" {
			return providertest.Reply{Text: []string{"It said: " + e.Text}}
		}
		if rest, ok := strings.CutPrefix(e.Text, "call "); ok {
			name, input, _ := strings.Cut(rest, " ")
			return providertest.Reply{Tools: []providertest.Call{{ID: "toolu_" + strconv.Itoa(len(c.seen)), Name: "mcp__blunux__" + name, Input: input}}}
		}
		if e.Kind == "text" && strings.Contains(e.Text, "look at @") {
			break
		}
	}
	return providertest.Reply{Text: []string{"nothing to call"}}
}

func (c *callingModel) requests() []providertest.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}

// newClaudeMachine returns a desk that uses claude in a directory by subscription.
func newClaudeMachine(t *testing.T, dir string) *machine {
	d := newMachine(t, "")
	d.write("config.toml", "[ai_agent]\nprovider = \"claude\"\nclaude_mode = \"oauth\"\nfallback = []\n")
	d.env = append(d.env, "PATH="+binaries+":"+dir+":"+os.Getenv("PATH"))
	return d
}

// fakeClaudeDir returns a directory in which claude is this test binary.
func fakeClaudeDir(t *testing.T) string {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/claude", []byte("#!/bin/sh\nFAKE_CLAUDE=1 exec "+self+" \"$@\"\n"), 0o755)) //nolint:gosec // a program
	return dir
}

func TestClaudeBySubscriptionStaysInsideTheGate(t *testing.T) {
	t.Parallel()
	requireGate(t, newClaudeMachine(t, fakeClaudeDir(t)))
}

// TestRealClaude needs the real program. make test-claude installs it and sets BLUNUX_AI_CLAUDE to its
// directory.
func TestRealClaude(t *testing.T) {
	dir := os.Getenv("BLUNUX_AI_CLAUDE")
	if dir == "" {
		t.Skip("BLUNUX_AI_CLAUDE names no directory with a claude: make test-claude")
	}
	model := &callingModel{}
	url, stop, err := serve(providertest.NewAnthropic(model.reply))
	require.NoError(t, err)
	defer stop()
	d := newClaudeMachine(t, dir)
	d.env = append(d.env, "ANTHROPIC_BASE_URL="+url, "ANTHROPIC_API_KEY=sk-ant-loopback")
	requireGate(t, d)

	// A claude that the person starts reaches the same tools after setup --for.
	for _, more := range []string{"X=", "CLAUDE_CONFIG_DIR=" + t.TempDir()} {
		for _, argv := range [][]string{{binaries + "/blunux-ai", "setup", "--for", "claude"}, {dir + "/claude", "mcp", "list"}} {
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env, cmd.Dir = append(slices.Clone(d.env), more), d.home
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Regexp(t, `SKILL\.md|blunux-ai: blunux-ai mcp - \S+ Connected`, string(out), more)
		}
	}

	// A file named in the message is not read without the gate either.
	require.NoError(t, os.WriteFile(d.home+"/diary", []byte("dear diary, marker-5f1c\n"), 0o600))
	require.Contains(t, d.run(nil, "ask", "look at @"+d.home+"/diary"), "nothing to call")
	require.NotContains(t, d.run(nil, "ask", "/compact look at @"+d.home+"/diary"), "isn't available")
	for _, seen := range model.requests() {
		require.NotContains(t, seen.Body, "marker-5f1c")
		require.NotEmpty(t, seen.Tools)
		for _, tool := range seen.Tools {
			require.True(t, strings.HasPrefix(tool.Name, "mcp__blunux__"), "a tool of claude's own: %s", tool.Name)
		}
	}
	requireOursInPlaceOfItsOwn(t, d, dir, model)
}

// requireOursInPlaceOfItsOwn: a person's claude whose settings deny its own tools has ours for them, as docs/mcp.md says.
func requireOursInPlaceOfItsOwn(t *testing.T, d *machine, dir string, model *callingModel) {
	page, err := os.ReadFile("../../docs/mcp.md")
	require.NoError(t, err)
	rules := regexp.MustCompile(`\{ "permissions".*\}`).Find(page)
	require.NotEmpty(t, rules)
	require.NoError(t, os.MkdirAll(d.home+"/.claude", 0o700))
	require.NoError(t, os.WriteFile(d.home+"/.claude/settings.json", rules, 0o600))
	before := len(model.requests())
	cmd := exec.Command(dir+"/claude", "-p", "what fills my disk?")
	cmd.Env, cmd.Dir = d.env, d.home
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	var names []string
	for _, seen := range model.requests()[before:] {
		for _, tool := range seen.Tools {
			names = append(names, tool.Name)
		}
	}
	require.Contains(t, names, "mcp__blunux-ai__run_command")
	for _, own := range []string{"Bash", "Edit", "Write", "NotebookEdit"} {
		require.NotContains(t, names, own)
	}
}

// requireGate makes claude call tools and checks the effects.
func requireGate(t *testing.T, d *machine) {
	require.Contains(t, d.run(nil, "ask", "call check_disk {}"), "It said")
	require.Regexp(t, `SAFE +df -h`, d.log())

	file := filepath.Join(d.home, "made")
	touch := fmt.Sprintf(`call run_command {"command":"touch %s"}`, file)
	shown := d.run([]string{"n"}, "ask", touch)
	require.Contains(t, shown, "touch "+file)
	require.NoFileExists(t, file)
	require.Contains(t, d.run([]string{"y"}, "ask", touch), "It said")
	require.FileExists(t, file)
	require.Regexp(t, `CONFIRMED +touch`, d.log())

	blocked := d.run([]string{"y"}, "ask", `call run_command {"command":"rm -rf /"}`)
	require.Contains(t, blocked, "It said")
	require.Contains(t, blocked, "blocked")
	require.Regexp(t, `BLOCKED +rm -rf /`, d.log())
	require.FileExists(t, file)

	// claude ends with the daemon, even if that is killed.
	claudes := childrenOf(daemonPID(d.home + "/run/blunux-ai.sock"))
	require.NotEmpty(t, claudes, "%s", d.run(nil, "log", "--daemon"))
	require.NoError(t, syscall.Kill(daemonPID(d.home+"/run/blunux-ai.sock"), syscall.SIGKILL))
	for _, pid := range claudes {
		awaitGone(pid)
		require.True(t, isZombie(pid))
	}
}

// childrenOf returns the children of a process, proc_pid_task(5).
func childrenOf(pid int) []int {
	var all []int
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for _, field := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// mcpClient returns a client of `blunux-ai mcp`. answer, if not nil, answers its user's confirmations.
func (d *machine) mcpClient(answer func(question string) *mcp.ElicitResult) *mcp.ClientSession {
	d.t.Helper()
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	if answer != nil {
		o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}
		o.ElicitationHandler = func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return answer(req.Params.Message), nil
		}
	}
	cmd := exec.Command(binaries+"/blunux-ai", "mcp")
	cmd.Env, cmd.Dir, cmd.Stderr = d.env, d.home, os.Stderr
	session, err := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, o).Connect(d.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { session.Close() })
	return session
}

func runCommand(command string) *mcp.CallToolParams {
	input, _ := json.Marshal(map[string]string{"command": command})
	return &mcp.CallToolParams{Name: "run_command", Arguments: json.RawMessage(input)}
}

func TestAnMCPClientsCallsGoThroughTheGate(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	s := d.mcpClient(nil)
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 45)
	for _, tool := range list.Tools {
		reads := slices.Contains([]string{"check_disk", "read_file", "fetch_page", "recall", "why_failed"}, tool.Name)
		changes := slices.Contains([]string{"run_command", "remove_package", "plan", "browser", "remember", "download"}, tool.Name)
		if reads || changes {
			require.Equal(t, reads, tool.Annotations.ReadOnlyHint, tool.Name)
			require.Equal(t, changes, *tool.Annotations.DestructiveHint, tool.Name)
		}
	}

	out := resultText(s.CallTool(t.Context(), &mcp.CallToolParams{Name: "check_disk"}))
	require.Contains(t, out, `<data source="tool check_disk"`)
	require.Contains(t, out, "Filesystem")
	require.Contains(t, resultText(s.CallTool(t.Context(), runCommand("rm -rf /"))), "blocked")
	out = resultText(s.CallTool(t.Context(), &mcp.CallToolParams{Name: "why_failed", Arguments: json.RawMessage(
		`{"command": "touch there; cat a | nosuchprogram-x", "status": 127, "output": "bash: nosuchprogram-x: command not found", "lang": "ko"}`)}))
	require.Contains(t, out, "nosuchprogram-x: ")
	require.Regexp(t, `[가-힣]`, out)
	require.NoFileExists(t, filepath.Join(d.home, "there"), "the command does not run again")

	// Changes wait for approval at the machine.
	for _, answer := range []string{"deny", "approve"} {
		file := filepath.Join(d.home, answer)
		result := make(chan string, 1)
		go func() { result <- resultText(s.CallTool(t.Context(), runCommand("touch "+file))) }()
		code := d.approvalCode()
		d.client(answer, code)
		if got := <-result; answer == "deny" {
			require.Contains(t, got, "said no")
			require.NoFileExists(t, file)
		} else {
			require.Contains(t, got, "touch")
			require.FileExists(t, file)
		}
	}

	// A client that gives up withdraws its confirmation.
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, runCommand("touch "+d.home+"/never"))
		failed <- err
	}()
	d.approvalCode()
	cancel()
	require.Error(t, <-failed)
	require.Eventually(t, func() bool { return len(d.pendingCodes()) == 0 }, time.Minute, 20*time.Millisecond)
	require.NoFileExists(t, d.home+"/never")
}

// TestAnMCPClientSeesAPicture: a picture is larger than a frame, so it arrives in pieces.
func TestAnMCPClientSeesAPicture(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	var encoded bytes.Buffer
	require.NoError(t, png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 1280, 800))))
	data := append(encoded.Bytes(), make([]byte, 2<<20)...)
	require.NoError(t, os.WriteFile(d.home+"/사진.png", data, 0o600))
	res, err := d.mcpClient(nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: json.RawMessage(`{"path":"~/사진.png"}`)})
	require.NoError(t, err)
	require.Len(t, res.Content, 2)
	require.Contains(t, resultText(res, err), "사진.png: image/png, 1280×800")
	shown, ok := res.Content[1].(*mcp.ImageContent)
	require.True(t, ok)
	require.Equal(t, "image/png", shown.MIMEType)
	require.Equal(t, data, shown.Data)
}

func TestAnMCPClientsPersonMayAnswer(t *testing.T) {
	t.Parallel()
	d := newMachine(t, "")
	var asked []string
	answers := []*mcp.ElicitResult{
		{Action: "accept", Content: map[string]any{"decision": "run it"}},
		{Action: "accept", Content: map[string]any{"decision": "do not run it"}},
		{Action: "decline"},
	}
	s := d.mcpClient(func(question string) *mcp.ElicitResult {
		asked = append(asked, question)
		return answers[len(asked)-1]
	})
	for i := range answers {
		file := filepath.Join(d.home, "file"+strconv.Itoa(i))
		out := resultText(s.CallTool(t.Context(), runCommand("touch "+file)))
		require.Contains(t, asked[i], "touch "+file)
		if i == 0 {
			require.FileExists(t, file, out)
		} else {
			require.NoFileExists(t, file, out)
		}
	}
	require.Contains(t, resultText(s.CallTool(t.Context(), runCommand("rm -rf /"))), "blocked")
	require.Len(t, asked, 3, "nobody is asked about what never runs")
}

// approvalCode waits for the one pending approval.
func (d *machine) approvalCode() string {
	d.t.Helper()
	var codes []string
	require.Eventually(d.t, func() bool { codes = d.pendingCodes(); return len(codes) == 1 }, time.Minute, 20*time.Millisecond)
	return codes[0]
}

// TestRealClaudeIsFasterWarmThanBare compares a first question, later ones, and `claude -p` alone, on the same
// model.
func TestRealClaudeIsFasterWarmThanBare(t *testing.T) {
	dir := os.Getenv("BLUNUX_AI_CLAUDE")
	if dir == "" {
		t.Skip("BLUNUX_AI_CLAUDE names no directory with a claude: make test-claude")
	}
	url, stop, err := serve(providertest.NewAnthropic((&callingModel{}).reply))
	require.NoError(t, err)
	defer stop()
	d := newClaudeMachine(t, dir)
	d.env = append(d.env, "ANTHROPIC_BASE_URL="+url, "ANTHROPIC_API_KEY=sk-ant-loopback")
	took := func(work func()) time.Duration {
		began := time.Now()
		work()
		return time.Since(began)
	}
	bare := func() {
		cmd := exec.Command(dir+"/claude", "-p", "--tools", "", "--setting-sources", "", "--strict-mcp-config", "--no-session-persistence", "--system-prompt", "You help.")
		cmd.Env, cmd.Stdin = d.env, strings.NewReader("hello")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	ask := func(session string) func() {
		return func() { require.Contains(t, d.client("ask", "--session", session, "hello"), "nothing to call") }
	}
	d.client("status") // start the daemon
	var cold, warm, alone []time.Duration
	for i := range 5 {
		session := "s" + strconv.Itoa(i)
		cold, warm, alone = append(cold, took(ask(session))), append(warm, took(ask(session))), append(alone, took(bare))
	}
	for _, list := range [][]time.Duration{cold, warm, alone} {
		slices.Sort(list)
	}
	t.Logf("median of 5: first question %v, further ones %v, bare claude -p %v", cold[2], warm[2], alone[2])
	require.Less(t, warm[2], alone[2])
}
