package tools

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/schema"
	"github.com/nidoit/blunux-ai/tools/shell"
)

// Tool is a tool that a model can call.
type Tool struct {
	Definition providers.ToolDefinition
	// Plan parses the input. The model sees its error and can correct the input.
	Plan func(Env, json.RawMessage) (Plan, error)
	attributes
}

// attributes are what is known about one of our own tools.
type attributes struct {
	needs   string // the kind of its actions, "" for commands. Files are offered by [Gate.SendTools] only.
	saves   bool   // a model can call it by itself to save something
	ownText bool   // its output is this program's own text
	reads   bool   // no call of it changes anything, here or elsewhere
	core    bool   // offered from the beginning of a conversation; others are listed by the directory
}

// runCommand is the tool that runs any command.
const runCommand = "run_command"

// The files that models read for each tool: tool/NAME.md is its description, tool/NAME.json the JSON Schema of
// its input.
//
//go:embed tool/*.md tool/*.json
var toolFiles embed.FS

// table lists the tools: NARE TDD section 7.2, then the most requested read-only tools, notes, automations and sending
// files.
var table = []tableRow{
	{name: "check_disk", plan: fixed(machine.DFProbe), attributes: attributes{core: true, reads: true}},
	{name: "check_memory", plan: fixed(machine.FreeProbe), attributes: attributes{core: true, reads: true}},
	{name: "check_processes", plan: typed(planCheckProcesses), attributes: attributes{core: true, reads: true}},
	{name: "read_logs", plan: typed(planReadLogs), attributes: attributes{core: true, reads: true}},
	{name: "check_network", plan: typed(planCheckNetwork), attributes: attributes{core: true, reads: true}},
	{name: "list_packages", plan: typed(planListPackages), attributes: attributes{reads: true}},
	{name: "install_package", plan: typed(changePackages("-S", reasonInstall))},
	{name: "remove_package", plan: typed(changePackages("-Rns", reasonRemove))},
	{name: "update_system", plan: typed(planUpdateSystem)},
	{name: "manage_service", plan: typed(planManageService)},
	{name: runCommand, plan: typed(planRunCommand), attributes: attributes{core: true}},
	{name: "find_large", plan: typed(planFindLarge), attributes: attributes{reads: true}},
	{name: "search_packages", plan: typed(planSearchPackages), attributes: attributes{reads: true}},
	{name: "package_info", plan: typed(planPackageInfo), attributes: attributes{reads: true}},
	{name: "check_updates", plan: typed(planCheckUpdates), attributes: attributes{reads: true}},
	{name: "check_service", plan: typed(planCheckService), attributes: attributes{core: true, reads: true}},
	{name: "system_info", plan: fixed(systemInfo...), attributes: attributes{reads: true}},
	{name: "check_hardware", plan: typed(planCheckHardware), attributes: attributes{reads: true}},
	{name: "check_boot", plan: fixed(machine.StartupProbe, machine.BlameProbe, machine.ChainProbe), attributes: attributes{reads: true}},
	{name: "remember", plan: act(action.Remember), attributes: attributes{needs: action.KindNote, saves: true, ownText: true, core: true}},
	{name: "recall", plan: act(action.Recall), attributes: attributes{needs: action.KindNote, core: true, reads: true}},
	{name: "forget", plan: act(action.Forget), attributes: attributes{needs: action.KindNote, ownText: true}},
	{name: "update_user", plan: act(action.UpdateUser), attributes: attributes{needs: action.KindNote, saves: true, ownText: true}},
	{name: "schedule", plan: act(action.Schedule), attributes: attributes{needs: action.KindAutomation}},
	{name: "list_automations", plan: act(action.ListAutomations), attributes: attributes{needs: action.KindAutomation, reads: true}},
	{name: "change_automation", plan: act(action.ChangeAutomation), attributes: attributes{needs: action.KindAutomation}},
	{name: "remove_automation", plan: act(action.RemoveAutomation), attributes: attributes{needs: action.KindAutomation}},
	{name: "plan", plan: planSteps},
	{name: "undo", plan: typed(planUndo)},
	{name: "read_file", plan: typed(planReadFile), attributes: attributes{needs: action.KindLook, reads: true}},
	{name: "list_files", plan: typed(planListFiles), attributes: attributes{needs: action.KindLook, reads: true}},
	{name: "glob", plan: typed(planGlob), attributes: attributes{needs: action.KindLook, reads: true}},
	{name: "write_file", plan: typed(planWriteFile)},
	{name: "edit_file", plan: typed(planEditFile)},
	{name: "recent_changes", plan: act(action.RecentChanges), attributes: attributes{needs: action.KindHistory, reads: true}},
	{name: "diagnose", plan: act(planDiagnose), attributes: attributes{reads: true}},
	{name: "why_failed", plan: act(planWhyFailed), attributes: attributes{reads: true}},
	{name: "preview_upgrade", plan: act(planPreview), attributes: attributes{reads: true}},
	{name: "explain", plan: act(planExplain), attributes: attributes{reads: true}},
	{name: "desktop", plan: act(planDesktop), attributes: attributes{reads: true}},
	{name: "pacnew", plan: act(planPacnew), attributes: attributes{reads: true}},
	{name: "fetch_page", plan: act(action.FetchPage), attributes: attributes{needs: action.KindWeb, reads: true}},
	{name: "download", plan: typed(planDownload), attributes: attributes{needs: action.KindWeb}},
	{name: "http_request", plan: act(action.HTTPRequest), attributes: attributes{needs: action.KindWeb}},
	{name: "browser", plan: typed(planBrowser), attributes: attributes{needs: action.KindBrowser}},
	{name: "send_file", plan: typed(planSendFile), attributes: attributes{needs: action.KindFile, core: true}},
}

// tableRow is one of our own tools.
type tableRow struct {
	name string
	plan planner
	attributes
}

// planner parses a tool's input and plans its commands.
type planner func(Env, json.RawMessage) (Plan, error)

// typed returns a planner that decodes its input.
func typed[T any](plan func(Env, T) (Plan, error)) planner {
	return func(env Env, input json.RawMessage) (Plan, error) {
		in, err := schema.Decode[T](input)
		if err != nil {
			return Plan{}, err
		}
		return plan(env, in)
	}
}

// fixed returns a planner of fixed commands that ignores the input.
func fixed(commands ...[]string) planner {
	return func(Env, json.RawMessage) (Plan, error) { return argvPlan(commands...), nil }
}

// act returns a planner of an action.
func act[T any](plan func(T) (action.Action, error)) planner {
	return typed(func(_ Env, in T) (Plan, error) {
		a, err := plan(in)
		return Plan{Action: a}, err
	})
}

// All returns every tool, in the order in which models see them.
func All() ([]Tool, error) {
	all := make([]Tool, len(table))
	for i, row := range table {
		description, err := toolFiles.ReadFile("tool/" + row.name + ".md")
		if err != nil {
			return nil, fmt.Errorf("cannot read the description of %s: %w", row.name, err)
		}
		input, err := toolFiles.ReadFile("tool/" + row.name + ".json")
		if err == nil {
			input, err = json.Marshal(json.RawMessage(input)) // without blanks, because it is sent with every request
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the schema of %s: %w", row.name, err)
		}
		all[i] = Tool{
			Definition: providers.ToolDefinition{
				Name: row.name, Description: strings.TrimSpace(string(description)), InputSchema: input, Deferred: !row.core,
			},
			Plan:       withDefaults(row.name, row.plan),
			attributes: row.attributes,
		}
	}
	return all, nil
}

// PrintsOwnText reports whether the output of a tool is this program's own text, not that of others.
func PrintsOwnText(name string) bool {
	if name == directory {
		return true
	}
	for _, row := range table {
		if row.name == name {
			return row.ownText
		}
	}
	return false
}

// OnlyReads reports whether no call of a tool of ours can change anything. False is said of all others.
func OnlyReads(name string) bool {
	return slices.ContainsFunc(table, func(row tableRow) bool { return row.name == name && row.reads })
}

// PagesRead returns the hosts of the web pages in the output of a call.
func PagesRead(out providers.Output) (hosts []string) {
	for _, s := range out.Steps {
		argv, literal := shell.ParseLiteral(s.Command)
		if !literal || s.Stdout == "" {
			continue
		}
		if host := cmp.Or(action.PageOf(argv), action.PageUsed(argv, s.Stdout)); host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts
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

// planForeign returns the planner of another server's tool.
func planForeign(f action.ForeignTool) planner {
	return func(_ Env, input json.RawMessage) (Plan, error) {
		a, err := f.Call(input)
		return Plan{Tool: f.Definition.Name, Timeout: f.Timeout, Action: a, Against: f.Digest}, err
	}
}

// planDownload plans to download a file, which can take as long as a change of packages.
func planDownload(env Env, in struct{ URL, Name string }) (Plan, error) {
	a, err := action.Download(in)
	return Plan{Action: a, Timeout: env.Limits.Update}, err
}

// planSendFile plans to send a file.
func planSendFile(env Env, in struct{ Path string }) (Plan, error) {
	if strings.TrimSpace(in.Path) == "" {
		return Plan{}, errors.New("path is missing")
	}
	path, err := absolutePath(env, in.Path)
	return Plan{AtLeast: safety.Confirm, Reason: action.ReasonSendFile, Action: action.SendFile(path)}, err
}
