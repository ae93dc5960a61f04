// Package layout holds the house's plan as a test: which package may import
// which, and why it exists. A new package is entered here with its reason; an
// arrow that points up does not compile into a green build.
package layout

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/nidoit/blunux-ai"

// room is one package: what it may import of ours, and what it is for.
type room struct {
	level  int
	may    []string
	reason string
}

// plan is the house. Level 0 imports nothing of ours; an arrow only ever
// points to a lower level, or sideways to what a room names.
var plan = map[string]room{
	"editor":       {0, nil, "starts the person's editor, for a command that was typed"},
	"errand":       {0, nil, "runs a command the person said yes to, at their own terminal"},
	"child":        {0, nil, "programs this one talks to over pipes, which must not outlive it"},
	"crash":        {0, nil, "names the instants at which a test kills the program"},
	"journal":      {0, []string{"crash"}, "records in a file that only grows"},
	"ipc":          {0, nil, "the wire between daemon and clients"},
	"i18n":         {0, nil, "every sentence, in three languages"},
	"config":       {0, []string{"i18n"}, "settings and keys, read at the edge only"},
	"memory":       {0, nil, "notes about machine and person"},
	"names":        {0, nil, "programs under the names people use"},
	"providers":    {0, nil, "the vocabulary of language models"},
	"secret":       {0, nil, "takes keys and passwords out of text"},
	"tools/safety": {0, nil, "judges commands"},
	"logfile":      {0, nil, "the daemon's own log, one file a day"},
	"tail":         {0, nil, "reads the lines of files that grow"},
	"watch":        {0, nil, "tells when files change"},

	"memory/embed":             {1, []string{"providers", "providers/transport"}, "vectors of texts, from a server that makes them"},
	"providers/transport":      {1, []string{"providers"}, "HTTP limits, auth and errors all wire dialects share"},
	"providers/anthropic":      {1, []string{"providers", "providers/transport"}, "Claude's Messages API"},
	"providers/sse":            {1, []string{"providers/transport"}, "server-sent events, which two dialects stream in"},
	"providers/openai":         {1, []string{"providers", "providers/sse", "providers/transport"}, "the chat/completions dialect"},
	"providers/gemini":         {1, []string{"providers", "providers/sse", "providers/transport"}, "Google's generateContent dialect"},
	"providers/ollama":         {1, nil, "the model server on this computer: what it has"},
	"providers/written":        {1, []string{"providers"}, "tool calls that a model writes as text"},
	"providers/offline":        {1, []string{"providers", "providers/offline/intent", "providers/offline/report", "i18n"}, "the engine without a model"},
	"providers/offline/intent": {1, []string{"names"}, "what a request asks for, by word lists and rules"},
	"providers/offline/report": {1, []string{"providers", "providers/offline/intent", "i18n"}, "what tools put out, told as an administrator would"},
	"providers/claudecli":      {1, []string{"child", "providers"}, "Claude by subscription: the installed claude, its tools ours"},
	"providers/scripted":       {1, []string{"providers"}, "a model that follows a file"},
	"providers/catalog": {1, []string{
		"i18n", "providers", "providers/transport", "providers/anthropic", "providers/openai", "providers/gemini", "providers/scripted", "providers/written",
	}, "provider names, servers and keys as data"},
	"providers/failover":     {1, []string{"providers"}, "who answers: retries, cooldowns, the next in line"},
	"providers/providertest": {1, []string{"providers", "providers/transport"}, "the suite every provider passes; fake servers"},
	"tools/commandlog":       {1, []string{"crash"}, "the record of every command"},
	"tools/sandbox/cell":     {1, nil, "the inside of the sandbox: locks itself in and becomes a command"},
	"tools/sandbox/bus":      {1, nil, "a D-Bus that only passes reading calls"},
	"tools/sandbox":          {1, []string{"tools/sandbox/cell"}, "starts commands that the kernel holds to reading"},
	"tools/elevation":        {1, nil, "the way to root's rights on this machine"},
	"tools/unit/record":      {1, []string{"journal"}, "the main process of a confirmed command's unit: starts it, keeps its output and its end"},
	"tools/unit":             {1, []string{"tools/unit/record"}, "confirmed commands as units of the user's service manager"},
	"tools/unit/unittest":    {1, []string{"tools/unit", "tools/unit/record"}, "a service manager for tests where there is none"},
	"tools": {1, []string{
		"crash", "memory", "providers", "secret", "tools/safety", "tools/commandlog", "tools/elevation", "tools/sandbox", "tools/unit", "tools/unit/record",
	}, "the tools and the gate"},
	"systemd": {1, nil, "the service manager's side"},
	"desktop": {1, nil, "notifications on the person's desktop, and their buttons"},

	"automation":       {1, []string{"crash", "i18n", "journal"}, "what happens by itself: rules, when they are due, what became of each time"},
	"automation/check": {1, []string{"i18n"}, "conditions watched without a model"},
	"usage":            {1, []string{"crash", "journal", "providers"}, "what models were asked and what that cost, and the budget"},

	"agent":         {2, []string{"agent/session", "crash", "providers", "secret", "tools", "memory", "i18n"}, "the turn"},
	"agent/session": {1, []string{"crash", "journal", "providers", "secret"}, "conversations on the disk"},
	"memory/recall": {1, []string{"agent/session", "memory", "names"}, "finds notes: a full-text index that can be made anew"},

	"daemon/task":     {3, []string{"crash", "journal", "secret"}, "what the daemon was asked to do, on the disk"},
	"daemon/pairing":  {3, []string{"daemon/approval", "journal"}, "who may write from afar; its codes are read like an approval's"},
	"daemon/outbox":   {3, []string{"crash", "journal"}, "what waits to be told"},
	"daemon/approval": {3, []string{"crash", "ipc", "journal", "tools", "secret"}, "what waits for a person's yes"},
	"daemon": {4, []string{
		"agent", "agent/session", "automation", "automation/check", "bridge/state", "config", "crash", "daemon/approval", "daemon/outbox", "daemon/pairing", "daemon/task", "desktop", "journal", "i18n", "ipc", "mcp/use", "memory", "memory/embed", "memory/recall", "names", "providers", "providers/catalog", "providers/claudecli",
		"logfile", "providers/failover", "providers/offline", "providers/ollama", "providers/transport", "providers/written", "secret", "tail", "watch", "tools", "tools/commandlog", "tools/elevation", "tools/safety", "tools/sandbox", "tools/sandbox/bus", "tools/unit", "usage",
	}, "composition, queues, approvals"},

	"cells":     {1, []string{"ipc"}, "text measured in a terminal's cells and broken into rows"},
	"confirm":   {1, []string{"cells", "i18n", "ipc"}, "puts a confirmation to a person at a terminal, nothing hidden"},
	"manual":    {1, []string{"i18n"}, "a program's help, completions and man pages, in the person's language"},
	"tui":       {3, []string{"i18n", "ipc", "secret"}, "the terminal chat"},
	"tui/plain": {3, []string{"cells", "confirm", "i18n", "ipc"}, "the chat line by line, for terminals that can do no more and for screen readers"},
	"setup": {4, []string{
		"bridge/state", "config", "errand", "i18n", "ipc", "providers", "providers/catalog", "providers/claudecli", "providers/ollama", "providers/transport", "tools/elevation",
	}, "asks what the person wants and writes it down"},

	"doctor": {4, []string{
		"bridge/state", "config", "i18n", "ipc", "logfile", "providers", "providers/transport", "systemd", "tail", "tools", "tools/commandlog", "tools/elevation",
	}, "looks over what the assistant stands on"},

	"bridge":             {3, []string{"bridge/markup", "bridge/state", "i18n", "ipc", "journal"}, "what every messenger's bridge shares"},
	"bridge/markup":      {1, []string{"ipc"}, "Markdown in what messengers show, cut into messages"},
	"bridge/program":     {4, []string{"bridge", "bridge/state", "i18n", "ipc", "manual"}, "what the programs of all bridges share"},
	"bridge/state":       {0, []string{"journal"}, "what a bridge says of itself, in a file"},
	"bridge/telegram":    {3, []string{"bridge", "bridge/markup", "bridge/state", "i18n", "ipc"}, "the Telegram bot"},
	"bridge/channeltest": {6, []string{"bridge/state", "i18n", "ipc"}, "the promises every messenger's bridge keeps, as tests"},

	"bridge/telegram/botapi": {6, []string{"bridge/channeltest"}, "Telegram's Bot API and its people, played on loopback for tests"},

	"mcp/use":   {2, []string{"child", "providers", "tools"}, "other programs' tools for the gate"},
	"mcp/offer": {4, []string{"i18n", "ipc"}, "the daemon's tools for any MCP client; kept out of the thin client"},

	"cmd/blunux-ai": {5, []string{
		"automation", "cells", "config", "confirm", "daemon", "desktop", "doctor", "editor", "errand", "i18n", "ipc", "logfile", "manual", "mcp/offer", "memory", "setup", "tui/plain", "providers/failover", "providers/offline", "providers/offline/intent", "providers/transport", "providers/written", "secret", "systemd",
		"tail", "tools", "tools/commandlog", "tools/elevation", "tools/safety", "tools/unit/record", "watch",
	}, "the daemon's main, and check, paths, config, doctor"},
	"cmd/blunux-aictl":           {5, []string{"cells", "confirm", "editor", "ipc", "i18n", "manual"}, "the thin client"},
	"cmd/blunux-telegram-bridge": {5, []string{"bridge", "bridge/markup", "bridge/program", "bridge/state", "bridge/telegram", "i18n", "ipc"}, "the bridge to Telegram"},
	"cmd/blunux-ai-chat":         {5, []string{"i18n", "ipc", "tui"}, "the chat on the whole screen, which blunux-ai chat becomes"},
	"cmd/blunux-ai-cell":         {5, []string{"tools/sandbox/cell", "tools/unit/record"}, "what commands are started with: small, because it starts with each"},
	"docs":                       {6, nil, "holds what is written to what was built"},
	"e2e":                        {6, nil, "scripts on the real binaries"},
	"e2e/floor":                  {6, nil, "the bare work of one question, for benchmarks to compare with"},
	"e2e/floor/screen":           {0, nil, "the least a program on the whole screen does, as a floor for the benchmarks"},
	"e2e/foreign":                {6, nil, "a server of tools that behaves, crashes, hangs, floods or lies"},
	"e2e/probe":                  {6, []string{"ipc", "systemd"}, "tries what the units forbid"},
	"packaging":                  {6, nil, "what only a package needs: what is installed where, the desktop's files, the installer's card"},
	"packaging/bill":             {6, nil, "what is linked into the programs, under which licences: a tool of the packages' build"},
	"packaging/system":           {6, nil, "the packages, by makepkg and pacman, on a whole system (build tag systemtest)"},
	"":                           {6, nil, "this test"},
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Imports    []string
	Dir        string
	Name       string
	Doc        string
	GoFiles    []string
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-mod=readonly", "-json=Dir,ImportPath,Imports,Name,Doc,GoFiles"}, args...)...).Output()
	require.NoError(t, err)
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func name(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func TestEveryPackageIsInThePlanAndKeepsToIt(t *testing.T) {
	found := map[string]bool{}
	for _, p := range list(t, "./...") {
		here := name(p.ImportPath)
		found[here] = true
		room, ok := plan[here]
		require.True(t, ok, "%s is not in the plan: enter it with its reason", p.ImportPath)
		require.NotEmpty(t, room.reason)
		if len(p.GoFiles) > 0 {
			require.NotEmpty(t, p.Doc, "%s has no package comment", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			there := name(imported)
			require.Contains(t, room.may, there, "%s may not import %s", here, there)
			require.LessOrEqual(t, plan[there].level, room.level, "the arrow from %s to %s points up", here, there)
		}
	}
	for planned := range plan {
		require.True(t, found[planned], "%q is planned but not there", planned)
	}
}

func TestThreat01OnlyTheGateStartsSystemCommands(t *testing.T) {
	// ipc starts the daemon itself, and nothing else; unittest starts recorders
	// for tests; floor is a measure, probe tries what a unit forbids. child starts
	// claude, which claudecli asks for its version too, with no tools but those the
	// gate runs, and the servers the person configured, whose calls the gate judges.
	// errand runs what a person at the terminal was shown and said yes to. botapi
	// builds the bridge that tests start; bill asks go where modules are.
	may := []string{"bridge/telegram/botapi", "tools", "ipc", "child", "errand", "providers/claudecli", "tools/unit/unittest", "e2e/floor", "e2e/probe", "bridge/channeltest", "packaging/bill"}
	for _, p := range list(t, "./...") {
		for _, imported := range p.Imports {
			if imported == "os/exec" {
				require.Contains(t, may, name(p.ImportPath), "%s starts commands past the gate", p.ImportPath)
			}
		}
	}
	// What starts processes without os/exec: the recorder what the gate handed
	// it, the sandbox itself to try its walls; editor for a command line of the person's.
	// errand becomes the chat, which is ours.
	may = []string{"tools/unit/record", "tools/sandbox", "editor", "errand"}
	starts := regexp.MustCompile(`\b(os\.StartProcess|syscall\.(ForkExec|StartProcess|Exec))\(`)
	for _, p := range list(t, "./...") {
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			require.NoError(t, err)
			if starts.Match(text) {
				require.Contains(t, may, name(p.ImportPath), "%s starts commands past the gate", p.ImportPath)
			}
		}
	}
}

func TestTheThinClientStaysThin(t *testing.T) {
	out, err := exec.Command("go", "list", "-mod=readonly", "-deps", "./cmd/blunux-aictl").Output()
	require.NoError(t, err)
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		require.NotContains(t, []string{"net/http", "crypto/tls", "database/sql", "modernc.org/sqlite"}, dep)
		if ours, ok := strings.CutPrefix(dep, module+"/"); ok {
			require.True(t, slices.Contains([]string{"cells", "confirm", "editor", "ipc", "i18n", "manual", "cmd/blunux-aictl"}, ours), "the thin client links %s", ours)
		}
	}
}

func TestOnlyTheEdgeReadsTheConfiguration(t *testing.T) {
	for _, p := range list(t, "./...") {
		if slices.Contains(p.Imports, module+"/config") {
			require.Contains(t, []string{"daemon", "doctor", "setup", "cmd/blunux-ai"}, name(p.ImportPath))
		}
	}
}

func TestTheDaemonListensOnNoNetwork(t *testing.T) {
	for _, p := range list(t, "./...") {
		if n := name(p.ImportPath); n != "providers/providertest" {
			require.NotContains(t, p.Imports, "net/http/httptest", "%s", n)
		}
	}
}

func TestNoRoomIsALumberRoom(t *testing.T) {
	for _, p := range list(t, "./...") {
		require.NotContains(t, []string{"util", "utils", "common", "types", "helpers", "errors", "manager", "managers", "misc", "shared"}, p.Name)
	}
}
