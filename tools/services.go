package tools

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/tools/safety"
)

type serviceInput struct {
	Action string `json:"action"`
	Name   string `json:"name"`
	Failed bool   `json:"failed"`
	User   bool   `json:"user"`
}

// systemctl starts a command line for the system or the user manager.
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
		return argv(systemctl(in.User, "status", "--no-pager", "-n", "10", "--", in.Name)), nil
	case in.Failed:
		return argv(systemctl(in.User, "--failed", "--no-pager")), nil
	}
	return argv(systemctl(in.User, "list-units", "--type=service", "--no-pager")), nil
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
	p := argv(systemctl(in.User, action, "--", in.Name))
	if !in.User {
		p = env.managed(action, in.Name)
	}
	p.AtLeast, p.Reason = safety.Confirm, "service-change"
	return p, nil
}

func planCheckBoot(Env, json.RawMessage) (Plan, error) {
	return argv(
		[]string{"systemd-analyze", "time"},
		[]string{"systemd-analyze", "blame", "--no-pager"},
		[]string{"systemd-analyze", "critical-chain", "--no-pager"},
	), nil
}

func planReadLogs(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Unit     string `json:"unit"`
		Since    string `json:"since"`
		Priority string `json:"priority"`
		Grep     string `json:"grep"`
		Lines    int    `json:"lines"`
		User     bool   `json:"user"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
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
	return argv(command), nil
}

var errNoAction = errors.New("cannot act without an action: start, stop, restart, reload, enable or disable")

func logLines(n int) string {
	if n <= 0 {
		n = 200
	}
	return strconv.Itoa(min(n, 500))
}

// priorityName maps the spellings models use to journalctl's, syslog(3).
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
