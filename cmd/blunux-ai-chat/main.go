// Command blunux-ai-chat is the full-screen chat. `blunux-ai chat` makes all decisions and then executes this program
// in its place. It is separate so that the daemon and the other commands do not link the Markdown renderer.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/chat"
)

// launchOptions is the one argument that `blunux-ai chat` passes, as JSON.
type launchOptions struct {
	Lang    i18n.Lang `json:"lang"`
	Hello   ipc.Hello `json:"hello"`
	Session string    `json:"session"`
	Resume  bool      `json:"resume,omitempty"`
	Pick    bool      `json:"pick,omitempty"`
	NoColor bool      `json:"no_color,omitempty"`
	History string    `json:"history,omitempty"`
	Version string    `json:"version,omitempty"`
	Hint    string    `json:"hint,omitempty"`
}

func main() {
	var o launchOptions
	if len(os.Args) != 2 || json.Unmarshal([]byte(os.Args[1]), &o) != nil || o.Session == "" {
		fmt.Fprintln(os.Stderr, "blunux-ai-chat: started by blunux-ai chat, not by hand")
		os.Exit(2)
	}
	if err := o.run(); err != nil {
		fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(i18n.Cause(err, o.Lang)))
		os.Exit(1)
	}
}

func quoteName(name string) string {
	q, err := syntax.Quote(name, syntax.LangPOSIX)
	if err != nil { // characters that cannot be quoted
		return ipc.VisibleLine(name)
	}
	return q
}

// run chats until the user quits. Ctrl-C is a key of the chat; SIGTERM and SIGHUP end it.
func (o launchOptions) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	link := ipc.NewLink(ipc.NewDialer(), o.Hello)
	defer link.Start(ctx)()
	cwd, _ := os.Getwd() // chat even if the directory was deleted
	end, err := chat.Run(ctx, chat.Options{
		Lang: o.Lang, Daemon: link, Channel: o.Hello.Channel, Session: o.Session, Resume: o.Resume, Pick: o.Pick, History: chat.HistoryFile(o.History), Hint: o.Hint,
		NoColor: o.NoColor, In: os.Stdin, Out: os.Stdout, Env: os.Environ(), Version: o.Version, Cwd: cwd,
	})
	if err == nil && end.Session != "" {
		fmt.Fprintln(os.Stderr, i18n.ChatGoOn(quoteName(end.Session)).In(o.Lang))
	}
	return err
}
