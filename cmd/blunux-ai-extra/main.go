// Blunux-ai-extra holds what the daemon does not need: the full-screen chat, the forms of the setup and everything that
// speaks MCP or fetches web pages. Blunux-ai makes all decisions and then executes this program in its place (chat, mcp,
// preview, host, quick, icon, shortcut), or starts it as a helper on pipes (forms, mcp-client, web). It draws pictures at the terminal for
// blunux-ai and blunux-aictl (draw), calls the gateway for blunux-ai-gateway (call), and checks build recipes of the AUR
// (aur). The session bus starts it for the search of the desktop (search) and the icon. With the arguments of makepkg, it checks the recipe of the
// working directory first. It is separate so that the daemon stays small.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// commands are what this program can be started as. Each has one argument, its options as JSON.
var commands = map[string]func(options []byte) (i18n.Lang, error){
	"chat": runChat, "mcp": runMCP, "forms": runForms, "mcp-client": runMCPClient, "web": runWeb,
	"draw": runDraw, "call": runCall, "aur": runAUR, "boot": runBoot, "preview": runPreview,
	"host": runHost, "quick": runQuick, "icon": runIcon, "shortcut": runShortcut, "search": runSearch,
}

const (
	exitUsage     = 2
	exitCancelled = 130
)

func main() {
	if len(os.Args) > 1 && strings.ContainsAny(os.Args[1], "-=") && commands[os.Args[1]] == nil { // makepkg's: yay(8), paru(8), --makepkg
		fmt.Fprintf(os.Stderr, "blunux-ai: %v\n", becomeChecked(os.Args[1:]))
		os.Exit(1)
	}
	if len(os.Args) != 3 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "blunux-ai-extra: started by blunux-ai, not by hand")
		os.Exit(exitUsage)
	}
	lang, err := commands[os.Args[1]]([]byte(os.Args[2]))
	switch {
	case err == nil:
	case errors.Is(err, errNotDrawn), errors.Is(err, errCallFailed), errors.Is(err, errNoPreview):
		os.Exit(1)
	case errors.Is(err, errHeld):
		os.Exit(exitHeld)
	case errors.Is(err, context.Canceled):
		os.Exit(exitCancelled)
	default:
		fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(i18n.Cause(err, lang)))
		os.Exit(1)
	}
}

// readOptions decodes the options of a command.
func readOptions(text []byte, options any) error {
	if err := json.Unmarshal(text, options); err != nil {
		return fmt.Errorf("cannot read the options: %w", err)
	}
	return nil
}

// untilSignal returns a context that ends with a signal.
func untilSignal(signals ...os.Signal) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), append(signals, syscall.SIGTERM)...)
}
