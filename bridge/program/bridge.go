package program

import (
	"context"
	"errors"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge"
	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// bridge runs the bridge. It is the root command. It returns when ctx ends, or when the person must
// act. Then it prints what to do, and the reason is in the state.
func (p *Program) bridge(cmd *cobra.Command) error {
	ctx := cmd.Context()
	dir, err := p.Dir()
	if err != nil {
		return err
	}
	frugal(p.Getenv)
	p.quiet = newQuiet()
	defer p.quiet.end()
	m, err := p.Kind.Open(p, cmd, dir)
	if err == nil {
		watch(ctx)
		err = bridge.New(bridge.Options{
			Messenger: announced{m, p.quiet}, Dialer: ipc.NewDialer(), Dir: dir, Lang: p.Lang, Version: p.version(), Log: p.Log(),
		}).Run(ctx)
		notify(daemon.SdNotifyStopping)
	} else {
		p.unready(dir, err)
	}
	var halt *bridge.Halt
	if !errors.As(err, &halt) {
		return err
	}
	if _, text, ok := p.Kind.Explain(p, err); ok {
		return &Exit{Person, text}
	}
	return &Exit{Person, p.halted(halt.State)}
}

// unready saves the state if the messenger could not be opened.
func (p *Program) unready(dir string, err error) {
	var halt *bridge.Halt
	if !errors.As(err, &halt) {
		return
	}
	s := halt.State
	s.Channel, s.Since, s.Version = p.Kind.Channel.Name, time.Now(), p.version()
	if lock, err := state.Hold(dir); err == nil {
		_ = state.Write(dir, s) // printed in any case
		lock.Close()
	}
}

// halted returns the text that tells the person what to do.
func (p *Program) halted(s state.State) string {
	text := i18n.BridgePhase(string(s.Phase), p.Lang)
	if more, ok := p.Kind.Halts[s.Phase]; ok {
		text = more.In(p.Lang)
	}
	if s.Detail != "" {
		text += "\n(" + i18n.PlainCause(s.Detail, p.Lang) + ")"
	}
	return text
}

// Rested must be called by a messenger when it becomes idle. The program then soon returns unused
// memory to the system.
func (p *Program) Rested() {
	if p.quiet != nil {
		p.quiet.rests()
	}
}

// announced is a messenger that reports activity to systemd and the idle timer.
type announced struct {
	bridge.Messenger
	quiet *quiet
}

// Run implements [bridge.Messenger]. The caller has opened the journals, which means that the unit
// is ready, whether or not the messenger's server is reachable.
func (m announced) Run(ctx context.Context, to bridge.Receiver) error {
	notify(daemon.SdNotifyReady + "\nSTATUS=" + string(state.Starting))
	return m.Messenger.Run(ctx, told{to, m.quiet})
}

// Post implements [bridge.Messenger].
func (m announced) Post(ctx context.Context, piece bridge.Piece) (bridge.Posted, error) {
	defer m.quiet.disturb()
	return m.Messenger.Post(ctx, piece)
}

// Edit implements [bridge.Messenger].
func (m announced) Edit(ctx context.Context, handle string, piece bridge.Piece) error {
	defer m.quiet.disturb()
	return m.Messenger.Edit(ctx, handle, piece)
}

// told is a receiver that reports state changes to systemd, and activity to the idle timer.
type told struct {
	bridge.Receiver
	quiet *quiet
}

// Receive implements [bridge.Receiver].
func (t told) Receive(ctx context.Context, in bridge.Incoming) error {
	defer t.quiet.disturb()
	return t.Receiver.Receive(ctx, in)
}

// Standing implements [bridge.Receiver].
func (t told) Standing(s state.State) {
	t.Receiver.Standing(s)
	status := string(s.Phase)
	if s.Account != "" {
		status += " " + s.Account
	}
	notify("STATUS=" + status)
	t.quiet.disturb()
}

// watch feeds the unit's watchdog, if it is configured.
func watch(ctx context.Context) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil || every == 0 {
		return
	}
	go func() {
		t := time.NewTicker(every / 2)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				notify(daemon.SdNotifyWatchdog)
			case <-ctx.Done():
				return
			}
		}
	}()
}

// notify sends a notification to systemd and ignores errors.
func notify(what string) { _, _ = daemon.SdNotify(false, what) }
