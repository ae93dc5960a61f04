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

// serverName is what our tools are served as: claude calls them
// mcp__blunux__NAME.
const serverName = "blunux"

const toolPrefix = "mcp__" + serverName + "__"

// passedOn are the variables claude may need to reach its login and the
// network. Nothing else of the daemon's environment gets through.
var passedOn = []string{
	"HOME", "USER", "LOGNAME", "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL",
}

// ownKeys pay for requests in the place of the subscription. They are passed
// on only for a server of the person's own, which is what they are for then.
var ownKeys = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}

// fixedEnv switches off what claude does besides answering. Without
// DISABLE_ATTACHMENTS it reads every file that the words name behind an @,
// with no tool at all; a title for the conversation costs a request.
var fixedEnv = []string{
	"CLAUDE_CODE_DISABLE_ATTACHMENTS=1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
	"CLAUDE_CODE_DISABLE_TERMINAL_TITLE=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
	"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "ENABLE_TOOL_SEARCH=false",
	"CLAUDE_CODE_MAX_RETRIES=1",     // others know better what to do next
	"MCP_TIMEOUT=20000",             // ms, for our server to start
	"MCP_TOOL_TIMEOUT=86400000",     // ms: a person may be asked
	"MAX_MCP_OUTPUT_TOKENS=1000000", // output is cut to limits before
}

// settings forbid what the options leave out already: a second wall.
const settings = `{"permissions":{"deny":["Read(//**)","Edit(//**)","Bash","WebFetch","WebSearch","Task"]},"disableAllHooks":true}`

// environ is claude's environment.
func (o Options) environ() []string {
	names := passedOn
	if base := o.Getenv("ANTHROPIC_BASE_URL"); base != "" && !strings.Contains(base, "//api.anthropic.com") {
		names = slices.Concat(names, ownKeys)
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

// keyed reports whether a key pays, not the subscription.
func (o Options) keyed() bool {
	return slices.ContainsFunc(o.environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(ownKeys, name)
	})
}

// arguments are claude's options. Prompt, tools' server and working directory
// are files in dir: nothing personal stands where others can read it.
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

// lay writes what claude is started with into a directory of the process's own.
func (o Options) lay(dir, turn, system string, tools bool) error {
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
