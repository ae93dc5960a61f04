package e2e

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// gatewayDesk is a machine with a gateway.
type gatewayDesk struct {
	*machine
	stage   *stage
	address string
	gateway *exec.Cmd
}

// newGatewayDesk makes a machine whose model is a stage, without a token and without a running gateway.
func newGatewayDesk(t *testing.T) *gatewayDesk {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	l.Close()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	d, s := newStage(t, "[gateway]\nport = "+port+"\n")
	return &gatewayDesk{machine: d, stage: s, address: address}
}

// aictl runs blunux-aictl and returns its standard output.
func (d *gatewayDesk) aictl(args ...string) string {
	d.t.Helper()
	cmd := exec.Command(filepath.Join(binaries, "blunux-aictl"), args...)
	cmd.Env = d.env
	out, err := cmd.Output()
	require.NoError(d.t, err, "%v", args)
	return strings.TrimSpace(string(out))
}

func (d *gatewayDesk) token(name, scope string) string {
	d.t.Helper()
	token := d.aictl("gateway", "token", "add", name, "--scope", scope)
	require.True(d.t, strings.HasPrefix(token, "blunux_gw_"), token)
	return token
}

// startGateway starts the gateway and waits until it listens.
func (d *gatewayDesk) startGateway(env ...string) {
	d.t.Helper()
	d.gateway = exec.Command(filepath.Join(binaries, "blunux-ai-gateway"))
	d.gateway.Env = append(d.env, env...)
	d.gateway.Stderr = os.Stderr
	require.NoError(d.t, d.gateway.Start())
	d.t.Cleanup(d.killGateway)
	waitUntil(d.t, "the gateway to listen", func() bool {
		c, err := net.Dial("tcp", d.address)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

func (d *gatewayDesk) killGateway() {
	_ = d.gateway.Process.Kill() // it may have ended
	_ = d.gateway.Wait()
}

// connect returns a connected client that collects its notifications.
func (d *gatewayDesk) connect(token string) *gatewayPeer {
	d.t.Helper()
	p := &gatewayPeer{channelGatewayClient: newChannelGatewayClient(d.address, token), t: d.t}
	p.responses, p.requested, p.resolved = make(chan taskResponse, 100), make(chan approvalRequestEvent, 100), make(chan approvalResolvedEvent, 100)
	collect(p, "chat.response", p.responses)
	collect(p, "approval.requested", p.requested)
	collect(p, "approval.resolved", p.resolved)
	require.NoError(d.t, p.channelGatewayClient.connect(d.t.Context()))
	d.t.Cleanup(p.close)
	return p
}

type gatewayPeer struct {
	*channelGatewayClient
	t         *testing.T
	responses chan taskResponse
	requested chan approvalRequestEvent
	resolved  chan approvalResolvedEvent
}

func collect[T any](p *gatewayPeer, event string, to chan T) {
	p.on(event, func(params json.RawMessage) {
		var v T
		if json.Unmarshal(params, &v) == nil {
			to <- v
		}
	})
}

// await returns the next notification of a kind.
func await[T any](p *gatewayPeer, from chan T) T {
	p.t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		require.Fail(p.t, "no notification")
	}
	panic("unreachable")
}

// send sends a message, which the daemon must accept.
func (p *gatewayPeer) send(id, text string) taskResponse {
	p.t.Helper()
	r, err := p.sendToGateway(p.t.Context(), chatMessage{AgentID: "main", Text: text, UserID: "u1", ChannelID: "web", ID: id})
	require.NoError(p.t, err)
	return r
}

// request makes a request, which must succeed.
func (p *gatewayPeer) request(method string, params, result any) {
	p.t.Helper()
	require.NoError(p.t, p.call(p.t.Context(), method, params, result))
}

// refused makes a request, which must fail, and returns the error.
func (p *gatewayPeer) refused(method string, params any) *wireError {
	p.t.Helper()
	err := p.call(context.Background(), method, params, nil)
	var wire *wireError
	require.ErrorAs(p.t, err, &wire)
	return wire
}

// grant answers a question.
func (p *gatewayPeer) grant(q approvalRequestEvent, yes bool) {
	p.t.Helper()
	p.request("approval.grant", map[string]any{"taskId": q.TaskID, "approved": yes, "requestId": q.RequestID, "digest": q.Digest}, nil)
}

func TestAProgramUsesTheDaemonOverTheGateway(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	token := d.token("desk", "approve")
	d.startGateway()
	p := d.connect(token)

	accepted := p.send("m1", "hello")
	require.Equal(t, "pending", accepted.Status)
	require.NotEmpty(t, accepted.TaskID)
	answer := await(p, p.responses)
	require.Equal(t, "success", answer.Status)
	require.Equal(t, "heard: hello", answer.Text)
	require.Equal(t, accepted.TaskID, answer.TaskID)
	require.Equal(t, "web", answer.ChannelID)

	again := p.send("m1", "hello")
	require.Equal(t, answer, again)

	unknown := p.refused("chat.send", chatMessage{AgentID: "nobody", Text: "hello", UserID: "u1", ChannelID: "web", ID: "m0"})
	require.Contains(t, unknown.Message, "main")

	file := filepath.Join(d.home, "made")
	asked := p.send("m2", "run touch "+file)
	q := await(p, p.requested)
	require.Equal(t, asked.TaskID, q.TaskID)
	require.Equal(t, "run_command", q.ToolID)
	require.Contains(t, string(q.Input), "touch "+file)
	var list struct {
		Approvals []approvalRequestEvent `json:"approvals"`
	}
	p.request("approval.list", nil, &list)
	require.Equal(t, []approvalRequestEvent{q}, list.Approvals)
	require.Equal(t, "denied", p.refused("approval.grant", map[string]any{"taskId": q.TaskID, "approved": true, "digest": "sha256:00"}).Data.Code)
	require.NoFileExists(t, file)
	p.grant(q, true)
	done := await(p, p.resolved)
	require.Equal(t, approvalResolvedEvent{asked.TaskID, "web", true, q.RequestID}, done)
	answer = await(p, p.responses)
	require.Contains(t, answer.Text, "done: ")
	require.FileExists(t, file)

	other := filepath.Join(d.home, "other")
	p.send("m3", "run touch "+other)
	p.grant(await(p, p.requested), false)
	require.False(t, await(p, p.resolved).Approved)
	await(p, p.responses)
	require.NoFileExists(t, other)
	require.Empty(t, p.responses)
}

func TestAnAnswerOverTheGatewayComesOnceWhateverIsKilled(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]struct{ daemon, gateway bool }{
		"daemon": {daemon: true}, "gateway": {gateway: true}, "both": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newGatewayDesk(t)
			token := d.token("desk", "write")
			d.startGateway()
			p := d.connect(token)
			accepted := p.send("m1", "hold door go on")
			d.stage.awaitGate("door")
			if kill.gateway {
				d.killGateway()
			}
			if kill.daemon {
				d.kill()
			}
			d.stage.openGate("door")
			if kill.gateway {
				d.startGateway() // the client connects again by itself
			}
			answer := await(p, p.responses)
			require.Equal(t, accepted.TaskID, answer.TaskID)
			require.Equal(t, "heard: go on", answer.Text)
			require.Equal(t, answer, p.send("m1", "hold door go on"))

			// The id is served once, also by the next gateway, and for other words it is refused.
			d.killGateway()
			d.startGateway()
			require.Equal(t, answer, p.send("m1", "hold door go on"))
			require.Equal(t, "bad_request", p.refused("chat.send", chatMessage{Text: "other", UserID: "u1", ChannelID: "web", ID: "m1"}).Data.Code)
			p.send("m2", "next")
			require.Equal(t, "heard: next", await(p, p.responses).Text)
			require.Empty(t, p.responses)
			waitUntil(t, "the answers to be acknowledged", func() bool { return d.notices() == 0 })
		})
	}
}

func TestAQuestionOverTheGatewayOutlivesTheDaemonAndNotTheGateway(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	token := d.token("desk", "approve")
	d.startGateway()
	p := d.connect(token)
	file := filepath.Join(d.home, "made")
	asked := p.send("m1", "run touch "+file)
	q := await(p, p.requested)
	d.kill()
	d.start()
	var list struct {
		Approvals []approvalRequestEvent `json:"approvals"`
	}
	waitUntil(t, "the next daemon to know the question", func() bool {
		return p.call(t.Context(), "approval.list", nil, &list) == nil && len(list.Approvals) == 1
	})
	require.Equal(t, asked.TaskID, list.Approvals[0].TaskID)
	require.Equal(t, q.Digest, list.Approvals[0].Digest)
	p.grant(list.Approvals[0], true)
	require.True(t, await(p, p.resolved).Approved)
	answer := await(p, p.responses)
	require.Equal(t, asked.TaskID, answer.TaskID)
	require.Contains(t, answer.Text, "continued: ")
	require.FileExists(t, file)

	other := filepath.Join(d.home, "other")
	p.send("m2", "run touch "+other)
	await(p, p.requested)
	d.killGateway()
	d.startGateway()
	answer = await(p, p.responses)
	require.Contains(t, answer.Text, "done: ") // the model reports the refusal
	require.NoFileExists(t, other)
	require.Empty(t, p.responses)
}

func TestThreat38AGatewayTokenPermitsItsScopeUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	reader, writer, approver := d.token("reader", "read"), d.token("writer", "write"), d.token("phone", "approve")
	stored, err := os.ReadFile(filepath.Join(d.home, ".config/blunux-ai/gateway/tokens.json"))
	require.NoError(t, err)
	for _, token := range []string{reader, writer, approver} {
		require.NotContains(t, string(stored), token)
	}
	d.startGateway()
	r, w, a := d.connect(reader), d.connect(writer), d.connect(approver)
	require.Equal(t, "denied", r.refused("chat.send", chatMessage{Text: "hello"}).Data.Code)
	require.Equal(t, "denied", r.refused("tool.run", map[string]any{"toolId": "file.list"}).Data.Code)

	file := filepath.Join(d.home, "made")
	w.send("m1", "run touch "+file)
	q := await(w, w.requested)
	require.Equal(t, q, await(r, r.requested))
	require.Equal(t, q, await(a, a.requested))
	grant := map[string]any{"taskId": q.TaskID, "approved": true, "digest": q.Digest}
	require.Equal(t, "denied", w.refused("approval.grant", grant).Data.Code)
	require.Equal(t, "denied", r.refused("approval.grant", grant).Data.Code)
	a.grant(q, true)
	require.Contains(t, await(w, w.responses).Text, "done: ")
	require.FileExists(t, file)

	// A token that is removed in the middle of a turn is disconnected, and its turn ends.
	task := w.send("m2", "hold door run touch "+file+"2").TaskID
	d.stage.awaitGate("door")
	d.aictl("gateway", "token", "remove", "writer")
	waitUntil(t, "the client to be disconnected", func() bool { return w.closeReason() == "the token was removed" })
	waitUntil(t, "the turn to end", func() bool { return strings.Contains(d.client("tasks", task), "ABORTED") })
	d.stage.openGate("door")
	require.Equal(t, "error", func() string {
		for { // of the earlier turn, then of this one
			if answer := await(a, a.responses); answer.TaskID == task {
				return answer.Status
			}
		}
	}())
	require.NoFileExists(t, file+"2")
	r.request("health", nil, nil)
	var names []map[string]any
	require.NoError(t, json.Unmarshal([]byte(d.aictl("gateway", "token", "list", "--json")), &names))
	require.Len(t, names, 2)
}

func TestToolsAndMessengersOverTheGatewayGoThroughTheGate(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	token := d.token("desk", "approve")
	d.startGateway()
	p := d.connect(token)
	require.NoError(t, os.WriteFile(filepath.Join(d.home, "note.txt"), []byte("milk\n"), 0o600))
	var r taskResponse
	p.request("tool.run", map[string]any{"toolId": "file.read", "input": map[string]any{"path": filepath.Join(d.home, "note.txt")}, "channelId": "web"}, &r)
	require.Equal(t, "success", r.Status)
	require.Contains(t, r.Text, "milk")

	file := filepath.Join(d.home, "made")
	p.request("tool.run", map[string]any{"toolId": "system.run", "input": map[string]any{"command": "touch " + file}, "channelId": "web"}, &r)
	require.Equal(t, "pending", r.Status)
	q := await(p, p.requested)
	require.Equal(t, r.TaskID, q.TaskID)
	require.Equal(t, "web", q.ChannelID)
	p.grant(q, true)
	require.Equal(t, r.TaskID, await(p, p.responses).TaskID)
	require.FileExists(t, file)

	p.request("tool.run", map[string]any{"toolId": "system.run", "input": map[string]any{"command": "rm -rf /"}}, &r)
	require.Equal(t, "error", r.Status)
	require.Equal(t, "bad_request", p.refused("tool.run", map[string]any{"toolId": "x", "input": 3}).Data.Code)

	var list struct {
		Channels []struct {
			ID, Type, Name, Hint string
			Enabled              bool
		} `json:"channels"`
	}
	p.request("channel.list", nil, &list)
	require.NotEmpty(t, list.Channels)
	p.request("channel.get", map[string]any{"id": "telegram"}, nil)
	require.Equal(t, "blunux-telegram-bridge login", p.refused("channel.add", map[string]any{"type": "telegram", "name": "bot"}).Data.Hint)
	p.request("channel.disable", map[string]any{"name": "telegram"}, &r)
	require.Equal(t, "pending", r.Status)
	q = await(p, p.requested)
	require.Contains(t, string(q.Input), "systemctl --user disable")
	p.grant(q, false)
	require.Equal(t, "error", await(p, p.responses).Status)

	var info struct {
		Scope   string
		Methods []string
	}
	p.request("gateway.info", nil, &info)
	require.Equal(t, "approve", info.Scope)
	require.Contains(t, info.Methods, "chat.send")
	var health struct {
		Status string
		Daemon map[string]any
	}
	p.request("health", nil, &health)
	require.Equal(t, "ok", health.Status)
	require.Equal(t, -32601, p.refused("agent.list", nil).Code)
}

// TestTheGatewaySpeaksAsItsTranscript compares the messages of a whole conversation with testdata/gateway.golden: each
// request with its answer, then the notifications. Ids, digests and times are replaced.
func TestTheGatewaySpeaksAsItsTranscript(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	token := d.token("desk", "approve")
	d.startGateway()
	p := d.connect(token)
	var mu sync.Mutex
	var calls, notices []string
	p.trace = func(direction string, text []byte) {
		mu.Lock()
		defer mu.Unlock()
		if line := direction + " " + string(text); strings.Contains(line, `"method":`) && direction == "<" {
			notices = append(notices, line)
		} else {
			calls = append(calls, line)
		}
	}
	p.send("m1", "hello")
	await(p, p.responses)
	p.send("m1", "hello")
	p.refused("chat.send", chatMessage{ID: "m1", Text: "other", ChannelID: "web", UserID: "u1"})
	p.send("m2", "run touch "+d.home+"/made")
	q := await(p, p.requested)
	p.request("approval.list", nil, nil)
	p.refused("approval.grant", map[string]any{"taskId": q.TaskID, "approved": true})
	p.grant(q, true)
	await(p, p.resolved)
	await(p, p.responses)
	p.refused("approval.grant", map[string]any{"taskId": q.TaskID, "approved": true, "digest": q.Digest})
	p.refused("agent.list", nil)
	mu.Lock()
	defer mu.Unlock()
	got := strings.Join(append(calls, notices...), "\n") + "\n"
	got = strings.ReplaceAll(got, d.home, "/home/blu")
	for _, r := range [][2]string{
		{q.RequestID, "K7QX"},
		{`"t[0-9a-f]{12}"`, `"t…"`},
		{`sha256:[0-9a-f]{64}`, "sha256:…"},
		{`"expires":"[^"]*"`, `"expires":"…"`},
		{`id=\\"[0-9a-f]+\\"`, `id=\"…\"`},
		{`/data [0-9a-f]+`, "/data …"},
	} {
		got = regexp.MustCompile(r[0]).ReplaceAllString(got, r[1])
	}
	golden := filepath.Join("testdata", "gateway.golden")
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// TestAnMCPClientUsesTheToolsOverTheGateway: with the protocol's own library; a question is answered by another program.
func TestAnMCPClientUsesTheToolsOverTheGateway(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	d.token("desk", "approve")
	token := d.token("editor", "write")
	d.startGateway()
	s := d.connectMCP(token)
	list, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Greater(t, len(list.Tools), 20)
	call := func(ctx context.Context, command string) (*mcp.CallToolResult, error) {
		return s.CallTool(ctx, &mcp.CallToolParams{Name: "run_command", Arguments: map[string]any{"command": command}})
	}
	r, err := call(t.Context(), "uname -s")
	require.NoError(t, err)
	require.Contains(t, r.Content[0].(*mcp.TextContent).Text, "Linux")
	r, err = call(t.Context(), "rm -rf /")
	require.NoError(t, err)
	require.True(t, r.IsError)

	file := filepath.Join(d.home, "made")
	results := make(chan *mcp.CallToolResult, 1)
	ask := func(ctx context.Context) {
		r, _ := call(ctx, "touch "+file)
		results <- r
	}
	ctx, cancel := context.WithCancel(t.Context())
	go ask(ctx)
	d.awaitQuestions(1)
	cancel()
	require.Nil(t, <-results)
	d.awaitQuestions(0)
	require.NoFileExists(t, file)

	go ask(t.Context())
	d.client("approve", d.awaitQuestions(1)[0])
	r = <-results
	require.False(t, r.IsError)
	require.FileExists(t, file)

	go ask(t.Context())
	d.awaitQuestions(1)
	d.kill()
	r = <-results
	require.True(t, r.IsError, "the daemon ended")

	d.aictl("gateway", "token", "remove", "editor")
	_, err = call(t.Context(), "uname -s")
	require.Error(t, err)
}

// awaitQuestions waits until there are so many questions, and returns their codes.
func (d *gatewayDesk) awaitQuestions(n int) []string {
	d.t.Helper()
	var codes []string
	waitUntil(d.t, "the questions", func() bool {
		codes = d.pendingCodes()
		return len(codes) == n
	})
	return codes
}

// connectMCP connects a client of the protocol's own library.
func (d *gatewayDesk) connectMCP(token string) *mcp.ClientSession {
	d.t.Helper()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, nil).Connect(d.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://" + d.address + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)},
	}, nil)
	require.NoError(d.t, err)
	d.t.Cleanup(func() { s.Close() })
	return s
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestAPersonCallsMethodsOfTheGateway(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	run := func(args ...string) (out string, code int) {
		cmd := exec.Command(filepath.Join(binaries, "blunux-aictl"), append([]string{"call"}, args...)...)
		cmd.Env = d.env
		text, err := cmd.CombinedOutput()
		if err != nil {
			require.IsType(t, &exec.ExitError{}, err)
		}
		return string(text), cmd.ProcessState.ExitCode()
	}
	out, code := run("health")
	require.Equal(t, 1, code)
	require.Contains(t, out, "blunux-aictl gateway start")
	d.token("desk", "read") // without one, the gateway does not start by hand
	d.startGateway()
	out, code = run("health")
	require.Zero(t, code, out)
	require.Contains(t, out, `"status":"ok"`)
	out, code = run("no.such")
	require.Equal(t, 1, code)
	require.Contains(t, out, "-32601")
	out, code = run("chat.send", `{"text":"hello","userId":"me","channelId":"cli"}`)
	require.Zero(t, code, out)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], `"pending"`)
	require.Contains(t, lines[1], "heard: hello")
	out, code = run("chat.send", "{")
	require.Equal(t, 2, code)
	require.Contains(t, out, "PARAMS")
	require.NotContains(t, d.aictl("gateway", "token", "list"), "call-", "its own token is gone")
}

// TestTheGatewayRunsWithoutTheServiceManager: for one who has only built it.
func TestTheGatewayRunsWithoutTheServiceManager(t *testing.T) {
	t.Parallel()
	d := newGatewayDesk(t)
	require.Contains(t, d.aictl("page", "--print"), "http://"+d.address+"/page#")
	require.Contains(t, d.aictl("call", "health"), `"status":"ok"`)
	pid := d.gatewayPID()
	require.Contains(t, d.aictl("gateway", "restart"), d.address)
	require.NotEqual(t, pid, d.gatewayPID())
	require.Contains(t, d.aictl("gateway", "start"), d.address, "it runs already")
	require.Equal(t, "The gateway is off", d.aictl("gateway", "stop"))
	_, err := net.Dial("tcp", d.address)
	require.Error(t, err)

	// A gateway that cannot start says how to see why.
	l, err := net.Listen("tcp", d.address)
	require.NoError(t, err)
	defer l.Close()
	d.token("desk", "read")
	cmd := exec.Command(filepath.Join(binaries, "blunux-aictl"), "gateway", "start")
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "start it yourself: blunux-ai-gateway")
}

// gatewayPID returns the process of the gateway.
func (d *gatewayDesk) gatewayPID() int {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.home, ".config/blunux-ai/gateway/lock"))
	require.NoError(d.t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(d.t, err)
	return pid
}
