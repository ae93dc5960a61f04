package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/icon"
	"github.com/nidoit/blunux-ai/ui/quick"
)

// quickOptions are the options of a small window.
type quickOptions struct {
	Lang      i18n.Lang `json:"lang"`
	Words     string    `json:"words,omitempty"`
	Approvals bool      `json:"approvals,omitempty"`
	Address   string    `json:"address,omitempty"` // of another program, in place of the others
}

// runQuick opens a small window with the plain chat.
func runQuick(options []byte) (i18n.Lang, error) {
	var o quickOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	page, err := o.page()
	if err == nil {
		err = openWindow(page, o.Lang)
	}
	if err != nil && !term.IsTerminal(os.Stderr) { // started by a browser or a menu
		notify(err, o.Lang)
	}
	return o.Lang, err
}

// notify shows an error as a notification, if there is a desktop for it.
func notify(err error, lang i18n.Lang) {
	n := desktop.New(desktop.Options{
		Addresses: []string{icon.Address(os.Getenv)}, App: "blunux-ai", Icon: "org.blunux.ai", Entry: "org.blunux.ai.quick",
	})
	defer n.Close()
	// Without a desktop the error is on standard error only.
	_ = n.Show(context.Background(), desktop.Notice{Key: "quick", Title: i18n.QuickFailed.In(lang), Body: i18n.Cause(err, lang)})
}

// page returns what the window shows first.
func (o quickOptions) page() (quick.Page, error) {
	if o.Address == "" {
		return quick.Page{Words: quick.Words(o.Words), Approvals: o.Approvals}, nil
	}
	page, err := quick.Parse(o.Address)
	if err != nil {
		return page, i18n.QuickAddress(ipc.VisibleLine(shortAddress(o.Address))).WithCause(err)
	}
	return page, nil
}

// shortAddress returns the beginning of an address, for a message.
func shortAddress(address string) string {
	if rs := []rune(address); len(rs) > 60 {
		return string(rs[:60]) + "…"
	}
	return address
}

// openWindow opens a page in a window that outlives this program.
func openWindow(page quick.Page, lang i18n.Lang) error {
	program, err := installed.Find("blunux-ai")
	if err != nil {
		return err
	}
	title := i18n.QuickTitle.In(lang)
	if page.Approvals {
		title = i18n.QuickApprovals.In(lang)
	}
	m := quick.Machine{Getenv: os.Getenv, LookPath: errand.LookPath}
	argv, err := m.Find(title, append([]string{program}, page.Args()...))
	switch {
	case errors.Is(err, quick.ErrNoDisplay):
		return i18n.QuickNoDisplay.WithCause(err)
	case err != nil:
		return i18n.QuickNoTerminal.WithCause(err)
	}
	if err := quick.LeaveUnit(context.Background(), icon.Address(os.Getenv)); err != nil {
		fmt.Fprintf(os.Stderr, "blunux-ai: %v\n", err) // the window opens all the same
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/"
	}
	ended, err := errand.DetachIn(home, argv)
	if err != nil {
		return err
	}
	return awaitWindow(ended)
}

// startWindow starts the command quick with args in a process that outlives this one. token is the desktop's permission to show a
// window, "" for none: XDG Activation, "Propagating activation tokens".
func startWindow(token string, args ...string) error {
	program, err := installed.Find("blunux-ai")
	if err != nil {
		return err
	}
	var env []string
	if token != "" {
		env = []string{"XDG_ACTIVATION_TOKEN=" + token}
	}
	_, err = errand.Detach(append([]string{program, "quick"}, args...), env...)
	return err
}

// windowTime is how soon a terminal program that cannot open a window is expected to fail.
const windowTime = 500 * time.Millisecond

// awaitWindow returns the error of a terminal program that fails at once, such as one without a display.
func awaitWindow(ended <-chan error) error {
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("cannot open a window: %w", err)
		}
	case <-time.After(windowTime): // it is open
	}
	return nil
}
