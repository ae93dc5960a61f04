package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Units of the daemon besides those in ipc.
const (
	serviceUnit = ipc.ServiceUnit
	timerUnit   = "blunux-ai-agent.timer"
	pathUnit    = "blunux-ai-agent.path"
)

// service checks that the unit is installed unchanged, so that the daemon runs in the hardened unit.
func service(ctx context.Context, p Machine) Finding {
	s, err := p.Manager.Unit(ctx, serviceUnit)
	switch {
	case err != nil:
		return p.finding(Warn, "systemctl --user status", i18n.DoctorNoManager(err))
	case s.Load == "masked":
		return p.finding(Warn, "systemctl --user unmask "+serviceUnit, i18n.DoctorNoService(s.Load))
	case s.Load != "loaded":
		return p.finding(Warn, "systemctl --user enable --now "+ipc.SocketUnit, i18n.DoctorNoService(s.Load))
	case s.NeedLoad:
		return p.fixable(Warn, []string{"systemctl", "--user", "daemon-reload"}, i18n.DoctorServiceStale(s.Fragment))
	}
	return p.finding(OK, "", i18n.DoctorService(s.Fragment))
}

// isHardened reports whether a process has the unit's restrictions: no new privileges and a system call filter
// (proc_pid_status(5)).
func (p Machine) isHardened(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/", p.Root, fmt.Sprintf("proc/%d/status", pid)))
	text := string(status)
	return err == nil && strings.Contains(text, "\nNoNewPrivs:\t1\n") && strings.Contains(text, "\nSeccomp:\t2\n")
}
