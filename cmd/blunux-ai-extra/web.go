package main

import (
	"os"
	"runtime/debug"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/fetch"
)

// runWeb makes the requests of the daemon's web tools. It ends with standard input.
func runWeb([]byte) (i18n.Lang, error) {
	debug.SetGCPercent(50) // a page of 1 MB takes 46 MB instead of 58, and no more time
	web.Serve(os.Stdin, os.Stdout, fetch.New().Fetch)
	return "", nil
}
