package config

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// MCP is an [mcp.NAME] table: a server of tools that speaks the Model Context Protocol. A later layer's table
// replaces an earlier one of the same name as a whole, so that one file's allow list is never combined with
// another file's command.
type MCP struct {
	Command []string `toml:"command"` // program and arguments, or
	URL     string   `toml:"url"`     // https, or http on this computer; exclusive with Command
	// Allow lists the server's read-only tools, by its own names, that run without approval.
	Allow []string `toml:"allow"`
	// Env are environment variables of the program. "$NAME" is replaced by the value of the daemon's variable, so
	// that the file need not contain secrets.
	Env     map[string]string `toml:"env"`
	Timeout int               `toml:"timeout"` // seconds of one call, default 60
}

// TimeoutDuration is the time limit of a call.
func (m MCP) TimeoutDuration() time.Duration {
	if m.Timeout == 0 {
		return time.Minute
	}
	return seconds(m.Timeout)
}

// Bounds of servers.
const (
	maxServers    = 32
	maxMCPTimeout = 3600 // seconds
)

var (
	// serverName has no underscore, which separates it from the tool in the names of tools.
	serverName  = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)
	mcpTool     = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)
	mcpVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// mergeMCP overrides the servers of base by those of top.
func mergeMCP(base, top map[string]MCP) map[string]MCP {
	if base == nil {
		return top
	}
	maps.Copy(base, top)
	return base
}

// badMCP returns the first invalid value of the [mcp] tables.
func (c *Config) badMCP() problem {
	for i, name := range slices.Sorted(maps.Keys(c.MCP)) {
		key := "mcp." + name
		switch {
		case !serverName.MatchString(name):
			return problem{key, i18n.ServerName(key)}
		case i >= maxServers:
			return problem{key, i18n.ServerTooMany(maxServers)}
		}
		if field, why := c.MCP[name].bad(); !why.IsZero() {
			if field == "" {
				return problem{key, i18n.SettingOf(key, why)}
			}
			return problem{key + "." + field, i18n.SettingOf(key+"."+withoutNumbers(field), why)}
		}
	}
	return problem{}
}

// bad returns the first invalid field and the reason.
func (m MCP) bad() (field string, why i18n.Text) {
	switch {
	case len(m.Command) == 0 && m.URL == "":
		return "", i18n.ServerNeither
	case len(m.Command) > 0 && m.URL != "":
		return "url", i18n.ServerBoth
	case m.Timeout < 0 || m.Timeout > maxMCPTimeout:
		return "timeout", i18n.ServerTimeout(m.Timeout, maxMCPTimeout)
	case m.URL != "" && !isMCPURL(m.URL):
		return "url", i18n.ServerUrl(m.URL)
	case m.URL != "" && len(m.Env) > 0:
		return "env", i18n.ServerEnv
	}
	if len(m.Command) > 0 && (m.Command[0] == "" || strings.HasPrefix(m.Command[0], "-")) {
		return "command[0]", i18n.ServerProgram(m.Command[0])
	}
	for i, word := range m.Command {
		if strings.ContainsFunc(word, unicode.IsControl) {
			return fmt.Sprintf("command[%d]", i), i18n.ServerControl
		}
	}
	return m.badName()
}

// badName returns the first invalid tool or variable name and the reason.
func (m MCP) badName() (field string, why i18n.Text) {
	for i, tool := range m.Allow {
		if !mcpTool.MatchString(tool) {
			return fmt.Sprintf("allow[%d]", i), i18n.ServerTool(tool)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		value := m.Env[name]
		of, variable := strings.CutPrefix(value, "$")
		switch {
		case !mcpVariable.MatchString(name):
			return "env", i18n.ServerVariable(name)
		case variable && !mcpVariable.MatchString(of):
			return "env." + name, i18n.ServerValue(value)
		case strings.ContainsRune(value, 0):
			return "env." + name, i18n.ServerNul
		}
	}
	return "", why
}

// isMCPURL reports whether a URL is allowed: personal data must not cross a network unencrypted.
func isMCPURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	near := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && near
}
