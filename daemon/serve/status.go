package serve

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/nidoit/blunux-ai/config"
	"github.com/nidoit/blunux-ai/daemon/remote"
	"github.com/nidoit/blunux-ai/daemon/settings"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/logfile"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/tools/sandbox"
)

// statusLines is how many of each log's last lines status shows.
const statusLines = 5

// queryStatus returns the state of the daemon. A part that cannot be read is listed as a problem, and the rest is
// returned.
func (c *peerConn) queryStatus(_ context.Context, _ ipc.Query) (any, error) {
	now := time.Now()
	s := ipc.Status{
		State: ipc.StateRunning, Version: c.s.about.Version, PID: os.Getpid(), Started: c.s.about.Started, Uptime: int(now.Sub(c.s.about.Started).Seconds()),
		Lang: string(c.s.settings.Lang()), Home: c.s.settings.Home, ConfigFiles: []string{},
		IdleExit: int(c.s.life.Idle.Limit().Seconds()), Idle: c.s.life.Idle.State(), Clients: len(c.s.open.list()), Process: processUsage(),
		Connections: c.connectionUsage(), Tasks: c.s.turns.Running(), Bridges: remote.BridgesOf(c.s.settings.Home),
		Replaced: c.s.life.Exit.Replaced.Load(),
	}
	if c.s.life.IsStopping() {
		s.State = ipc.StateStopping
	}
	s.Running, s.Waiting = c.s.turns.Size()
	c.statusOfSettings(&s)
	c.s.turns.AddSpending(&s)
	c.statusOfGuards(&s)
	c.statusOfWaiting(&s)
	c.statusOfLogs(&s)
	c.statusOfAutomations(&s)
	if loose := (config.Paths{Home: c.s.settings.Home}).InsecureFiles(); len(loose) > 0 {
		s.Problems = append(s.Problems, i18n.StatusLoose(len(loose)).In(c.language()))
	}
	return s, nil
}

// statusOfSettings adds the provider, the model and the configuration.
func (c *peerConn) statusOfSettings(s *ipc.Status) {
	if err := c.s.settings.LastConfigError(); err != nil {
		s.ConfigError, s.ConfigProblem = c.s.settings.Current().Redact(i18n.ErrorText(err, c.s.settings.Lang())), c.s.settings.ConfigProblem(err)
	}
	if rt := c.s.settings.Current(); rt != nil {
		if err := rt.CheckEnabled(); err != nil {
			e := c.s.settings.Failure(err, c.language())
			s.Problems = append(s.Problems, e.Message+" "+e.Hint)
		}
		s.Provider, s.Model = rt.Agent.Model().Name(), rt.Agent.Model().ModelID()
		s.Agents = rt.AgentNames()
		s.ConfigFiles = append(s.ConfigFiles, rt.Config.Files...)
		s.PausedProviders = pausedProviders(rt)
	}
}

// pausedProviders returns the providers that are paused because they failed.
func pausedProviders(rt *settings.Runtime) []ipc.PausedProvider {
	list := []ipc.PausedProvider{}
	if rt.Models.Circuits == nil {
		return list
	}
	for _, c := range rt.Models.Circuits.List() {
		list = append(list, ipc.PausedProvider{
			Provider: c.Provider, Why: string(c.Kind), Failures: c.Failures, Until: c.Until, Message: rt.Redact(c.Err.Error()),
		})
	}
	return list
}

// statusOfGuards adds the sandbox, the way to root rights and the problems of MCP servers.
func (c *peerConn) statusOfGuards(s *ipc.Status) {
	s.Sandbox = sandbox.Level{}.String()
	if c.s.about.Sandbox != nil {
		level, err := c.s.about.Sandbox.Level()
		s.Sandbox, s.Problems = level.String(), appendProblem(s.Problems, err)
	}
	rt := c.s.settings.Current()
	if rt != nil && rt.Guards.Privilege != nil {
		s.Privilege = rt.Guards.Privilege(context.Background())
	}
	if rt != nil && rt.Guards.MCPServers != nil {
		for _, p := range rt.Guards.MCPServers.Problems() {
			s.Problems = append(s.Problems, rt.Redact(p))
		}
	}
}

// statusOfWaiting adds the open approvals, notifications and damaged files.
func (c *peerConn) statusOfWaiting(s *ipc.Status) {
	asks, err := c.s.approvals.List()
	c.s.turns.Stored.ReportDamaged()
	for _, err := range slices.Concat([]error{err}, c.s.turns.Recovery.Damages(), c.s.approvals.Damaged()) {
		if err != nil {
			s.Problems = append(s.Problems, settings.ProblemText(err, c.language()))
		}
	}
	s.Approvals, s.Notifications, s.Dropped = len(asks), len(c.s.post.Outbox.Waiting("")), c.s.post.Outbox.Dropped()
	if rt := c.s.settings.Current(); rt != nil {
		s.Problems = append(s.Problems, damagedSessions(rt.Sessions, c.language())...)
	}
}

// statusOfAutomations adds the number of enabled rules and the problems in their files.
func (c *peerConn) statusOfAutomations(s *ipc.Status) {
	for _, p := range c.s.rules.All() {
		if p.Enabled {
			s.Automations++
		}
	}
	for _, p := range c.s.rules.RuleProblems(c.language()) {
		s.Problems = append(s.Problems, p.Text)
	}
}

// statusOfLogs adds the last warnings and the last commands.
func (c *peerConn) statusOfLogs(s *ipc.Status) {
	if c.s.about.LogPlace != nil {
		s.Log = c.s.about.LogPlace()
	}
	for _, log := range []struct {
		topic string
		keep  func(string) bool
		to    *[]string
	}{{ipc.TopicDaemonLog, logfile.IsWarning, &s.LastLog}, {ipc.TopicLog, nil, &s.LastCommands}} {
		files, _ := c.s.logFiles(log.topic)
		lines, err := files.Last(statusLines, log.keep)
		s.Problems = appendProblem(s.Problems, err)
		*log.to = append([]string{}, shownLines(lines)...)
	}
}

func (c *peerConn) connectionUsage() []ipc.ConnectionUsage {
	list := []ipc.ConnectionUsage{}
	for _, other := range c.s.open.list() {
		u := other.usage()
		u.Self = other == c.stats
		list = append(list, u)
	}
	return list
}

// appendProblem appends an error to the problems of status.
func appendProblem(problems []string, err error) []string {
	if err != nil {
		return append(problems, err.Error())
	}
	return problems
}
