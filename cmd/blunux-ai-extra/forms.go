package main

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ui/dialog"
	"github.com/nidoit/blunux-ai/ui/dialog/form"
)

// formOptions are the options of the forms.
type formOptions struct {
	Lang    i18n.Lang `json:"lang"`
	NoColor bool      `json:"no_color,omitempty"`
}

// runForms shows the questions that arrive on standard input as forms on the terminal. Ctrl-C is a key of a form, and
// between two forms it is for the asking program.
func runForms(options []byte) (i18n.Lang, error) {
	var o formOptions
	if err := readOptions(options, &o); err != nil {
		return o.Lang, err
	}
	signal.Ignore(syscall.SIGINT)
	ctx, stop := untilSignal(syscall.SIGHUP)
	defer stop()
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return o.Lang, err
	}
	defer tty.Close()
	width := func() int {
		size, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
		if err != nil {
			return 0
		}
		return int(size.Col)
	}
	dialog.Serve(ctx, os.Stdin, os.Stdout, &form.Screen{Lang: o.Lang, In: tty, Out: tty, Width: width, Plain: o.NoColor})
	return o.Lang, nil
}
