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

// runBridge runs the bridge. It is the root command. It returns when ctx ends, or when the person must
// act. Then it prints what to do, and the reason is in the state.
func (p *Program) runBridge(cmd *cobra.Command) error {
	ctx := cmd.Context()
	dir, err := p.Dir()
	if err != nil {
		return err
	}
	setGarbageRatio(p.Getenv)
	p.idle = newIdleTimer()
	defer p.idle.stop()
	m, err := p.Kind.Open(p, cmd, dir)
	if err == nil {
		feedWatchdog(ctx)
		err = bridge.New(bridge.Options{
			Messenger: p.notifying(m), Dialer: ipc.NewDialer(), Dir: dir, Lang: p.Lang, Version: p.version(), Log: p.Log(),
		}).Run(ctx)
		notify(daemon.SdNotifyStopping)
	} else {
		p.saveHalt(dir, err)
	}
	var halt *bridge.Halt
	if !errors.As(err, &halt) {
		return err
	}
	if _, text, ok := p.Kind.Explain(p, err); ok {
		return &Exit{Person, text}
	}
	return &Exit{Person, p.haltText(halt.State)}
}

// saveHalt saves the state if the messenger could not be opened.
func (p *Program) saveHalt(dir string, err error) {
	var halt *bridge.Halt
	if !errors.As(err, &halt) {
		return
	}
	s := halt.State
	s.Channel, s.Since, s.Version = p.Kind.Channel.Name, time.Now(), p.version()
	if lock, err := state.Lock(dir); err == nil {
		_ = state.Write(dir, s) // printed in any case
		lock.Close()
	}
}

// haltText returns the text with what the person can do.
func (p *Program) haltText(s state.State) string {
	text := i18n.BridgePhases.In(string(s.Phase), p.Lang)
	if more, ok := p.Kind.PhaseHelp[s.Phase]; ok {
		text = more.In(p.Lang)
	}
	if s.Detail != "" {
		text += "\n(" + i18n.PlainCause(s.Detail, p.Lang) + ")"
	}
	return text
}

// ReportIdle must be called by a messenger when it becomes idle. The program then soon returns unused
// memory to the system.
func (p *Program) ReportIdle() {
	if p.idle != nil {
		p.idle.shorten()
	}
}

// notifying wraps a messenger so that it reports its activity. It stays a [bridge.Remover] if it is one.
func (p *Program) notifying(m bridge.Messenger) bridge.Messenger {
	n := notifyingMessenger{m, p.idle}
	if r, ok := m.(bridge.Remover); ok {
		return struct {
			notifyingMessenger
			bridge.Remover
		}{n, r}
	}
	return n
}

// notifyingMessenger is a messenger that reports activity to systemd and the idle timer.
type notifyingMessenger struct {
	bridge.Messenger
	idle *idleTimer
}

// Run implements [bridge.Messenger]. The caller has opened the journals, which means that the unit
// is ready, whether or not the messenger's server is reachable.
func (m notifyingMessenger) Run(ctx context.Context, to bridge.Receiver) error {
	notify(daemon.SdNotifyReady + "\nSTATUS=" + string(state.Starting))
	return m.Messenger.Run(ctx, notifyingReceiver{to, m.idle})
}

// Post implements [bridge.Messenger].
func (m notifyingMessenger) Post(ctx context.Context, piece bridge.Piece) (bridge.Posted, error) {
	defer m.idle.reset()
	return m.Messenger.Post(ctx, piece)
}

// Edit implements [bridge.Messenger].
func (m notifyingMessenger) Edit(ctx context.Context, handle string, piece bridge.Piece) error {
	defer m.idle.reset()
	return m.Messenger.Edit(ctx, handle, piece)
}

// notifyingReceiver is a receiver that reports state changes to systemd, and activity to the idle timer.
type notifyingReceiver struct {
	bridge.Receiver
	idle *idleTimer
}

// Receive implements [bridge.Receiver].
func (t notifyingReceiver) Receive(ctx context.Context, in bridge.Incoming) error {
	defer t.idle.reset()
	return t.Receiver.Receive(ctx, in)
}

// UpdateState implements [bridge.Receiver].
func (t notifyingReceiver) UpdateState(s state.State) {
	t.Receiver.UpdateState(s)
	status := string(s.Phase)
	if s.Account != "" {
		status += " " + s.Account
	}
	notify("STATUS=" + status)
	t.idle.reset()
}

// feedWatchdog feeds the unit's watchdog, if it is configured.
func feedWatchdog(ctx context.Context) {
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
