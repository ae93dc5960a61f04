// Package layout checks which package may import which. A new package must be added to the plan with its
// purpose.
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

// rule describes a package: its level, the packages of this module that it may import, and its purpose.
type rule struct {
	level  int
	may    []string
	reason string
}

// plan lists all packages. A package may only import the listed ones, which have the same or a lower level.
var plan = map[string]rule{
	"internal/editor":     {0, nil, "runs the user's editor for a typed command"},
	"internal/errand":     {0, nil, "runs a command that the user confirmed at the terminal"},
	"internal/sorting":    {0, nil, "sorts lists with one implementation for all types"},
	"internal/lazyregexp": {0, nil, "regular expressions that are compiled at their first use"},
	"internal/child":      {0, nil, "child processes on pipes that end with this process"},
	"internal/peer":       {0, nil, "requests and answers between two programs over pipes"},
	"internal/helper":     {0, []string{"internal/child", "internal/peer"}, "finds a helper program and runs it on demand"},
	"internal/crash":      {0, nil, "named points at which tests kill the program"},
	"internal/journal":    {0, []string{"internal/crash", "internal/disk"}, "append-only record files"},
	"ipc":                 {0, []string{"internal/channel", "internal/disk"}, "the protocol between daemon and clients"},
	"i18n":                {0, []string{"internal/channel"}, "all texts in three languages"},
	"i18n/catalogue":      {0, nil, "makes the accessors of the texts from their rows"},
	"config": {0, []string{
		"i18n", "internal/channel", "internal/lazyregexp", "internal/sorting",
	}, "settings and keys; only main packages and their helpers read them"},
	"memory": {0, []string{
		"internal/disk", "internal/lazyregexp", "internal/sorting", "machine",
	}, "notes about the machine and the user"},
	"internal/channel":    {0, nil, "the table of messengers"},
	"internal/charset":    {0, nil, "recognises and writes the encodings of text files"},
	"internal/commonmark": {0, nil, "parses Markdown as models write it"},
	"internal/disk":       {0, nil, "makes names durable and locks files"},
	"machine": {0, []string{
		"internal/sorting",
	}, "reads what programs and the kernel print: one reader for each format"},
	"internal/names":   {0, []string{"internal/sorting"}, "common names of programs"},
	"providers":        {0, nil, "the interface of language models"},
	"internal/secret":  {0, []string{"internal/lazyregexp", "internal/sorting"}, "removes keys and passwords from text"},
	"tools/safety":     {0, []string{"internal/lazyregexp", "internal/sorting"}, "the checker: classifies commands"},
	"internal/logfile": {0, []string{"internal/sorting"}, "the daemon's log, one file a day"},
	"internal/tail":    {0, nil, "reads the lines of growing files"},
	"internal/watch":   {0, nil, "watches files for changes"},

	"memory/embed": {1, []string{"providers", "providers/transport"}, "client of an embeddings server"},
	"providers/transport": {1, []string{
		"internal/lazyregexp", "providers",
	}, "HTTP limits, authentication and errors for all model APIs"},
	"providers/anthropic": {1, []string{"providers", "providers/sse", "providers/transport"}, "Claude's Messages API"},
	"providers/sse":       {1, []string{"providers/transport"}, "parser for server-sent events, which the APIs stream"},
	"providers/openai":    {1, []string{"providers", "providers/sse", "providers/transport"}, "the chat/completions API"},
	"providers/gemini":    {1, []string{"providers", "providers/sse", "providers/transport"}, "Google's generateContent API"},
	"providers/ollama":    {1, []string{"internal/sorting"}, "queries the models of a local Ollama server"},
	"providers/written": {1, []string{
		"internal/lazyregexp", "providers",
	}, "parser for tool calls that a model writes as text"},
	"providers/offline": {1, []string{
		"i18n", "providers", "providers/offline/intent", "providers/offline/report",
	}, "the built-in helper, which needs no model"},
	"providers/offline/intent": {1, []string{"internal/names", "internal/sorting"}, "recognizes requests by word lists and rules"},
	"providers/offline/report": {1, []string{
		"agent/plan", "automation", "desktop", "diagnose", "i18n", "internal/sorting", "machine", "providers", "providers/offline/intent", "timeline", "upgrade", "upgrade/pacnew",
	}, "summarizes tool output for users"},
	"diagnose":       {1, []string{"agent/plan", "i18n", "internal/sorting", "machine"}, "causes as data: the looks that a question needs, and what their output proves"},
	"upgrade/pacnew": {1, []string{"agent/plan", "diagnose", "i18n", "internal/sorting", "machine"}, "merges configuration files that pacman left: looks, three versions, a plan"},
	"desktop":        {1, []string{"agent/plan", "diagnose", "i18n", "internal/sorting", "machine"}, "what a person tells the desktop to do, as data: looks, a plan, one question"},
	"upgrade/boot":   {1, []string{"machine"}, "reads whether the machine will start again"},
	"timeline":       {1, []string{"i18n", "internal/sorting"}, "what changed on this machine, in one order"},
	"providers/claudecli": {1, []string{
		"internal/child", "internal/lazyregexp", "internal/sorting", "providers",
	}, "Claude by subscription: runs the installed claude with our tools"},
	"providers/scripted": {1, []string{
		"internal/lazyregexp", "providers",
	}, "a model that follows a script, for tests"},
	"providers/catalog": {1, []string{
		"i18n", "providers", "providers/anthropic", "providers/gemini", "providers/openai", "providers/scripted",
		"providers/transport", "providers/written",
	}, "provider names, servers and keys as data"},
	"providers/failover": {1, []string{
		"internal/sorting", "providers",
	}, "chooses the provider: retries, cooldowns, fallback"},
	"test/providertest": {1, []string{
		"providers", "providers/transport",
	}, "test suite for all providers, with fake servers"},
	"tools/commandlog": {1, []string{"internal/crash", "internal/disk"}, "the command log: a record of every command"},
	"tools/explain":    {1, []string{"i18n", "internal/lazyregexp", "tools/safety", "tools/shell"}, "says what a command does and why it failed, without running it"},
	"upgrade/aur":      {1, []string{"internal/lazyregexp", "internal/sorting", "tools/shell"}, "reads build recipes of the AUR and reports what they do; it runs and sources nothing"},
	"upgrade/aur/server": {1, []string{
		"tools/web/guard", "upgrade/aur",
	}, "asks the AUR for recipes and what it knows of them, in blunux-ai-extra"},
	"tools/shell":        {0, nil, "reads commands as bash does, without running anything"},
	"tools/sandbox/cell": {1, nil, "runs inside the sandbox: restricts itself and executes a command"},
	"tools/sandbox/bus":  {1, nil, "D-Bus proxy that only passes read-only calls"},
	"tools/sandbox":      {1, []string{"tools/sandbox/cell"}, "starts read-only commands that the kernel confines"},
	"tools/elevation":    {1, nil, "finds the way to root rights on this machine"},
	"tools/unit/record": {1, []string{
		"internal/disk", "internal/journal",
	}, "main process of a confirmed command's unit: starts it, records its output and result"},
	"tools/unit": {1, []string{
		"internal/lazyregexp", "tools/unit/record",
	}, "confirmed commands as units of the user's service manager"},
	"tools/file":    {0, []string{"internal/crash"}, "reads and replaces regular files, without following links"},
	"tools/listing": {1, []string{"tools/file"}, "finds files by a pattern, without those that a .gitignore leaves out"},
	"test/unittest": {1, []string{"tools/file", "tools/unit", "tools/unit/record"}, "a fake service manager for tests"},
	"tools/executor": {1, []string{
		"internal/crash", "internal/secret", "tools/commandlog", "tools/sandbox", "tools/shell", "tools/unit",
		"tools/unit/record",
	}, "starts commands: as children, in cells of the sandbox or in units"},
	"tools/binding":  {1, []string{"tools/shell"}, "finds the files that decide what a command does, for its approval"},
	"tools/place":    {1, []string{"tools/shell"}, "decides by names which files a command uses, and which places last"},
	"tools/autonomy": {1, []string{"tools/place", "tools/shell"}, "decides what full autonomy runs without a confirmation"},
	"tools/family":   {1, []string{"tools/place"}, "decides which commands can be allowed together for a conversation"},
	"tools/local": {1, []string{
		"internal/lazyregexp", "machine",
	}, "knows this machine's configured hosts and the devices in use"},
	"tools/steps": {1, []string{
		"internal/crash", "internal/lazyregexp", "internal/secret", "machine", "providers", "tools/commandlog",
		"tools/elevation", "tools/executor", "tools/shell", "tools/unit",
	}, "records and runs the commands of a call, one by one"},
	"tools/schema": {1, []string{"providers"}, "checks the input of tools against their JSON Schemas"},
	"tools/action": {1, []string{
		"agent/plan", "i18n", "internal/charset", "internal/lazyregexp", "internal/picture", "internal/secret", "memory", "providers",
		"timeline", "tools/file", "tools/listing", "tools/receipt", "tools/safety", "tools/schema", "tools/shell",
		"tools/browser", "tools/web",
	}, "tools that act inside this program: looks at files, notes, automations, what was done, files for messengers, other servers' tools, the web, the browser"},
	"upgrade": {1, []string{
		"diagnose", "i18n", "internal/sorting", "machine",
	}, "what an upgrade of all packages would do, and what speaks against it now"},
	"upgrade/database": {1, []string{"internal/lazyregexp", "machine", "upgrade"}, "reads pacman's databases, and ELF files for their libraries"},
	"upgrade/host": {1, []string{
		"internal/sorting", "machine", "upgrade", "upgrade/database",
	}, "asks pacman about its own copy of the databases, in blunux-ai-extra"},
	"tools": {1, []string{
		"agent/plan", "desktop", "diagnose", "i18n", "internal/charset", "internal/lazyregexp", "internal/picture", "internal/secret", "machine", "memory", "providers", "tools/action",
		"tools/autonomy", "tools/binding", "tools/commandlog", "tools/elevation", "tools/executor", "tools/explain", "tools/family", "tools/file", "tools/place",
		"tools/receipt", "tools/safety", "tools/sandbox", "tools/schema", "tools/shell", "tools/steps", "upgrade", "upgrade/pacnew",
	}, "the tools and the gate"},
	"systemd":          {1, []string{"internal/sorting"}, "interfaces of systemd"},
	"internal/desktop": {1, nil, "desktop notifications with buttons"},

	"automation": {1, []string{
		"i18n", "internal/channel", "internal/crash", "internal/disk", "internal/journal", "internal/lazyregexp",
		"internal/sorting",
	}, "automations: rules, schedules, history of runs"},
	"automation/check": {1, []string{
		"i18n", "internal/lazyregexp", "internal/sorting", "machine", "upgrade",
	}, "conditions that are checked without a model"},
	"agent/usage": {1, []string{
		"internal/crash", "internal/journal", "internal/sorting", "providers",
	}, "ledger of model requests and their cost, and the budget"},

	"agent/plan": {1, []string{
		"internal/lazyregexp", "internal/sorting", "machine",
	}, "plans of typed steps: how each is checked, what it leaves different, what takes it back and what follows its failure"},
	"tools/receipt": {1, []string{"agent/plan", "internal/journal", "tools/file"}, "what approved changes did, on disk"},
	"agent": {2, []string{
		"agent/plan", "agent/session", "i18n", "internal/crash", "internal/picture", "internal/secret", "memory", "providers", "tools", "tools/executor",
	}, "runs a turn of a conversation"},
	"agent/session": {1, []string{
		"internal/crash", "internal/disk", "internal/journal", "internal/secret", "internal/sorting", "providers",
	}, "conversations on disk"},
	"memory/recall": {1, []string{
		"agent/session", "internal/disk", "internal/names", "memory",
	}, "finds notes with a rebuildable full-text index"},

	"memory/recall/protocol": {1, []string{"memory"}, "what the daemon and the index program say to each other"},
	"memory/recall/server": {1, []string{
		"agent/session", "internal/names", "internal/peer", "memory", "memory/recall", "memory/recall/protocol",
	}, "serves the index over pipes"},

	"daemon/task": {3, []string{
		"internal/crash", "internal/journal", "internal/secret", "internal/sorting",
	}, "requests to the daemon, on disk"},
	"daemon/pairing": {3, []string{
		"daemon/approval", "internal/journal",
	}, "who may send messages over bridges; codes work like those of approvals"},
	"daemon/outbox": {3, []string{
		"internal/crash", "internal/journal", "internal/sorting",
	}, "undelivered notifications"},
	"daemon/approval": {3, []string{
		"i18n", "internal/crash", "internal/disk", "internal/journal", "internal/secret", "internal/sorting", "ipc",
		"tools",
	}, "pending approvals"},
	"daemon/chat": {3, []string{"i18n", "ipc"}, "questions and answers as chats show them"},
	"daemon/life": {3, []string{"ipc"}, "the daemon's life cycle: what keeps it running and how it stops"},
	"daemon/notes": {3, []string{
		"agent/session", "config", "daemon/chat", "i18n", "internal/child", "internal/helper", "internal/installed", "internal/peer",
		"internal/secret", "ipc", "memory", "memory/embed", "memory/recall/protocol",
	}, "the person's notes with their search"},
	"daemon/post": {3, []string{"agent/session", "daemon/outbox", "ipc"}, "messages to people and events to subscribers"},
	"daemon/settings": {3, []string{
		"agent", "agent/plan", "agent/session", "agent/usage", "config", "daemon/approval", "daemon/life", "daemon/notes",
		"daemon/post", "i18n", "internal/journal", "internal/secret", "ipc", "providers", "providers/catalog",
		"providers/failover", "providers/offline", "providers/transport", "tools", "tools/commandlog", "tools/executor", "tools/mcpclient",
		"tools/receipt", "tools/steps",
	}, "the runtime of the last valid configuration, and why something failed"},
	"daemon/files": {3, []string{
		"agent", "daemon/outbox", "daemon/post", "daemon/settings", "daemon/task", "i18n", "internal/picture", "ipc", "providers", "tools",
		"tools/action",
	}, "files that bridges bring and fetch"},
	"daemon/turns": {3, []string{
		"agent", "agent/plan", "agent/session", "agent/usage", "automation", "daemon/approval", "daemon/chat", "daemon/files",
		"daemon/life", "daemon/notes", "daemon/outbox", "daemon/post", "daemon/settings", "daemon/task", "diagnose", "i18n",
		"internal/crash", "internal/journal", "ipc", "machine", "memory", "providers", "tools", "tools/commandlog",
		"tools/action", "tools/executor", "tools/receipt", "tools/safety", "tools/shell", "tools/steps", "upgrade", "upgrade/pacnew",
	}, "tasks: their queues, turns, questions and ends, and what earlier daemons left"},
	"daemon/rules": {3, []string{
		"agent/usage", "automation", "automation/check", "bridge/state", "config", "daemon/approval", "daemon/chat",
		"daemon/life", "daemon/look", "daemon/outbox", "daemon/pairing", "daemon/post", "daemon/settings", "daemon/task",
		"daemon/turns", "i18n", "internal/channel", "internal/desktop", "internal/journal", "internal/lazyregexp",
		"internal/sorting", "internal/watch", "ipc", "machine", "tools", "tools/action",
	}, "the automations: when they run, and where their answers go"},
	"daemon/remote": {3, []string{
		"agent/session", "bridge/state", "config", "daemon/approval", "daemon/chat", "daemon/files", "daemon/life",
		"daemon/outbox", "daemon/pairing", "daemon/post", "daemon/settings", "daemon/task", "daemon/turns", "i18n",
		"ipc",
	}, "people who write over a messenger, and who of them may"},
	"daemon/look": {3, []string{
		"automation/check", "daemon/settings", "diagnose", "i18n", "ipc", "providers", "tools", "tools/safety", "tools/shell", "upgrade",
		"upgrade/pacnew",
	}, "commands that only read, for the daemon itself"},
	"daemon/figures": {3, []string{
		"automation/check", "daemon/look", "daemon/post", "daemon/settings", "internal/journal", "ipc", "machine", "tools",
	}, "the machine's health over days: disks and memory once a day, boots and failed units of the journal"},
	"daemon/past": {3, []string{
		"daemon/settings", "internal/journal", "internal/sorting", "machine", "timeline", "tools", "tools/action", "tools/receipt",
	}, "gathers what changed on this machine from the logs, and compares the list of files"},
	"daemon/serve": {4, []string{
		"agent/session", "config", "daemon/approval", "daemon/chat", "daemon/figures", "daemon/files", "daemon/life", "daemon/look",
		"daemon/notes", "daemon/outbox", "daemon/past", "daemon/post", "daemon/remote", "daemon/rules", "daemon/settings", "daemon/task",
		"daemon/turns", "diagnose", "i18n", "internal/logfile", "internal/tail", "internal/watch", "ipc", "memory", "providers",
		"providers/catalog", "providers/offline", "providers/transport", "timeline", "tools", "tools/action", "tools/explain", "tools/receipt", "tools/sandbox",
	}, "connections: the protocol's requests and who may make them"},
	"daemon/wire": {5, []string{
		"agent", "agent/session", "agent/usage", "automation", "config", "daemon/approval", "daemon/figures", "daemon/files",
		"daemon/life", "daemon/notes", "daemon/outbox", "daemon/past", "daemon/post", "daemon/remote", "daemon/rules",
		"daemon/serve", "daemon/settings", "daemon/task", "daemon/turns", "i18n", "internal/channel",
		"internal/child", "internal/desktop", "internal/disk", "internal/helper", "internal/installed",
		"internal/logfile", "internal/secret", "internal/watch", "ipc", "machine", "memory", "providers", "providers/catalog",
		"providers/claudecli", "providers/failover", "providers/offline", "providers/ollama", "providers/transport",
		"providers/written", "systemd", "tools", "tools/action", "tools/autonomy", "tools/commandlog",
		"tools/elevation", "tools/executor", "tools/local", "tools/mcpclient", "tools/receipt", "tools/safety", "tools/sandbox",
		"tools/sandbox/bus", "tools/steps", "tools/unit", "tools/web", "tools/browser",
	}, "composition: builds all parts from the configuration"},

	"internal/installed": {0, nil, "finds the other programs of this installation"},
	"ui/draw":            {1, []string{"internal/picture"}, "draws a picture at a terminal; links the decoders of pictures"},
	"ui/show": {3, []string{
		"internal/errand", "internal/installed", "internal/term", "ipc",
	}, "shows the picture of a tool's result at a terminal, with a program that draws it"},
	"internal/picture": {0, nil, "what a picture is, from its first bytes"},
	"internal/term":    {1, []string{"ipc"}, "terminals: their size and echo, and text in their cells"},
	"ui/confirm":       {1, []string{"i18n", "internal/term", "ipc"}, "asks for confirmation at a terminal and shows everything"},
	"internal/manual":  {1, []string{"i18n"}, "help, completions and man pages of a program, in the user's language"},
	"ui/chat": {3, []string{
		"i18n", "internal/commonmark", "internal/disk", "internal/secret", "ipc", "ui/confirm",
	}, "the full-screen chat"},
	"ui/chat/plain": {3, []string{
		"i18n", "internal/term", "ipc", "ui/confirm",
	}, "the line-by-line chat for simple terminals and screen readers"},
	"ui/dialog": {3, []string{
		"i18n", "internal/peer", "internal/term",
	}, "questions at the terminal: line by line, or through a program that draws forms"},
	"ui/icon":     {1, []string{"i18n", "internal/sorting", "internal/watch", "ipc"}, "an icon on the panel while approvals wait"},
	"ui/quick":    {1, []string{"internal/sorting", "ipc"}, "the small window with the plain chat, and the addresses that open it"},
	"ui/shortcut": {1, []string{"ipc"}, "a global shortcut by the desktop's portal"},
	"ui/search": {1, []string{
		"i18n", "ipc",
	}, "answers the desktop's own search over the session bus: KRunner and GNOME Shell; in blunux-ai-extra"},
	"ui/host":        {0, nil, "connects other assistants to our MCP server"},
	"ui/shell":       {0, nil, "integrations of bash, zsh and fish, and their installation"},
	"ui/dialog/form": {3, []string{"i18n", "ui/dialog"}, "questions as forms; links the form library"},
	"ui/setup": {4, []string{
		"bridge/state", "config", "i18n", "internal/channel", "ipc", "providers", "providers/catalog",
		"providers/ollama", "providers/transport", "ui/dialog",
	}, "asks for the settings and writes them"},

	"ui/doctor": {4, []string{
		"bridge/state", "config", "diagnose", "i18n", "internal/channel", "internal/lazyregexp", "internal/logfile",
		"internal/sorting", "internal/tail", "ipc", "machine", "providers", "providers/catalog", "providers/transport",
		"systemd", "tools/commandlog", "tools/elevation", "tools/steps",
	}, "checks the installation"},

	"bridge": {3, []string{
		"bridge/markup", "bridge/state", "i18n", "internal/journal", "ipc",
	}, "code shared by all messenger bridges"},
	"bridge/account": {0, nil, "tokens of bots, and the HTTP client to their servers"},
	"bridge/discord": {3, []string{"bridge", "bridge/account", "bridge/state", "internal/journal", "ipc"}, "the Discord bot"},
	"bridge/markup":  {1, []string{"internal/commonmark", "ipc"}, "converts Markdown for messengers and splits it into messages"},
	"bridge/program": {4, []string{
		"bridge", "bridge/account", "bridge/state", "i18n", "internal/channel", "internal/manual", "internal/term", "ipc",
	}, "code shared by the bridges' programs"},
	"gateway": {3, []string{
		"i18n", "internal/channel", "internal/disk", "internal/journal", "internal/sorting", "internal/watch", "ipc", "timeline", "ui/confirm",
	}, "other programs over JSON-RPC: their tokens, their messages and what they get of the daemon"},
	"bridge/state":     {0, []string{"internal/channel", "internal/disk", "internal/journal"}, "a bridge's state file"},
	"bridge/telegram":  {3, []string{"bridge", "bridge/account", "bridge/state", "ipc"}, "the Telegram bot"},
	"test/helptest":    {6, []string{"i18n", "internal/manual"}, "checks the help of a program"},
	"test/channeltest": {6, []string{"bridge/state", "internal/channel", "ipc", "test/injection"}, "test suite for all bridges"},
	"test/browsertest": {0, nil, "a Chromium for tests of the page"},
	"test/injection":   {0, nil, "web pages that give a model orders, and a script that obeys, for tests"},

	"test/discordapi": {6, []string{"test/channeltest"}, "fake Discord with users on loopback, for tests"},
	"test/botapi":     {6, []string{"test/channeltest"}, "fake Telegram Bot API and users on loopback, for tests"},

	"tools/mcpclient": {2, []string{
		"internal/helper", "internal/peer", "internal/sorting", "providers", "tools/action",
	}, "MCP client: tools of other programs for the gate"},
	"tools/mcpclient/dial": {2, []string{
		"internal/child", "internal/peer", "tools/mcpclient",
	}, "connections to MCP servers, which blunux-ai-extra holds; links the MCP library"},
	"tools/web": {1, []string{
		"internal/helper", "internal/peer",
	}, "the daemon's side of the web tools: addresses, settings, the program that makes the requests"},
	"tools/web/proxy": {1, []string{"tools/web/guard"}, "the browser's only way to the network: an HTTP proxy behind the guard"},
	"tools/browser": {1, []string{
		"internal/helper", "internal/peer", "internal/picture", "tools/web",
	}, "the daemon's side of the browser: what can be asked of a page, the program that drives Chromium"},
	"tools/browser/chrome": {1, []string{
		"tools/browser", "tools/web", "tools/web/guard", "tools/web/proxy",
	}, "drives Chromium, in blunux-ai-browser; links chromedp"},
	"tools/web/guard": {1, nil, "decides which addresses the web tools may connect to"},
	"tools/web/page":  {1, nil, "turns web pages into text; links the HTML parser"},
	"tools/web/fetch": {1, []string{
		"internal/disk", "internal/peer", "tools/web", "tools/web/guard", "tools/web/page",
	}, "makes the requests of the web tools, in blunux-ai-extra"},
	"ui/mcpserver": {4, []string{"i18n", "ipc", "ui/confirm"}, "MCP server with the daemon's tools; not linked into the thin client"},

	"cmd/blunux-ai": {6, []string{
		"automation", "config", "daemon/notes", "daemon/remote", "daemon/rules", "daemon/wire", "diagnose", "i18n",
		"internal/channel", "internal/desktop", "internal/editor", "internal/errand", "internal/installed",
		"internal/logfile", "internal/manual", "internal/secret", "internal/tail", "internal/term", "internal/watch",
		"ipc", "machine", "memory",
		"providers/offline", "providers/offline/intent", "providers/transport", "systemd", "tools/commandlog",
		"tools/elevation", "tools/executor", "tools/explain", "tools/file", "tools/safety", "tools/shell", "tools/unit/record", "ui/chat/plain",
		"ui/confirm", "ui/dialog", "ui/doctor", "ui/setup", "ui/shell", "ui/show",
	}, "the daemon, and commands to configure and diagnose it"},
	"cmd/blunux-aictl": {6, []string{
		"i18n", "internal/channel", "internal/editor", "internal/errand", "internal/manual", "internal/picture",
		"internal/term", "ipc", "ui/confirm", "ui/show",
	}, "the thin client"},
	"cmd/blunux-discord-bridge": {6, []string{
		"bridge", "bridge/account", "bridge/discord", "bridge/markup", "bridge/program", "bridge/state", "i18n",
		"internal/channel", "internal/manual",
	}, "the bridge to Discord"},
	"cmd/blunux-telegram-bridge": {6, []string{
		"bridge", "bridge/account", "bridge/markup", "bridge/program", "bridge/state", "bridge/telegram", "i18n",
		"internal/channel", "internal/manual", "ipc",
	}, "the bridge to Telegram"},
	"cmd/blunux-ai-extra": {6, []string{
		"i18n", "internal/desktop", "internal/errand", "internal/installed", "internal/term", "ipc", "tools/mcpclient/dial", "tools/web", "tools/web/fetch", "ui/chat", "ui/dialog", "ui/dialog/form", "ui/draw", "ui/host", "ui/icon",
		"ui/mcpserver", "ui/quick", "ui/search", "ui/shortcut", "upgrade/aur", "upgrade/aur/server", "upgrade/boot", "upgrade/host",
	}, "what the daemon does not need: recipes of the AUR, the full-screen chat, forms, pictures, MCP, requests to web servers; blunux-ai executes it"},
	"cmd/blunux-ai-browser": {6, []string{
		"tools/browser", "tools/browser/chrome", "tools/web/guard",
	}, "drives the browser; started by the daemon, in a unit of its own"},
	"cmd/blunux-ai-gateway": {6, []string{
		"config", "gateway", "i18n", "internal/errand", "ipc", "systemd",
	}, "the gateway for other programs, which its socket starts; manages its tokens and units for blunux-aictl"},
	"cmd/blunux-ai-cell": {6, []string{
		"tools/sandbox/cell", "tools/unit/record",
	}, "starts commands; small, because it starts with each of them"},
	"cmd/blunux-ai-index":   {6, []string{"memory/recall/server"}, "the search index, which the daemon starts on demand"},
	"docs":                  {6, nil, "compares the documents with the programs"},
	"test/e2e":              {6, nil, "scripts that run the real programs"},
	"test/e2e/floor":        {6, nil, "the minimal work of one question, for benchmarks"},
	"test/e2e/floor/screen": {0, nil, "the minimal full-screen program, for benchmarks"},
	"test/e2e/foreign":      {6, nil, "an MCP server that behaves, crashes, hangs, floods or lies"},
	"test/e2e/probe":        {6, []string{"internal/disk", "ipc", "systemd"}, "tries what the units forbid"},
	"packaging":             {6, nil, "files that only packages need: install tree, desktop files, installer card"},
	"packaging/pages":       {6, nil, "the man pages, from their Markdown sources; used by the packages' build"},
	"packaging/bill":        {6, nil, "licences and bill of materials of the linked code; used by the packages' build"},
	"packaging/system":      {6, nil, "tests the packages with makepkg and pacman on a booted system (build tag systemtest)"},
	"":                      {6, nil, "this test"},
}

// listed is a package in the output of go list.
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
		rule, ok := plan[here]
		require.True(t, ok, "%s is not in the plan: enter it with its reason", p.ImportPath)
		require.NotEmpty(t, rule.reason)
		if len(p.GoFiles) > 0 {
			require.NotEmpty(t, p.Doc, "%s has no package comment", p.ImportPath)
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			there := name(imported)
			require.Contains(t, rule.may, there, "%s may not import %s", here, there)
			require.LessOrEqual(t, plan[there].level, rule.level, "the arrow from %s to %s points up", here, there)
		}
	}
	for planned := range plan {
		require.True(t, found[planned], "%q is planned but not there", planned)
	}
}

func TestThreat01OnlyTheGateStartsSystemCommands(t *testing.T) {
	// These packages may start processes: ipc only starts the daemon. unittest starts recorders for tests.
	// floor is a benchmark, probe tries what a unit forbids. child starts claude and the configured MCP
	// servers, whose tools run through the gate; claudecli also asks claude for its version. errand runs
	// commands that the user confirmed at the terminal. botapi and discordapi build bridges for tests. bill asks go for
	// the module cache. upgrade/host asks pacman, in the cell of the gate. chrome starts Chromium, and so does browsertest for tests.
	may := []string{"tools/browser/chrome", "test/botapi", "test/browsertest", "test/discordapi", "tools/executor", "tools/commandlog", "ipc", "internal/child", "internal/errand", "providers/claudecli", "upgrade/host", "test/unittest", "test/e2e/floor", "test/e2e/probe", "test/channeltest", "packaging/bill"}
	for _, p := range list(t, "./...") {
		for _, imported := range p.Imports {
			if imported == "os/exec" {
				require.Contains(t, may, name(p.ImportPath), "%s starts commands past the gate", p.ImportPath)
			}
		}
	}
	// These start processes without os/exec: the recorder executes commands from the gate, the sandbox tests
	// its own restrictions, editor starts the user's editor, and errand becomes our own blunux-ai-extra, and chrome
	// becomes Chromium.
	may = []string{"tools/browser/chrome", "tools/unit/record", "tools/sandbox", "internal/editor", "internal/errand"}
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
			require.True(t, slices.Contains([]string{"internal/term", "ui/confirm", "internal/editor", "internal/channel", "internal/disk", "internal/errand", "internal/installed", "internal/picture", "ui/show", "ipc", "i18n", "internal/manual", "cmd/blunux-aictl"}, ours), "the thin client links %s", ours)
		}
	}
}

// TestTheIndexIsInAProgramOfItsOwn: the daemon links no database, and the program with the database no network.
func TestTheIndexIsInAProgramOfItsOwn(t *testing.T) {
	for program, never := range map[string][]string{
		"./cmd/blunux-ai":       {"database/sql", "modernc.org/sqlite", module + "/memory/recall", "golang.org/x/net/html", module + "/tools/web/fetch", module + "/tools/browser/chrome", "github.com/chromedp/chromedp", "github.com/coder/websocket", module + "/gateway"},
		"./cmd/blunux-ai-index": {"net/http", "crypto/tls", module + "/config", module + "/internal/child"},
	} {
		out, err := exec.Command("go", "list", "-mod=readonly", "-deps", program).Output()
		require.NoError(t, err)
		linked := strings.Fields(string(out))
		for _, dep := range never {
			require.NotContains(t, linked, dep, program)
		}
	}
}

// The forms, the full-screen chat and the MCP library are in blunux-ai-extra.
func TestTheDaemonLinksNoScreenAndNoMCP(t *testing.T) {
	out, err := exec.Command("go", "list", "-mod=readonly", "-deps", "./cmd/blunux-ai").Output()
	require.NoError(t, err)
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		for _, heavy := range []string{"charm.land/", "github.com/charmbracelet/", "github.com/yuin/goldmark", "github.com/modelcontextprotocol/"} {
			require.False(t, strings.HasPrefix(dep, heavy), "the daemon's program links %s", dep)
		}
	}
}

func TestOnlyTheEdgeReadsTheConfiguration(t *testing.T) {
	for _, p := range list(t, "./...") {
		if slices.Contains(p.Imports, module+"/config") {
			require.Contains(t, []string{"daemon/notes", "daemon/remote", "daemon/rules", "daemon/serve", "daemon/settings", "daemon/wire", "ui/doctor", "ui/setup", "cmd/blunux-ai", "cmd/blunux-ai-gateway"}, name(p.ImportPath))
		}
	}
}

func TestTheDaemonListensOnNoNetwork(t *testing.T) {
	for _, p := range list(t, "./...") {
		if n := name(p.ImportPath); n != "test/providertest" {
			require.NotContains(t, p.Imports, "net/http/httptest", "%s", n)
		}
	}
}

func TestNoRoomIsALumberRoom(t *testing.T) {
	for _, p := range list(t, "./...") {
		require.NotContains(t, []string{"util", "utils", "common", "types", "helpers", "errors", "manager", "managers", "misc", "shared"}, p.Name)
	}
}
