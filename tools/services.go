package tools

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/safety"
)

type serviceInput struct {
	Action string `json:"action"`
	Name   string `json:"name"`
	Failed bool   `json:"failed"`
	User   bool   `json:"user"`
}

// systemctl returns a command line for the system manager or the user manager.
func systemctl(user bool, args ...string) []string {
	command := []string{"systemctl"}
	if user {
		command = append(command, "--user")
	}
	return append(command, args...)
}

func planCheckService(_ Env, input json.RawMessage) (Plan, error) {
	var in serviceInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	switch {
	case in.Name != "":
		if err := checkUnit(in.Name); err != nil {
			return Plan{}, err
		}
		return argvPlan(systemctl(in.User, "status", "--no-pager", "-n", "10", "--", in.Name)), nil
	case in.Failed:
		return argvPlan(systemctl(in.User, "--failed", "--no-pager")), nil
	}
	return argvPlan(systemctl(in.User, "list-units", "--type=service", "--no-pager")), nil
}

func planManageService(env Env, input json.RawMessage) (Plan, error) {
	var in serviceInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	action, err := oneOf("action", in.Action, "", "start", "stop", "restart", "reload", "enable", "disable")
	if err != nil {
		return Plan{}, err
	}
	if action == "" {
		return Plan{}, errNoAction
	}
	if err := checkUnit(in.Name); err != nil {
		return Plan{}, err
	}
	p := argvPlan(systemctl(in.User, action, "--", in.Name))
	if !in.User {
		p = env.changeService(action, in.Name)
	}
	p.AtLeast, p.Reason = safety.Confirm, "service-change"
	return p, nil
}

func planCheckBoot(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Ready bool `json:"ready"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	if in.Ready {
		return bootReadiness(), nil
	}
	return argvPlan(
		machine.StartupProbe,
		machine.BlameProbe,
		machine.ChainProbe,
	), nil
}

// bootReadiness returns a plan that reads what the next boot needs: kernels with their modules, images, the
// boot partition and its free space, modules built by DKMS, failed units, and whether pacman is still running.
func bootReadiness() Plan {
	return Plan{Commands: []Command{
		{Argv: machine.KernelProbe},
		{Shell: "grep -sH '' /usr/lib/modules/*/pkgbase"},
		{Shell: `find /boot /efi -maxdepth 4 -type f '(' -name 'vmlinuz*' -o -name 'initramfs*' -o -name '*.efi' ')' -printf '%s %p\n'`},
		{Argv: []string{"findmnt", "-n", "-o", "TARGET,SOURCE", "/boot"}},
		{Argv: machine.FSTabProbe},
		{Argv: []string{"df", "-h", "/boot"}},
		{Argv: machine.DKMSProbe},
		{Argv: machine.FailedUnitsProbe},
		{Argv: []string{"ls", "/var/lib/pacman/db.lck"}},
	}}
}

// packageChanges prints the lines of pacman's log about changed packages.
const packageChanges = `grep -E '\[ALPM\] (installed|upgraded|removed|downgraded|reinstalled) ' /var/log/pacman.log | tail -n `

func planReadLogs(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Unit     string `json:"unit"`
		Since    string `json:"since"`
		Priority string `json:"priority"`
		Grep     string `json:"grep"`
		Lines    int    `json:"lines"`
		User     bool   `json:"user"`
		Log      string `json:"log"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	log, err := oneOf("log", in.Log, "journal", "packages")
	if err != nil {
		return Plan{}, err
	}
	if log == "packages" {
		return Plan{Commands: []Command{{Shell: packageChanges + logLines(in.Lines)}}}, nil
	}
	command := []string{"journalctl", "--no-pager", "-n", logLines(in.Lines)}
	if in.Unit != "" {
		if err := checkUnit(in.Unit); err != nil {
			return Plan{}, err
		}
		unit := "-u"
		if in.User {
			unit = "--user-unit"
		}
		command = append(command, unit, in.Unit)
	}
	switch in.Since {
	case "":
	case "boot":
		command = append(command, "-b")
	default:
		since, err := sinceTime(in.Since)
		if err != nil {
			return Plan{}, err
		}
		command = append(command, "--since", since)
	}
	if in.Priority != "" {
		priority, err := oneOf("priority", priorityName(in.Priority), "err", "emerg", "alert", "crit", "warning", "notice", "info", "debug")
		if err != nil {
			return Plan{}, err
		}
		command = append(command, "-p", priority)
	}
	if in.Grep != "" {
		if err := checkWord("grep", in.Grep); err != nil {
			return Plan{}, err
		}
		command = append(command, "-g", in.Grep)
	}
	return argvPlan(command), nil
}

var errNoAction = errors.New("action is missing: start, stop, restart, reload, enable or disable")

func logLines(n int) string {
	if n <= 0 {
		n = 200
	}
	return strconv.Itoa(min(n, 500))
}

// priorityName maps common spellings to journalctl's, syslog(3).
func priorityName(s string) string {
	switch s = strings.ToLower(s); s {
	case "error", "errors", "3":
		return "err"
	case "warn", "warnings", "4":
		return "warning"
	case "critical", "2":
		return "crit"
	}
	return s
}
