package e2e

import (
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// hostileDaemon listens on the daemon's socket and puts hostile text into every field that a client could show,
// even into those that a real daemon cleans.
func hostileDaemon(t *testing.T, sock string) {
	l, err := net.Listen("unix", sock)
	require.NoError(t, err)
	require.NoError(t, os.Chmod(sock, 0o600))
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveHostile(ipc.NewConn(c))
		}
	}()
}

func serveHostile(c *ipc.Conn) {
	defer c.Close()
	turn := ""
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		if m.Type == ipc.TypeMessage {
			turn = m.ID
		}
		for _, f := range hostileFrames(m, turn) {
			if err := c.Write(f); err != nil {
				return
			}
		}
	}
}

// hostileFrames answers a question with a confirmation, sent twice, and the answer to that with all other
// frames.
func hostileFrames(m ipc.Message, turn string) []ipc.Message {
	switch m.Type {
	case ipc.TypeHello:
		return []ipc.Message{ipc.Message{Type: ipc.TypeHello, Re: m.ID, Done: true}.WithData(ipc.Hello{Server: "x/1" + hostile, Lang: "en", Notices: 1})}
	case ipc.TypeMessage:
		return hostileTurn(turn)
	case ipc.TypeAction:
		return []ipc.Message{
			ipc.Message{Type: ipc.TypeResolved, ID: "a2", Re: turn}.WithData(ipc.Resolved{By: hostile}),
			{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeExpired, Message: hostile}},
			ipc.Message{Type: ipc.TypeResolved, ID: "a1", Re: turn}.WithData(ipc.Resolved{By: "tui", Action: m.Action}),
			ipc.Message{Type: ipc.TypeResponse, Re: turn, Done: true, Body: "the end" + hostile + "\n" + forged}.WithData(ipc.Outcome{
				Stop: hostile, Provider: hostile, Model: hostile, Pending: []string{hostile},
			}),
		}
	case ipc.TypeQuery:
		var q ipc.Query
		if m.Decode(&q) != nil || q.What != "sessions" {
			return []ipc.Message{{Type: ipc.TypeError, Re: m.ID, Done: true, Error: &ipc.Error{Code: ipc.CodeInternal, Message: hostile, Hint: hostile}}}
		}
		return []ipc.Message{ipc.Message{Type: ipc.TypeResult, Re: m.ID, Done: true}.WithData([]map[string]any{
			{"key": "agent:main:session:tui/x", "title": "a title" + hostile, "modified": time.Now()},
			{"key": "agent:main:session:tui/y" + hostile, "title": "another", "modified": time.Now()},
		})}
	}
	return nil
}

// hostileTurn returns the frames of a turn before its end.
func hostileTurn(turn string) []ipc.Message {
	tool := func(t ipc.Tool) ipc.Message { return ipc.Message{Type: ipc.TypeTool, Re: turn}.WithData(t) }
	ask := ipc.Ask{
		Code: hostile, Tool: hostile, Class: "CONFIRM" + hostile, Command: "touch x" + hostile + "\n\xe2\x82 end", Cwd: "/tmp/" + hostile,
		Reasons: []string{hostile}, Covers: "touch" + hostile, Warnings: []string{hostile, "mixed-script: " + hostile},
		Files: []ipc.AskFile{{Path: hostile, SHA256: hostile}}, Expires: time.Now().Add(time.Minute),
	}
	asked := func(id string) ipc.Message {
		return ipc.Message{Type: ipc.TypeAsk, ID: id, Re: turn, Body: "Really?" + hostile, Actions: []string{ipc.ActionAllowOnce, ipc.ActionReject}}.WithData(ask)
	}
	return []ipc.Message{
		{Type: ipc.TypeDelta, Re: turn, Body: hostile + "\n" + forged},
		{Type: ipc.TypeError, Error: &ipc.Error{Code: ipc.CodeBusy, Message: hostile, Hint: hostile}},
		tool(ipc.Tool{Call: "t1", Name: hostile, Class: "SAFE" + hostile, Command: hostile, State: ipc.ToolRunning}),
		tool(ipc.Tool{Call: "t1", State: ipc.ToolRunning, Output: hostile + "\n" + forged}),
		tool(ipc.Tool{Call: "t1", Command: hostile, State: ipc.ToolDone, Exit: 1}),
		tool(ipc.Tool{Call: "t2", Reason: hostile, Command: hostile, State: ipc.ToolRefused}),
		asked("a1"), asked("a2"),
	}
}
