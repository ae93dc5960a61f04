package main

import (
	"os"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/tools/web"
	"github.com/nidoit/blunux-ai/tools/web/fetch"
)

// runWeb makes the requests of the daemon's web tools. It ends with standard input.
func runWeb([]byte) (i18n.Lang, error) {
	web.Serve(os.Stdin, os.Stdout, fetch.New().Fetch)
	return "", nil
}
