package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/ui/doctor"
)

// repair runs the checks, offers the repairs that are possible from here, and runs the checks again.
func (c *checkup) repair(ctx context.Context, w io.Writer) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return manual.NewUsageError(i18n.DoctorNoTerminal.In(c.machine.Lang))
	}
	defer tty.Close()
	found := doctor.RunChecks(ctx, c.machine)
	if _, err := io.WriteString(w, formatFindings(found, c.machine.Lang)); err != nil {
		return err
	}
	socket, _ := c.machine.Dialer.Path() // on an error there is no socket to remove
	m := doctor.Fixer{
		Lang: c.machine.Lang, Paths: c.machine.Paths, Socket: socket, Log: commandlog.Open(c.machine.Paths.CommandLog(), c.machine.Paths.LogWitness()),
		Ask: newConfirmer(tty, c.machine.Lang), Run: errand.Run,
		Say: func(text string) { fmt.Fprintln(tty, ipc.Clean(text)) },
	}
	ran, err := m.OfferFixes(ctx, found)
	switch {
	case err != nil:
		return err
	case ran == 0 && !doctor.IsHealthy(found):
		return exitError(1)
	case ran == 0:
		return nil
	}
	fmt.Fprintln(tty, i18n.DoctorFixAgain.In(c.machine.Lang))
	return c.printFindings(doctor.RunChecks(ctx, c.machine), false, w)
}

// newConfirmer shows a command on the terminal and reads the answer. Everything but a yes is a no.
func newConfirmer(tty *os.File, lang i18n.Lang) func(context.Context, string) (bool, error) {
	in := bufio.NewReader(tty)
	return func(ctx context.Context, command string) (bool, error) {
		defer context.AfterFunc(ctx, func() { _ = tty.SetReadDeadline(time.Now()) })()
		fmt.Fprint(tty, "    "+ipc.VisibleLine(command)+"\n"+i18n.DoctorFixAsk.In(lang))
		line, err := in.ReadString('\n')
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case err != nil: // the terminal was closed
			return false, fmt.Errorf("cannot read an answer: %w", err)
		}
		return i18n.ParseAnswer(line) == i18n.Yes, nil
	}
}
