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
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// problem is an invalid setting and the reason.
type problem struct {
	key  string // as for [layer.place]; "" if there is no problem
	text i18n.Text
}

// validate checks the values after a layer was added. Earlier layers are valid, so a problem is the layer's.
func (c *Config) validate(l layer) error {
	for _, p := range []problem{
		c.badWord(), c.badNumber(), c.badProvider(), c.badPrice(), c.Budget.bad(), c.Memory.bad(), c.badMCP(), c.badAgent(),
		c.Web.bad(), c.Gateway.bad(), c.Storage.bad(l), c.badSender(), c.badRoom(), c.Security.bad(l),
	} {
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
		{"chat.keys", c.Chat.Keys, []string{"emacs", "vi"}},
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
	for _, n := range c.numbers() {
		if *n.v < 0 || *n.v > math.MaxInt32 {
			return problem{n.key, i18n.SettingNumber(n.key, *n.v, math.MaxInt32)}
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

// hasUserInfo reports whether a URL contains a user name or a password, which would appear in logs and error messages.
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
var hostName = lazyregexp.New(`^[A-Za-z0-9_:]([A-Za-z0-9._:-]{0,250}[A-Za-z0-9:])?$`)

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

// Rule is a [[security.rules]] table: a pattern that makes a command warn, need approval, or be blocked. It needs
// examples, because a pattern that misses its target would fail silently.
type Rule struct {
	Name    string   `toml:"name"`     // shown to the person, at most 64 characters
	Pattern string   `toml:"pattern"`  // RE2, https://github.com/google/re2/wiki/Syntax
	Action  string   `toml:"action"`   // warn | confirm | block
	Match   []string `toml:"match"`    // commands that the pattern must match
	NoMatch []string `toml:"no_match"` // commands that it must not match

	// Compiled is the Pattern, set by [Load].
	Compiled *regexp.Regexp `toml:"-"`
}

// Bounds of rules and patterns. RE2 takes time proportional to the text for any pattern. These bound the factor.
const (
	maxPattern  = 1 << 10 // bytes of one pattern
	maxPatterns = 100     // dangerous patterns, and rules of all layers
	maxRuleName = 64      // characters
)

// defaultDangerous are the patterns to warn about unless a layer has its own list (agent-rs, section 1.1).
var defaultDangerous = []string{`rm\s+-rf\s+/`, `mkfs`, `dd\s+if=`, `:\(\)\s*\{`, `>\s*/dev/sd`}

// withDefaults compiles the default patterns if no layer sets any.
func (s *Security) withDefaults() {
	if s.DangerousPatterns != nil {
		return
	}
	s.DangerousPatterns = slices.Clone(defaultDangerous)
	for _, p := range s.DangerousPatterns {
		s.Dangerous = append(s.Dangerous, regexp.MustCompile(p))
	}
}

// badPattern compiles the dangerous patterns of the layer and returns the first invalid one.
func (s *Security) badPattern(l layer) problem {
	const key = "security.dangerous_patterns"
	if _, here := l.place(key); !here {
		return problem{}
	}
	if len(s.DangerousPatterns) > maxPatterns {
		return problem{fmt.Sprintf("%s[%d]", key, maxPatterns), i18n.SettingTooMany(key, maxPatterns)}
	}
	s.Dangerous = make([]*regexp.Regexp, len(s.DangerousPatterns))
	for i, text := range s.DangerousPatterns {
		pattern, why := compile(text)
		if !why.IsZero() {
			return problem{fmt.Sprintf("%s[%d]", key, i), i18n.SettingOf(key, why)}
		}
		s.Dangerous[i] = pattern
	}
	return problem{}
}

// badRule compiles the rules of the layer and returns the first invalid one.
func (s *Security) badRule(l layer) problem {
	for i := l.rules; i < len(s.Rules); i++ {
		key := fmt.Sprintf("security.rules[%d]", i-l.rules)
		if i >= maxPatterns {
			return problem{key, i18n.SettingTooMany("security.rules", maxPatterns)}
		}
		if field, why := s.Rules[i].bad(l.hits); !why.IsZero() {
			key += "." + field
			return problem{key, i18n.SettingOf(withoutNumbers(key), why)}
		}
	}
	return problem{}
}

// bad compiles a rule and returns the first invalid field and the reason.
func (r *Rule) bad(hits func(*regexp.Regexp, string) bool) (field string, why i18n.Text) {
	actions := []string{"warn", "confirm", "block"}
	switch n := utf8.RuneCountInString(r.Name); {
	case strings.TrimSpace(r.Name) == "" || n > maxRuleName || strings.ContainsFunc(r.Name, unicode.IsControl):
		return "name", i18n.RuleNameless(maxRuleName)
	case !slices.Contains(actions, r.Action):
		return "action", i18n.RuleAction(r.Action, strings.Join(actions, ", "))
	}
	if r.Compiled, why = compile(r.Pattern); !why.IsZero() {
		return "pattern", why
	}
	if field, why = r.badExample("match", r.Match, true, hits); !why.IsZero() {
		return field, why
	}
	return r.badExample("no_match", r.NoMatch, false, hits)
}

// badExample returns the first example that the pattern gets wrong.
func (r *Rule) badExample(list string, examples []string, want bool, hits func(*regexp.Regexp, string) bool) (field string, why i18n.Text) {
	if len(examples) == 0 {
		return list, i18n.RuleExamples
	}
	for i, example := range examples {
		field = fmt.Sprintf("%s[%d]", list, i)
		switch {
		case strings.TrimSpace(example) == "":
			return field, i18n.RuleExampleEmpty
		case hits(r.Compiled, example) && !want:
			return field, i18n.RuleHits(r.Name)
		case !hits(r.Compiled, example) && want:
			return field, i18n.RuleMisses(r.Name)
		}
	}
	return "", why
}

// compile compiles a pattern, or returns the reason why it is invalid.
func compile(text string) (pattern *regexp.Regexp, why i18n.Text) {
	switch {
	case text == "":
		return nil, i18n.PatternEmpty
	case len(text) > maxPattern:
		return nil, i18n.PatternLong(maxPattern)
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return nil, i18n.PatternBad(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return pattern, why
}

// Bound of lists of senders, and the format of ids: 64 bits have at most 20 digits.
const maxSenders = 200

// maxRooms bounds the list of a channel's rooms: each is read after an outage.
const maxRooms = 16

var (
	userID  = lazyregexp.New(`^[0-9]{1,20}$`)
	groupID = lazyregexp.New(`^-[0-9]{1,20}$`)
	phone   = lazyregexp.New(`^\+?[0-9][0-9() .-]*$`)
	notE164 = strings.NewReplacer("+", "", "(", "", ")", "", " ", "", ".", "", "-", "")
)

// Number of digits of an international telephone number, E.164.
const leastDigits, mostDigits = 7, 15

// PhoneDigits returns a telephone number's digits, E.164 without the plus, or "" if it is invalid.
func PhoneDigits(s string) string {
	digits := notE164.Replace(s)
	if !phone.MatchString(s) || len(digits) < leastDigits || len(digits) > mostDigits {
		return ""
	}
	return digits
}

// IsSender reports whether a text can be a sender of a channel: a telephone number, or an id of the channel's server.
func IsSender(c channel.Channel, s string) bool {
	if c.Phones {
		return PhoneDigits(s) != ""
	}
	return userID.MatchString(s)
}

// badSenderText explains what a sender of a channel looks like.
func badSenderText(c channel.Channel, id string) i18n.Text {
	switch {
	case c.Phones:
		return i18n.SettingPhone(c.Key(), id)
	case c.Chats && groupID.MatchString(id):
		return i18n.SettingGroup(c.Key(), id)
	case c.Chats:
		return i18n.SettingChatId(c.Key(), id)
	}
	return i18n.SettingUserId(c.Key(), id)
}

// badSender returns the first invalid id.
func (c *Config) badSender() problem {
	for _, ch := range channel.All() {
		for i, id := range *c.Senders(ch.Name) {
			key := fmt.Sprintf("%s[%d]", ch.Key(), i)
			switch {
			case i >= maxSenders:
				return problem{key, i18n.SettingTooMany(ch.Key(), maxSenders)}
			case !IsSender(ch, id):
				return problem{key, badSenderText(ch, id)}
			}
		}
	}
	return problem{}
}

// badRoom returns the first invalid id of a room.
func (c *Config) badRoom() problem {
	for _, ch := range channel.All() {
		for i, id := range c.RoomsOf(ch.Name) {
			key := fmt.Sprintf("%s[%d]", ch.RoomsKey(), i)
			switch {
			case i >= maxRooms:
				return problem{key, i18n.SettingTooMany(ch.RoomsKey(), maxRooms)}
			case !userID.MatchString(id):
				return problem{key, i18n.SettingRoomId(ch.RoomsKey(), id)}
			}
		}
	}
	return problem{}
}
