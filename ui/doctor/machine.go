package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/elevation"
)

// sandbox reports the sandbox of read-only commands.
func sandbox(_ context.Context, p Machine) Finding {
	level, err := p.Sandbox()
	if err != nil {
		return p.finding(Warn, "sysctl kernel.unprivileged_userns_clone user.max_user_namespaces", i18n.DoctorNoSandbox(err))
	}
	return p.finding(OK, "", i18n.DoctorSandbox(level))
}

func units(ctx context.Context, p Machine) Finding {
	if err := p.Units(ctx); err != nil {
		return p.finding(Warn, "systemctl --user status", i18n.DoctorNoUnits(err))
	}
	return p.finding(OK, "", i18n.DoctorUnits)
}

// rights reports the usable way to root's rights, and why better ones do not work.
func rights(ctx context.Context, p Machine) Finding {
	setting := ""
	if cfg, err := config.Load(p.Source); err == nil {
		setting = cfg.Security.Privilege
	}
	ladder := p.Ladder(setting)
	s := ladder.Status(ctx)
	if s.Rung == elevation.Root {
		return p.finding(OK, "", i18n.DoctorRoot)
	}
	var above []string
	for _, step := range ladder.Explain(ctx) {
		if step.Rung == s.Rung {
			break
		}
		if step.Reason != "" {
			above = append(above, string(step.Rung)+": "+string(step.Reason))
		}
	}
	why := i18n.RightsLacking(above, p.Lang)
	switch {
	case setting == string(elevation.None):
		return p.finding(Warn, "", i18n.DoctorRightsOff)
	case s.Rung == elevation.None:
		return p.finding(Warn, "sudo -l", i18n.DoctorNoRights(why))
	case why == "":
		return p.finding(OK, "", i18n.DoctorRights(string(s.Rung)))
	}
	return p.finding(OK, "", i18n.DoctorRightsBelow(string(s.Rung), why))
}

// awake takes and releases the lock that is used during package changes.
func awake(ctx context.Context, p Machine) Finding {
	release, err := p.Awake.Inhibit(ctx, "doctor")
	if err != nil {
		return p.finding(Warn, "systemctl status systemd-logind", i18n.DoctorNotAwake(err))
	}
	release()
	return p.finding(OK, "", i18n.DoctorAwake)
}

// computer asks a running daemon what is broken on this computer: [diagnose.DiagnoseAll]. It starts no daemon for that.
func computer(ctx context.Context, p Machine) Finding {
	const command = "blunux-aictl diagnose"
	if p.daemon().Status == nil {
		return p.finding(OK, command, i18n.DoctorComputerAsleep)
	}
	r, err := p.diagnose(ctx)
	switch {
	case err != nil:
		return p.finding(Warn, command, i18n.DoctorComputerUnseen(err))
	case len(r.Causes) > 0:
		return p.finding(Warn, command, i18n.DoctorComputerBroken(len(r.Causes), r.Causes[0].Says))
	}
	return p.finding(OK, "", i18n.DoctorComputer)
}

func (p Machine) diagnose(ctx context.Context) (r diagnose.Report, err error) {
	c, err := ipc.Connect(ctx, p.Dialer, ipc.Hello{Client: "blunux-ai-doctor", Lang: string(p.Lang)})
	if err != nil {
		return r, err
	}
	defer c.Close()
	var d ipc.Diagnosis
	if err := c.Query(ctx, ipc.Query{What: "diagnose"}, &d); err != nil {
		return r, err
	}
	return r, json.Unmarshal(d.Report, &r)
}

// linger checks whether the user's service manager runs without a login (loginctl(1), enable-linger).
func linger(_ context.Context, p Machine) Finding {
	_, err := os.Stat(filepath.Join(p.Root, "/var/lib/systemd/linger", p.User))
	if errors.Is(err, os.ErrNotExist) {
		return p.finding(Warn, "loginctl enable-linger", i18n.DoctorNoLinger)
	}
	return p.finding(OK, "", i18n.DoctorLinger)
}
