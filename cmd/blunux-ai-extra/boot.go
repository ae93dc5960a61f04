package main

import (
	"encoding/json"
	"os"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/upgrade/boot"
)

// runBoot prints what the next start of the system below a directory needs, as JSON.
func runBoot(options []byte) (i18n.Lang, error) {
	var o struct {
		Root string `json:"root"`
	}
	if err := readOptions(options, &o); err != nil {
		return "", err
	}
	ctx, stop := untilSignal(os.Interrupt)
	defer stop()
	next, err := boot.Read(ctx, o.Root)
	if err != nil {
		return "", err
	}
	return "", json.NewEncoder(os.Stdout).Encode(next)
}
