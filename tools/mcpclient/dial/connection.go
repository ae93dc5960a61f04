package dial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
)

// connection is one connection to a server. It implements [mcpclient.Connection].
type connection struct {
	session *mcp.ClientSession
	end     func() // ends what was started for it, may be nil
	once    sync.Once
	done    chan struct{} // closed at the end of the connection
	err     error         // why it ended, set before done is closed
}

// Connect is [mcpclient.Options.Connect] in this process.
func (d Dialer) Connect(ctx context.Context, s mcpclient.Server, e mcpclient.Events) (mcpclient.Connection, error) {
	open := d.Open
	if open == nil {
		open = d.open
	}
	transport, end, err := open(s, child.NewLineLog(e.Stderr))
	if err != nil {
		return nil, err
	}
	c := &connection{end: end, done: make(chan struct{})}
	client := mcp.NewClient(&mcp.Implementation{Name: "blunux-ai", Version: d.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { e.Changed() },
	})
	// A server that hangs during the handshake is killed, which ends the read.
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	if c.session, err = client.Connect(ctx, transport, nil); err != nil {
		c.kill()
		return nil, err
	}
	go c.wait()
	return c, nil
}

// wait waits for the end of the connection.
func (c *connection) wait() {
	c.err = c.session.Wait()
	close(c.done)
}

// Done implements [mcpclient.Connection].
func (c *connection) Done() <-chan struct{} { return c.done }

// Err implements [mcpclient.Connection].
func (c *connection) Err() error { return c.err }

// Call implements [mcpclient.Connection].
func (c *connection) Call(ctx context.Context, tool string, input json.RawMessage) (mcpclient.Result, error) {
	type answer struct {
		result *mcp.CallToolResult
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		r, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: input})
		answered <- answer{r, err}
	}()
	var a answer
	select {
	case a = <-answered:
	case <-ctx.Done():
		return mcpclient.Result{}, ctx.Err()
	}
	var refused *jsonrpc.Error
	switch {
	case a.err == nil && a.result.NeedsInput():
		text := "[the server requested input, which is not supported]\n"
		return mcpclient.Result{Text: text, Failed: true, Refused: true}, nil
	case a.err == nil:
		text, err := resultText(a.result)
		return mcpclient.Result{Text: text, Failed: a.result.IsError}, err
	case ctx.Err() == nil && errors.As(a.err, &refused):
		return mcpclient.Result{Text: refused.Message + "\n", Failed: true, Refused: true}, nil
	}
	return mcpclient.Result{}, a.err
}

// Tools implements [mcpclient.Connection].
func (c *connection) Tools(ctx context.Context) (list []mcpclient.Tool, err error) {
	room := mcpclient.MaxListedSchemas
	for t, err := range c.session.Tools(ctx, nil) {
		switch {
		case err != nil:
			return nil, err
		case len(list) == mcpclient.MaxListed:
			return list, nil
		case t == nil:
			continue
		}
		one := mcpclient.Tool{
			Name:        firstBytes(t.Name, mcpclient.MaxListedName),
			Description: firstBytes(t.Description, mcpclient.MaxListedText),
			Digest:      digest(t),
		}
		if schema, err := json.Marshal(t.InputSchema); err == nil && len(schema) <= min(room, mcpclient.MaxListedSchema) {
			one.Schema = schema
			room -= len(schema)
		}
		list = append(list, one)
	}
	return list, nil
}

// digest returns a digest of a tool's full description by its server.
func digest(t *mcp.Tool) string {
	data, _ := json.Marshal([]any{t.Name, t.Description, t.InputSchema}) // decoded from JSON
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// firstBytes returns the beginning of a text, at most n bytes of whole characters.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// kill ends what was started for the connection.
func (c *connection) kill() {
	c.once.Do(func() {
		if c.end != nil {
			c.end()
		}
	})
}

// Close implements [mcpclient.Connection]. Closing a connection to a URL is bounded in time.
func (c *connection) Close() {
	c.kill() // first, because closing waits for pending writes, and the server may not read
	closed := make(chan struct{})
	go func() {
		_ = c.session.Close()
		close(closed)
	}()
	timer := time.NewTimer(exitTimeout)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
}
