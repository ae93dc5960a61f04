package daemon

import (
	"context"
	"crypto/sha256"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/agent/usage"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/notes"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/secret"
	"github.com/nidoit/blunux-ai/internal/watch"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/claudecli"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/mcpclient"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/sandbox/bus"
	"github.com/nidoit/blunux-ai/tools/unit"
)

// Wiring holds the sources of a runtime: files, environment and flags.
type Wiring struct {
	Paths    config.Paths
	Source   config.Source
	Getenv   func(string) string
	Provider string // flag, overrides every file
	Lang     string // flag
	// HTTPClient is shared by all runtimes, so that connections to providers survive a reload. nil means one per
	// runtime.
	HTTPClient *http.Client
	// Claude is the installed claude, for claude_mode = "oauth", or nil. It outlives runtimes.
	Claude *claudecli.Program
	// Spare records reading commands while the disk takes no records. It may be nil.
	Spare *commandlog.Journald
	// Sandbox confines commands that only read. It outlives runtimes.
	Sandbox *sandbox.Sandbox
	// Units runs confirmed commands and outlives runtimes. If nil, they run as children.
	Units *unit.Runner
	// MCPServers are the MCP servers, or nil. They outlive runtimes.
	MCPServers *mcpclient.Servers
	// Inhibitor keeps the machine awake while packages change. It may be nil.
	Inhibitor tools.Inhibitor
	// Finder searches notes and outlives runtimes. If nil, notes are searched word by word.
	Finder *notes.Finder
	// Timetable gives tools access to the automations. It may be nil.
	Timetable *Timetable
	// FileSender sends files to remote senders. It may be nil.
	FileSender *FileSender
	// Ledger is the basis of the budget, or nil for no budget. It outlives runtimes.
	Ledger *usage.Ledger
	// Warn receives errors in files other than the configuration. It may be nil.
	Warn func(error)
	// WarnSession is called once for each conversation that cannot be read completely. It may be nil.
	WarnSession func(error)
	// OnKeys receives the values of all keys before they are used. It may be nil.
	OnKeys func(keys []string)
	// Observer observes requests to providers.
	Observer transport.Observer
	// Circuits remembers failing providers and outlives runtimes. nil means one per runtime.
	Circuits *failover.Circuits
	// Written remembers models that do not accept tools and outlives runtimes. nil means one per runtime.
	Written *written.Memory
}

// Build reads the configuration and composes a runtime.
func (w Wiring) Build() (*settings.Runtime, error) {
	keys := w.keys()
	if w.OnKeys != nil {
		w.OnKeys(keys)
	}
	cfg, err := config.Load(w.Source)
	if err != nil {
		return nil, err
	}
	all, err := toolsOf(cfg)
	if err != nil {
		return nil, err
	}
	home := homeDir(w.Getenv)
	servers, secrets := w.servers(cfg, home)
	if keys = append(keys, secrets...); w.OnKeys != nil && len(secrets) > 0 {
		w.OnKeys(keys)
	}
	redactor := secret.NewRedactor(keys)
	log := commandlog.Open(w.Paths.CommandLog(), w.Paths.LogWitness())
	executor := tools.NewExecutor(tools.ExecutorOptions{
		MaxBytes: cfg.Limits.OutputBytes, MaxLines: cfg.Limits.OutputLines,
		Getenv: withHome(w.Getenv, home), Sandbox: w.Sandbox, Units: w.Units, Redactor: redactor,
	})
	ladder := NewLadder(cfg.Security.Privilege, executor)
	notes := notes.New(w.Paths, cfg.Memory, w.Finder, redactor)
	gate := tools.New(tools.Options{
		Foreign: w.mcpTools(), Notebook: notes, Automations: w.timetable(), FileSender: w.courier(), Tools: all, Recorder: log, FallbackRecorder: spareRecorder(w.Spare), Ready: log.Ready, Redactor: redactor, Home: home,
		ReadOnly: cfg.Agent.Autonomy == "read_only", Full: w.allowance(cfg, home), Rules: RulesOf(cfg.Security),
		Checker: NewChecker(w.Paths, home), Executor: executor, Hosts: tools.MachineHosts{Extra: cfg.Security.KnownHosts},
		Inhibitor: w.Inhibitor, KeepRuns: true, Rights: ladder,
		Timeouts: tools.Timeouts{
			Command: cfg.Limits.CommandTimeoutDuration(), Update: cfg.Limits.UpdateTimeoutDuration(),
		},
	})
	// SYSTEM.md is optional. If the state directory is not writable, the command log reports it.
	_, _ = notes.RefreshSystem(memory.DetectSystem("/", w.Getenv))
	sessions := session.New(session.Options{
		Dir: w.Paths.Sessions(), Window: cfg.Limits.HistoryMessages,
		Timeout: time.Duration(cfg.WhatsApp.SessionTimeout) * time.Second, Warn: w.warnDamaged,
		Fence:    func(tool, text string) string { return agent.Fence("tool "+tool, redactor.Redact(text)) },
		Redactor: redactor,
	})
	lang, chosen := w.language(cfg)
	if w.Circuits == nil {
		w.Circuits = failover.NewCircuits(time.Now)
	}
	models := w.models(cfg, string(lang), home)
	models.rights = ladder
	line, err := models.failoverLine()
	if err != nil {
		return nil, err
	}
	w.configureServers(servers, all, redactor)
	return &settings.Runtime{
		MCPServers: w.MCPServers,
		Agent: agent.New(agent.Options{
			Model: line, Context: models.context, Tools: gate, Notes: notes, History: sessions,
			Summariser: summariser(line), Rounds: cfg.Limits.Rounds, SafeMode: cfg.IsSafeMode(), OnlyAsked: !cfg.Memory.SavesAutomatically(), Redactor: redactor,
			Autonomy: agent.Autonomy{Level: cfg.Agent.Autonomy, Commands: cfg.Security.AllowedCommands, Workspace: cfg.Security.Workspace},
			Warn:     w.Warn,
		}),
		Gate: gate, Circuits: w.Circuits, Sessions: sessions, CommandLog: log, Notes: notes, Lang: lang, LangChosen: chosen, Home: home,
		Redactor: redactor, ConfigFiles: cfg.Files, ApprovalTimeout: cfg.Limits.ApprovalTimeoutDuration(), CredentialHint: models.hint,
		DisabledIn: w.disabledIn(cfg), Automations: cfg.AutomationsEnabled() && cfg.IsEnabled(), Owners: owners(cfg), Remote: remotePolicy(cfg), IdleExit: cfg.Limits.IdleExitDuration(), Tariff: models.tariff, Budget: models.budget, Models: models.registry(),
		Privilege:      func(ctx context.Context) string { return ladder.Status(ctx).String() },
		SessionTimeout: time.Duration(cfg.WhatsApp.SessionTimeout) * time.Second,
	}, nil
}

// OpenNotes returns the notes for a program other than the daemon. The caller must close them.
func OpenNotes(w Wiring, cfg config.Config) *notes.Notes {
	w.Finder = notes.NewFinder(w.Paths, w.Getenv, w.Warn)
	return notes.New(w.Paths, cfg.Memory, w.Finder, secret.NewRedactor(w.keys()))
}

// toolsOf returns the tools that are offered to models.
func toolsOf(cfg config.Config) ([]tools.Tool, error) {
	all, err := tools.All()
	if err == nil && !cfg.Memory.SavesAutomatically() {
		all = tools.RequireExplicitMemory(all)
	}
	return all, err
}

// spareRecorder returns the recorder of reading commands for the time when the disk takes no records.
func spareRecorder(j *commandlog.Journald) tools.FallbackRecorder {
	if j == nil {
		return nil
	}
	return *j
}

// disabledIn returns the file in which the person can switch the assistant on: the one that switched it off if the
// person owns it, otherwise the person's settings. It returns "" while the assistant is on.
func (w Wiring) disabledIn(cfg config.Config) string {
	if cfg.IsEnabled() {
		return ""
	}
	settings, _ := config.Effective(w.Source) // the same source was just loaded
	for _, s := range settings {
		if s.Key() == "ai_agent.enabled" && strings.HasPrefix(s.File, w.Paths.Home+"/") {
			return s.File
		}
	}
	return w.Paths.Config()
}

// remotePolicy returns the rules for messages over bridges.
func remotePolicy(cfg config.Config) settings.RemotePolicy {
	a := settings.RemotePolicy{RequirePrefix: cfg.WhatsApp.RequirePrefix, PerMinute: cfg.WhatsApp.MaxMessagesPerMinute}
	if on := cfg.Agent.WhatsAppEnabled; on != nil && !*on {
		a.Closed = []string{"whatsapp"}
	}
	return a
}

// language returns the daemon's language: a configured one, or that of its locale.
func (w Wiring) language(cfg config.Config) (lang i18n.Lang, chosen bool) {
	for _, said := range []string{w.Lang, w.Getenv("BLUNUX_AI_LANG"), cfg.Agent.Language, i18n.FromLocales(cfg.Locales)} {
		if lang, ok := i18n.Parse(said); ok {
			return lang, true
		}
	}
	return i18n.Choose(w.Getenv("LC_ALL"), w.Getenv("LC_MESSAGES"), w.Getenv("LANG")), false
}

// timetable returns the automations for the tools, or nil.
func (w Wiring) timetable() tools.AutomationStore {
	if w.Timetable == nil {
		return nil
	}
	return w.Timetable
}

// courier returns the file sender for the tools, or nil.
func (w Wiring) courier() tools.FileSender {
	if w.FileSender == nil {
		return nil
	}
	return w.FileSender
}

// keys returns the values of the keys of all providers, for the redactor.
func (w Wiring) keys() []string {
	names := []string{config.EmbeddingsKeyEnv}
	for _, e := range catalog.All() {
		names = append(names, e.Keys.Env...)
	}
	return w.credentials().AllKeys(names...)
}

func (w Wiring) credentials() config.Credentials {
	return config.Credentials{Dir: w.Paths.Credentials(), SystemDir: w.Getenv("CREDENTIALS_DIRECTORY"), Getenv: w.Getenv}
}

// allowance returns what runs without confirmation: the configured commands with autonomy full, otherwise nothing.
// It never includes the program's own files, which could extend it.
func (w Wiring) allowance(cfg config.Config, home string) tools.Allowance {
	if cfg.Agent.Autonomy != "full" {
		return tools.Allowance{}
	}
	a := tools.Allowance{
		Commands: cfg.Security.AllowedCommands, Workspace: expandHome(cfg.Security.Workspace, home),
		Protected: []string{w.Paths.Home, w.Source.System, w.Source.Distribution},
	}
	if program, err := os.Executable(); err == nil {
		a.Protected = append(a.Protected, program)
	}
	for _, p := range cfg.Security.BlockedPaths {
		a.Blocked = append(a.Blocked, expandHome(p, home))
	}
	return a
}

// NewLadder returns the configured way to root rights for the commands of an executor.
func NewLadder(setting string, x *tools.Executor) *elevation.Ladder {
	return elevation.New(elevation.Options{
		Setting: elevation.Rung(setting), Root: os.Geteuid() == 0, Probe: x.Probe, CanGainRights: x.CanGainRights,
		HasProgram: func(program string) bool { _, err := x.FindProgram(program); return err == nil },
	})
}

// expandHome replaces a leading ~ with the home directory.
func expandHome(path, home string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[1:])
	}
	return path
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
		Getenv: getenv, Home: homeDir(getenv), Dir: strings.TrimSuffix(socket, ".sock") + ".claude",
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

// cellProgram returns the path of the installed sandbox helper, in PREFIX/lib/blunux-ai or next to this program,
// or "".
func cellProgram() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	for _, rel := range []string{"../lib/blunux-ai/blunux-ai-cell", "blunux-ai-cell"} {
		path := filepath.Join(filepath.Dir(self), rel)
		if fi, err := os.Stat(path); err == nil && fi.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// NewChecker returns the command checker for a user. It treats the program's own keys and records as secrets.
func NewChecker(paths config.Paths, home string) *safety.Checker {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return safety.New(safety.Options{
		Home: home, User: name, Dir: home, EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob, Mounted: tools.Devices{}.InUse,
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
func (w Wiring) NewJudge(cfg config.Config) (*Judge, error) {
	home := homeDir(w.Getenv)
	j := &Judge{Checker: NewChecker(w.Paths, home), rules: RulesOf(cfg.Security), reads: cfg.Agent.Autonomy == "read_only", off: !cfg.IsEnabled()}
	all, err := tools.All()
	if err != nil {
		return nil, err
	}
	j.gate = tools.New(tools.Options{
		Tools: all, Checker: j.Checker, Executor: tools.NewExecutor(tools.ExecutorOptions{Getenv: withHome(w.Getenv, home)}),
		Home: home, Full: w.allowance(cfg, home), Rules: j.rules,
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

// homeDir returns the user's home directory: $HOME or the entry in the user database.
func homeDir(getenv func(string) string) string {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Clean(home)
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return "/"
}

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
	src.Hits = tools.RuleMatches
	if distribution != "" {
		src.Distribution = distribution
	}
	return src
}

// WatchDirs returns the directories whose changes can affect [Wiring.Build]: those of all layers of the
// configuration, of the keys and of the built-in helper's own words. They need not exist.
func (w Wiring) WatchDirs() []watch.Dir {
	dirs := []watch.Dir{
		{Path: filepath.Join(w.Paths.Home, "config.d"), Match: func(name string) bool { return strings.HasSuffix(name, ".toml") }},
		{Path: w.Paths.Credentials()},
		{Path: w.Paths.Offline()},
	}
	for _, file := range []string{w.Source.Distribution, w.Source.System, w.Paths.Config()} {
		if abs, err := filepath.Abs(file); err == nil && file != "" {
			dirs = append(dirs, watch.Dir{Path: filepath.Dir(abs), Match: func(name string) bool { return name == filepath.Base(abs) }})
		}
	}
	return dirs
}

// Fingerprint identifies what [Wiring.Build] would read. It changes with the content, owner and mode of any of the
// files.
func (w Wiring) Fingerprint() [sha256.Size]byte {
	return config.Fingerprint(w.Source, w.Paths.Credentials(), w.Paths.Offline())
}

// owners returns the admitted senders by channel.
func owners(cfg config.Config) map[string][]string {
	all := map[string][]string{}
	for _, c := range channel.All() {
		all[c.Name] = *cfg.Senders(c.Name)
	}
	return all
}

// secretPaths returns the places of keys, conversations and logins, which no command may read.
func secretPaths(p config.Paths) []string {
	all := []string{p.Credentials(), p.Approvals(), p.Sessions(), p.Runs(), p.Recall(), filepath.Join(p.Home, "pairing.json")}
	for _, c := range channel.All() {
		all = append(all, filepath.Join(p.Home, c.Name))
	}
	return all
}
