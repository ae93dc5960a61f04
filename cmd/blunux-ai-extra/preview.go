package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/upgrade/host"
)

// previewOptions are the options of the preview of an upgrade.
type previewOptions struct {
	Lang    i18n.Lang `json:"lang"`
	JSON    bool      `json:"json,omitempty"`
	Brief   bool      `json:"brief,omitempty"`
	Offline bool      `json:"offline,omitempty"`
	// Without and Released are what steps before the upgrade remove and no longer hold.
	Without  []string `json:"without,omitempty"`
	Released []string `json:"released,omitempty"`
	Earlier  string   `json:"earlier,omitempty"` // file of the last brief preview
}

// previewTime bounds a preview, whose lists come from the network. It is less than what a command has.
const previewTime = 50 * time.Second

// errNoPreview is not reported: the reason is printed in place of the preview.
var errNoPreview = fmt.Errorf("no preview")

// runPreview prints what an upgrade of all packages would do.
func runPreview(options []byte) (i18n.Lang, error) {
	var o previewOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	ctx, stop := untilSignal(syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	p := host.Preview(ctx, host.Options{Offline: o.Offline, Brief: o.Brief, Without: o.Without, Released: o.Released, Earlier: o.Earlier})
	if o.JSON {
		out := json.NewEncoder(os.Stdout)
		out.SetEscapeHTML(false)
		if err := out.Encode(p); err != nil {
			return o.Lang, fmt.Errorf("cannot write the preview: %w", err)
		}
	} else {
		fmt.Println(ipc.Clean(p.Text(o.Lang)))
	}
	if p.Problem != nil {
		return o.Lang, errNoPreview
	}
	return o.Lang, nil
}
