// Package systemd is the program's side of the service manager and of the
// machine below it: the listening socket it may be given, the state it reports,
// the unit files it is installed with, what starts it when something is due, and
// what happens to the clock, the network and the units of the machine.
//
// Sources: sd_listen_fds(3), sd_notify(3), systemd.service(5),
// systemd.socket(5), systemd.timer(5), systemd.path(5),
// org.freedesktop.systemd1(5), org.freedesktop.login1(5).
package systemd

import (
	"embed"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// Units holds the unit files: blunux-ai-agent.service, and what starts it: .socket,
// .timer and .path; the messengers' bridges, and the socket they connect to.
//
//go:embed *.service *.socket *.timer *.path
var Units embed.FS

// ErrNotActivated reports that no socket was handed over.
var ErrNotActivated = errors.New("not started by socket activation")

// Listeners returns the sockets the service manager handed over, which must all
// be listening Unix stream sockets. It returns [ErrNotActivated] when there is
// none, and says what it got when one is anything else.
func Listeners() ([]*net.UnixListener, error) {
	files := activation.Files(true)
	if len(files) == 0 {
		return nil, ErrNotActivated
	}
	var all []*net.UnixListener
	for i, f := range files {
		ul, err := listening(f)
		if err != nil {
			for _, rest := range files[i+1:] {
				rest.Close()
			}
			for _, l := range all {
				l.Close()
			}
			return nil, fmt.Errorf("cannot use the socket handed over: %w", err)
		}
		all = append(all, ul)
	}
	return all, nil
}

// listening takes a socket that was handed over.
func listening(f *os.File) (*net.UnixListener, error) {
	l, err := net.FileListener(f)
	f.Close()
	if err != nil {
		return nil, fmt.Errorf("it does not listen: %w", err)
	}
	ul, ok := l.(*net.UnixListener)
	if !ok {
		l.Close()
		return nil, fmt.Errorf("expected a Unix socket, got %s", l.Addr().Network())
	}
	// The manager owns the socket file: it must stay when the daemon leaves.
	ul.SetUnlinkOnClose(false)
	return ul, nil
}

// Notifier reports the daemon's state to the service manager. Without one
// (NOTIFY_SOCKET is not set) it does nothing.
type Notifier struct{}

// Ready reports that connections are served.
func (Notifier) Ready(status string) { notify(daemon.SdNotifyReady + "\nSTATUS=" + status) }

// Reloading reports that the configuration is being read again; Ready must
// follow.
func (Notifier) Reloading() {
	notify(fmt.Sprintf("%s\nMONOTONIC_USEC=%d", daemon.SdNotifyReloading, monotonic()))
}

// Stopping reports that the daemon is on its way out.
func (Notifier) Stopping() { notify(daemon.SdNotifyStopping) }

// Status shows one line in systemctl status.
func (Notifier) Status(line string) { notify("STATUS=" + line) }

// Watchdog reports that the daemon is alive.
func (Notifier) Watchdog() { notify(daemon.SdNotifyWatchdog) }

// WatchdogInterval returns how often [Notifier.Watchdog] must be called, half
// of what the unit allows, or 0 when the unit has no watchdog.
func (Notifier) WatchdogInterval() time.Duration {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return 0
	}
	return every / 2
}

// notify sends a state. A manager that cannot be told is not a reason to fail:
// it will find out by itself.
func notify(state string) { _, _ = daemon.SdNotify(false, state) }
