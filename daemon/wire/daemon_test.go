package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/daemon/task"
	"github.com/nidoit/blunux-ai/daemon/turns"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/memory/recall/server"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/shell"
	"github.com/nidoit/blunux-ai/tools/steps"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == notes.IndexProgram {
		if server.Serve(os.Stdin, os.Stdout) != nil {
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// indexProgram is the command line of the index program, which this test binary becomes.
func indexProgram() []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{self, notes.IndexProgram}
}

// model is a language model made of one function: it receives the last user text (or the refusal or output of the
// last call) and returns a reply.
type model func(ctx context.Context, req providers.Request) (providers.Completion, error)

func (model) Name() string { return "fake" }

func (model) ModelID() string { return "fake-1" }

func (m model) Complete(ctx context.Context, req providers.Request, onText func(string)) (providers.Completion, error) {
	c, err := m(ctx, req)
	if onText != nil && err == nil && c.Text() != "" {
		onText(c.Text())
	}
	return c, err
}

func says(text string) providers.Completion {
	return providers.Completion{Content: []providers.Block{providers.Text(text)}, Stop: providers.StopEndTurn, Usage: providers.Usage{InputTokens: 2, OutputTokens: 1}}
}

func runs(command string) providers.Completion {
	input, _ := json.Marshal(map[string]string{"command": command})
	return providers.Completion{Content: []providers.Block{{Type: providers.BlockToolUse, ID: "t1", Name: "run_command", Input: input}}, Stop: providers.StopToolUse}
}

// lastOf returns the last message's text and, for tool results, the refusal.
func lastOf(req providers.Request) (text, refusal string, result bool) {
	m := req.Messages[len(req.Messages)-1]
	for _, b := range m.Content {
		if b.Output != nil {
			return "", b.Output.Refusal, true
		}
	}
	return m.Text(), "", false
}

// doer runs "do X" and reports how that ended. It echoes any other text.
func doer(_ context.Context, req providers.Request) (providers.Completion, error) {
	text, refusal, result := lastOf(req)
	if req.Continues {
		return says("continued after the yes"), nil
	}
	if result {
		if refusal == "" {
			refusal = "ran"
		}
		return says("it " + refusal), nil
	}
	if command, ok := strings.CutPrefix(text, "do "); ok {
		return runs(command), nil
	}
	return says("you said " + text), nil
}

// house is a daemon in which everything is real except the model.
type house struct {
	*Daemon
	home string
	t    *testing.T
	wg   sync.WaitGroup
}

// calmGate starts no process before its command: a process that waits stops the virtual time of a test.
type calmGate struct{ *tools.Gate }

func (calmGate) Anticipate() (release func()) { return func() {} }

func open(t *testing.T, m model, change ...func(*Options)) *house {
	t.Helper()
	h := &house{home: t.TempDir(), t: t}
	paths := config.Paths{Home: h.home}
	build := func(own OwnTools) (*settings.Runtime, error) {
		all, err := tools.All()
		if err != nil {
			return nil, err
		}
		log := commandlog.New(paths.CommandLog(), time.Now)
		gate := tools.New(tools.Options{
			Services: action.Services{Automations: own.Automations, FileSender: own.Files, Notebook: memory.New(paths.Memory(), memory.Options{})},
			Tools:    all, Records: steps.Records{Recorder: log}, Home: h.home, Checker: NewChecker(paths, h.home),
			Policy:   tools.Policy{Families: true},
			Executor: executor.New(executor.Options{Sandbox: sandbox.New(sandbox.Options{Dir: filepath.Join(h.home, "sandbox")})}),
		})
		sessions := session.New(session.Options{Dir: paths.Sessions(), Fence: agent.Fence})
		return &settings.Runtime{
			Agent: agent.New(agent.Options{Model: m, Tools: gate, Notes: memory.New(paths.Memory(), memory.Options{}), History: sessions}),
			Gate:  calmGate{gate}, Sessions: sessions, CommandLog: log, Notes: &notes.Notes{Memory: memory.New(paths.Memory(), memory.Options{}), Redactor: secret.NewRedactor(nil), Dir: paths.Memory()}, Language: settings.Language{Lang: i18n.English}, Config: settings.Config{Home: h.home}, Limits: settings.Limits{Approval: 5 * time.Minute},
			Remote: settings.RemotePolicy{Owners: map[string][]string{"whatsapp": {"+82 10-1234-5678", "+821011111111", "+821022222222"}}},
		}, nil
	}
	o := Options{Build: build, Home: h.home, Version: "test", Log: zerolog.Nop(), Lang: i18n.English}
	for _, c := range change {
		c(&o)
	}
	h.Daemon = New(o)
	t.Cleanup(func() { h.Shutdown(); h.wg.Wait() })
	return h
}

// Log returns the command log without its times.
func (h *house) log() string {
	data, err := os.ReadFile(filepath.Join(h.home, "logs/commands.log"))
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(h.t, err)
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		_, rest, _ := strings.Cut(line, "] ")
		b.WriteString(rest)
	}
	return b.String()
}

// peer is one end of a connection to the house.
type peer struct {
	t *testing.T
	*ipc.Conn
	waiting []ipc.Message // frames that nobody has asked for yet
}

func (h *house) connect() *peer {
	here, there := net.Pipe()
	h.wg.Go(func() { h.server.ServeConn(context.Background(), there, ipc.Peer{UID: os.Getuid()}, "") })
	h.t.Cleanup(func() { here.Close() })
	return &peer{t: h.t, Conn: ipc.NewConn(here)}
}

func (p *peer) say(m ipc.Message) { require.NoError(p.t, p.Write(m)) }

func (p *peer) read() ipc.Message {
	m, err := p.Read()
	require.NoError(p.t, err)
	return m
}

// until reads frames up to one of a type and returns them all.
func (p *peer) until(kind string) []ipc.Message {
	var all []ipc.Message
	for {
		m := p.read()
		all = append(all, m)
		if m.Type == kind {
			return all
		}
	}
}

func (p *peer) last(kind string) ipc.Message {
	all := p.until(kind)
	return all[len(all)-1]
}

func (h *house) hello(caps ...string) *peer {
	p := h.connect()
	p.say(ipc.Message{Type: ipc.TypeHello, ID: "h1", V: 1}.WithData(ipc.Hello{Client: "test/1", Channel: "cli", Lang: "en", Caps: caps}))
	m := p.read()
	require.Equal(h.t, ipc.TypeHello, m.Type)
	require.True(h.t, m.Done)
	return p
}

func TestAHelloPeerGetsAStreamWithOneLastFrame(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapDelta, ipc.CapTool)
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Body: "do echo 가나다"})
	frames := p.until(ipc.TypeResponse)
	var kinds []string
	for i, f := range frames {
		require.Equal(t, "m1", f.Re)
		require.Equal(t, int64(i+1), f.Seq)
		require.Equal(t, i == len(frames)-1, f.Done)
		kinds = append(kinds, f.Type)
	}
	require.Equal(t, []string{ipc.TypeTool, ipc.TypeTool, ipc.TypeDelta, ipc.TypeResponse}, append(kinds[:1], slices.Compact(kinds[1:])...))
	var tool ipc.Tool
	require.NoError(t, frames[0].Decode(&tool))
	require.Equal(t, ipc.Tool{Call: "t1", Name: "run_command", Class: "SAFE", Command: "echo 가나다", State: ipc.ToolRunning}, tool)
	last := frames[len(frames)-1]
	require.Equal(t, "it ran", last.Body)
	var out ipc.Outcome
	require.NoError(t, last.Decode(&out))
	require.Equal(t, "end_turn", out.Stop)
	require.Equal(t, 2, out.Rounds)
	require.Equal(t, ipc.Usage{In: 2, Out: 1}, out.Usage)
	require.Equal(t, "SAFE        echo 가나다\n", h.log())
}

func TestAPeerOnlyGetsTheFramesItAskedFor(t *testing.T) {
	p := open(t, doer).hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Body: "do echo hi"})
	require.Equal(t, ipc.TypeResponse, p.read().Type)
}

func TestRequestsThatMakeNoSenseAreAnsweredAndTheConnectionStays(t *testing.T) {
	p := open(t, doer).hello()
	for _, c := range []struct {
		m    ipc.Message
		code ipc.Code
	}{
		{ipc.Message{Type: "frobnicate", ID: "1"}, ipc.CodeUnknownType},
		{ipc.Message{Type: ipc.TypeMessage, ID: "2", Body: " \n\t"}, ipc.CodeBadRequest},
		{ipc.Message{Type: ipc.TypeMessage, ID: "3", Body: "x", Data: json.RawMessage(`[1]`)}, ipc.CodeBadRequest},
		{ipc.Message{Type: ipc.TypeQuery, ID: "4"}.WithData(ipc.Query{What: "weather"}), ipc.CodeBadRequest},
		{ipc.Message{Type: ipc.TypeAction, ID: "5", Action: "dance"}, ipc.CodeBadRequest},
		{ipc.Message{Type: ipc.TypeAction, ID: "5b"}, ipc.CodeBadRequest},
		{ipc.Message{Type: "topic log", ID: "5c"}, ipc.CodeUnknownType},
		{ipc.Message{Type: "action stop", ID: "5d"}, ipc.CodeUnknownType},
		{ipc.Message{Type: ipc.TypeAction, ID: "6", Re: "a0", Action: ipc.ActionAllowOnce}, ipc.CodeExpired},
		{ipc.Message{Type: ipc.TypeAction, ID: "7", Action: ipc.ActionAllowOnce}.WithData(ipc.Answer{Code: "../x"}), ipc.CodeExpired},
		{ipc.Message{Type: ipc.TypeCancel, ID: "8"}.WithData(map[string]string{"task": "t0"}), ipc.CodeBadRequest},
	} {
		p.say(c.m)
		m := p.read()
		require.Equal(t, ipc.TypeError, m.Type, c.m.ID)
		require.Equal(t, c.m.ID, m.Re)
		require.True(t, m.Done)
		require.Equal(t, c.code, m.Error.Code, c.m.ID)
	}
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "9", Action: ipc.ActionPing})
	require.Equal(t, "pong", p.read().Body)
}

// Ask makes p request a command that needs approval and returns the question.
func (p *peer) ask(id, command string) (ipc.Message, ipc.Ask) {
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: id, Session: id, Body: "do " + command})
	for {
		m := p.read()
		require.False(p.t, m.Done && m.Re == id, "%s is not asked about: %s", command, m.Body)
		if m.Type == ipc.TypeAsk {
			var ask ipc.Ask
			require.NoError(p.t, m.Decode(&ask))
			return m, ask
		}
	}
}

func TestAnAllowedCommandRunsOnce(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapAsk)
	m, ask := p.ask("m1", "touch x")
	require.Equal(t, "touch x", ask.Command)
	require.Equal(t, "CONFIRM", ask.Class)
	require.Equal(t, h.home, ask.Cwd)
	require.Regexp(t, `^[0-9A-Z]{4}$`, ask.Code)
	require.Regexp(t, `^a[0-9a-f]{16}$`, m.ID)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowOnce}.WithData(ipc.Answer{Digest: ask.Digest}))
	var r ipc.Resolved
	require.NoError(t, p.last(ipc.TypeResolved).Decode(&r))
	require.Equal(t, ipc.Resolved{By: "cli", Action: ipc.ActionAllowOnce}, r)
	require.Equal(t, "it ran", p.last(ipc.TypeResponse).Body)
	require.FileExists(t, filepath.Join(h.home, "x"))
	require.Equal(t, "CONFIRMED   touch x\n", h.log())

	// A repeated answer is too late.
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "r", Re: m.ID, Action: ipc.ActionAllowOnce})
	require.Equal(t, ipc.CodeExpired, p.read().Error.Code)
}

func TestThreat04AnAnswerForAnotherCommandIsRefused(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapAsk)
	m, _ := p.ask("m1", "touch x")
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "w", Re: m.ID, Action: ipc.ActionAllowOnce}.WithData(ipc.Answer{Digest: "sha256:other"}))
	require.Equal(t, ipc.CodeDenied, p.last(ipc.TypeError).Error.Code)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionReject})
	require.Equal(t, "it denied", p.last(ipc.TypeResponse).Body)
	require.NoFileExists(t, filepath.Join(h.home, "x"))
}

func TestTheFirstAnswerWinsAndTheOthersAreTold(t *testing.T) {
	h := open(t, doer)
	p, owner := h.hello(ipc.CapAsk), h.hello()
	m, ask := p.ask("m1", "touch x")
	owner.say(ipc.Message{Type: ipc.TypeAction, ID: "o", Action: ipc.ActionReject}.WithData(ipc.Answer{Code: strings.ToLower(ask.Code)}))
	require.Equal(t, ipc.TypeResult, owner.read().Type)
	require.Equal(t, "it denied", p.last(ipc.TypeResponse).Body)
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "late", Re: m.ID, Action: ipc.ActionAllowOnce})
	require.Equal(t, ipc.CodeExpired, p.read().Error.Code)
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	require.Equal(t, "CANCELLED   touch x\n", h.log())
}

func TestThreat09NobodyThereMeansNo(t *testing.T) {
	t.Run("the client goes away", func(t *testing.T) {
		h := open(t, doer)
		p := h.hello(ipc.CapAsk)
		p.ask("m1", "touch x")
		require.NoError(t, p.Close())
		h.turns.Wait()
		require.Equal(t, "CANCELLED   touch x\n", h.log())
	})
	t.Run("nobody answers in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, doer)
			p := h.hello(ipc.CapAsk)
			p.ask("m1", "touch x")
			start := time.Now()
			require.Equal(t, "it expired", p.last(ipc.TypeResponse).Body)
			require.Equal(t, 5*time.Minute, time.Since(start))
			require.Equal(t, "CANCELLED   touch x\n", h.log())
			p.Close()
			h.Shutdown()
		})
	})
	t.Run("nobody can be asked", func(t *testing.T) {
		h := open(t, doer)
		p := h.hello()
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Body: "do touch x"})
		m := p.last(ipc.TypeResponse)
		require.True(t, strings.HasPrefix(m.Body, "it queued\n\nWaiting for your approval: `touch x`. "), m.Body)
		var out ipc.Outcome
		require.NoError(t, m.Decode(&out))
		require.Len(t, out.Pending, 1)
		require.NoFileExists(t, filepath.Join(h.home, "x"))
		require.Empty(t, h.log())
	})
	t.Run("the message is cancelled", func(t *testing.T) {
		h := open(t, doer)
		p := h.hello(ipc.CapAsk)
		p.ask("m1", "touch x")
		p.say(ipc.Message{Type: ipc.TypeCancel, Re: "m1"})
		require.Equal(t, ipc.CodeCancelled, p.last(ipc.TypeError).Error.Code)
		require.Equal(t, "CANCELLED   touch x\n", h.log())
	})
}

func TestThreat07ApprovalConfusion(t *testing.T) {
	// Two original senders have a question each. A yes answers the sender's own.
	h := open(t, doer)
	p := h.connect()
	p.say(ipc.Message{Type: ipc.TypeMessage, From: "+821011111111", Body: "do touch one"})
	require.Contains(t, p.read().Body, "touch one")
	p.say(ipc.Message{Type: ipc.TypeMessage, From: "+821022222222", Body: "do touch two"})
	require.Contains(t, p.read().Body, "touch two")
	p.say(ipc.Message{Type: ipc.TypeMessage, From: "+821022222222", Body: "네"})
	m := p.read()
	require.Equal(t, "it ran", m.Body)
	require.Equal(t, "+821022222222", m.To)
	require.FileExists(t, filepath.Join(h.home, "two"))
	require.NoFileExists(t, filepath.Join(h.home, "one"))
	// A new message that is not an answer never counts as yes.
	p.say(ipc.Message{Type: ipc.TypeMessage, From: "+821011111111", Body: "yes and also hello"})
	require.Contains(t, p.read().Body, "you said yes and also hello")
	require.NoFileExists(t, filepath.Join(h.home, "one"))
}

func TestASessionGrantCoversExactlyItsCommandAndSession(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapAsk)
	m, ask := p.ask("s1", "touch x")
	require.Equal(t, "touch x", ask.Covers)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionAllowSession})
	require.Equal(t, "it ran", p.last(ipc.TypeResponse).Body)

	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "s1", Session: "s1", Body: "do touch x"})
	frames := p.until(ipc.TypeResponse)
	for _, f := range frames {
		require.NotEqual(t, ipc.TypeAsk, f.Type, "the same command in the same session is not asked again")
	}
	for _, other := range []struct{ session, command string }{{"s1", "touch y"}, {"s2", "touch x"}, {"s1", "touch x y"}} {
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: "n", Session: other.session, Body: "do " + other.command})
		q := p.last(ipc.TypeAsk)
		p.say(ipc.Message{Type: ipc.TypeAction, Re: q.ID, Action: ipc.ActionReject})
		p.last(ipc.TypeResponse)
	}
	// A reset ends the grants.
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "r", Session: "s1", Action: ipc.ActionReset})
	require.Equal(t, ipc.TypeResult, p.read().Type)
	q, _ := p.ask("s1", "touch x")
	p.say(ipc.Message{Type: ipc.TypeAction, Re: q.ID, Action: ipc.ActionReject})
	p.last(ipc.TypeResponse)
}

func TestThreat10RootIsAskedEveryTime(t *testing.T) {
	h := open(t, doer)
	p := h.hello(ipc.CapAsk)
	m, ask := p.ask("m1", "sudo touch x")
	require.True(t, ask.Privileged)
	require.Empty(t, ask.Covers)
	require.NotContains(t, m.Actions, ipc.ActionAllowSession)
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "x", Re: m.ID, Action: ipc.ActionAllowSession})
	require.Equal(t, ipc.CodeBadRequest, p.last(ipc.TypeError).Error.Code)
	p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionReject})
	p.last(ipc.TypeResponse)
}

func TestThreat10NothingThatRunsOtherProgramsIsGranted(t *testing.T) {
	h := open(t, doer)
	require.NoError(t, os.WriteFile(filepath.Join(h.home, "x.sh"), []byte("#!/bin/sh\n"), 0o700))
	p := h.hello(ipc.CapAsk)
	for i, command := range []string{"env touch x", "bash -c 'touch x'", "sh x.sh", "python3 -c 1", "./x.sh", "echo x | xargs touch", "timeout 5 touch x", "$EDITOR x"} {
		m, ask := p.ask(fmt.Sprint("g", i), command)
		require.Empty(t, ask.Covers, command)
		require.NotContains(t, m.Actions, ipc.ActionAllowSession)
		p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionReject})
		p.last(ipc.TypeResponse)
	}
}

// park creates a stored approval and returns its code.
func (h *house) park(command string) string {
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "park", Body: "do " + command})
	var out ipc.Outcome
	require.NoError(h.t, p.last(ipc.TypeResponse).Decode(&out))
	require.Len(h.t, out.Pending, 1)
	return out.Pending[0]
}

// file returns the path of a stored approval.
func (h *house) file(code string) string { return filepath.Join(h.home, "approvals", code+".json") }

// readStored reads a stored approval's file.
func (h *house) readStored(code string) (r approval.Record) {
	data, err := os.ReadFile(h.file(code))
	require.NoError(h.t, err)
	require.NoError(h.t, json.Unmarshal(data, &r))
	return r
}

// writeStored writes a stored approval's file.
func (h *house) writeStored(r approval.Record) {
	data, err := json.Marshal(r)
	require.NoError(h.t, err)
	require.NoError(h.t, os.WriteFile(h.file(r.Ask.Code), data, 0o600))
}

func (p *peer) settle(action string, answer ipc.Answer) ipc.Message {
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "settle", Action: action}.WithData(answer))
	return p.read()
}

func TestAParkedApprovalIsUsedOnceAndOnlyByAnAnswerThatFits(t *testing.T) {
	h := open(t, doer)
	code := h.park("touch x")
	p := h.hello()
	require.Equal(t, ipc.CodeDenied, p.settle(ipc.ActionAllowOnce, ipc.Answer{Code: code, Digest: "sha256:other"}).Error.Code)
	require.Equal(t, ipc.CodeBadRequest, p.settle(ipc.ActionEdit, ipc.Answer{Code: code}).Error.Code)
	require.NoFileExists(t, filepath.Join(h.home, "x"))
	require.Equal(t, ipc.TypeResult, p.settle(ipc.ActionAllowOnce, ipc.Answer{Code: code}).Type)
	require.FileExists(t, filepath.Join(h.home, "x"))
	require.Equal(t, ipc.CodeExpired, p.settle(ipc.ActionAllowOnce, ipc.Answer{Code: code}).Error.Code)
	require.Equal(t, "CONFIRMED   touch x\n", h.log())
}

func TestThreat04AParkedFileThatWasChangedIsRefused(t *testing.T) {
	for name, change := range map[string]func(p *approval.Record){
		"the command": func(p *approval.Record) { p.Plan.Commands[0].Shell = "touch evil" },
		"the command and its digest": func(p *approval.Record) {
			p.Plan.Commands[0].Shell = "touch evil"
			p.Ask.Digest = digestOf(*p)
		},
		"the directory": func(p *approval.Record) { p.Plan.Dir = "/" },
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, doer)
			code := h.park("touch x")
			plan := h.readStored(code)
			change(&plan)
			h.writeStored(plan)
			m := h.hello().settle(ipc.ActionAllowOnce, ipc.Answer{Code: code})
			require.Equal(t, ipc.TypeError, m.Type)
			require.NoFileExists(t, filepath.Join(h.home, "evil"))
			require.NoFileExists(t, filepath.Join(h.home, "x"))
		})
	}
}

// digestOf computes the digest as an attacker who edits the file would.
func digestOf(p approval.Record) string {
	data, _ := json.Marshal(struct {
		Tool     string          `json:"tool"`
		Commands []shell.Command `json:"commands"`
		Dir      string          `json:"dir"`
		Session  string          `json:"session"`
	}{p.Plan.Tool, p.Plan.Commands, p.Plan.Dir, p.Ask.Session})
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestAnApprovedCommandIsATaskAndEndsWithTheDaemon(t *testing.T) {
	h := open(t, doer, func(o *Options) { o.Stop = 400 * time.Millisecond })
	code := h.park("touch begun; sleep 300; touch ended")
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeAction, ID: "a", Action: ipc.ActionAllowOnce}.WithData(ipc.Answer{Code: code}))
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(h.home, "begun"))
		return err == nil
	}, time.Minute, time.Millisecond)
	running := 0
	for _, r := range h.tasks.List() {
		if r.State == task.Running {
			running++
		}
	}
	require.Equal(t, 1, running)
	go func() { _, _ = p.Read() }()
	h.Shutdown()
	require.NoFileExists(t, filepath.Join(h.home, "ended"))
}

func TestAnAnswerThatDoesNotFitALineStillEnds(t *testing.T) {
	h := open(t, func(_ context.Context, req providers.Request) (providers.Completion, error) {
		if _, _, result := lastOf(req); result {
			return says(strings.Repeat("\x01", 400_000)), nil
		}
		return runs("echo " + strings.Repeat("a", 500_000)), nil
	})
	p := h.hello(ipc.CapTool, ipc.CapAsk)
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Body: "go"})
	for {
		m := p.read()
		if m.Type == ipc.TypeAsk {
			p.say(ipc.Message{Type: ipc.TypeAction, Re: m.ID, Action: ipc.ActionReject})
		}
		if m.Done {
			require.Equal(t, "m", m.Re)
			return
		}
	}
}

func TestEveryQueryIsAnsweredOnce(t *testing.T) {
	p := open(t, doer).hello()
	for _, what := range []string{"status", "sessions", "approvals", "tasks", "automations", "memory", "log", "usage", "models", "config", "notifications"} {
		p.say(ipc.Message{Type: ipc.TypeQuery, ID: what}.WithData(ipc.Query{What: what}))
		m := p.read()
		require.Equal(t, ipc.TypeResult, m.Type, what)
		require.True(t, m.Done)
		require.Equal(t, what, m.Re)
		require.NotEqual(t, "null", string(m.Data), what)
	}
}

func TestThePartsOfStatusThatCannotBeReadAreTold(t *testing.T) {
	h := open(t, doer)
	require.NoError(t, os.MkdirAll(filepath.Join(h.home, "outbox/notifications.jsonl"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(h.home, "logs/commands.log"), 0o700))
	h.restart()
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(ipc.Query{What: "status"}))
	var s ipc.Status
	require.NoError(t, p.read().Decode(&s))
	require.Len(t, s.Problems, 2)
}

func TestTasksAbortedWhileTheyAreQueuedEndOnce(t *testing.T) {
	h := open(t, doer)
	p := h.hello()
	over := make(chan struct{})
	go func() { // aborts every listed job at random moments
		defer close(over)
		for range 2000 {
			h.turns.Cancel(func(task.Record, turns.Client) bool { return true })
		}
	}()
	for i := range 50 {
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: fmt.Sprint("m", i), Session: fmt.Sprint(i % 5), Body: "hello"})
	}
	ended := map[string]int{}
	for range 50 {
		m := p.read()
		require.True(t, m.Done)
		ended[m.Re]++
	}
	require.Len(t, ended, 50)
	<-over
	h.turns.Wait()
	require.Empty(t, h.turns.Running())
}

func TestTheHundredAndFirstMessageIsRefused(t *testing.T) {
	hold := make(chan struct{})
	started := make(chan struct{}, 1)
	h := open(t, func(ctx context.Context, req providers.Request) (providers.Completion, error) {
		select {
		case started <- struct{}{}:
		default:
		}
		<-hold
		return says("done"), nil
	})
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m0", Body: "go"})
	<-started
	for i := 1; i <= 100; i++ {
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: fmt.Sprint("m", i), Body: "go"})
	}
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "over", Body: "go"})
	m := p.read()
	require.Equal(t, "over", m.Re)
	require.Equal(t, ipc.CodeBusy, m.Error.Code)

	// A waiting message is cancelled immediately, without a turn.
	p.say(ipc.Message{Type: ipc.TypeCancel, Re: "m7"})
	m = p.read()
	require.Equal(t, "m7", m.Re)
	require.Equal(t, ipc.CodeCancelled, m.Error.Code)

	// Another channel and session is served in the meantime, and in order.
	close(hold)
	for i := 0; i <= 100; i++ {
		if i == 7 {
			continue
		}
		require.Equal(t, fmt.Sprint("m", i), p.last(ipc.TypeResponse).Re)
	}
}

func TestATurnThatOutlastsTheBridgeIsDeliveredByPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(ctx context.Context, req providers.Request) (providers.Completion, error) {
			time.Sleep(150 * time.Second) // virtual time: the model is slow
			return says("late but there"), nil
		})
		p := h.connect()
		start := time.Now()
		p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "slow"})
		m := p.read()
		require.Equal(t, 100*time.Second, time.Since(start))
		require.Equal(t, i18n.StillWorking.In(i18n.English), m.Body)
		require.Equal(t, ownerPhone, m.To)
		poll := func() []ipc.Notification {
			p.say(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
			m := p.read()
			require.Equal(t, "__poll__", m.To)
			require.NotNil(t, m.Notifications)
			return m.Notifications
		}
		require.Empty(t, poll())
		time.Sleep(60 * time.Second)
		synctest.Wait()
		got := poll()
		require.Len(t, got, 1)
		require.Equal(t, ownerPhone, got[0].To)
		require.Equal(t, "late but there", got[0].Body)
		require.Empty(t, poll(), "delivered once")
		p.Close()
		h.Shutdown()
	})
}

func TestAQuestionNobodyAnsweredEndsInANotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, doer)
		p := h.connect()
		p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "do touch x"})
		require.Contains(t, p.read().Body, "touch x")
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		p.say(ipc.Message{Type: ipc.TypeAction, Action: ipc.ActionPollNotifications, From: "__poll__"})
		got := p.read().Notifications
		require.Len(t, got, 1)
		require.Equal(t, "it expired", got[0].Body)
		p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "네"})
		require.Contains(t, p.read().Body, "만료돼서", "a late yes is told what became of it")
		p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "hello"})
		require.Equal(t, "you said hello", p.read().Body)
		p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "네"})
		require.Equal(t, "you said 네", p.read().Body, "after something else it is no answer to that any more")
		require.NoFileExists(t, filepath.Join(h.home, "x"))
		p.Close()
		h.Shutdown()
	})
}

func TestTwoMessagesOfOneSenderAreAnsweredInOrder(t *testing.T) {
	h := open(t, doer)
	p := h.connect()
	p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "first"})
	p.say(ipc.Message{Type: ipc.TypeMessage, From: ownerPhone, Body: "second"})
	require.Equal(t, "you said first", p.read().Body)
	require.Equal(t, "you said second", p.read().Body)
}

func TestTenNotificationsAPollAndNoneLost(t *testing.T) {
	h := open(t, doer)
	for i := range 23 {
		require.NoError(t, h.post.Outbox.Put(outbox.Message{Channel: post.OriginalChannel, To: "82", Body: fmt.Sprint(i)}))
	}
	require.Error(t, h.post.Outbox.Take(post.OriginalChannel, 10, nil, func([]outbox.Message) error { return net.ErrClosed }))
	var got []string
	for _, want := range []int{10, 10, 3, 0} {
		n := 0
		require.NoError(t, h.post.Outbox.Take(post.OriginalChannel, 10, nil, func(ns []outbox.Message) error {
			n = len(ns)
			for _, x := range ns {
				got = append(got, x.Body)
			}
			return nil
		}))
		require.Equal(t, want, n)
	}
	require.Len(t, got, 23)
	require.Equal(t, "22", got[22])
}

func TestAnIdleDaemonLeavesAndABusyOneStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, doer, func(o *Options) { o.Life.IdleExit = time.Minute })
		left := func() bool {
			synctest.Wait()
			select {
			case <-h.life.Quit:
				return true
			default:
				return false
			}
		}
		time.Sleep(50 * time.Second)
		p := h.hello()
		time.Sleep(time.Hour)
		require.False(t, left(), "a client is there")
		p.Close()
		time.Sleep(59 * time.Second)
		require.False(t, left())
		time.Sleep(2 * time.Second)
		require.True(t, left())
		h.Shutdown()
	})
}

func TestShutdownIsBoundedWhateverHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		h := open(t, func(context.Context, providers.Request) (providers.Completion, error) {
			<-hold // ignores its context
			return says("x"), nil
		})
		p := h.hello()
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m1", Body: "a"})
		p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m2", Body: "b"})
		synctest.Wait()
		start := time.Now()
		go func() {
			h.Shutdown()
			close(hold)
		}()
		require.Equal(t, ipc.CodeCancelled, p.last(ipc.TypeError).Error.Code, "what waits is told at once")
		<-hold
		require.LessOrEqual(t, time.Since(start), 10*time.Second)
		synctest.Wait()
	})
}

func TestABadConfigurationKeepsTheGoodOne(t *testing.T) {
	var broken error
	var good func(OwnTools) (*settings.Runtime, error)
	h := open(t, doer, func(o *Options) {
		good = o.Build
		o.Build = func(own OwnTools) (*settings.Runtime, error) {
			if broken != nil {
				return nil, broken
			}
			return good(own)
		}
	})
	before := h.settings.Current()
	broken = &config.Error{File: "config.toml", Line: 3, Col: 1, Problem: "unknown key x"}
	require.ErrorContains(t, h.settings.Reload(), "config.toml:3:1")
	require.Same(t, before, h.settings.Current())
	p := h.hello()
	p.say(ipc.Message{Type: ipc.TypeQuery, ID: "q"}.WithData(ipc.Query{What: "status"}))
	var s ipc.Status
	require.NoError(t, p.read().Decode(&s))
	require.Contains(t, s.ConfigError, "config.toml:3:1")
	broken = nil
	require.NoError(t, h.settings.Reload())
	require.NoError(t, h.settings.LastConfigError())
}

func TestEveryReasonHasWords(t *testing.T) {
	codes := append(safety.Codes(), "package-install", "package-remove", "system-update", "service-change", "changes-system", action.ReasonForeign)
	for _, code := range codes {
		for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
			require.NotEqual(t, code, i18n.Reason(code, lang), "%s has no words in %s", code, lang)
		}
	}
}

func TestSubscribersHearWhatHappens(t *testing.T) {
	h := open(t, doer)
	watcher, p := h.hello(), h.hello()
	watcher.say(ipc.Message{Type: ipc.TypeSubscribe, ID: "s"}.WithData(ipc.Subscription{Topics: []string{post.TopicTasks}}))
	watcher.say(ipc.Message{Type: ipc.TypeAction, ID: "p", Action: ipc.ActionPing})
	require.Equal(t, "pong", watcher.read().Body)
	p.say(ipc.Message{Type: ipc.TypeMessage, ID: "m", Body: "hello"})
	go func() { _, _ = p.Read() }()
	for _, want := range []task.State{task.Pending, task.Running, task.Done} {
		m := watcher.read()
		require.Equal(t, ipc.TypeEvent, m.Type)
		require.Equal(t, "s", m.Re)
		var e struct {
			Topic string
			What  struct{ State task.State }
		}
		require.NoError(t, m.Decode(&e))
		require.Equal(t, want, e.What.State)
	}
}
