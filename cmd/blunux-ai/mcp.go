package main

import (
	"context"
	"crypto/rand"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/mcpserver"
)

func newMCP() *cobra.Command {
	var turn string
	cmd := &cobra.Command{
		Use:  "mcp",
		Args: manual.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMCP(cmd.Context(), turn, langOf(cmd)) },
	}
	cmd.Flags().StringVar(&turn, "turn", "", "")
	return cmd
}

// serveMCP serves until the client disconnects. For a client of the same account it starts a daemon if
// necessary. A client of a turn ends with its daemon.
func serveMCP(ctx context.Context, turn, lang string) error {
	dialer := ipc.NewDialer()
	dialer.NoStart = turn != ""
	cwd, err := os.Getwd()
	if err != nil {
		cwd = ""
	}
	return mcpserver.Serve(ctx, mcpserver.Options{
		Connect: func(ctx context.Context, hello ipc.Hello) (*ipc.Client, error) {
			return ipc.Connect(ctx, dialer, hello)
		},
		Turn: turn, Session: "mcp-" + rand.Text()[:8], Cwd: cwd, Version: buildVersion(),
		Lang: i18n.Choose(lang, os.Getenv("BLUNUX_AI_LANG"), os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")),
	}, &mcp.StdioTransport{})
}
