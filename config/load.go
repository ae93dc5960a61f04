package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Source says where [Load] reads from.
type Source struct {
	Distribution string // --blunux-config, default /usr/share/blunux/config.toml
	System       string // default /etc/blunux-ai/config.toml
	Paths        Paths
	Getenv       func(string) string
}

// NewSource returns the usual places for these paths.
func NewSource(paths Paths, getenv func(string) string) Source {
	return Source{
		Distribution: "/usr/share/blunux/config.toml",
		System:       "/etc/blunux-ai/config.toml",
		Paths:        paths,
		Getenv:       getenv,
	}
}

// Error is a setting that cannot be used: where it stands and what is wrong.
type Error struct {
	File      string
	Line, Col int // from 1; 0 when the whole file is meant
	Problem   string
}

// Error returns file:line:col: problem.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Problem)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Problem)
}

// Load reads all layers. A missing file is no error; an unknown key, a value
// of the wrong type or a file that others can write is an [Error].
func Load(src Source) (Config, error) {
	var c Config
	if err := c.readDistribution(src.Distribution); err != nil {
		return Config{}, err
	}
	files := []string{src.System, src.Paths.Config()}
	drop, err := filepath.Glob(filepath.Join(src.Paths.Home, "config.d", "*.toml"))
	if err != nil {
		return Config{}, fmt.Errorf("cannot list config.d: %w", err)
	}
	slices.Sort(drop)
	for _, file := range append(files, drop...) {
		if err := c.readStrict(file); err != nil {
			return Config{}, err
		}
	}
	c.readEnvironment(src.Getenv)
	c.withDefaults()
	return c, c.validate()
}

// readDistribution takes [ai_agent] and [locale] from the distribution's own
// file and ignores the rest of it.
func (c *Config) readDistribution(file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &Error{File: file, Problem: err.Error()}
	}
	var d struct {
		Agent  Agent `toml:"ai_agent"`
		Locale struct {
			Language any `toml:"language"`
		} `toml:"locale"`
	}
	if err := toml.Unmarshal(data, &d); err != nil {
		return decodeError(file, err)
	}
	c.Agent = d.Agent
	switch l := d.Locale.Language.(type) {
	case string:
		c.Locales = []string{l}
	case []any:
		for _, x := range l {
			c.Locales = append(c.Locales, fmt.Sprint(x))
		}
	}
	c.Files = append(c.Files, file)
	return nil
}

// readStrict lays one of our own files over what was read before.
func (c *Config) readStrict(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &Error{File: file, Problem: err.Error()}
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return &Error{File: file, Problem: err.Error()}
	}
	if fi.Mode().Perm()&0o022 != 0 {
		return &Error{File: file, Problem: fmt.Sprintf("other users can write to it; run: chmod go-w %s", file)}
	}
	before := c.Providers
	c.Providers = nil
	if err := toml.NewDecoder(f).DisallowUnknownFields().Decode(c); err != nil {
		return decodeError(file, err)
	}
	c.Providers = mergeProviders(before, c.Providers)
	c.Files = append(c.Files, file)
	return nil
}

// mergeProviders lays the set fields of each provider in top over base.
func mergeProviders(base, top map[string]Provider) map[string]Provider {
	if base == nil {
		return top
	}
	for name, t := range top {
		b := base[name]
		if t.BaseURL != "" {
			b.BaseURL = t.BaseURL
		}
		if t.Model != "" {
			b.Model = t.Model
		}
		if t.AuthStyle != "" {
			b.AuthStyle = t.AuthStyle
		}
		if t.MaxTokens != 0 {
			b.MaxTokens = t.MaxTokens
		}
		if t.Temperature != nil {
			b.Temperature = t.Temperature
		}
		base[name] = b
	}
	return base
}

func decodeError(file string, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		first := strict.Errors[0]
		line, col := first.Position()
		return &Error{File: file, Line: line, Col: col, Problem: "unknown key " + strings.Join(first.Key(), ".")}
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, col := decode.Position()
		return &Error{File: file, Line: line, Col: col, Problem: strings.TrimPrefix(decode.Error(), "toml: ")}
	}
	return &Error{File: file, Problem: err.Error()}
}

func (c *Config) readEnvironment(getenv func(string) string) {
	for name, v := range map[string]*string{
		"BLUNUX_AI_PROVIDER": &c.Agent.Provider,
		"BLUNUX_AI_MODEL":    &c.Agent.Model,
		"BLUNUX_AI_LANG":     &c.Agent.Language,
	} {
		if s := getenv(name); s != "" {
			*v = s
		}
	}
}

// validate refuses values outside their list or range.
func (c *Config) validate() error {
	for _, v := range []struct {
		key, value string
		known      []string
	}{
		{"ai_agent.claude_mode", c.Agent.ClaudeMode, []string{"", "api", "oauth"}},
		{"ai_agent.autonomy", c.Agent.Autonomy, []string{"read_only", "supervised", "full"}},
		{"ai_agent.language", c.Agent.Language, []string{"", "auto", "ko", "en", "zh"}},
	} {
		if !slices.Contains(v.known, v.value) {
			return c.invalid("%s = %q: must be one of %s", v.key, v.value, strings.Join(v.known[1:], ", "))
		}
	}
	for key, n := range map[string]int{
		"output_bytes": c.Limits.OutputBytes, "output_lines": c.Limits.OutputLines,
		"history_messages": c.Limits.HistoryMessages, "rounds": c.Limits.Rounds,
		"command_timeout": c.Limits.CommandTimeout, "update_timeout": c.Limits.UpdateTimeout,
		"approval_timeout": c.Limits.ApprovalTimeout, "idle_exit": c.Limits.IdleExit,
	} {
		if n < 0 {
			return c.invalid("limits.%s = %d: must be positive", key, n)
		}
	}
	return nil
}

func (c *Config) invalid(format string, args ...any) error {
	file := "configuration"
	if len(c.Files) > 0 {
		file = c.Files[len(c.Files)-1]
	}
	return &Error{File: file, Problem: fmt.Sprintf(format, args...)}
}
