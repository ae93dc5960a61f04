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

// The daemon's units beside those that ipc knows.
const (
	serviceUnit = ipc.ServiceUnit
	timerUnit   = "blunux-ai-agent.timer"
	pathUnit    = "blunux-ai-agent.path"
)

// service looks whether the units are installed as they came, so that the
// daemon is started in the hardened one.
func service(ctx context.Context, p Patient) Finding {
	s, err := p.Manager.Unit(ctx, serviceUnit)
	switch {
	case err != nil:
		return p.say(Warn, "systemctl --user status", i18n.DoctorNoManager, err)
	case s.Load == "masked":
		return p.say(Warn, "systemctl --user unmask "+serviceUnit, i18n.DoctorNoService, s.Load)
	case s.Load != "loaded":
		return p.say(Warn, "systemctl --user enable --now "+ipc.SocketUnit, i18n.DoctorNoService, s.Load)
	case s.NeedLoad:
		return p.remedy(Warn, []string{"systemctl", "--user", "daemon-reload"}, i18n.DoctorServiceStale, s.Fragment)
	}
	return p.say(OK, "", i18n.DoctorService, s.Fragment)
}

// hardened reports whether a process has what the unit gives it: no new
// privileges and a filter over system calls (proc_pid_status(5)).
func (p Patient) hardened(pid int) bool {
	status, err := os.ReadFile(filepath.Join("/", p.Root, fmt.Sprintf("proc/%d/status", pid)))
	text := string(status)
	return err == nil && strings.Contains(text, "\nNoNewPrivs:\t1\n") && strings.Contains(text, "\nSeccomp:\t2\n")
}
