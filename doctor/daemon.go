package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const serviceUnit = "blunux-ai-agent.service"

// service looks whether the units are installed as they came, so that the
// daemon is started in the hardened one.
func service(ctx context.Context, p Patient) Finding {
	s, err := p.Manager.Unit(ctx, serviceUnit)
	switch {
	case err != nil:
		return p.say(Warn, "systemctl --user status", i18n.DoctorNoManager, err)
	case s.Load != "loaded":
		return p.say(Warn, "systemctl --user enable --now "+ipc.SocketUnit, i18n.DoctorNoService, s.Load)
	case s.NeedLoad:
		return p.say(Warn, "systemctl --user daemon-reload", i18n.DoctorServiceStale, s.Fragment)
	}
	return p.say(OK, "", i18n.DoctorService, s.Fragment)
}

// running looks for a daemon. A socket on which the service manager listens is
// not connected to: that would start one.
func running(ctx context.Context, p Patient) Finding {
	socket, err := p.Manager.Unit(ctx, ipc.SocketUnit)
	s, serviceErr := p.Manager.Unit(ctx, serviceUnit)
	if err == nil && serviceErr == nil && socket.Active == "active" && s.PID == 0 {
		if s.Active == "failed" {
			return p.say(Broken, "journalctl --user -u "+serviceUnit, i18n.DoctorDaemonFailed)
		}
		return p.say(OK, "", i18n.DoctorDaemonAsleep)
	}
	conn, err := p.Dialer.Dial(ctx)
	var nobody *ipc.UnreachableError
	switch {
	case errors.As(err, &nobody):
		return p.say(OK, "", i18n.DoctorDaemonNone)
	case err != nil:
		return p.say(Broken, "systemctl --user status "+serviceUnit, i18n.DoctorDaemonBad, err)
	}
	defer conn.Close()
	pid := s.PID
	if pid == 0 { // of an activated socket the kernel would name the service manager
		peer, err := ipc.PeerOf(conn)
		if err != nil {
			return p.say(Broken, "systemctl --user status "+serviceUnit, i18n.DoctorDaemonBad, err)
		}
		pid = peer.PID
	}
	if !p.hardened(pid) {
		return p.say(Warn, "systemctl --user restart "+serviceUnit, i18n.DoctorDaemonSoft, pid)
	}
	return p.say(OK, "", i18n.DoctorDaemon, pid)
}

// hardened reports whether a process has what the unit gives it: no new
// privileges and a filter over system calls (proc_pid_status(5)).
func (p Patient) hardened(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/", p.Root, fmt.Sprintf("proc/%d/status", pid)))
	text := string(status)
	return err == nil && strings.Contains(text, "\nNoNewPrivs:\t1\n") && strings.Contains(text, "\nSeccomp:\t2\n")
}
