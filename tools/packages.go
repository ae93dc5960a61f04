package tools

import (
	"encoding/json"
	"strings"

	"github.com/nidoit/blunux-ai/tools/safety"
)

type nameInput struct {
	Name string `json:"name"`
}

func planListPackages(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Filter string `json:"filter"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	filter, err := oneOf("filter", in.Filter, "all", "explicit", "foreign", "orphans")
	if err != nil {
		return Plan{}, err
	}
	flag := map[string]string{"all": "-Q", "explicit": "-Qe", "foreign": "-Qm", "orphans": "-Qdt"}[filter]
	return argvPlan([]string{"pacman", flag}), nil
}

func planSearchPackages(_ Env, input json.RawMessage) (Plan, error) {
	var in struct {
		Query string `json:"query"`
	}
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
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

func planPackageInfo(_ Env, input json.RawMessage) (Plan, error) {
	var in nameInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	names, err := packageNames(in.Name)
	if err != nil {
		return Plan{}, err
	}
	return argvPlan(
		append([]string{"pacman", "-Qi", "--"}, names...),
		append([]string{"pacman", "-Si", "--"}, names...),
	), nil
}

func planCheckUpdates(env Env, _ json.RawMessage) (Plan, error) {
	if env.HasProgram("checkupdates") || !env.HasProgram("pacman") {
		return argvPlan([]string{"checkupdates"}), nil
	}
	return argvPlan([]string{"pacman", "-Qu"}), nil
}

func planInstallPackage(env Env, input json.RawMessage) (Plan, error) {
	return changePackages(env, input, "-S", "package-install")
}

func planRemovePackage(env Env, input json.RawMessage) (Plan, error) {
	return changePackages(env, input, "-Rns", "package-remove")
}

// changePackages plans yay, which also knows the AUR. Without yay, or as root (yay refuses to build as root),
// it plans pacman.
func changePackages(env Env, input json.RawMessage, operation, reason string) (Plan, error) {
	var in nameInput
	if err := decode(input, &in); err != nil {
		return Plan{}, err
	}
	names, err := packageNames(in.Name)
	if err != nil {
		return Plan{}, err
	}
	if env.HasProgram("yay") && !env.isRoot() || !env.HasProgram("pacman") {
		return packageChange(env, reason, env.yay(operation, names)), nil
	}
	return packageChange(env, reason, env.asRoot(append([]string{"pacman", operation, "--noconfirm", "--"}, names...)...)), nil
}

func planUpdateSystem(env Env, _ json.RawMessage) (Plan, error) {
	return packageChange(env, "system-update", env.asRoot("pacman", "-Syu", "--noconfirm")), nil
}

func packageChange(env Env, reason string, p Plan) Plan {
	p.AtLeast, p.Reason = safety.Confirm, reason
	p.Timeout = env.Limits.Update
	return p
}
