package tools_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/providers"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/safety"
)

var update = flag.Bool("update", false, "write the golden files anew")

func allTools(t require.TestingT) map[string]tools.Tool {
	all, err := tools.All()
	require.NoError(t, err)
	byName := map[string]tools.Tool{}
	for _, tool := range all {
		byName[tool.Definition.Name] = tool
	}
	require.Len(t, byName, len(all), "no two tools share a name")
	return byName
}

// arch is a desktop with all programs installed except gone.
func arch(gone ...string) tools.Env {
	return tools.Env{
		Home: "/home/blu", Dir: "/home/blu/src",
		HasProgram: func(program string) bool { return !slices.Contains(gone, program) },
		Limits:     tools.Timeouts{Command: time.Minute, Update: 5 * time.Minute},
	}
}

// inventory lists for every tool whether it only reads. run_command can do both.
var inventory = map[string]string{
	"check_disk": "reads", "check_memory": "reads", "check_processes": "reads", "read_logs": "reads",
	"check_network": "reads", "list_packages": "reads", "find_large": "reads", "search_packages": "reads",
	"package_info": "reads", "check_updates": "reads", "check_service": "reads", "system_info": "reads",
	"check_hardware": "reads", "check_boot": "reads",
	"install_package": "changes", "remove_package": "changes", "update_system": "changes", "manage_service": "changes",
	"run_command": "depends",
	"recall":      "notes", "remember": "notes", "forget": "notes", "update_user": "notes",
	"schedule": "notes", "list_automations": "notes", "change_automation": "notes", "remove_automation": "notes",
	"send_file": "notes", "plan": "depends", "undo": "notes", "recent_changes": "notes",
	"read_file": "notes", "list_files": "notes", "glob": "notes", "write_file": "notes", "edit_file": "notes",
	"fetch_page": "notes", "download": "notes", "http_request": "notes", "browser": "notes", "diagnose": "notes", "explain": "notes", "desktop": "notes", "pacnew": "notes", "preview_upgrade": "notes", "why_failed": "notes",
}

// needsFiles reports whether a tool can only be planned where there are receipts and files.
func needsFiles(name string) bool {
	return name == "undo" || name == "write_file" || name == "edit_file"
}

func TestTheInventoryIsComplete(t *testing.T) {
	byName := allTools(t)
	for name := range inventory {
		require.Contains(t, byName, name)
	}
	require.Len(t, byName, len(inventory))
	for _, name := range []string{"approve", "allow", "confirm"} {
		require.NotContains(t, byName, name, "threat 3: approvals are not a tool")
	}
}

// TestToolsThatOnlyReadNeverAsk: what MCP clients learn of a tool is what the checker says of each of its calls. Pages of
// hosts that no one named are asked about because their address is sent.
func TestToolsThatOnlyReadNeverAsk(t *testing.T) {
	checker := safety.New(safety.Options{Home: "/home/blu", User: "blu"})
	for name, tool := range allTools(t) {
		if inventory[name] == "reads" {
			require.True(t, tools.OnlyReads(name), name)
		}
		if !tools.OnlyReads(name) {
			continue
		}
		require.NotEqual(t, "changes", inventory[name], name)
		for _, call := range calls(t) {
			if call.Name != name {
				continue
			}
			plan, err := tool.Plan(arch(), call.Input)
			require.NoError(t, err, name)
			if plan.Action != nil {
				require.False(t, plan.Action.Changes(), name)
				continue
			}
			for _, c := range plan.Commands {
				v := checker.JudgeIn("/home/blu", c.Shell)
				if c.Shell == "" {
					v = checker.JudgeArgv("/home/blu", c.Argv)
				}
				require.Equal(t, safety.Safe, v.Class, "%s: %v", name, c)
			}
		}
	}
	require.False(t, tools.OnlyReads("run_command"))
	require.False(t, tools.OnlyReads("no_such_tool"))
}

func TestEveryToolIsDescribed(t *testing.T) {
	for name, tool := range allTools(t) {
		d := tool.Definition.Description
		require.Greater(t, len(d), 40, name)
		require.Equal(t, strings.TrimSpace(d), d, name)
		require.True(t, strings.HasSuffix(d, ".") || strings.HasSuffix(d, ")"), name)
		require.Regexp(t, `^[a-z][a-z_]*$`, name, "what every provider takes for a name")
	}
}

// schema is the part of JSON Schema that the tools use.
type schema struct {
	Type        string            `json:"type"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Description string            `json:"description"`
	Enum        []string          `json:"enum"`
	Minimum     *int              `json:"minimum"`
	Maximum     *int              `json:"maximum"`
	Items       *schema           `json:"items"`
}

func schemaOf(t require.TestingT, d providers.ToolDefinition) schema {
	var s schema
	dec := json.NewDecoder(strings.NewReader(string(d.InputSchema)))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&s), d.Name)
	return s
}

func TestEveryInputSchemaIsAnObject(t *testing.T) {
	for name, tool := range allTools(t) {
		s := schemaOf(t, tool.Definition)
		require.Equal(t, "object", s.Type, name)
		require.NotNil(t, s.Properties, "%s: some providers refuse an object without properties", name)
		for _, r := range s.Required {
			require.Contains(t, s.Properties, r, name)
		}
		for key, p := range s.Properties {
			require.Contains(t, []string{"string", "boolean", "integer", "array"}, p.Type, "%s.%s", name, key)
			if tool.Definition.Deferred { // the others go with each request: only their tool is described where a name says enough
				require.NotEmpty(t, p.Description, "%s.%s", name, key)
			}
			if p.Enum != nil {
				require.Equal(t, "string", p.Type, "%s.%s", name, key)
			}
		}
		require.NotContains(t, string(tool.Definition.InputSchema), "\n", "%s: sent with every request, so without blanks", name)
	}
}

// TestSchemaAndPlanAgree: planning accepts the values of the schema, and fails if a required value is missing.
func TestSchemaAndPlanAgree(t *testing.T) {
	good := map[string]any{
		"name": "htop", "query": "pdf", "command": "df -h", "unit": "sshd", "since": "today", "grep": "error",
		"path": "/var", "lines": 7, "failed": true, "enabled": false, "user": true,
		"text": "likes tea", "key": "tea", "category": "home", "content": "Likes tea.",
		"cron": "0 9 * * *", "task": "check the disk", "at": "18:00", "on": "host:127.0.0.1", "say": "laundry", "notify": "desktop", "check": "disk", "over": 90, "file": "/etc/pacman.conf", "choice": "mine",
		"pattern": "**/*.conf", "hidden": true, "offset": 2, "limit": 3, "day": "yesterday", "goal": "a quiet machine", "steps": []map[string]any{{"verb": "run", "args": map[string]any{"command": "df -h"}}},
		"url": "https://example.org/a.txt", "headers": []string{"Accept: text/plain"}, "body": "x",
		"status": 127, "output": "vlc: command not found", "topic": "start", "object": "firefox", "everything": true, "thing": "firefox", "package": "firefox", "ref": "e7", "submit": true, "up": true, "verb": "volume", "act": "set", "amount": "30",
	}
	for name, tool := range allTools(t) {
		if needsFiles(name) {
			continue
		}
		s := schemaOf(t, tool.Definition)
		full := map[string]any{}
		for key, p := range s.Properties {
			if name == "change_automation" && key != "name" && key != "enabled" { // one change per call
				continue
			}
			full[key] = good[key]
			if p.Enum != nil {
				full[key] = p.Enum[0]
			}
			require.NotNil(t, full[key], "%s.%s", name, key)
		}
		plan := func(input map[string]any) (tools.Plan, error) {
			raw, err := json.Marshal(input)
			require.NoError(t, err)
			return tool.Plan(arch(), raw)
		}
		for key, p := range s.Properties {
			for _, value := range p.Enum {
				full[key] = value
				p, err := plan(full)
				require.NoError(t, err, "%s %s=%s", name, key, value)
				require.NotEmpty(t, tools.JudgedPlan{Plan: p}.Lines())
			}
			if p.Enum != nil {
				full[key] = "surely not this"
				_, err := plan(full)
				if !(name == "check_processes" && key == "sort") { // sorting has no effect with a name
					require.ErrorContains(t, err, "must be one of", "%s.%s", name, key)
				}
				full[key] = p.Enum[0]
			}
		}
		for _, r := range s.Required {
			value := full[r]
			delete(full, r)
			_, err := plan(full)
			require.Error(t, err, "%s without %s", name, r)
			full[r] = value
		}
	}
}

// calls reads testdata/calls.txt.
func calls(t require.TestingT) []tools.Call {
	data, err := os.ReadFile(filepath.Join("testdata", "calls.txt"))
	require.NoError(t, err)
	var list []tools.Call
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		name, input, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, line)
		list = append(list, tools.Call{Name: name, Input: json.RawMessage(input)})
	}
	return list
}

func TestPlans(t *testing.T) {
	byName := allTools(t)
	root := arch()
	root.Root = true
	var b strings.Builder
	for _, machine := range []struct {
		title string
		env   tools.Env
		only  []string
	}{
		{"a desktop with everything", arch(), nil},
		{"without yay", arch("yay"), []string{"install_package", "remove_package"}},
		{"without yay and pacman", arch("yay", "pacman"), []string{"install_package", "check_updates"}},
		{"without checkupdates", arch("checkupdates"), []string{"check_updates"}},
		{"as root", root, []string{"install_package", "remove_package", "update_system", "manage_service"}},
	} {
		fmt.Fprintf(&b, "# %s\n", machine.title)
		for _, call := range calls(t) {
			if machine.only != nil && !slices.Contains(machine.only, call.Name) {
				continue
			}
			plan, err := byName[call.Name].Plan(machine.env, call.Input)
			require.NoError(t, err, "%s %s", call.Name, call.Input)
			require.Equal(t, call.Name, plan.Tool)
			fmt.Fprintf(&b, "%s %s\n", call.Name, call.Input)
			require.True(t, (plan.Action == nil) != (plan.Commands == nil), "exactly one of the two")
			if plan.Action != nil {
				fmt.Fprintf(&b, "    argv  %s\n", tools.JudgedPlan{Plan: plan}.Command())
			}
			for _, c := range plan.Commands {
				require.True(t, (c.Argv == nil) != (c.Shell == ""), "exactly one of the two")
				kind := "argv "
				if c.Shell != "" {
					kind = "shell"
				}
				fmt.Fprintf(&b, "    %s %s\n", kind, c)
			}
		}
	}
	golden(t, "plans.golden", b.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestEveryToolAndEveryChoiceIsInTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, call := range calls(t) {
		var input map[string]any
		require.NoError(t, json.Unmarshal(call.Input, &input))
		seen[call.Name] = true
		for key, value := range input {
			seen[fmt.Sprintf("%s %s", call.Name, key)] = true
			seen[fmt.Sprintf("%s %s=%v", call.Name, key, value)] = true
		}
	}
	for name, tool := range allTools(t) {
		if needsFiles(name) {
			continue
		}
		require.True(t, seen[name], name)
		for key, p := range schemaOf(t, tool.Definition).Properties {
			require.True(t, seen[name+" "+key], "%s %s", name, key)
			for _, value := range p.Enum {
				require.True(t, seen[name+" "+key+"="+value], "%s %s=%s", name, key, value)
			}
		}
	}
}

// TestReadOnlyToolsAreSafeAndOthersAsk judges every plan of the table with the real checker: a reading tool
// must not need a confirmation, a changing one must.
func TestReadOnlyToolsAreSafeAndOthersAsk(t *testing.T) {
	checker := safety.New(safety.Options{Home: "/home/blu", User: "blu"})
	for _, gone := range [][]string{nil, {"yay"}, {"checkupdates"}} {
		for _, root := range []bool{false, true} {
			env := arch(gone...)
			env.Root = root
			for name, tool := range allTools(t) {
				for _, call := range calls(t) {
					if call.Name != name {
						continue
					}
					plan, err := tool.Plan(env, call.Input)
					require.NoError(t, err)
					class := plan.AtLeast
					var why []safety.Reason
					for _, c := range plan.Commands {
						v := checker.JudgeArgv(env.Dir, c.Argv)
						if c.Shell != "" {
							v = checker.JudgeIn(env.Dir, c.Shell)
						}
						class = max(class, v.Class)
						why = append(why, v.Reasons...)
					}
					switch inventory[name] {
					case "reads":
						require.Equal(t, safety.Safe, class, "%s %s: %v", name, call.Input, why)
					case "changes":
						require.Equal(t, safety.Confirm, class, "%s %s: %v", name, call.Input, why)
						require.Equal(t, safety.Confirm, plan.AtLeast, "%s asks whatever the checker thinks", name)
					}
				}
			}
		}
	}
}

func TestPackageChangesMayTakeLonger(t *testing.T) {
	byName := allTools(t)
	for name, want := range map[string]time.Duration{
		"install_package": 5 * time.Minute, "remove_package": 5 * time.Minute, "update_system": 5 * time.Minute,
		"manage_service": time.Minute, "check_disk": time.Minute, "run_command": time.Minute, "find_large": time.Minute,
	} {
		plan, err := byName[name].Plan(arch(), json.RawMessage(`{"name":"x","action":"start","command":"x"}`))
		require.NoError(t, err)
		require.Equal(t, want, plan.Timeout, name)
	}
}

func TestProgramsOfOurToolsHaveAnArchPackage(t *testing.T) {
	require.Equal(t, "lm_sensors", machine.PackageOf("sensors"))
	require.Equal(t, "pacman-contrib", machine.PackageOf("checkupdates"))
	require.Empty(t, machine.PackageOf("something"), "a package is never invented")
	for name, tool := range allTools(t) {
		if inventory[name] == "depends" || inventory[name] == "notes" {
			continue
		}
		for _, call := range calls(t) {
			if call.Name != name {
				continue
			}
			plan, err := tool.Plan(arch(), call.Input)
			require.NoError(t, err)
			for _, c := range plan.Commands {
				if c.Argv != nil {
					require.NotEqual(t, "", machine.PackageOf(c.Argv[0]))
					require.True(t, machine.PackageOf(c.Argv[0]) != c.Argv[0] || slices.Contains([]string{"pacman", "sudo", "upower", "dkms"}, c.Argv[0]), c.Argv[0])
				}
			}
		}
	}
}
