package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/icon"
	"github.com/nidoit/blunux-ai/ui/search"
)

// How long the search waits for another call before it ends, and for the next key press before it asks the daemon.
const (
	searchIdle   = 15 * time.Second
	searchSettle = 150 * time.Millisecond
)

// searchOptions are the options of the search. The bus starts it without any.
type searchOptions struct {
	Idle time.Duration `json:"idle,omitempty"`
}

// runSearch answers the desktop's search over the session bus, which starts it for a call, and ends when no more calls come.
func runSearch(options []byte) (i18n.Lang, error) {
	lang := i18n.CommandLineLang(nil, os.Getenv)
	o := searchOptions{Idle: searchIdle}
	if err := readOptions(options, &o); err != nil {
		return lang, err
	}
	ctx, stop := untilSignal(os.Interrupt)
	defer stop()
	return lang, search.Serve(ctx, search.Options{
		Address: icon.Address(os.Getenv), Lang: lang, Idle: o.Idle, Settle: searchSettle,
		Ask:  func(ctx context.Context, words string) (ipc.QuickAnswer, error) { return askQuickly(ctx, words, lang) },
		Open: func(words, token string) error { return startWindow(token, "--", words) },
		Warn: func(err error) { fmt.Fprintf(os.Stderr, "blunux-ai: %s\n", ipc.Clean(i18n.Cause(err, lang))) },
	})
}

// askQuickly asks the daemon. The end of ctx closes the connection, which ends the commands of the answer.
func askQuickly(ctx context.Context, words string, lang i18n.Lang) (a ipc.QuickAnswer, err error) {
	c, err := ipc.Connect(ctx, ipc.NewDialer(), ipc.Hello{Client: "blunux-ai-search", Channel: "desktop", Locale: string(lang)})
	if err != nil {
		return a, err
	}
	defer c.Close()
	err = c.Query(ctx, ipc.Query{What: "answer", Text: words}, &a)
	return a, err
}
