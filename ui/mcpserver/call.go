package mcpserver

import (
	"context"
	"crypto/rand"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/ipc"
)

// call is one tool call that the daemon runs.
type call struct {
	state     string // request state that the client sends back, 130 random bits
	cancel    context.CancelFunc
	questions chan pendingQuestion
	done      chan struct{}
	result    *mcp.CallToolResult // set once over is closed

	question pendingQuestion // the question that the client was asked
}

// pendingQuestion is a question of the daemon and the function that answers it.
type pendingQuestion struct {
	ask    ipc.Ask
	answer func(action string)
}

// startCall starts a call on the daemon.
func (s *Server) startCall(req *mcp.CallToolRequest) *call {
	ctx, cancel := context.WithCancel(s.baseCtx)
	c := &call{state: rand.Text(), cancel: cancel, questions: make(chan pendingQuestion), done: make(chan struct{})}
	data := ipc.Call{
		Turn: s.o.Turn, Call: toolUseID(req.Params.Meta), Name: req.Params.Name, Input: inputOf(req.Params.Arguments), Cwd: s.o.Cwd,
	}
	go func() {
		defer cancel()
		c.result = s.runCall(ctx, data, c)
		close(c.done)
	}()
	return c
}

// runCall sends a call to the daemon and returns its result, or an error result if there is none, for example
// because no daemon is running.
func (s *Server) runCall(ctx context.Context, data ipc.Call, c *call) *mcp.CallToolResult {
	conn, err := s.o.Connect(ctx, s.hello())
	if err != nil {
		return errorResult("not run: " + err.Error())
	}
	defer conn.Close()
	m := ipc.Message{Type: ipc.TypeCall, Session: s.o.Session}.WithData(data)
	reply, err := conn.Do(ctx, m, func(frame ipc.Message) error { s.handleFrame(ctx, conn, frame, c); return nil })
	if err == nil && reply.Error != nil {
		err = reply.Error
	}
	var called ipc.CallResult
	if err == nil {
		err = reply.Decode(&called)
	}
	if err != nil {
		return errorResult("no result: " + err.Error())
	}
	return &mcp.CallToolResult{IsError: called.IsError, Content: []mcp.Content{&mcp.TextContent{Text: called.Content}}}
}

// handleFrame forwards a question to the call. The answer is sent over the same connection and is valid only for the
// command that was shown.
func (s *Server) handleFrame(ctx context.Context, conn *ipc.Client, handleFrame ipc.Message, c *call) {
	if handleFrame.Type != ipc.TypeAsk {
		return
	}
	var ask ipc.Ask
	if handleFrame.Decode(&ask) != nil {
		return
	}
	id := handleFrame.ID
	a := pendingQuestion{ask: ask, answer: func(action string) {
		_ = conn.Conn.Write(ipc.Message{Type: ipc.TypeAction, Re: id, Session: s.o.Session, Action: action}.WithData(ipc.Answer{Digest: ask.Digest}))
	}}
	go func() {
		select {
		case c.questions <- a:
		case <-ctx.Done():
		}
	}()
}
