// Package host connects other assistants on this computer to our tools: an entry for `blunux-ai mcp` in the file where
// each keeps its MCP servers, and a skill that says when to use them.
package host

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
)

// entry is the name of our server and of our skill.
const entry = "blunux-ai"

// skill is in the format of agentskills.io, which all hosts read.
//
//go:embed SKILL.md
var skill []byte

// Host is a program that starts MCP servers.
type Host struct {
	Name     string
	variable string // names its directory, "" if none does
	dir      string // its directory without that, below the home
	settings string // the file with its MCP servers, below the directory
	servers  string // the key of the servers in it
	skills   string // the directory of its skills, below the directory
}

// All returns the known hosts: code.claude.com/docs (MCP, skills), developers.openai.com/codex (mcp, skills),
// geminicli.com/docs (settings, skills), github.com/charmbracelet/crush (README).
func All() []Host {
	return []Host{
		{"claude", "CLAUDE_CONFIG_DIR", "", ".claude.json", "mcpServers", ".claude/skills"},
		{"codex", "CODEX_HOME", ".codex", "config.toml", "mcp_servers", "skills"},
		{"gemini", "", ".gemini", "settings.json", "mcpServers", "skills"},
		{"crush", "XDG_CONFIG_HOME", ".config", "crush/crush.json", "mcp", "crush/skills"},
	}
}

// Find returns a host of [All] by its name.
func Find(name string) (h Host, ok bool) {
	all := All()
	i := slices.IndexFunc(all, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return h, false
	}
	return all[i], true
}

// Connect writes the entry and the skill, and returns their files. getenv is that of the host, with HOME. Everything else
// in the settings stays as it is, and a second time changes nothing. Settings that cannot be read, or edited as
// text, are left alone.
func (h Host) Connect(getenv func(string) string) (files []string, err error) {
	settings, own := h.paths(getenv)
	if err := change(settings, h.with); err != nil {
		return nil, fmt.Errorf("cannot connect %s: %w", h.Name, err)
	}
	if err := change(own, func([]byte) ([]byte, error) { return skill, nil }); err != nil {
		return nil, fmt.Errorf("cannot write the skill: %w", err)
	}
	return []string{settings, own}, nil
}

// Disconnect takes [Host.Connect] back, and returns the files that had the entry and the skill.
func (h Host) Disconnect(getenv func(string) string) (files []string, err error) {
	settings, own := h.paths(getenv)
	if err := change(settings, h.without); err != nil {
		return nil, fmt.Errorf("cannot disconnect %s: %w", h.Name, err)
	}
	if err := os.Remove(own); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot remove the skill: %w", err)
	}
	_ = os.Remove(filepath.Dir(own)) // not if the person keeps more in it
	return []string{settings, own}, nil
}

func (h Host) paths(getenv func(string) string) (settings, skill string) {
	dir := filepath.Join(getenv("HOME"), h.dir)
	if other := getenv(h.variable); h.variable != "" && filepath.IsAbs(other) {
		dir = other
	}
	skills := filepath.Join(dir, h.skills)
	if h.Name == "claude" && dir != getenv("HOME") { // CLAUDE_CONFIG_DIR is in the place of ~/.claude
		skills = filepath.Join(dir, "skills")
	}
	return filepath.Join(dir, h.settings), filepath.Join(skills, entry, "SKILL.md")
}

// Entry returns our entry as it is in the settings.
func (h Host) Entry() string {
	switch {
	case h.isTOML():
		return h.head() + "\ncommand = \"blunux-ai\"\nargs = [\"mcp\"]\n"
	case h.servers == "mcp": // Crush names the transport
		return `"blunux-ai": {"type":"stdio","command":"blunux-ai","args":["mcp"]}`
	}
	return `"blunux-ai": {"command":"blunux-ai","args":["mcp"]}`
}

// head returns the name of our table in TOML.
func (h Host) head() string { return "[" + h.servers + "." + entry + "]" }

func (h Host) isTOML() bool { return strings.HasSuffix(h.settings, ".toml") }

// with returns settings with our entry.
func (h Host) with(text []byte) ([]byte, error) {
	if h.isTOML() {
		return h.withTable(text)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	p, err := locate(text, h.servers)
	if err != nil {
		return nil, err
	}
	if !p.found() {
		return p.insert(text, fmt.Sprintf("%q: {\n    %s\n  }", h.servers, h.Entry())), nil
	}
	if p, err = locate(text, h.servers, entry); err != nil || p.found() {
		return text, err
	}
	return p.insert(text, h.Entry()), nil
}

// without returns settings without our entry.
func (h Host) without(text []byte) ([]byte, error) {
	switch {
	case h.isTOML():
		return h.withoutTable(text)
	case len(bytes.TrimSpace(text)) == 0:
		return text, nil
	}
	p, err := locate(text, h.servers, entry)
	if err != nil || !p.found() {
		return text, err
	}
	return p.cut(text), nil
}

// errSpelling is what settings in TOML have that no table can be added to, or taken from, by its lines.
var errSpelling = errors.New("its servers are spelled in another way")

// hasTable reports whether settings in TOML have our table. The error is errSpelling if they have the entry or all servers
// in another form: an inline table, dotted or quoted keys.
func (h Host) hasTable(text []byte) (has bool, err error) {
	bare := strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "")
	for line := range strings.Lines(string(text)) {
		switch key := bare.Replace(line); {
		case h.isOurs(line):
			has = true
		case strings.HasPrefix(key, strings.TrimSuffix(h.head(), "]")), strings.HasPrefix(key, h.servers+"="),
			strings.HasPrefix(key, h.servers+"."), strings.HasPrefix(key, entry+"="), strings.HasPrefix(key, entry+"."):
			return false, errSpelling
		}
	}
	return has, nil
}

// isOurs reports whether a line begins our table, or one in it.
func (h Host) isOurs(line string) bool {
	line = strings.TrimSpace(line)
	return line == h.head() || strings.HasPrefix(line, strings.TrimSuffix(h.head(), "]")+".")
}

func (h Host) withTable(text []byte) ([]byte, error) {
	if has, err := h.hasTable(text); err != nil || has {
		return text, err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	if len(text) > 0 {
		text = append(text, '\n')
	}
	return append(text, h.Entry()...), nil
}

// withoutTable removes our table and those in it, and the empty line before it. What follows its last setting stays.
func (h Host) withoutTable(text []byte) ([]byte, error) {
	if has, err := h.hasTable(text); err != nil || !has {
		return text, err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	isHead := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "[") }
	for {
		from := slices.IndexFunc(lines, h.isOurs)
		if from < 0 {
			break
		}
		to := from + 1
		for next := to; next < len(lines) && !isHead(lines[next]); next++ {
			if line := strings.TrimSpace(lines[next]); line != "" && !strings.HasPrefix(line, "#") {
				to = next + 1
			}
		}
		if from > 0 && strings.TrimSpace(lines[from-1]) == "" {
			from--
		}
		lines = slices.Delete(lines, from, to)
	}
	return []byte(strings.Join(lines, "")), nil
}

// place is where a member of an object is in a JSON text, or would be.
type place struct {
	inside     int  // behind the object's opening brace
	empty      bool // the object has no member
	start, end int  // from the end of what is before the member to its end
}

func (p place) found() bool { return p.end > 0 }

// insert returns the text with a member at the beginning of the object.
func (p place) insert(text []byte, member string) []byte {
	after := ","
	if p.empty {
		after = "\n"
	}
	return slices.Concat(text[:p.inside], []byte("\n  "+member+after), text[p.inside:])
}

// cut returns the text without the member, and with the commas that remain in the right places.
func (p place) cut(text []byte) []byte {
	rest := text[p.end:]
	if p.start == p.inside {
		rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(","))
	}
	return slices.Concat(text[:p.start], rest)
}

// locate finds a member by the keys that lead to it. Where one of them is missing, the place is that of its object.
func locate(text []byte, keys ...string) (p place, err error) {
	if !json.Valid(text) {
		var v any
		return p, json.Unmarshal(text, &v) // says where
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for i, key := range keys {
		if t, err := d.Token(); err != nil || t != json.Delim('{') {
			return p, fmt.Errorf("%s is no object", strings.Join(append([]string{"the file"}, keys[:i]...), "."))
		}
		p = place{inside: int(d.InputOffset()), empty: !d.More()}
		for p.start = p.inside; ; p.start = int(d.InputOffset()) {
			if !d.More() {
				return place{inside: p.inside, empty: p.empty}, nil
			}
			name, err := d.Token()
			if err != nil {
				return p, err
			}
			if name == key {
				break
			}
			if err := d.Decode(new(json.RawMessage)); err != nil {
				return p, err
			}
		}
	}
	err = d.Decode(new(json.RawMessage))
	p.end = int(d.InputOffset())
	return p, err
}

// change rewrites a file, also behind a link. One that does not exist is written with the rights of the person only.
func change(file string, edit func([]byte) ([]byte, error)) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := fs.FileMode(0o600)
	text, err := os.ReadFile(file)
	switch info, statErr := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case statErr == nil:
		mode = info.Mode().Perm()
	}
	changed, err := edit(text)
	if err != nil {
		return fmt.Errorf("cannot edit %s: %w", file, err)
	}
	if bytes.Equal(changed, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(file, changed, mode)
}
