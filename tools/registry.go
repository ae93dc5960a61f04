package tools

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
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
	name  string
	plan  planner
	needs need
	saves bool // see [Tool]
}{
	{name: "check_disk", plan: fixedPlan(machine.DFProbe...)},
	{name: "check_memory", plan: fixedPlan(machine.FreeProbe...)},
	{name: "check_processes", plan: planCheckProcesses},
	{name: "read_logs", plan: planReadLogs},
	{name: "check_network", plan: planCheckNetwork},
	{name: "list_packages", plan: planListPackages},
	{name: "install_package", plan: planInstallPackage},
	{name: "remove_package", plan: planRemovePackage},
	{name: "update_system", plan: planUpdateSystem},
	{name: "manage_service", plan: planManageService},
	{name: "run_command", plan: planRunCommand},
	{name: "find_large", plan: planFindLarge},
	{name: "search_packages", plan: planSearchPackages},
	{name: "package_info", plan: planPackageInfo},
	{name: "check_updates", plan: planCheckUpdates},
	{name: "check_service", plan: planCheckService},
	{name: "system_info", plan: planSystemInfo},
	{name: "check_hardware", plan: planCheckHardware},
	{name: "check_boot", plan: planCheckBoot},
	{name: "remember", plan: planRemember, needs: needsNotebook, saves: true},
	{name: "recall", plan: planRecall, needs: needsNotebook},
	{name: "forget", plan: planForget, needs: needsNotebook},
	{name: "update_user", plan: planUpdateUser, needs: needsNotebook, saves: true},
	{name: "schedule", plan: planSchedule, needs: needsAutomations},
	{name: "list_automations", plan: planListAutomations, needs: needsAutomations},
	{name: "change_automation", plan: planChangeAutomation, needs: needsAutomations},
	{name: "remove_automation", plan: planRemoveAutomation, needs: needsAutomations},
	{name: "send_file", plan: planSendFile, needs: needsFileSender},
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
			needs: p.needs,
			saves: p.saves,
		})
	}
	return all, nil
}

// RequireExplicitMemory returns the tools with an instruction to models to only save notes when the person asks for it.
func RequireExplicitMemory(all []Tool) []Tool {
	all = slices.Clone(all)
	for i, t := range all {
		if t.saves {
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
