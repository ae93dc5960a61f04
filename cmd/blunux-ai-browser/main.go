// Blunux-ai-browser drives Chromium for the daemon, which starts it on demand and ends it when no one uses it. It is
// separate so that the daemon links none of it, and so that it runs in its own unit.
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/browser/chrome"
	"github.com/nidoit/blunux-ai/tools/web/guard"
)

const exitUsage = 2

func main() {
	switch {
	case len(os.Args) > 2 && os.Args[1] == chrome.EnterArg:
		fmt.Fprintln(os.Stderr, "blunux-ai-browser:", chrome.Enter(os.Args[2:]))
		os.Exit(1)
	case len(os.Args) != 1:
		fmt.Fprintln(os.Stderr, "blunux-ai-browser: started by blunux-ai, not by hand")
		os.Exit(exitUsage)
	}
	c := chrome.New(chrome.Options{Dial: dial})
	defer c.Close()
	browser.Serve(os.Stdin, os.Stdout, c.Do, c.Look)
}

// dial connects to where the guard permits.
func dial(ctx context.Context, network, address string, near bool) (net.Conn, error) {
	return guard.Guard{Own: net.InterfaceAddrs}.Dial(ctx, network, address, near, nil)
}
