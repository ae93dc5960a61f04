package main

import (
	"fmt"
	"os"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/chat"
)

// chatOptions are the options of the chat.
type chatOptions struct {
	Lang    i18n.Lang `json:"lang"`
	Hello   ipc.Hello `json:"hello"`
	Session string    `json:"session"`
	Resume  bool      `json:"resume,omitempty"`
	Pick    bool      `json:"pick,omitempty"`
	NoColor bool      `json:"no_color,omitempty"`
	Vi      bool      `json:"vi,omitempty"`
	History string    `json:"history,omitempty"`
	Version string    `json:"version,omitempty"`
	Hint    string    `json:"hint,omitempty"`
}

// runChat chats until the user quits. Ctrl-C is a key of the chat; SIGTERM and SIGHUP end it.
func runChat(options []byte) (i18n.Lang, error) {
	var o chatOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	ctx, stop := untilSignal(syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	link := ipc.NewLink(ipc.NewDialer(), o.Hello)
	defer link.Start(ctx)()
	cwd, _ := os.Getwd() // chat even if the directory was deleted
	end, err := chat.Run(ctx, chat.Options{
		Lang: o.Lang, Daemon: link, Channel: o.Hello.Channel, Session: o.Session, Resume: o.Resume, Pick: o.Pick, History: chat.HistoryFile(o.History), Hint: o.Hint,
		NoColor: o.NoColor, Vi: o.Vi, In: os.Stdin, Out: os.Stdout, Env: os.Environ(), Version: o.Version, Cwd: cwd,
	})
	if err == nil && end.Session != "" {
		fmt.Fprintln(os.Stderr, i18n.ChatGoOn(quoteName(end.Session)).In(o.Lang))
	}
	return o.Lang, err
}

func quoteName(name string) string {
	q, err := syntax.Quote(name, syntax.LangPOSIX)
	if err != nil { // characters that cannot be quoted
		return ipc.VisibleLine(name)
	}
	return q
}
