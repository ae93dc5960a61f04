package main

import (
	"errors"
	"os"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ui/draw"
)

// drawOptions name the picture to draw.
type drawOptions struct {
	Path string `json:"path"`
}

// errNotDrawn is not reported: the caller names the file instead.
var errNotDrawn = errors.New("not drawn")

// runDraw draws a picture at the terminal.
func runDraw(options []byte) (i18n.Lang, error) {
	var o drawOptions
	if err := readOptions(options, &o); err != nil {
		return "", err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return "", errNotDrawn
	}
	defer tty.Close()
	if draw.Show(tty, o.Path, os.Getenv) != nil {
		return "", errNotDrawn
	}
	return "", nil
}
