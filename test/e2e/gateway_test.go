package e2e

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
