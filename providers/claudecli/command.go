package claudecli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/providers"
)

// serverName is the MCP server name of our tools. claude calls them mcp__blunux__NAME.
const serverName = "blunux"

const toolPrefix = "mcp__" + serverName + "__"

// passedEnv are the variables that claude can need for its login and the network. It gets no others from the
// daemon's environment.
var passedEnv = []string{
	"HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL",
}

// keyVars are keys that would pay for requests instead of the subscription. They are passed on only if the user
// configured another server, since they are then meant for it.
var keyVars = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}

// fixedEnv disables claude's other activities. Without DISABLE_ATTACHMENTS it reads every file that the text
// names with an @, without any tool. A title for the conversation costs a request.
var fixedEnv = []string{
	"CLAUDE_CODE_DISABLE_ATTACHMENTS=1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
	"CLAUDE_CODE_DISABLE_TERMINAL_TITLE=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
	"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "ENABLE_TOOL_SEARCH=false",
	"CLAUDE_CODE_MAX_RETRIES=1",     // failover decides about retries
	"MCP_TIMEOUT=20000",             // ms, start of our server
	"MCP_TOOL_TIMEOUT=86400000",     // ms, because a call can wait for an approval
	"MAX_MCP_OUTPUT_TOKENS=1000000", // output is already cut to our limits
}

// settings denies again what the options disable.
const settings = `{"permissions":{"deny":["Read(//**)","Edit(//**)","Bash","WebFetch","WebSearch","Task"]},"disableAllHooks":true}`

// environ returns claude's environment.
func (o Options) environ() []string {
	names := passedEnv
	if base := o.Getenv("ANTHROPIC_BASE_URL"); base != "" && !strings.Contains(base, "//api.anthropic.com") {
		names = slices.Concat(names, keyVars)
	}
	var env []string
	for _, name := range names {
		v := o.Getenv(name)
		if name == "HOME" {
			v = o.Home
		}
		if v != "" {
			env = append(env, name+"="+v)
		}
	}
	if o.MaxTokens > 0 {
		env = append(env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.Itoa(o.MaxTokens))
	}
	return append(env, fixedEnv...)
}

// usesKey reports whether a key pays instead of the subscription.
func (o Options) usesKey() bool {
	return slices.ContainsFunc(o.environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(keyVars, name)
	})
}

// arguments returns claude's options. Prompt, tool server and working directory are files in dir, because other
// users can read arguments.
func arguments(model, dir string, tools []providers.ToolDefinition) []string {
	args := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--include-partial-messages",
		"--tools", "", "--strict-mcp-config", "--mcp-config", filepath.Join(dir, "mcp.json"),
		"--setting-sources", "", "--settings", settings, "--no-session-persistence", "--disable-slash-commands",
		"--permission-mode", "default", "--system-prompt-file", filepath.Join(dir, "prompt.md"),
	}
	if model != "" {
		args = append(args, "--model", model)
	}
	if len(tools) > 0 {
		names := make([]string, len(tools))
		for i, t := range tools {
			names[i] = toolPrefix + t.Name
		}
		args = append(args, "--allowedTools", strings.Join(names, ","))
	}
	return args
}

// writeFiles writes the configuration files of a process into its own directory.
func (o Options) writeFiles(dir, turn, system string, tools bool) error {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	servers := map[string]server{}
	if tools && len(o.Server) > 0 {
		servers[serverName] = server{o.Server[0], append(slices.Clone(o.Server[1:]), "--turn", turn), o.ServerEnv}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "empty"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "prompt.md"), []byte(system), 0o600)
}
