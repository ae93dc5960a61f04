package wire

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/files"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/installed"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/claudecli"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/action"
	"github.com/nidoit/blunux-ai/tools/autonomy"
	"github.com/nidoit/blunux-ai/tools/browser"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/local"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/sandbox/bus"
	"github.com/nidoit/blunux-ai/tools/steps"
	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/tools/web"
)

// Sources are what a runtime is read from: files, environment and flags.
type Sources struct {
	Paths    config.Paths
	Source   config.Source
	Getenv   func(string) string
	Provider string // flag, overrides every file
	Lang     string // flag
}

// NewSources returns the usual places, with the process's environment. Rules are tested against their examples as the
// gate matches commands. distribution is the --blunux-config flag, "" for the default.
func NewSources(paths config.Paths, distribution string) Sources {
	return Sources{Paths: paths, Source: NewSource(paths, distribution), Getenv: os.Getenv}
}

// Process has the parts that a process makes once. They outlive runtimes, and each may be nil.
type Process struct {
	HTTPClient *http.Client       // shared, so that connections to providers survive a reload
	Claude     *claudecli.Program // the installed claude, for claude_mode = "oauth"
	Spare      Spare              // records reading commands while the disk takes no records
	Sandbox    *sandbox.Sandbox   // confines commands that only read
	Units      *unit.Runner       // runs confirmed commands; without it they run as children
	MCPServers *mcpclient.Servers // other servers' tools
	Web        *web.Program       // makes the requests of the web tools
	Browser    *browser.Program   // drives the browser
	Inhibitor  steps.Inhibitor    // keeps the machine awake while packages change
	Finder     *notes.Finder      // searches notes; without it they are searched word by word
	Ledger     *usage.Ledger      // the basis of the budget
	Observer   transport.Observer // observes requests to providers
	Circuits   *failover.Circuits // remembers failing providers
	Written    *written.Memory    // remembers models that do not accept tools
}

// Spare records commands that only read while the disk takes no records.
type Spare interface {
	steps.FallbackRecorder
	Ready() error
}

// Builder builds runtimes.
type Builder struct {
	Sources
	Process Process
	// Warn receives errors in files other than the configuration. It may be nil.
	Warn func(error)
	// WarnSession is called once for each conversation that cannot be read completely. It may be nil.
	WarnSession func(error)
	// OnKeys receives the values of all keys before they are used. It may be nil.
	OnKeys func(keys []string)
}

// OwnTools are the daemon's parts that tools use.
type OwnTools struct {
	Automations action.AutomationStore
	Files       action.FileSender
	Timeline    action.Timeline
}

// Build reads the configuration and composes a runtime.
func (b Builder) Build(own OwnTools) (*settings.Runtime, error) {
	keys := b.keys()
	b.noteKeys(keys)
	cfg, err := config.Load(b.Source)
	if err != nil {
		return nil, err
	}
	all, err := toolsOf(cfg)
	if err != nil {
		return nil, err
	}
	home := config.HomeDir(b.Getenv)
	servers, secrets := b.servers(cfg, home)
	if len(secrets) > 0 {
		keys = append(keys, secrets...)
		b.noteKeys(keys)
	}
	redactor := secret.NewRedactor(keys)
	paths := cfg.Storage.PathsFor(b.Paths, home)
	log := commandlog.Open(b.Paths.CommandLog(), b.Paths.LogWitness())
	executor := executor.New(executor.Options{
		MaxBytes: cfg.Limits.OutputBytes, MaxLines: cfg.Limits.OutputLines,
		Getenv: withHome(b.Getenv, home), Sandbox: b.Process.Sandbox, Units: b.Process.Units, Redactor: redactor,
	})
	ladder := NewLadder(cfg.Security.Privilege, executor)
	notes := notes.New(paths, cfg.Memory, b.Process.Finder, redactor)
	receipts := receipt.New(b.Paths.Receipts(), time.Now)
	gate := tools.New(tools.Options{
		Tools: all, Checker: NewChecker(paths, home), Executor: executor, Home: home, Inhibitor: b.Process.Inhibitor, KeepRuns: true, Rights: ladder,
		Receipts: receipts, Putter: putter(), Makepkg: makepkg(), PreviewFile: b.Paths.Preview(),
		Records: steps.Records{Recorder: log, Fallback: b.Process.Spare, Ready: log.Ready, Redactor: redactor},
		Services: action.Services{
			Foreign: b.mcpTools(), Notebook: notes, Automations: own.Automations, FileSender: own.Files, History: history{receipts, log}, Timeline: own.Timeline, Web: b.web(cfg, home),
			Browser: b.browser(cfg),
		},
		Policy: tools.Policy{
			ReadOnly: cfg.Agent.Autonomy == "read_only", Full: b.allowance(cfg, home), Rules: RulesOf(cfg.Security),
			Hosts:    local.Hosts{Extra: cfg.Security.KnownHosts},
			Families: os.Geteuid() != 0, Protected: slices.Concat(b.protectedFiles(cfg, home), blockedPaths(cfg, home)),
		},
		Timeouts: tools.Timeouts{Command: cfg.Limits.CommandTimeoutDuration(), Update: cfg.Limits.UpdateTimeoutDuration()},
	})
	// SYSTEM.md is optional. If the state directory is not writable, the command log reports it.
	_, _ = notes.RefreshSystem(memory.DetectSystem("/", b.Getenv))
	sessionTimeout := time.Duration(cfg.WhatsApp.SessionTimeout) * time.Second
	sessions := session.New(session.Options{
		Dir: paths.Sessions(), Window: cfg.Limits.HistoryMessages, Timeout: sessionTimeout, Warn: b.warnDamaged,
		Fence:    func(tool, text string) string { return agent.Fence("tool "+tool, redactor.Redact(text)) },
		Redactor: redactor,
	})
	lang, chosen := b.language(cfg)
	if b.Process.Circuits == nil {
		b.Process.Circuits = failover.NewCircuits(time.Now)
	}
	models := b.models(cfg, string(lang), home)
	models.rights = ladder
	line, err := models.failoverLine()
	if err != nil {
		return nil, err
	}
	options := agent.Options{
		Model: line, Context: models.context, Tools: gate, Notes: notes, History: sessions, Summariser: summariser(line),
		Rounds: cfg.Limits.Rounds, SafeMode: cfg.IsSafeMode(), OnlyAsked: !cfg.Memory.SavesAutomatically(), Redactor: redactor,
		Autonomy: agent.Autonomy{Level: cfg.Agent.Autonomy, Commands: cfg.Security.AllowedCommands, Workspace: cfg.Security.Workspace},
		Warn:     b.Warn,
	}
	agents, err := b.agents(models, gate, options)
	if err != nil {
		return nil, err
	}
	b.configureServers(servers, all, redactor)
	return &settings.Runtime{
		Agent: agent.New(options), Agents: agents,
		Gate: gate, Sessions: sessions, CommandLog: log, Notes: notes, Redactor: redactor,
		Language: settings.Language{Lang: lang, Chosen: chosen},
		Config: settings.Config{
			Home: home, Files: cfg.Files, DisabledIn: b.disabledIn(cfg), Automations: cfg.AutomationsEnabled() && cfg.IsEnabled(),
		},
		Limits: settings.Limits{
			Approval: cfg.Limits.ApprovalTimeoutDuration(), Session: sessionTimeout, Idle: cfg.Limits.IdleExitDuration(),
		},
		Remote: remotePolicy(cfg), Models: models.registry(), Helper: models.searchHelper(),
		Guards: settings.Guards{
			Privilege:  func(ctx context.Context) string { return ladder.Status(ctx).String() },
			MCPServers: b.Process.MCPServers,
		},
	}, nil
}

// history is what was done through this program.
type history struct {
	receipts *receipt.Store
	log      *commandlog.Log
}

func (h history) Changes() ([]receipt.Receipt, error) { return h.receipts.All() }

func (h history) Ran(from, to time.Time, session string) (read, refused int, err error) {
	return h.log.Count(from, to, session)
}

func (history) Now() time.Time { return time.Now() }

func (b Builder) noteKeys(keys []string) {
	if b.OnKeys != nil {
		b.OnKeys(keys)
	}
}

// OpenNotes returns the notes for a program other than the daemon. The caller must close them.
func (s Sources) OpenNotes(cfg config.Config, warn func(error)) *notes.Notes {
	finder := notes.NewFinder(notes.FinderOptions{Paths: s.Paths, Getenv: s.Getenv, Warn: warn})
	return notes.New(cfg.Storage.PathsFor(s.Paths, config.HomeDir(s.Getenv)), cfg.Memory, finder, secret.NewRedactor(s.keys()))
}

// toolsOf returns the tools that are offered to models.
func toolsOf(cfg config.Config) ([]tools.Tool, error) {
	all, err := tools.All()
	if err == nil && !cfg.Memory.SavesAutomatically() {
		all = tools.RequireExplicitMemory(all)
	}
	return all, err
}

// disabledIn returns the file in which the person can switch the assistant on: the one that switched it off if the
// person owns it, otherwise the person's settings. It returns "" while the assistant is on.
func (s Sources) disabledIn(cfg config.Config) string {
	if cfg.IsEnabled() {
		return ""
	}
	settings, _ := config.Effective(s.Source) // the same source was just loaded
	for _, set := range settings {
		if set.Key() == "ai_agent.enabled" && strings.HasPrefix(set.File, s.Paths.Home+"/") {
			return set.File
		}
	}
	return s.Paths.Config()
}

// remotePolicy returns the rules for messages over bridges.
func remotePolicy(cfg config.Config) settings.RemotePolicy {
	a := settings.RemotePolicy{Owners: owners(cfg), Rooms: rooms(cfg), RequirePrefix: cfg.WhatsApp.RequirePrefix, PerMinute: cfg.WhatsApp.MaxMessagesPerMinute}
	if on := cfg.Agent.WhatsAppEnabled; on != nil && !*on {
		a.Closed = []string{"whatsapp"}
	}
	return a
}

// language returns the daemon's language: a configured one, or that of its locale.
func (s Sources) language(cfg config.Config) (lang i18n.Lang, chosen bool) {
	for _, said := range []string{s.Lang, s.Getenv("BLUNUX_AI_LANG"), cfg.Agent.Language, i18n.FromLocales(cfg.Locales)} {
		if lang, ok := i18n.Parse(said); ok {
			return lang, true
		}
	}
	return i18n.Choose(s.Getenv("LC_ALL"), s.Getenv("LC_MESSAGES"), s.Getenv("LANG")), false
}

// keys returns the values of the keys of all providers, for the redactor.
func (s Sources) keys() []string {
	names := []string{config.EmbeddingsKeyEnv}
	for _, e := range catalog.All() {
		names = append(names, e.Keys.Env...)
	}
	return s.credentials().AllKeys(names...)
}

func (s Sources) credentials() config.Credentials {
	return config.Credentials{Dir: s.Paths.Credentials(), SystemDir: s.Getenv("CREDENTIALS_DIRECTORY"), Getenv: s.Getenv}
}

// allowance returns what runs without confirmation: the configured commands with autonomy full, otherwise nothing.
// It never includes the program's own files, which could extend it.
func (s Sources) allowance(cfg config.Config, home string) autonomy.Allowance {
	if cfg.Agent.Autonomy != "full" {
		return autonomy.Allowance{}
	}
	return autonomy.Allowance{
		Commands: cfg.Security.AllowedCommands, Workspace: config.ExpandHome(cfg.Security.Workspace, home),
		Protected: s.protectedFiles(cfg, home), Blocked: blockedPaths(cfg, home),
	}
}

// blockedPaths returns the configured paths that no command may use unasked.
func blockedPaths(cfg config.Config, home string) []string {
	var paths []string
	for _, p := range cfg.Security.BlockedPaths {
		paths = append(paths, config.ExpandHome(p, home))
	}
	return paths
}

// protectedFiles returns this program's own files.
func (s Sources) protectedFiles(cfg config.Config, home string) []string {
	files := []string{s.Paths.Home, cfg.Storage.PathsFor(s.Paths, home).Sessions(), s.Source.System, s.Source.Distribution}
	if program, err := os.Executable(); err == nil {
		files = append(files, program)
	}
	for _, name := range []string{cell, index, ExtraProgram} {
		if program, err := installed.Find(name); err == nil {
			files = append(files, program)
		}
	}
	return files
}

// NewLadder returns the configured way to root rights for the commands of an executor.
func NewLadder(setting string, x *executor.Executor) *elevation.Ladder {
	return elevation.New(elevation.Options{
		Setting: elevation.Rung(setting), Root: os.Geteuid() == 0, Probe: x.Probe, CanGainRights: x.CanGainRights,
		HasProgram: func(program string) bool { _, err := x.FindProgram(program); return err == nil },
	})
}

// RulesOf returns the configured rules as the gate applies them.
func RulesOf(s config.Security) tools.Rules {
	rules := tools.Rules{Dangerous: s.Dangerous}
	for _, r := range s.Rules {
		rules.Own = append(rules.Own, tools.Rule{Name: r.Name, Pattern: r.Compiled, Action: tools.RuleAction(r.Action)})
	}
	return rules
}

// NewSandbox returns the sandbox of a daemon that serves a socket, and a function that closes it. Its files are
// next to the socket.
func NewSandbox(socket string, getenv func(string) string) (*sandbox.Sandbox, func()) {
	dir := strings.TrimSuffix(socket, ".sock") + ".sandbox"
	runtimeDir := getenv("XDG_RUNTIME_DIR")
	reading := bus.New(bus.Options{
		Dir: dir, RuntimeDir: runtimeDir,
		SystemAddress: getenv("DBUS_SYSTEM_BUS_ADDRESS"), SessionAddress: getenv("DBUS_SESSION_BUS_ADDRESS"),
	})
	return sandbox.New(sandbox.Options{Dir: dir, RuntimeDir: runtimeDir, Bus: reading, Helper: cellProgram()}), func() {
		reading.Close()
		_ = os.RemoveAll(dir)
	}
}

// NewClaude returns the installed claude for a daemon that serves a socket. Its files are next to the socket.
func NewClaude(paths config.Paths, socket string, getenv func(string) string) *claudecli.Program {
	self, err := os.Executable()
	if err != nil {
		self = "blunux-ai"
	}
	return claudecli.New(claudecli.Options{
		Getenv: getenv, Home: config.HomeDir(getenv), Dir: strings.TrimSuffix(socket, ".sock") + ".claude",
		Server: []string{self, "mcp"}, ServerEnv: map[string]string{"BLUNUX_AI_SOCK": socket, "BLUNUX_AI_HOME": paths.Home},
	})
}

// NewUnits returns the runner that starts confirmed commands as units of the user's service manager. The sandbox's
// helper program records them, or this program if there is no helper.
func NewUnits(paths config.Paths, getenv func(string) string) *unit.Runner {
	recorder := cellProgram()
	if recorder == "" {
		recorder, _ = os.Executable() // "" causes an error when a unit starts
	}
	return unit.New(unit.Options{Dir: paths.Runs(), Recorder: recorder, Manager: unit.NewUserManager(getenv)})
}

// putter returns the program that replaces files when a person has confirmed it: this one, which does nothing else then.
// It is "" if the path is not known; then plans change no files.
func putter() string {
	path, _ := os.Executable()
	return path
}

// makepkg returns the program that checks a recipe and becomes makepkg, "" if it is not installed.
func makepkg() string {
	path, _ := installed.Find(ExtraProgram)
	return path
}

// The other programs of the installation that the daemon starts or becomes.
const (
	// ExtraProgram has the forms, the full-screen chat and MCP.
	ExtraProgram = "blunux-ai-extra"
	cell         = "blunux-ai-cell"
	index        = "blunux-ai-index"
)

// cellProgram returns the path of the installed sandbox helper, or "".
func cellProgram() string {
	path, err := installed.Find(cell)
	if err != nil {
		return ""
	}
	return path
}

// NewChecker returns the command checker for a user. It treats the program's own keys and records as secrets.
func NewChecker(paths config.Paths, home string) *safety.Checker {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return safety.New(safety.Options{
		Home: home, User: name, Dir: home, EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob, Mounted: local.Devices{}.InUse,
		SecretPaths: secretPaths(paths),
	})
}

// Judge classifies commands like a daemon with a configuration, but runs nothing. It does not check whether the
// sandbox works here.
type Judge struct {
	Checker *safety.Checker
	rules   tools.Rules
	gate    *tools.Gate // for the commands that run without confirmation
	reads   bool        // autonomy read_only: only reading commands run
	off     bool        // nothing runs at all
}

// The results of [Judge.Outcome].
const (
	OutcomeRuns  = "runs"  // at once
	OutcomeAsks  = "asks"  // a person first
	OutcomeNever = "never" // never runs
)

// NewJudge returns a judge for a configuration.
func (s Sources) NewJudge(cfg config.Config) (*Judge, error) {
	home := config.HomeDir(s.Getenv)
	j := &Judge{Checker: NewChecker(cfg.Storage.PathsFor(s.Paths, home), home), rules: RulesOf(cfg.Security), reads: cfg.Agent.Autonomy == "read_only", off: !cfg.IsEnabled()}
	all, err := tools.All()
	if err != nil {
		return nil, err
	}
	j.gate = tools.New(tools.Options{
		Tools: all, Checker: j.Checker, Executor: executor.New(executor.Options{Getenv: withHome(s.Getenv, home)}),
		Home: home, Policy: tools.Policy{Full: s.allowance(cfg, home), Rules: j.rules},
	})
	return j, nil
}

// Judge returns the verdict of checker and rules on a command, and the warnings.
func (j *Judge) Judge(command string) (safety.Verdict, []string) {
	return j.rules.Raise(j.Checker.Judge(command))
}

// Outcome returns what happens to a command under the configured autonomy.
func (j *Judge) Outcome(v safety.Verdict) string {
	switch {
	case v.Class == safety.Safe && !j.off:
		return OutcomeRuns
	case v.Class == safety.Blocked || v.Source == "" || j.reads || j.off:
		return OutcomeNever
	case j.gate.RunsUnasked(v.Command):
		return OutcomeRuns
	}
	return OutcomeAsks
}

// Obstacle returns why a signed command would not run without confirmation, or nil.
func (j *Judge) Obstacle(argv []string) *tools.Obstacle { return j.gate.Obstacle(argv) }

// withHome sets HOME to the directory that the checker uses, so that bash expands ~ as it was judged.
func withHome(getenv func(string) string, home string) func(string) string {
	return func(name string) string {
		if name == "HOME" {
			return home
		}
		return getenv(name)
	}
}

// NewSource returns the usual places of the configuration. Rules are tested against their examples as the gate
// matches commands. distribution is the --blunux-config flag, "" for the default.
func NewSource(paths config.Paths, distribution string) config.Source {
	src := config.NewSource(paths, os.Getenv)
	src.Hits, src.HasTool = tools.RuleMatches, hasTool
	if distribution != "" {
		src.Distribution = distribution
	}
	return src
}

// WatchDirs returns the directories whose changes can affect [Builder.Build]: those of all layers of the
// configuration, of the keys and of the built-in helper's own words. They need not exist.
func (s Sources) WatchDirs() []watch.Dir {
	dirs := []watch.Dir{
		{Path: filepath.Join(s.Paths.Home, "config.d"), Match: func(name string) bool { return strings.HasSuffix(name, ".toml") }},
		{Path: s.Paths.Credentials()},
		{Path: s.Paths.Offline()},
	}
	for _, file := range []string{s.Source.Distribution, s.Source.System, s.Paths.Config()} {
		if abs, err := filepath.Abs(file); err == nil && file != "" {
			dirs = append(dirs, watch.Dir{Path: filepath.Dir(abs), Match: func(name string) bool { return name == filepath.Base(abs) }})
		}
	}
	return dirs
}

// Fingerprint identifies what [Builder.Build] would read. It changes with the content, owner and mode of any of the
// files.
func (s Sources) Fingerprint() [sha256.Size]byte {
	return config.Fingerprint(s.Source, s.Paths.Credentials(), s.Paths.Offline())
}

// owners returns the admitted senders by channel.
func owners(cfg config.Config) map[string][]string {
	all := map[string][]string{}
	for _, c := range channel.All() {
		all[c.Name] = *cfg.Senders(c.Name)
	}
	return all
}

// rooms returns the rooms in which people may write, by channel.
func rooms(cfg config.Config) map[string][]string {
	all := map[string][]string{}
	for _, c := range channel.All() {
		all[c.Name] = cfg.RoomsOf(c.Name)
	}
	return all
}

// secretPaths returns the places of keys, conversations and logins, which no command may read.
func secretPaths(p config.Paths) []string {
	all := []string{p.Credentials(), p.Approvals(), p.Sessions(), p.Runs(), p.Recall(), filepath.Join(p.Home, "pairing.json"), filepath.Join(p.Home, files.LocalDir), filepath.Join(p.Home, ipc.FleetChannel)}
	for _, c := range channel.All() {
		all = append(all, filepath.Join(p.Home, c.Name))
	}
	return all
}

// warnDamaged warns about a conversation that cannot be read completely.
func (b Builder) warnDamaged(key string, lines int) {
	if b.WarnSession != nil {
		b.WarnSession(errors.New(settings.DamagedSession(session.Damage{Key: key, Lines: lines}, i18n.English)))
	}
}
