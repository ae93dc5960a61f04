package daemon

import (
	"context"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/agent"
	"github.com/nidoit/blunux-ai/agent/session"
	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/mcp/use"
	"github.com/nidoit/blunux-ai/memory"
	"github.com/nidoit/blunux-ai/providers/catalog"
	"github.com/nidoit/blunux-ai/providers/claudecli"
	"github.com/nidoit/blunux-ai/providers/failover"
	"github.com/nidoit/blunux-ai/providers/transport"
	"github.com/nidoit/blunux-ai/providers/written"
	"github.com/nidoit/blunux-ai/secret"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/elevation"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/sandbox/bus"
	"github.com/nidoit/blunux-ai/tools/unit"
	"github.com/nidoit/blunux-ai/usage"
)

// Wiring is where a runtime comes from: files, environment and flags.
type Wiring struct {
	Paths    config.Paths
	Source   config.Source
	Getenv   func(string) string
	Provider string // flag; wins over every file
	Lang     string // flag
	// HTTPClient is shared by all runtimes, so that a reload keeps the
	// connections to the provider. nil means one a runtime.
	HTTPClient *http.Client
	// Claude is the installed claude, for claude_mode = "oauth"; nil for none.
	// It outlives runtimes.
	Claude *claudecli.Program
	// Spare keeps the records of reading commands while the disk takes none; nil for
	// nothing.
	Spare *commandlog.Journald
	// Sandbox confines commands that only read. It outlives runtimes.
	Sandbox *sandbox.Sandbox
	// Units runs confirmed commands. It outlives runtimes; nil means that they
	// run as children.
	Units *unit.Runner
	// Foreign are other servers' tools. They outlive runtimes; nil for none.
	Foreign *use.Servers
	// Inhibitor keeps the machine awake while packages change; nil does not.
	Inhibitor tools.Inhibitor
	// Finder finds notes. It outlives runtimes; nil means that notes are looked
	// through word by word.
	Finder *Finder
	// Timetable is the automations, for the tools that are about them; nil for none.
	Timetable *Timetable
	// Courier sends files to who writes from afar; nil for none.
	Courier *Courier
	// Ledger is what the budget is held to; nil for no budget. It outlives
	// runtimes.
	Ledger *usage.Ledger
	// Warn is told of mistakes in files that are no configuration; may be nil.
	Warn func(error)
	// WarnSession is told once of a conversation that cannot be read whole; may
	// be nil.
	WarnSession func(error)
	// Known is told the values of all keys before anything is done with them;
	// may be nil.
	Known func(keys []string)
	// Observer is told of requests to providers.
	Observer transport.Observer
	// Circuits remember which providers fail. They outlive runtimes; nil means
	// some of a runtime's own.
	Circuits *failover.Circuits
	// Written remembers models that take no tools. It outlives runtimes; nil
	// means one of a runtime's own.
	Written *written.Memory
}

// Build reads the configuration and composes a runtime.
func (w Wiring) Build() (*Runtime, error) {
	keys := w.keys()
	if w.Known != nil {
		w.Known(keys)
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
	if keys = append(keys, secrets...); w.Known != nil && len(secrets) > 0 {
		w.Known(keys)
	}
	redactor := secret.NewRedactor(keys)
	log := commandlog.Open(w.Paths.CommandLog(), w.Paths.LogWitness())
	executor := tools.NewExecutor(tools.ExecutorOptions{
		MaxBytes: cfg.Limits.OutputBytes, MaxLines: cfg.Limits.OutputLines,
		Getenv: withHome(w.Getenv, home), Sandbox: w.Sandbox, Units: w.Units, Redactor: redactor,
	})
	ladder := NewLadder(cfg.Security.Privilege, executor)
	notes := w.notes(cfg, redactor)
	gate := tools.New(tools.Options{
		Foreign: w.foreign(), Notebook: notes, Timetable: w.timetable(), Courier: w.courier(), Tools: all, Recorder: log, Spare: spareOf(w.Spare), Ready: log.Ready, Redactor: redactor, Home: home,
		ReadOnly: cfg.Agent.Autonomy == "read_only", Full: w.allowance(cfg, home), Rules: RulesOf(cfg.Security),
		Checker: NewChecker(w.Paths, home), Executor: executor, Hosts: tools.MachineHosts{Extra: cfg.Security.KnownHosts},
		Inhibitor: w.Inhibitor, KeepRuns: true, Rights: ladder,
		Timeouts: tools.Timeouts{
			Command: cfg.Limits.CommandTimeoutDuration(), Update: cfg.Limits.UpdateTimeoutDuration(),
		},
	})
	// SYSTEM.md is a convenience: a home that cannot be written to is told by
	// the command log, which matters.
	_, _ = notes.RefreshSystem(memory.DetectSystem("/", w.Getenv))
	sessions := session.New(session.Options{
		Dir: w.Paths.Sessions(), Window: cfg.Limits.HistoryMessages,
		Timeout: time.Duration(cfg.WhatsApp.SessionTimeout) * time.Second, Warn: w.damaged,
		Fence:    func(tool, text string) string { return agent.Fence("tool "+tool, redactor.Redact(text)) },
		Redactor: redactor,
	})
	lang, chosen := w.language(cfg)
	if w.Circuits == nil {
		w.Circuits = failover.NewCircuits(time.Now)
	}
	models := w.models(cfg, string(lang), home)
	models.rights = ladder
	line, err := models.line()
	if err != nil {
		return nil, err
	}
	w.configure(servers, all, redactor)
	return &Runtime{
		Foreign: w.Foreign,
		Agent: agent.New(agent.Options{
			Model: line, Context: models.context, Tools: gate, Notes: notes, History: sessions,
			Summariser: summariser(line), Rounds: cfg.Limits.Rounds, SafeMode: cfg.IsSafeMode(), OnlyAsked: !cfg.Memory.SavesByItself(), Redactor: redactor,
			Autonomy: agent.Autonomy{Level: cfg.Agent.Autonomy, Commands: cfg.Security.AllowedCommands, Workspace: cfg.Security.Workspace},
			Warn:     w.Warn,
		}),
		Gate: gate, Circuits: w.Circuits, Sessions: sessions, CommandLog: log, Notes: notes, Lang: lang, LangChosen: chosen, Home: home,
		Redactor: redactor, ConfigFiles: cfg.Files, ApprovalTimeout: cfg.Limits.ApprovalTimeoutDuration(), CredentialHint: models.hint,
		Off: w.off(cfg), Automations: cfg.AutomationsOn() && cfg.IsEnabled(), Owners: map[string][]string{"whatsapp": cfg.WhatsApp.AllowedNumbers, "telegram": cfg.Telegram.AllowedChats, "discord": cfg.Discord.AllowedUsers}, Afar: afarOf(cfg), IdleExit: cfg.Limits.IdleExitDuration(), Tariff: models.tariff, Budget: models.budget, Shelf: models.shelf(),
		Privilege:      func(ctx context.Context) string { return ladder.Standing(ctx).String() },
		SessionTimeout: time.Duration(cfg.WhatsApp.SessionTimeout) * time.Second,
	}, nil
}

// toolsOf are the tools as models are told of them.
func toolsOf(cfg config.Config) ([]tools.Tool, error) {
	all, err := tools.All()
	if err == nil && !cfg.Memory.SavesByItself() {
		all = tools.OnlyAsked(all)
	}
	return all, err
}

// spareOf is where reading commands are recorded while the disk takes no records.
func spareOf(j *commandlog.Journald) tools.Spare {
	if j == nil {
		return nil
	}
	return *j
}

// off is the file in which the person can switch the assistant on: the one that
// switched it off where it is theirs, else their own settings; "" while it is on.
func (w Wiring) off(cfg config.Config) string {
	if cfg.IsEnabled() {
		return ""
	}
	settings, _ := config.Effective(w.Source) // which could be loaded
	for _, s := range settings {
		if s.Key() == "ai_agent.enabled" && strings.HasPrefix(s.File, w.Paths.Home+"/") {
			return s.File
		}
	}
	return w.Paths.Config()
}

// afarOf are the rules for what comes over bridges.
func afarOf(cfg config.Config) Afar {
	a := Afar{RequirePrefix: cfg.WhatsApp.RequirePrefix, PerMinute: cfg.WhatsApp.MaxMessagesPerMinute}
	if on := cfg.Agent.WhatsAppEnabled; on != nil && !*on {
		a.Closed = []string{"whatsapp"}
	}
	return a
}

// language is what the daemon speaks: chosen by somebody, else what its own
// surroundings speak.
func (w Wiring) language(cfg config.Config) (lang i18n.Lang, chosen bool) {
	for _, said := range []string{w.Lang, w.Getenv("BLUNUX_AI_LANG"), cfg.Agent.Language, i18n.FromLocales(cfg.Locales)} {
		if lang, ok := i18n.Parse(said); ok {
			return lang, true
		}
	}
	return i18n.Choose(w.Getenv("LC_ALL"), w.Getenv("LC_MESSAGES"), w.Getenv("LANG")), false
}

// timetable are the automations for the tools, if there are any.
func (w Wiring) timetable() tools.Timetable {
	if w.Timetable == nil {
		return nil
	}
	return w.Timetable
}

// courier sends files for the tools, if there is one.
func (w Wiring) courier() tools.Courier {
	if w.Courier == nil {
		return nil
	}
	return w.Courier
}

// keys are the values of every key there is, for all providers: none may show
// up where it does not belong.
func (w Wiring) keys() []string {
	names := []string{config.EmbeddingsKeyEnv}
	for _, e := range catalog.All() {
		names = append(names, e.Keys.Env...)
	}
	return w.credentials().Known(names...)
}

func (w Wiring) credentials() config.Credentials {
	return config.Credentials{Dir: w.Paths.Credentials(), SystemDir: w.Getenv("CREDENTIALS_DIRECTORY"), Getenv: w.Getenv}
}

// allowance is what runs unasked: with autonomy full what the configuration
// lists, otherwise nothing. The program's own files, by which it could be told
// to allow more, are never part of it.
func (w Wiring) allowance(cfg config.Config, home string) tools.Allowance {
	if cfg.Agent.Autonomy != "full" {
		return tools.Allowance{}
	}
	a := tools.Allowance{
		Commands: cfg.Security.AllowedCommands, Workspace: inHome(cfg.Security.Workspace, home),
		Protected: []string{w.Paths.Home, w.Source.System, w.Source.Distribution},
	}
	if program, err := os.Executable(); err == nil {
		a.Protected = append(a.Protected, program)
	}
	for _, p := range cfg.Security.BlockedPaths {
		a.Blocked = append(a.Blocked, inHome(p, home))
	}
	return a
}

// NewLadder returns the way to root's rights, as the configuration has it, for
// commands that an executor starts.
func NewLadder(setting string, x *tools.Executor) *elevation.Ladder {
	return elevation.New(elevation.Options{
		Setting: elevation.Rung(setting), Root: os.Geteuid() == 0, Probe: x.Probe, Gains: x.GainsRights,
		Has: func(program string) bool { _, err := x.Look(program); return err == nil },
	})
}

// inHome puts the home directory in the place of a path's ~.
func inHome(path, home string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[1:])
	}
	return path
}

// RulesOf are the rules of the configuration, as the gate applies them.
func RulesOf(s config.Security) tools.Rules {
	rules := tools.Rules{Dangerous: s.Dangerous}
	for _, r := range s.Rules {
		rules.Own = append(rules.Own, tools.Rule{Name: r.Name, Pattern: r.Compiled, Action: tools.RuleAction(r.Action)})
	}
	return rules
}

// NewSandbox returns the sandbox of a daemon that serves a socket: what it needs
// is beside that. The function ends it.
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

// NewClaude returns the installed claude for a daemon that serves a socket:
// what it is started with is beside that.
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

// NewUnits returns what runs confirmed commands as units of the user's service
// manager. The helper that the sandbox has is their recorder; without it the
// program itself is.
func NewUnits(paths config.Paths, getenv func(string) string) *unit.Runner {
	recorder := cellProgram()
	if recorder == "" {
		recorder, _ = os.Executable() // "" is not there, and so it is told
	}
	return unit.New(unit.Options{Dir: paths.Runs(), Recorder: recorder, Manager: unit.NewUserManager(getenv)})
}

// cellProgram is the sandbox's helper as it is installed with this program: in
// PREFIX/lib/blunux-ai, or beside it; "" when there is none.
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

// NewChecker returns the command checker for a user: the program's own keys
// and records are secrets to it.
func NewChecker(paths config.Paths, home string) *safety.Checker {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return safety.New(safety.Options{
		Home: home, User: name, Dir: home, EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob, Mounted: tools.Devices{}.InUse,
		SecretPaths: []string{paths.Credentials(), paths.Approvals(), paths.Sessions(), paths.Runs(), paths.Recall(), joinHome(paths.Home, "pairing.json"), joinHome(paths.Home, "whatsapp"), joinHome(paths.Home, "telegram")},
	})
}

// Judge judges commands as a daemon with a configuration does, and runs nothing.
// Whether the sandbox works here is not looked at.
type Judge struct {
	Checker *safety.Checker
	rules   tools.Rules
	gate    *tools.Gate // for what runs unasked
	reads   bool        // nothing that changes anything runs: autonomy read_only
	off     bool        // nothing runs at all
}

// The ways a command can go, for [Judge.Then].
const (
	ThenRuns  = "runs"  // at once
	ThenAsks  = "asks"  // a person, first
	ThenNever = "never" // runs
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

// Judge is the verdict on a command by checker and rules, and the warnings.
func (j *Judge) Judge(command string) (safety.Verdict, []string) {
	return j.rules.Raise(j.Checker.Judge(command))
}

// Then is what happens to a command of a class with the configuration's autonomy.
func (j *Judge) Then(v safety.Verdict) string {
	switch {
	case v.Class == safety.Safe && !j.off:
		return ThenRuns
	case v.Class == safety.Blocked || v.Source == "" || j.reads || j.off:
		return ThenNever
	case j.gate.RunsUnasked(v.Command):
		return ThenRuns
	}
	return ThenAsks
}

// Obstacle returns what keeps a command from running unasked although a person signed
// it; nil for nothing.
func (j *Judge) Obstacle(argv []string) *tools.Obstacle { return j.gate.Obstacle(argv) }

// homeDir is the user's home directory, $HOME or what the accounts say.
func homeDir(getenv func(string) string) string {
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Clean(home)
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return "/"
}

// withHome gives commands the home directory the checker knows, so that ~
// means to bash what it meant when it was judged.
func withHome(getenv func(string) string, home string) func(string) string {
	return func(name string) string {
		if name == "HOME" {
			return home
		}
		return getenv(name)
	}
}

// NewSource returns the configuration's usual places, with rules compared with
// their examples as the gate compares them with commands; distribution is the
// --blunux-config flag, "" for the default.
func NewSource(paths config.Paths, distribution string) config.Source {
	src := config.NewSource(paths, os.Getenv)
	src.Hits = tools.RuleHits
	if distribution != "" {
		src.Distribution = distribution
	}
	return src
}
