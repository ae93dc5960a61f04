package main

import (
	"fmt"
	"os"
	"syscall"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ui/icon"
)

// iconOptions are the options of the icon.
type iconOptions struct {
	Lang      i18n.Lang `json:"lang"`
	Approvals string    `json:"approvals"` // the directory
}

// runIcon shows the icon while approvals wait. A click opens them in a small window.
func runIcon(options []byte) (i18n.Lang, error) {
	var o iconOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	ctx, stop := untilSignal(syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	return o.Lang, icon.Run(ctx, icon.Options{
		Lang: o.Lang, Address: icon.Address(os.Getenv), Dir: o.Approvals,
		Open: func() error { return startWindow("", "--approvals") },
		Warn: func(err error) { fmt.Fprintf(os.Stderr, "blunux-ai: %v\n", err) },
	})
}
