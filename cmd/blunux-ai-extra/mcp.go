package main

import (
	"context"
	"crypto/rand"
	"os"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/mcpclient/dial"
	"github.com/nidoit/blunux-ai/ui/mcpserver"
)

// mcpOptions are the options of the MCP server and client.
type mcpOptions struct {
	Lang    i18n.Lang `json:"lang"`
	Turn    string    `json:"turn,omitempty"`
	Version string    `json:"version"`
}

// runMCP serves until the client disconnects. For a client of the same account it starts a daemon if necessary. A
// client of a turn ends with its daemon.
func runMCP(options []byte) (i18n.Lang, error) {
	var o mcpOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	ctx, stop := untilSignal(syscall.SIGINT)
	defer stop()
	dialer := ipc.NewDialer()
	dialer.NoStart = o.Turn != ""
	cwd, _ := os.Getwd() // serve even if the directory was deleted
	return o.Lang, mcpserver.Serve(ctx, mcpserver.Options{
		Connect: func(ctx context.Context, hello ipc.Hello) (*ipc.Client, error) {
			return ipc.Connect(ctx, dialer, hello)
		},
		Turn: o.Turn, Session: "mcp-" + rand.Text()[:8], Cwd: cwd, Version: o.Version, Lang: o.Lang,
	}, &mcp.StdioTransport{})
}

// runMCPClient holds the daemon's connections to MCP servers. It ends with standard input, and its servers with it.
func runMCPClient(options []byte) (i18n.Lang, error) {
	var o mcpOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	dial.Serve(os.Stdin, os.Stdout, dial.Dialer{Version: o.Version})
	return o.Lang, nil
}
