package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// Source is the set of places that [Load] reads.
type Source struct {
	Distribution string // --blunux-config, default /usr/share/blunux/config.toml
	System       string // default /etc/blunux-ai/config.toml
	Paths        Paths
	Getenv       func(string) string
	// Hits reports whether a rule's pattern matches a command in the same way as later when commands run, to test
	// rules with their examples. If nil, the pattern is applied to the plain text.
	Hits func(pattern *regexp.Regexp, command string) bool
	// HasTool reports whether an agent can have a tool of this name. If nil, any name is accepted.
	HasTool func(name string) bool
	// overrides maps files to texts to read in their place, to test them before they are written. A nil text means
	// that the file does not exist.
	overrides map[string][]byte
}

// NewSource returns the default places for these paths.
func NewSource(paths Paths, getenv func(string) string) Source {
	return Source{
		Distribution: "/usr/share/blunux/config.toml",
		System:       "/etc/blunux-ai/config.toml",
		Paths:        paths,
		Getenv:       getenv,
	}
}

// Load reads all layers, later ones win: the distribution's /usr/share/blunux/config.toml (only its [ai_agent]
// and [locale] tables; the others are not ours), then /etc/blunux-ai/config.toml, the user's config.toml,
// config.d/*.toml in order of name, the environment, flags.
//
// A missing file is not an error. An unknown key, a value of the wrong type or out of range, a file that is not
// ours or that others can write, and a rule that fails its own examples are an [Error] with line and column.
func Load(src Source) (Config, error) {
	c, err := load(src)
	c.layers = nil
	return c, err
}

// load is [Load], but keeps the layers.
func load(src Source) (Config, error) {
	if src.Hits == nil {
		src.Hits = (*regexp.Regexp).MatchString
	}
	var c Config
	if err := c.readDistribution(src.Distribution); err != nil {
		return Config{}, err
	}
	if err := c.readStrict(src.System, open, src); err != nil {
		return Config{}, err
	}
	own, err := src.ownFiles()
	if err != nil {
		return Config{}, err
	}
	for _, file := range own {
		if err := c.readStrict(file, openOwn, src); err != nil {
			return Config{}, err
		}
	}
	if err := c.readEnvironment(src.Getenv); err != nil {
		return Config{}, err
	}
	if err := c.checkAgentTools(src.HasTool); err != nil {
		return Config{}, err
	}
	c.withDefaults()
	if w := c.warnLeft(src.Paths, HomeDir(src.Getenv)); w != nil {
		c.Warnings = append(c.Warnings, w)
	}
	return c, nil
}

// dropIns returns the settings files in a directory, sorted by name.
func dropIns(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, newError(dir, place{}, sentence(err))
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, nil
}

// readDistribution reads [ai_agent] and [locale] from the distribution's file and ignores the rest.
func (c *Config) readDistribution(file string) error {
	f, err := open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return newError(file, place{}, sentence(err))
	}
	defer f.Close()
	var d struct {
		Agent    Agent  `toml:"ai_agent"`
		OldAgent *Agent `toml:"agent"`
		Locale   struct {
			Language any `toml:"language"`
		} `toml:"locale"`
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return newError(file, place{}, sentence(err))
	}
	if err := toml.Unmarshal(text, &d); err != nil {
		return decodeError(file, text, err)
	}
	c.Agent = d.Agent
	if d.OldAgent != nil { // the new spelling wins
		c.Agent = mergeAgent(*d.OldAgent, d.Agent)
	}
	switch l := d.Locale.Language.(type) {
	case string:
		c.Locales = []string{l}
	case []any:
		for _, x := range l {
			c.Locales = append(c.Locales, fmt.Sprint(x))
		}
	}
	return c.finishLayer(layer{file: file, text: text, places: findPlaces(text), foreign: true})
}

// readStrict adds one of our own files as a layer.
func (c *Config) readStrict(file string, open func(string) (*os.File, error), src Source) error {
	text, err := src.read(file, open)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return newError(file, place{}, sentence(err))
	}
	l := layer{file: file, text: text, hits: src.Hits, home: HomeDir(src.Getenv), rules: len(c.Security.Rules)}
	if err := c.addLayer(l); err != nil {
		return err
	}
	l.places = findPlaces(text)
	return c.finishLayer(l)
}

// read returns the text of one of our own files, or the text to test in its place.
func (s Source) read(file string, open func(string) (*os.File, error)) ([]byte, error) {
	if text, tried := s.overrides[file]; tried {
		if text == nil {
			return nil, fs.ErrNotExist
		}
		return text, nil
	}
	f, err := open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkWritable(f); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// addLayer decodes a file over the earlier layers. Rules, providers and servers are added. Other lists are replaced.
func (c *Config) addLayer(l layer) error {
	agent, providers, servers, agents, rules := c.Agent, c.Providers, c.MCP, c.Agents, c.Security.Rules
	c.Agent, c.OldAgent, c.Providers, c.MCP, c.Agents, c.Security.Rules = Agent{}, nil, nil, nil, nil, nil
	if err := toml.NewDecoder(bytes.NewReader(l.text)).DisallowUnknownFields().Decode(c); err != nil {
		return decodeError(l.file, l.text, err)
	}
	if c.OldAgent != nil { // within a file the new spelling wins
		agent = mergeAgent(agent, *c.OldAgent)
	}
	c.Agent, c.OldAgent = mergeAgent(agent, c.Agent), nil
	c.Providers = mergeProviders(providers, c.Providers)
	c.MCP = mergeMCP(servers, c.MCP)
	c.Agents = mergeAgents(agents, c.Agents)
	c.Security.Rules = append(rules[:len(rules):len(rules)], c.Security.Rules...)
	return nil
}

// finishLayer validates a layer and records its origin.
func (c *Config) finishLayer(l layer) error {
	if err := c.validate(l); err != nil {
		return err
	}
	if at, ok := l.place("ai_agent.autonomy"); ok {
		c.autonomyAt = Error{File: l.file, Line: at.line, Col: at.col}
	}
	if at, ok := l.place(sessionsKey); ok {
		c.sessionsAt = Error{File: l.file, Line: at.line, Col: at.col}
	}
	c.Files = append(c.Files, l.file)
	c.layers = append(c.layers, l)
	return nil
}

// mergeProviders overrides each provider in base by the set fields of the one in top.
func mergeProviders(base, top map[string]Provider) map[string]Provider {
	if base == nil {
		return top
	}
	for name, t := range top {
		b := base[name]
		b.BaseURL = cmp.Or(t.BaseURL, b.BaseURL)
		b.Model = cmp.Or(t.Model, b.Model)
		b.AuthStyle = cmp.Or(t.AuthStyle, b.AuthStyle)
		b.Tools = cmp.Or(t.Tools, b.Tools)
		b.MaxTokens = cmp.Or(t.MaxTokens, b.MaxTokens)
		b.Context = cmp.Or(t.Context, b.Context)
		b.Images = cmp.Or(t.Images, b.Images)
		b.Temperature = cmp.Or(t.Temperature, b.Temperature)
		b.Prices = mergePrices(b.Prices, t.Prices)
		base[name] = b
	}
	return base
}

func decodeError(file string, text []byte, err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		first := strict.Errors[0]
		line, col := first.Position()
		return newError(file, place{line, col}, i18n.SettingUnknown(strings.Join(first.Key(), ".")))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, col := decode.Position()
		if line == 1 && col == 1 && len(decode.Key()) > 0 {
			at := onlyPlace(findPlaces(text), strings.Join(decode.Key(), "."))
			line, col = at.line, at.col // the decoder has no position for lists
		}
		return newError(file, place{line, col}, decodeProblem(decode))
	}
	return newError(file, place{}, sentence(err))
}

// wrongType matches go-toml's error for a value of the wrong type.
var wrongType = lazyregexp.New(`^cannot decode TOML (.+) into struct field \S+ of type (\S+)$`)

// decodeProblem returns the problem with the setting's key instead of the Go field.
func decodeProblem(e *toml.DecodeError) i18n.Text {
	words, key := strings.TrimPrefix(e.Error(), "toml: "), strings.Join(e.Key(), ".")
	problem := i18n.SettingSyntax(words)
	if m := wrongType.FindStringSubmatch(words); m != nil {
		names := map[string]string{"int": "integer", "float64": "float", "bool": "boolean", "[]string": "list of strings", "[]config.Rule": "list of tables", "*float64": "float"}
		want := m[2]
		if name, ok := names[want]; ok {
			want = name
		}
		problem = i18n.SettingType(kind(m[1]), kind(want))
	}
	if key == "" {
		return problem
	}
	return i18n.SettingOf(key, problem)
}

// kind returns the user-visible name of a TOML type.
func kind(name string) i18n.Text { return i18n.SettingTypes.Text(name) }

func (c *Config) readEnvironment(getenv func(string) string) error {
	for _, e := range []struct {
		name, key string
		v         *string
	}{
		{"BLUNUX_AI_PROVIDER", "provider", &c.Agent.Provider},
		{"BLUNUX_AI_MODEL", "model", &c.Agent.Model},
		{"BLUNUX_AI_LANG", "language", &c.Agent.Language},
	} {
		if s := getenv(e.name); s != "" {
			*e.v = s
			l := layer{file: "$" + e.name, rules: len(c.Security.Rules), text: fmt.Appendf(nil, "[ai_agent]\n%s = %q\n", e.key, s)}
			if err := c.validate(layer{file: l.file, rules: l.rules}); err != nil {
				return err
			}
			c.layers = append(c.layers, l)
		}
	}
	if err := c.gatewayEnvironment(getenv); err != nil {
		return err
	}
	before := c.Automations.Enabled
	if err := c.Automations.switchFrom(getenv); err != nil || c.Automations.Enabled == before {
		return err
	}
	c.layers = append(c.layers, layer{file: "$" + AutomationsEnv, text: fmt.Appendf(nil, "[automations]\nenabled = %v\n", *c.Automations.Enabled)})
	return nil
}
