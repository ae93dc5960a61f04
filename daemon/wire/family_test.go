package wire

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
)

// allowFamily asks for a command and answers with its family.
func (p *peer) allowFamily(session, command string) ipc.Ask {
	p.t.Helper()
	m, ask := p.ask(session, command)
	require.NotNil(p.t, ask.Family, command)
	require.Contains(p.t, m.Actions, ipc.ActionAllowFamily)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowFamily}.WithData(ipc.Answer{Digest: ask.Digest}))
	require.Equal(p.t, "it ran", p.last(ipc.TypeResponse).Body)
	return ask
}

// isAsked reports whether a command is asked about. It answers no.
func (p *peer) isAsked(session, command string) bool {
	p.t.Helper()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "n", Session: session, Body: "do " + command})
	asked := false
	for {
		m := p.read()
		switch {
		case m.Type == ipc.TypeAsk:
			asked = true
			p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionReject})
		case m.Type == ipc.TypeResponse:
			return asked
		}
	}
}

func TestThreat10AFamilyRunsUnaskedUntilItIsRevokedOrItsConversationEnds(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapAsk)
	ask := p.allowFamily("s1", "mkdir one")
	require.Equal(t, "mkdir PATH…", ask.Family.Words)
	require.Equal(t, h.home, ask.Family.Dir)

	require.False(t, p.isAsked("s1", "mkdir -p two/three"))
	require.DirExists(t, filepath.Join(h.home, "two/three"))
	require.Contains(t, h.auditTrail(), "family grant "+ask.Code, "the log says why it ran unasked")
	require.True(t, p.isAsked("s1", "touch x"))
	require.True(t, p.isAsked("s1", "mkdir -m 700 x"))
	require.True(t, p.isAsked("s1", "mkdir ../x"))
	require.True(t, p.isAsked("s2", "mkdir x"), "another conversation")
	elsewhere := t.TempDir()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "d", Session: "s1", Body: "do mkdir x"}.WithData(ipc.Request{Cwd: elsewhere}))
	q := p.last(ipc.TypeAsk)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: q.ID, Action: ipc.ActionReject})
	p.last(ipc.TypeResponse)

	h.restart()
	p = h.hello(ipc.CapAsk)
	require.False(t, p.isAsked("s1", "mkdir four"), "it outlives the daemon, as the conversation does")

	var grants []ipc.Grant
	m := p.query(ipc.Query{What: "grants"})
	require.NoError(t, m.Decode(&grants))
	require.Len(t, grants, 1)
	require.Equal(t, ask.Code, grants[0].Code)
	require.Equal(t, ipc.CodeBadRequest, p.revoke(ipc.Revocation{Code: "ZZZZ"}).Error.Code)
	require.Equal(t, ipc.TypeResult, p.revoke(ipc.Revocation{Code: ask.Code}).Type)
	require.True(t, p.isAsked("s1", "mkdir five"))

	p.allowFamily("s1", "mkdir six")
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "r", Session: "s1", Action: ipc.ActionReset})
	require.Equal(t, ipc.TypeResult, p.read().Type)
	require.True(t, p.isAsked("s1", "mkdir seven"), "a new conversation")
	require.NoDirExists(t, filepath.Join(h.home, "seven"))
}

func (p *peer) revoke(r ipc.Revocation) ipc.Message {
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "v", Action: ipc.ActionRevokeGrant}.WithData(r))
	return p.read()
}

// auditTrail returns the records behind the command log, with their approvers.
func (h *house) auditTrail() string {
	data, err := os.ReadFile(filepath.Join(h.home, "logs/audit.jsonl"))
	require.NoError(h.t, err)
	return string(data)
}

// Text that others wrote is no reason to run something unasked: the same turn asks again, and says why.
func TestThreat02AFamilyDoesNotCoverATurnThatReadUntrustedText(t *testing.T) {
	h := open(t, func(_ context.Context, req providers.Request) (providers.Completion, error) {
		if text, refusal, result := lastOf(req); !result {
			return runs(strings.TrimPrefix(text, "do ")), nil
		} else if refusal == "" && strings.Contains(string(req.Messages[len(req.Messages)-2].Content[0].Input), "echo") {
			return runs("touch obeyed"), nil
		}
		return says("it ran"), nil
	})
	p := h.hello(ipc.CapAsk)
	p.allowFamily("s1", "touch x")
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "e", Session: "s1", Body: "do echo touch obeyed"})
	asked := p.last(ipc.TypeAsk)
	var ask ipc.Ask
	require.NoError(t, asked.Decode(&ask))
	require.Equal(t, []string{"untrusted-read"}, ask.Warnings)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: asked.ID, Action: ipc.ActionReject})
	p.last(ipc.TypeResponse)
	require.NoFileExists(t, filepath.Join(h.home, "obeyed"))
}

// A stored question is answered for what would run now.
func TestThreat10AStoredQuestionAllowsOnlyTheFamilyItShowed(t *testing.T) {
	h := open(t, doer)
	code := h.park("touch kept")
	p := h.hello(ipc.CapAsk)
	var asks []ipc.Ask
	m := p.query(ipc.Query{What: "approvals"})
	require.NoError(t, m.Decode(&asks))
	require.Len(t, asks, 1)
	require.NotNil(t, asks[0].Family)

	file := h.file(code)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := strings.Replace(string(data), `"words":"touch PATH…"`, `"words":"rm PATH…"`, 1)
	require.NotEqual(t, string(data), changed)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
	answer := ipc.Answer{Code: code, Digest: asks[0].Digest}
	require.Equal(t, ipc.TypeError, p.settle(ipc.ActionAllowFamily, answer).Type)
	require.NoFileExists(t, filepath.Join(h.home, "kept"))

	require.NoError(t, os.WriteFile(file, data, 0o600))
	require.Equal(t, ipc.TypeResult, p.settle(ipc.ActionAllowFamily, answer).Type)
	require.FileExists(t, filepath.Join(h.home, "kept"))
	require.False(t, p.isAsked("", "touch another"))
}
