package config

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/nidoit/blunux-ai/i18n"
)

// problem is an invalid setting and the reason.
type problem struct {
	key  string // as for [layer.place]; "" if there is no problem
	text i18n.Text
}

// validate checks the values after a layer was added. Earlier layers are valid, so a problem is the layer's.
func (c *Config) validate(l layer) error {
	for _, p := range []problem{c.badWord(), c.badNumber(), c.badProvider(), c.badPrice(), c.Budget.bad(), c.Memory.bad(), c.badMCP(), c.badSender(), c.Security.bad(l)} {
		if p.key != "" {
			return l.newError(p)
		}
	}
	return nil
}

func (c *Config) badWord() problem {
	for _, v := range []struct {
		key, value string
		known      []string
	}{
		{"ai_agent.claude_mode", c.Agent.ClaudeMode, []string{"api", "oauth"}},
		{"ai_agent.autonomy", c.Agent.Autonomy, []string{"read_only", "supervised", "full"}},
		{"ai_agent.language", c.Agent.Language, []string{"auto", "ko", "en", "zh", "zh-Hant"}},
		{"budget.when_reached", c.Budget.WhenReached, []string{"local", "stop"}},
		{"memory.embeddings.dialect", c.Memory.Embeddings.Dialect, []string{"openai", "ollama"}},
		{"security.privilege", c.Security.Privilege, []string{"auto", "run0", "pkexec", "sudo", "none"}},
	} {
		if v.value != "" && !slices.Contains(v.known, v.value) {
			return notOneOf(v.key, v.value, v.known)
		}
	}
	return problem{}
}

func notOneOf(key, value string, known []string) problem {
	return problem{key, i18n.SettingOneOf(withoutNumbers(key), value, strings.Join(known, ", "))}
}

// badNumber limits numbers to 31 bits. More seconds could overflow a duration.
func (c *Config) badNumber() problem {
	for _, v := range []struct {
		key string
		n   int
	}{
		{"limits.output_bytes", c.Limits.OutputBytes},
		{"limits.output_lines", c.Limits.OutputLines},
		{"limits.history_messages", c.Limits.HistoryMessages},
		{"limits.rounds", c.Limits.Rounds},
		{"limits.command_timeout", c.Limits.CommandTimeout},
		{"limits.update_timeout", c.Limits.UpdateTimeout},
		{"limits.approval_timeout", c.Limits.ApprovalTimeout},
		{"limits.idle_exit", c.Limits.IdleExit},
		{"limits.first_byte", c.Limits.FirstByte},
		{"limits.between_bytes", c.Limits.BetweenBytes},
		{"whatsapp.session_timeout", c.WhatsApp.SessionTimeout},
		{"whatsapp.max_messages_per_minute", c.WhatsApp.MaxMessagesPerMinute},
	} {
		if v.n < 0 || v.n > math.MaxInt32 {
			return problem{v.key, i18n.SettingNumber(v.key, v.n, math.MaxInt32)}
		}
	}
	return problem{}
}

func (c *Config) badProvider() problem {
	styles := []string{"x-api-key", "bearer", "x-goog-api-key", "none"}
	tools := []string{"native", "text"}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p, key := c.Providers[name], "providers."+name
		switch {
		case hasUserInfo(p.BaseURL):
			return problem{key + ".base_url", i18n.SettingServer(key+".base_url", i18n.ServerNoUser)}
		case p.AuthStyle != "" && !slices.Contains(styles, p.AuthStyle):
			return notOneOf(key+".auth_style", p.AuthStyle, styles)
		case p.MaxTokens < 0 || p.MaxTokens > math.MaxInt32:
			return problem{key + ".max_tokens", i18n.SettingPositive(key+".max_tokens", p.MaxTokens)}
		case p.Tools != "" && !slices.Contains(tools, p.Tools):
			return notOneOf(key+".tools", p.Tools, tools)
		case p.Context < 0 || p.Context > math.MaxInt32:
			return problem{key + ".context", i18n.SettingPositive(key+".context", p.Context)}
		case p.Temperature != nil && !(*p.Temperature >= 0 && *p.Temperature <= 2):
			return problem{key + ".temperature", i18n.SettingWarmth(key+".temperature", *p.Temperature)}
		}
	}
	return problem{}
}

// hasUserInfo reports whether a URL contains a user name or a password, which would appear in logs and error
// messages.
func hasUserInfo(text string) bool {
	_, rest, found := strings.Cut(text, "://")
	authority, _, _ := strings.Cut(rest, "/")
	return found && strings.Contains(authority, "@")
}

// bad returns the first invalid value of the [security] table.
func (s *Security) bad(l layer) problem {
	for i, entry := range s.AllowedCommands {
		if !isCommandName(entry) {
			return problem{
				fmt.Sprintf("security.allowed_commands[%d]", i),
				i18n.SettingProgram("security.allowed_commands", entry),
			}
		}
	}
	for i, h := range s.KnownHosts {
		if !hostName.MatchString(h) {
			return problem{fmt.Sprintf("security.known_hosts[%d]", i), i18n.SettingHost("security.known_hosts", h)}
		}
	}
	if s.Workspace != "" && !isWholePath(s.Workspace) {
		return notAbsolute("security.workspace", s.Workspace)
	}
	for i, p := range s.BlockedPaths {
		if !isWholePath(p) {
			return notAbsolute(fmt.Sprintf("security.blocked_paths[%d]", i), p)
		}
	}
	if p := s.badPattern(l); p.key != "" {
		return p
	}
	return s.badRule(l)
}

func notAbsolute(key, value string) problem {
	return problem{key, i18n.SettingAbsolute(withoutNumbers(key), value)}
}

// hostName matches the name or the address of a host.
var hostName = regexp.MustCompile(`^[A-Za-z0-9_:]([A-Za-z0-9._:-]{0,250}[A-Za-z0-9:])?$`)

// isCommandName reports whether an entry of allowed_commands can be a program: a name or an absolute path of
// letters, digits and a few characters without meaning in a shell.
func isCommandName(s string) bool {
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._+-@/", r)
	}
	if s == "" || strings.HasPrefix(s, "-") || strings.ContainsFunc(s, odd) {
		return false
	}
	return !strings.Contains(s, "/") || filepath.IsAbs(s) && filepath.Clean(s) == s
}

// isWholePath reports whether a path is independent of the working directory.
func isWholePath(p string) bool {
	if strings.ContainsFunc(p, unicode.IsControl) {
		return false
	}
	return filepath.IsAbs(p) || p == "~" || strings.HasPrefix(p, "~/")
}
