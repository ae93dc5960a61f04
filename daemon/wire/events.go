package wire

import (
	"context"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/rules"
	"github.com/nidoit/blunux-ai/internal/desktop"
	"github.com/nidoit/blunux-ai/systemd"
)

// newMachine returns the machine's interfaces for the daemon's automations.
func newMachine(log zerolog.Logger) rules.Machine {
	zone, manager := systemd.NewZone(os.Getenv), systemd.NewUserManager(os.Getenv)
	return rules.Machine{
		Wake: systemd.NewWaker(os.Getenv).Schedule,
		Zone: func() *time.Location { local, _ := zone.Local(); return local },
		Desktop: func(pressed func(key, action string), closed func(key string, why desktop.Reason)) rules.Desktop {
			return desktop.New(desktop.Options{
				Addresses: manager.Addresses, App: "blunux-ai", Icon: "utilities-terminal", Entry: "blunux-ai", Pressed: pressed, Closed: closed,
			})
		},
		Triggers:  eventWatcher{manager: manager, log: log},
		Downloads: downloads(os.Getenv, config.HomeDir(os.Getenv)),
	}
}

// eventWatcher watches the machine for events that trigger automations.
type eventWatcher struct {
	manager systemd.UserManager
	log     zerolog.Logger
}

// Watch reports the events since the previous daemon and then new ones. It logs sources that cannot be watched
// and continues with the others.
func (o eventWatcher) Watch(ctx context.Context, wanted []automation.EventKind, happened func(rules.Trigger), clock func()) {
	boot, slept := systemd.BootID(), systemd.SuspendedTime()
	happened(rules.Trigger{Kind: automation.EventBoot, Key: boot})
	if !slices.Contains(wanted, automation.EventLogin) {
		// do not ask the manager
	} else if at, _, err := o.manager.StartTime(ctx); err == nil {
		happened(rules.Trigger{Kind: automation.EventLogin, Key: boot + " " + strconv.FormatInt(at.UnixMicro(), 10)})
	}
	resumed := func(live bool) {
		// The two clocks are read one after the other, so differences of less than a second are noise.
		if slept = systemd.SuspendedTime(); slept > time.Second {
			happened(rules.Trigger{Kind: automation.EventResume, Key: boot + " " + slept.Round(time.Second).String(), Live: live})
		}
	}
	resumed(false)
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() {
		o.warn(systemd.Clock{}.Watch(ctx, func(string) { clock(); resumed(true) }), "clock")
	})
	if slices.Contains(wanted, automation.EventNetworkUp) {
		watching.Go(func() {
			o.warn(systemd.WatchNetwork(ctx, func() {
				happened(rules.Trigger{Kind: automation.EventNetworkUp, Key: time.Now().Format(time.RFC3339Nano), Live: true})
			}), "network")
		})
	}
	if slices.Contains(wanted, automation.EventUnitFailed) {
		watching.Go(func() { o.watchFailures(ctx, happened) })
	}
}

func (o eventWatcher) warn(err error, what string) {
	if err != nil {
		o.log.Warn().Err(err).Str("source", what).Msg("cannot watch event source")
	}
}

// watchFailures reports units that fail.
func (o eventWatcher) watchFailures(ctx context.Context, happened func(rules.Trigger)) {
	units := systemd.Failures{User: o.manager}
	found, err := units.List(ctx)
	o.warn(err, "failed units")
	for _, f := range found {
		happened(rules.Trigger{Kind: automation.EventUnitFailed, Subject: f.Unit, Key: f.Key})
	}
	units.Watch(ctx, func(f systemd.Failure) {
		happened(rules.Trigger{Kind: automation.EventUnitFailed, Subject: f.Unit, Key: f.Key, Live: true})
	})
}
