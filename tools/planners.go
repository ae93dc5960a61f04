package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/shell"
)

func planCheckProcesses(_ Env, in struct{ Sort, Name string }) (Plan, error) {
	if in.Name != "" {
		if err := checkWord("name", in.Name); err != nil {
			return Plan{}, err
		}
		return argvPlan([]string{"pgrep", "-a", "-i", "--", in.Name}), nil
	}
	by, err := oneOf("sort", in.Sort, "mem", "cpu")
	if err != nil {
		return Plan{}, err
	}
	return argvPlan([]string{"ps", "aux", "--sort=-%" + by}), nil
}

func planCheckNetwork(_ Env, in struct{ Scope string }) (Plan, error) {
	scope, err := oneOf("scope", in.Scope, "wifi", "connectivity", "ip", "ports")
	if err != nil {
		return Plan{}, err
	}
	address, route := machine.AddressesProbe, machine.RoutesProbe
	switch scope {
	case "ip":
		return argvPlan(address, route), nil
	case "ports":
		return argvPlan(machine.SocketsProbe), nil
	case "connectivity":
		return argvPlan(
			machine.NetworkStatusProbe, address, route,
			[]string{"ping", "-c", "1", "-W", "2", "1.1.1.1"},
			[]string{"getent", "hosts", "archlinux.org"},
		), nil
	}
	return argvPlan(machine.WifiProbe), nil
}

// systemInfo are the commands of system_info.
var systemInfo = [][]string{{"uname", "-srm"}, machine.OSReleaseProbe, machine.UptimeProbe, machine.FreeProbe, machine.CPUProbe}

// hardware maps the scopes of check_hardware to their commands.
var hardware = map[string][]string{
	"cpu":         machine.CPUProbe,
	"gpu":         machine.PCIProbe,
	"battery":     machine.UPowerProbe,
	"temperature": machine.SensorsProbe,
	"usb":         machine.USBProbe,
	"disk":        machine.BlockTreeProbe,
}

func planCheckHardware(_ Env, in struct{ Scope string }) (Plan, error) {
	order := []string{"all", "cpu", "gpu", "battery", "temperature", "usb", "disk"}
	scope, err := oneOf("scope", in.Scope, order...)
	if err != nil {
		return Plan{}, err
	}
	if scope != "all" {
		return argvPlan(hardware[scope]), nil
	}
	var commands [][]string
	for _, s := range order[1:] {
		commands = append(commands, hardware[s])
	}
	return argvPlan(commands...), nil
}

// planFindLarge plans a search for what uses the most space below a directory, first by directory, then by
// file. Both are pipelines, so they need a shell. A large or slow disk takes minutes: after 20 s it is the largest of what
// was counted, without du's last line, which is the directory itself. The files are looked for in folders just read.
// In the foreground, timeout stays in its process group, so that cancelling ends it.
func planFindLarge(env Env, in struct{ Path string }) (Plan, error) {
	path, err := absolutePath(env, in.Path)
	if err != nil {
		return Plan{}, err
	}
	quoted, err := syntax.Quote(path, syntax.LangBash)
	if err != nil {
		return Plan{}, fmt.Errorf("cannot use the path: %w", err)
	}
	return Plan{Commands: []shell.Command{
		{Shell: "timeout --foreground 20 du -x -h --max-depth=1 " + quoted + " 2>/dev/null | sort -rh | head -n 15"},
		{Shell: "timeout --foreground 10 find " + quoted + ` -xdev -type f -size +100M -printf '%s %p\n' 2>/dev/null | sort -rn | head -n 20`},
	}}, nil
}

// absolutePath makes a person's path absolute, so that it cannot be parsed as an option. "" and ~ mean the home
// directory.
func absolutePath(env Env, path string) (string, error) {
	if strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", fmt.Errorf("cannot use %q as a path", path)
	}
	switch {
	case path == "" || path == "~":
		path = env.Home
	case strings.HasPrefix(path, "~/"):
		path = filepath.Join(env.Home, path[2:])
	case !filepath.IsAbs(path):
		path = filepath.Join(env.Dir, path)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("cannot use %q as a path", path)
	}
	return filepath.Clean(path), nil
}

// commandInput is the input of run_command.
type commandInput struct {
	Command string `json:"command"`
}

// inputOf returns the input of run_command for a command.
func inputOf(command string) json.RawMessage {
	data, err := json.Marshal(commandInput{command})
	if err != nil { // strings always marshal
		panic(err)
	}
	return data
}

// planRunCommand plans a command as it is written. A pacman command that changes packages and asks for root's rights is
// planned like our own tools: with the way to these rights that works here, and without pacman's question,
// because its input is closed. yay and paru check each recipe that they build. The person sees the planned command.
func planRunCommand(env Env, in commandInput) (Plan, error) {
	if argv, literal := shell.ParseLiteral(in.Command); literal && !env.Literal {
		if kept, ok := env.keepPinned(argv); ok {
			return argvPlan(kept), nil
		}
		if checked, ok := env.withCheckedBuild(argv); ok {
			v, _ := plan.Recognize(checked)
			return packageChange(env, cmp.Or(packageReasons[v.Action], reasonInstall), argvPlan(checked)), nil
		}
		if command, action, elevated, ok := plan.Unattended(argv); ok && (elevated || env.isRoot()) {
			p := env.asRoot(command...)
			p.ByHand = argv
			if len(p.Lacks) > 0 {
				p.Commands = argvPlan(argv).Commands
			}
			return packageChange(env, packageReasons[action], p), nil
		}
	}
	return planLiteral(in)
}

// packageReasons are the reasons to ask about changes of packages.
var packageReasons = map[plan.Action]string{
	plan.Install: reasonInstall, plan.Remove: reasonRemove, plan.Upgrade: reasonUpgrade,
}

// planLiteral plans a command exactly as it is written.
func planLiteral(in commandInput) (Plan, error) {
	if strings.TrimSpace(in.Command) == "" {
		return Plan{}, errors.New("cannot run an empty command")
	}
	return Plan{Commands: []shell.Command{{Shell: in.Command}}}, nil
}

type nameInput struct{ Name string }

func planListPackages(_ Env, in struct{ Filter string }) (Plan, error) {
	filter, err := oneOf("filter", in.Filter, "all", "explicit", "foreign", "orphans")
	if err != nil {
		return Plan{}, err
	}
	flag := map[string]string{"all": "-Q", "explicit": "-Qe", "foreign": "-Qm", "orphans": "-Qdt"}[filter]
	return argvPlan([]string{"pacman", flag}), nil
}

func planSearchPackages(_ Env, in struct{ Query string }) (Plan, error) {
	if err := checkWord("query", in.Query); err != nil {
		return Plan{}, err
	}
	// Each word must match; the whole phrase as one operand rarely would.
	words := strings.Fields(in.Query)
	for _, word := range words {
		if err := checkWord("query", word); err != nil {
			return Plan{}, err
		}
	}
	return argvPlan(append([]string{"pacman", "-Ss", "--"}, words...)), nil
}

func planPackageInfo(_ Env, in nameInput) (Plan, error) {
	names, err := packageNames(in.Name)
	if err != nil {
		return Plan{}, err
	}
	return argvPlan(
		append([]string{"pacman", "-Qi", "--"}, names...),
		append([]string{"pacman", "-Si", "--"}, names...),
	), nil
}

func planCheckUpdates(env Env, _ struct{}) (Plan, error) {
	if env.HasProgram("checkupdates") || !env.HasProgram("pacman") {
		return argvPlan([]string{"checkupdates"}), nil
	}
	return argvPlan([]string{"pacman", "-Qu"}), nil
}

// changePackages plans yay, which also knows the AUR. Without yay, or as root (yay refuses to build as root),
// it plans pacman.
func changePackages(operation, reason string) func(Env, nameInput) (Plan, error) {
	return func(env Env, in nameInput) (Plan, error) {
		names, err := packageNames(in.Name)
		if err != nil {
			return Plan{}, err
		}
		if env.HasProgram("yay") && !env.isRoot() || !env.HasProgram("pacman") {
			return packageChange(env, reason, env.yay(operation, names)), nil
		}
		return packageChange(env, reason, env.asRoot(append([]string{"pacman", operation, "--noconfirm", "--"}, names...)...)), nil
	}
}

func planUpdateSystem(env Env, _ struct{}) (Plan, error) {
	return packageChange(env, reasonUpgrade, env.asRoot("pacman", "-Syu", "--noconfirm")), nil
}

// The reasons to ask about changes of packages.
const (
	reasonInstall = "package-install"
	reasonRemove  = "package-remove"
	reasonUpgrade = "system-update"
)

func packageChange(env Env, reason string, p Plan) Plan {
	p.AtLeast, p.Reason = safety.Confirm, reason
	p.Timeout = env.Limits.Update
	return p
}

type serviceInput struct {
	Action, Name string
	Failed, User bool
}

func planCheckService(_ Env, in serviceInput) (Plan, error) {
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

func planManageService(env Env, in serviceInput) (Plan, error) {
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

// packageChanges prints the lines of pacman's log about changed packages.
const packageChanges = `grep -E '\[ALPM\] (installed|upgraded|removed|downgraded|reinstalled) ' /var/log/pacman.log | tail -n `

func planReadLogs(_ Env, in struct {
	Unit, Since, Priority, Grep string
	Lines                       int
	User                        bool
	Log                         string
},
) (Plan, error) {
	log, err := oneOf("log", in.Log, "journal", "packages")
	if err != nil {
		return Plan{}, err
	}
	if log == "packages" {
		return Plan{Commands: []shell.Command{{Shell: packageChanges + logLines(in.Lines)}}}, nil
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
