package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
	"mvdan.cc/sh/v3/syntax"
)

func planCheckProcesses(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Sort string `json:"sort"`
		Name string `json:"name"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
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

func planCheckNetwork(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Scope string `json:"scope"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
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

func planSystemInfo(Env, json.RawMessage) (Plan, error) {
	return argvPlan(
		[]string{"uname", "-srm"},
		machine.OSReleaseProbe,
		machine.UptimeProbe,
		machine.FreeProbe,
		machine.CPUProbe,
	), nil
}

// hardware maps the scopes of check_hardware to their commands.
var hardware = map[string][]string{
	"cpu":         machine.CPUProbe,
	"gpu":         machine.PCIProbe,
	"battery":     machine.UPowerProbe,
	"temperature": machine.SensorsProbe,
	"usb":         machine.USBProbe,
	"disk":        machine.BlockTreeProbe,
}

func planCheckHardware(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Scope string `json:"scope"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
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
// file. Both are pipelines, so they need a shell.
func planFindLarge(env Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Path string `json:"path"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	path, err := absolutePath(env, in.Path)
	if err != nil {
		return Plan{}, err
	}
	quoted, err := syntax.Quote(path, syntax.LangBash)
	if err != nil {
		return Plan{}, fmt.Errorf("cannot use the path: %w", err)
	}
	p := Plan{Commands: []Command{
		{Shell: "du -x -h --max-depth=1 " + quoted + " 2>/dev/null | sort -rh | head -n 15"},
		{Shell: "find " + quoted + ` -xdev -type f -size +100M -printf '%s %p\n' 2>/dev/null | sort -rn | head -n 20`},
	}}
	p.Timeout = env.Limits.Command
	return p, nil
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

func planRunCommand(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Command string `json:"command"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	if strings.TrimSpace(in.Command) == "" {
		return Plan{}, errors.New("cannot run an empty command")
	}
	return Plan{Commands: []Command{{Shell: in.Command}}}, nil
}
