package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nidoit/blunux-ai/doctor"
	"github.com/nidoit/blunux-ai/errand"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/commandlog"
)

// mend runs the checks, offers the repairs that are possible from here, and runs the checks again.
func (c *checkup) mend(ctx context.Context, w io.Writer) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return usageError{errors.New(i18n.DoctorNoTerminal.In(c.patient.Lang))}
	}
	defer tty.Close()
	found := doctor.Look(ctx, c.patient)
	if _, err := io.WriteString(w, findings(found, c.patient.Lang)); err != nil {
		return err
	}
	socket, _ := c.patient.Dialer.Path() // on an error there is no socket to remove
	m := doctor.Mender{
		Lang: c.patient.Lang, Paths: c.patient.Paths, Socket: socket, Log: commandlog.Open(c.patient.Paths.CommandLog(), c.patient.Paths.LogWitness()),
		Ask: asker(tty, c.patient.Lang), Run: errand.Run,
		Say: func(text string) { fmt.Fprintln(tty, ipc.Clean(text)) },
	}
	ran, err := m.Mend(ctx, found)
	switch {
	case err != nil:
		return err
	case ran == 0 && !doctor.Sound(found):
		return exitError(1)
	case ran == 0:
		return nil
	}
	fmt.Fprintln(tty, i18n.DoctorFixAgain.In(c.patient.Lang))
	return c.tell(doctor.Look(ctx, c.patient), false, w)
}

// asker shows a command on the terminal and reads the answer. Everything but a yes is a no.
func asker(tty *os.File, lang i18n.Lang) func(context.Context, string) (bool, error) {
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
