// Package systemd connects the program to the service manager and the machine: the listening socket from socket
// activation, state notifications, the embedded unit files, starting the daemon when something is due, and events
// of the clock, the network and units.
//
// Sources: sd_listen_fds(3), sd_notify(3), systemd.service(5), systemd.socket(5), systemd.timer(5),
// systemd.path(5), org.freedesktop.systemd1(5), org.freedesktop.login1(5).
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

// ErrNotActivated reports that the process was not started by socket activation.
var ErrNotActivated = errors.New("not started by socket activation")

// Listeners returns the sockets from socket activation, which must all be listening Unix stream sockets. It
// returns [ErrNotActivated] if there are none.
func Listeners() ([]*net.UnixListener, error) {
	files := activation.Files(true)
	if len(files) == 0 {
		return nil, ErrNotActivated
	}
	var all []*net.UnixListener
	for i, f := range files {
		ul, err := toListener(f)
		if err != nil {
			for _, rest := range files[i+1:] {
				rest.Close()
			}
			for _, l := range all {
				l.Close()
			}
			return nil, fmt.Errorf("cannot use the passed socket: %w", err)
		}
		all = append(all, ul)
	}
	return all, nil
}

// toListener converts a passed file to a listener.
func toListener(f *os.File) (*net.UnixListener, error) {
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
	// The manager owns the socket file, which must remain after the daemon exits.
	ul.SetUnlinkOnClose(false)
	return ul, nil
}

// Notifier reports the daemon's state to the service manager. Without one (NOTIFY_SOCKET is not set) it does
// nothing.
type Notifier struct{}

// Ready reports that the daemon accepts connections.
func (Notifier) Ready(status string) { notify(daemon.SdNotifyReady + "\nSTATUS=" + status) }

// Reloading reports that the daemon is reading its configuration again. Ready must follow.
func (Notifier) Reloading() {
	notify(fmt.Sprintf("%s\nMONOTONIC_USEC=%d", daemon.SdNotifyReloading, monotonic()))
}

// Stopping reports that the daemon is stopping.
func (Notifier) Stopping() { notify(daemon.SdNotifyStopping) }

// Status sets the line shown by systemctl status.
func (Notifier) Status(line string) { notify("STATUS=" + line) }

// Watchdog reports that the daemon is alive.
func (Notifier) Watchdog() { notify(daemon.SdNotifyWatchdog) }

// WatchdogInterval returns how often to call [Notifier.Watchdog]: half of the unit's timeout, or 0 without a
// watchdog.
func (Notifier) WatchdogInterval() time.Duration {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return 0
	}
	return every / 2
}

// notify sends a state. It ignores errors, because the manager also notices the daemon's state without
// notifications.
func notify(state string) { _, _ = daemon.SdNotify(false, state) }
