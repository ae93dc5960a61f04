package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/host"
)

// runHost lets another assistant on this computer use our tools, or takes that back.
func runHost(options []byte) (i18n.Lang, error) {
	var o struct {
		Lang   i18n.Lang `json:"lang"`
		Name   string    `json:"name"`
		Home   string    `json:"home"`
		Remove bool      `json:"remove"`
	}
	if err := readOptions(options, &o); err != nil {
		return "", err
	}
	h, known := host.Find(o.Name)
	if !known {
		return o.Lang, errors.New(i18n.SetupHostUnknown(o.Name).In(o.Lang))
	}
	getenv := func(name string) string {
		if name == "HOME" {
			return o.Home
		}
		return os.Getenv(name)
	}
	act, say, failed := h.Connect, i18n.SetupHostConnected, i18n.SetupHostFailed
	if o.Remove {
		act, say, failed = h.Disconnect, i18n.SetupHostRemoved, i18n.SetupHostNotRemoved
	}
	files, err := act(getenv)
	if err != nil {
		return o.Lang, errors.New(failed(ipc.VisibleLine(err.Error()), h.Entry()).In(o.Lang))
	}
	_, err = fmt.Println(say(h.Name, ipc.VisibleLine(files[0]), ipc.VisibleLine(files[1])).In(o.Lang))
	return o.Lang, err
}
