package wire

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/internal/child"
	"github.com/nidoit/blunux-ai/internal/helper"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/rs/zerolog"
)

// newServers returns the client of MCP servers, and a function that ends it. Their messages go to the daemon's log. The
// program that holds the connections runs only while there is one.
func newServers(version string, log zerolog.Logger) (servers *mcpclient.Servers, end func()) {
	held := mcpclient.NewHelper(helper.Start(func() (child.Start, error) { return connector(version, os.Getenv) }), func(line string) {
		log.Warn().Msg("mcp: " + ExtraProgram + ": " + ipc.VisibleLine(line))
	})
	servers = mcpclient.New(mcpclient.Options{
		Connect: held.Connect,
		Log:     func(server, line string) { log.Warn().Str("server", server).Msg("mcp: " + ipc.VisibleLine(line)) },
	})
	return servers, func() {
		servers.Close()
		held.Close()
	}
}

// connector returns how the program that holds the connections is started. It gets no keys.
func connector(version string, getenv func(string) string) (child.Start, error) {
	program, err := installed.Find(ExtraProgram)
	if err != nil {
		return child.Start{}, err
	}
	options, err := json.Marshal(map[string]string{"version": version})
	if err != nil {
		return child.Start{}, err
	}
	return child.Start{
		File: program,
		Args: []string{"mcp-client", string(options)},
		Dir:  "/",
		Env:  inheritedEnv(getenv, config.HomeDir(getenv)),
	}, nil
}

// inheritedEnv returns the variables of [inherited] that are set, and HOME.
func inheritedEnv(getenv func(string) string, home string) []string {
	env := []string{"HOME=" + home}
	for _, v := range inherited {
		if value := getenv(v); value != "" {
			env = append(env, v+"="+value)
		}
	}
	return env
}

// mcpTools returns the MCP servers as the gate uses them.
func (b Builder) mcpTools() action.Foreign {
	if b.Process.MCPServers == nil {
		return nil
	}
	return b.Process.MCPServers
}

// configureServers applies a newly read configuration to the MCP servers.
func (b Builder) configureServers(servers []mcpclient.Server, own []tools.Tool, redactor *secret.Redactor) {
	if b.Process.MCPServers == nil {
		return
	}
	names := make([]string, len(own))
	for i, t := range own {
		names[i] = t.Definition.Name
	}
	b.Process.MCPServers.Configure(servers, names, func(text string) string { return agent.Neutralize(redactor.Redact(text)) })
}

// inherited lists the environment variables that MCP servers inherit: about the user and the session, without
// keys.
var inherited = []string{
	"PATH", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS",
	"XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
}

// servers returns the configured MCP servers, and the secrets in their environment.
func (src Sources) servers(cfg config.Config, home string) (list []mcpclient.Server, secrets []string) {
	for _, name := range slices.Sorted(maps.Keys(cfg.MCP)) {
		m := cfg.MCP[name]
		s := mcpclient.Server{
			Name: name, URL: m.URL, Dir: home, Allow: m.Allow, Timeout: m.TimeoutDuration(),
			Env: inheritedEnv(src.Getenv, home),
		}
		for _, word := range m.Command {
			s.Command = append(s.Command, config.ExpandHome(word, home))
		}
		for _, key := range slices.Sorted(maps.Keys(m.Env)) {
			value := m.Env[key]
			if of, variable := strings.CutPrefix(value, "$"); variable {
				if value = src.Getenv(of); value == "" {
					s.Problem = "mcp." + name + ".env." + key + " refers to $" + of + ", which is not set"
				}
				secrets = append(secrets, value)
			}
			s.Env = slices.DeleteFunc(s.Env, func(v string) bool { return strings.HasPrefix(v, key+"=") })
			s.Env = append(s.Env, key+"="+value)
		}
		if fi, err := os.Stat(home); err != nil || !fi.IsDir() {
			s.Dir = "/"
		}
		list = append(list, s)
	}
	return list, secrets
}
