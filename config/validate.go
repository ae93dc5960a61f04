package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// validate refuses values outside their list or range. where names the layer
// that was laid on last: what stood before has been found good.
func (c *Config) validate(where string) error {
	for _, problem := range []string{c.badWord(), c.badNumber(), c.badProvider()} {
		if problem != "" {
			return &Error{File: where, Problem: problem}
		}
	}
	return nil
}

func (c *Config) badWord() string {
	for _, v := range []struct {
		key, value string
		known      []string
	}{
		{"ai_agent.claude_mode", c.Agent.ClaudeMode, []string{"api", "oauth"}},
		{"ai_agent.autonomy", c.Agent.Autonomy, []string{"read_only", "supervised", "full"}},
		{"ai_agent.language", c.Agent.Language, []string{"auto", "ko", "en", "zh"}},
	} {
		if v.value != "" && !slices.Contains(v.known, v.value) {
			return notOneOf(v.key, v.value, v.known)
		}
	}
	return ""
}

func notOneOf(key, value string, known []string) string {
	return fmt.Sprintf("%s = %q: must be one of %s", key, value, strings.Join(known, ", "))
}

// badNumber bounds numbers to what fits every use of them; a number of
// seconds beyond it would overflow a duration.
func (c *Config) badNumber() string {
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
		{"whatsapp.session_timeout", c.WhatsApp.SessionTimeout},
		{"whatsapp.max_messages_per_minute", c.WhatsApp.MaxMessagesPerMinute},
	} {
		if v.n < 0 || v.n > math.MaxInt32 {
			return fmt.Sprintf("%s = %d: must be from 0 (the default) to %d", v.key, v.n, math.MaxInt32)
		}
	}
	return ""
}

func (c *Config) badProvider() string {
	styles := []string{"x-api-key", "bearer"}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		p := c.Providers[name]
		switch {
		case p.AuthStyle != "" && !slices.Contains(styles, p.AuthStyle):
			return notOneOf("providers."+name+".auth_style", p.AuthStyle, styles)
		case p.MaxTokens < 0 || p.MaxTokens > math.MaxInt32:
			return fmt.Sprintf("providers.%s.max_tokens = %d: must be positive", name, p.MaxTokens)
		case p.Temperature != nil && !(*p.Temperature >= 0 && *p.Temperature <= 2):
			return fmt.Sprintf("providers.%s.temperature = %v: must be from 0 to 2", name, *p.Temperature)
		}
	}
	return ""
}
