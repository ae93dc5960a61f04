package tools

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// The files that models read for each tool: tool/NAME.md is its description, tool/NAME.json the JSON Schema of
// its input.
//
//go:embed tool/*.md tool/*.json
var toolFiles embed.FS

// planner parses a tool's input and plans its commands.
type planner func(Env, json.RawMessage) (Plan, error)

// planners lists the tools: NARE TDD section 7.2, then the most requested read-only tools, notes, automations
// and sending files.
var planners = []struct {
	name string
	plan planner
}{
	{"check_disk", fixedPlan("df", "-h")},
	{"check_memory", fixedPlan("free", "-h")},
	{"check_processes", planCheckProcesses},
	{"read_logs", planReadLogs},
	{"check_network", planCheckNetwork},
	{"list_packages", planListPackages},
	{"install_package", planInstallPackage},
	{"remove_package", planRemovePackage},
	{"update_system", planUpdateSystem},
	{"manage_service", planManageService},
	{"run_command", planRunCommand},
	{"find_large", planFindLarge},
	{"search_packages", planSearchPackages},
	{"package_info", planPackageInfo},
	{"check_updates", planCheckUpdates},
	{"check_service", planCheckService},
	{"system_info", planSystemInfo},
	{"check_hardware", planCheckHardware},
	{"check_boot", planCheckBoot},
	{"remember", planRemember},
	{"recall", planRecall},
	{"forget", planForget},
	{"update_user", planUpdateUser},
	{"schedule", planSchedule},
	{"list_automations", planListAutomations},
	{"change_automation", planChangeAutomation},
	{"remove_automation", planRemoveAutomation},
	{"send_file", planSendFile},
}

// noteTools need a [Notebook], ruleTools a [AutomationStore], sendTools a [FileSender].
var (
	noteTools = set("remember recall forget update_user")
	sendTools = set("send_file")
	ruleTools = set("schedule list_automations change_automation remove_automation")
)

// requirement returns the internal runner that a tool needs, or "".
func requirement(name string) string {
	switch {
	case noteTools[name]:
		return byNotes
	case ruleTools[name]:
		return byAutomations
	case sendTools[name]:
		return bySendFile
	}
	return ""
}

// All returns every tool, in the order in which models see them.
func All() ([]Tool, error) {
	all := make([]Tool, 0, len(planners))
	for _, p := range planners {
		description, err := toolFiles.ReadFile("tool/" + p.name + ".md")
		if err != nil {
			return nil, fmt.Errorf("cannot read the description of %s: %w", p.name, err)
		}
		schema, err := toolFiles.ReadFile("tool/" + p.name + ".json")
		if err != nil {
			return nil, fmt.Errorf("cannot read the schema of %s: %w", p.name, err)
		}
		compact, err := compactJSON(schema)
		if err != nil {
			return nil, fmt.Errorf("cannot read the schema of %s: %w", p.name, err)
		}
		all = append(all, Tool{
			Definition: providers.ToolDefinition{
				Name:        p.name,
				Description: strings.TrimSpace(string(description)),
				InputSchema: compact,
			},
			Plan:  withDefaults(p.name, p.plan),
			needs: requirement(p.name),
		})
	}
	return all, nil
}

// RequireExplicitMemory returns the tools with an instruction to models to only save notes when the person asks for it.
func RequireExplicitMemory(all []Tool) []Tool {
	all = slices.Clone(all)
	for i, t := range all {
		if name := t.Definition.Name; name == "remember" || name == "update_user" {
			all[i].Definition.Description += " Only when the person asks for it in so many words: they switched off that anything is kept by itself."
		}
	}
	return all
}

// compactJSON removes blanks, because schemas are sent with every request.
func compactJSON(schema []byte) (json.RawMessage, error) {
	var v json.RawMessage
	if err := json.Unmarshal(schema, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// withDefaults adds the common fields to every plan of a tool.
func withDefaults(name string, plan planner) func(Env, json.RawMessage) (Plan, error) {
	return func(env Env, input json.RawMessage) (Plan, error) {
		p, err := plan(env, input)
		p.Tool = name
		if p.Timeout == 0 {
			p.Timeout = env.Limits.Command
		}
		return p, err
	}
}

// argvPlan returns a plan of commands without a shell.
func argvPlan(commands ...[]string) Plan {
	var p Plan
	for _, c := range commands {
		p.Commands = append(p.Commands, Command{Argv: c})
	}
	return p
}

// fixedPlan returns a planner for one fixed command that ignores the input.
func fixedPlan(command ...string) planner {
	return func(Env, json.RawMessage) (Plan, error) { return argvPlan(command), nil }
}
