package config

import (
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// MCP is an [mcp.NAME] table: another program's tools, spoken to by the Model
// Context Protocol. A later layer's table replaces an earlier one of the same
// name as a whole, so that nobody's allow stays beside another's command.
type MCP struct {
	Command []string `toml:"command"` // program and arguments, or
	URL     string   `toml:"url"`     // https, or http on this computer
	// Allow are the server's tools, by its own names, that run unasked: those
	// the person holds to only read.
	Allow []string `toml:"allow"`
	// Env are the program's variables; "$NAME" stands for the value of one of
	// the daemon's, so that no secret need stand in the file.
	Env     map[string]string `toml:"env"`
	Timeout int               `toml:"timeout"` // seconds of one call, default 60
}

// TimeoutDuration is how long a call may take.
func (m MCP) TimeoutDuration() time.Duration {
	if m.Timeout == 0 {
		return time.Minute
	}
	return seconds(m.Timeout)
}

// The bounds of servers.
const (
	maxServers    = 32
	maxMCPTimeout = 3600 // seconds
)

var (
	// serverName has no underscore: it stands before one in the names of tools.
	serverName  = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	mcpTool     = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	mcpVariable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// mergeMCP lays the servers of top over base.
func mergeMCP(base, top map[string]MCP) map[string]MCP {
	if base == nil {
		return top
	}
	maps.Copy(base, top)
	return base
}

// badMCP finds what cannot be used of the [mcp] tables.
func (c *Config) badMCP() problem {
	for i, name := range slices.Sorted(maps.Keys(c.MCP)) {
		key := "mcp." + name
		switch {
		case !serverName.MatchString(name):
			return problem{key, key + ": a server's name is at most 32 lower-case letters, digits and dashes, a letter first"}
		case i >= maxServers:
			return problem{key, fmt.Sprintf("mcp: there are more than %d servers", maxServers)}
		}
		if field, why := c.MCP[name].bad(); why != "" {
			if field == "" {
				return problem{key, key + ": " + why}
			}
			return problem{key + "." + field, key + "." + unnumbered(field) + ": " + why}
		}
	}
	return problem{}
}

// bad returns the field that cannot be used, and why.
func (m MCP) bad() (field, why string) {
	switch {
	case len(m.Command) == 0 && m.URL == "":
		return "", `it needs a command = ["PROGRAM", …] or a url = "https://…"`
	case len(m.Command) > 0 && m.URL != "":
		return "url", "there is a command already: only one of the two"
	case m.Timeout < 0 || m.Timeout > maxMCPTimeout:
		return "timeout", fmt.Sprintf("%d must be from 0 (the default) to %d seconds", m.Timeout, maxMCPTimeout)
	case m.URL != "" && !mcpURL(m.URL):
		return "url", fmt.Sprintf("%q must be https://…, or http://… on this computer, without a name or password in it", m.URL)
	case m.URL != "" && len(m.Env) > 0:
		return "env", "only a command has an environment"
	}
	if len(m.Command) > 0 && (m.Command[0] == "" || strings.HasPrefix(m.Command[0], "-")) {
		return "command[0]", fmt.Sprintf("%q is no program", m.Command[0])
	}
	for i, word := range m.Command {
		if strings.ContainsFunc(word, unicode.IsControl) {
			return fmt.Sprintf("command[%d]", i), "it holds a control character"
		}
	}
	return m.badName()
}

// badName returns a tool or variable that cannot be one, and why.
func (m MCP) badName() (field, why string) {
	for i, tool := range m.Allow {
		if !mcpTool.MatchString(tool) {
			return fmt.Sprintf("allow[%d]", i), fmt.Sprintf("%q is no tool's name: letters, digits, _ and -, as the server has it", tool)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		value := m.Env[name]
		of, variable := strings.CutPrefix(value, "$")
		switch {
		case !mcpVariable.MatchString(name):
			return "env", fmt.Sprintf("%q is no variable's name", name)
		case variable && !mcpVariable.MatchString(of):
			return "env." + name, fmt.Sprintf("%q must be a text, or $ and the name of one variable", value)
		case strings.ContainsRune(value, 0):
			return "env." + name, "it holds a NUL"
		}
	}
	return "", ""
}

// mcpURL reports whether an address can be used: nothing personal may go over a
// network in the clear.
func mcpURL(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	near := u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && near
}
