package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/internal/term"
	"github.com/nidoit/blunux-ai/ipc"
)

// guide returns the help texts and man pages of this program.
func (a *app) guide() manual.Guide {
	return manual.Guide{
		Lang: a.lang, Args: a.args, Columns: func() int { return term.Columns(os.Stdout) },
		Tree: func(lang i18n.Lang) *cobra.Command { return (&app{lang: lang, out: a.out}).root() },
	}
}

// completionTime limits how long a shell waits for the daemon after Tab.
const completionTime = 300 * time.Millisecond

// maxDescription limits the description of a completion, in cells.
const maxDescription = 60

type completionFunc = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// complete registers completions: names that a running daemon knows, and flags with few values. The automation
// commands register their own.
func (a *app) complete(root *cobra.Command) {
	manual.Complete(root, map[string]completionFunc{
		"approve": a.firstArg(codes), "deny": a.firstArg(codes),
		"pairing approve": a.firstArg(pairingCodes), "pairing deny": a.firstArg(pairingCodes),
		"pairing remove": a.pairedSenders, "models": a.firstArg(a.providers),
		"tasks": a.firstArg(taskIDs), "cancel": a.firstArg(liveTaskIDs), "undo": a.firstArg(changeIDs),
		"sessions show": a.firstArg(sessionKeys), "sessions export": a.firstArg(sessionKeys),
		"sessions delete": a.firstArg(sessionKeys),
		"channel get":     manual.Fixed(channelNames()...), "channel add": manual.Fixed(channelNames()...),
		"channel remove": manual.Fixed(channelNames()...),
		"channel enable": manual.Fixed(channelNames()...), "channel disable": manual.Fixed(channelNames()...),
	}, map[string]completionFunc{
		"--lang":                     manual.Fixed("ko", "en", "zh", "zh-Hant"),
		"approvals grants --revoke":  a.completeFrom(grantCodes),
		"ask --agent":                a.completeFrom(agentNames),
		"ask --session":              a.completeFrom(sessionNames),
		"reset --agent":              a.completeFrom(agentNames),
		"reset --session":            a.completeFrom(sessionNames),
		"gateway token add --scope":  manual.Fixed("read", "write", "approve"),
		"usage --by":                 manual.Fixed("day", "provider", "model", "session", "channel", "automation"),
		"usage --since":              manual.Fixed("today", "7d", "30d", "all"),
		"sessions export --format":   manual.Fixed("md", "jsonl"),
		"automations add --catch-up": manual.Fixed("none", "latest", "all"),
		"automations add --language": manual.Fixed("ko", "en", "zh", "zh-Hant"),
		"automations add --notify":   manual.Fixed(append(channel.Names(), "desktop", "cli", "none")...),
		"automations add --on":       manual.Fixed("boot", "login", "resume", "network_up", "unit_failed", "download", "battery:100", "low:20"),
	})
}

// source queries the daemon for names, each with a description after a tab.
type source func(context.Context, *ipc.Client) ([]string, error)

func (a *app) firstArg(from source) completionFunc {
	value := a.completeFrom(from)
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return value(cmd, args, word)
	}
}

// completeFrom completes names that a running daemon knows. On errors and timeouts there are no completions and no
// output.
func (a *app) completeFrom(from source) completionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		done := make(chan []string, 1)
		go func() { done <- a.queryNames(ctx, from) }()
		select {
		case names := <-done:
			return names, cobra.ShellCompDirectiveNoFileComp
		case <-ctx.Done():
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

func (a *app) queryNames(ctx context.Context, from source) []string {
	if slices.ContainsFunc(a.args, func(arg string) bool { return arg == "--host" || strings.HasPrefix(arg, "--host=") }) {
		return nil // a completion runs no ssh
	}
	d := ipc.NewDialer()
	d.NoStart = true
	c, err := a.connectWith(ctx, d, ipc.Hello{})
	if err != nil {
		return nil
	}
	defer c.Close()
	names, err := from(ctx, c)
	if err != nil {
		return nil
	}
	return names
}

// describeCompletion returns a completion with its description, cleaned and shortened.
func describeCompletion(name, text string) string {
	text = strings.Join(strings.Fields(visible(firstLine(text))), " ")
	return visible(name) + "\t" + displaywidth.TruncateString(text, maxDescription, "…")
}

// names returns a source of the rows in the answer to a query. A row without a name is left out.
func names[A, R any](q ipc.Query, rows func(A) []R, row func(R) (name, text string)) source {
	return func(ctx context.Context, c *ipc.Client) ([]string, error) {
		var answer A
		err := c.Query(ctx, q, &answer)
		var names []string
		for _, r := range rows(answer) {
			if name, text := row(r); name != "" {
				names = append(names, describeCompletion(name, text))
			}
		}
		return names, err
	}
}

func itself[R any](rows []R) []R { return rows }

// What a running daemon knows.
var (
	codes = names(ipc.Query{What: "approvals"}, itself[ipc.Ask],
		func(ask ipc.Ask) (string, string) { return ask.Code, ask.Command })

	grantCodes = names(ipc.Query{What: "grants"}, itself[ipc.Grant], func(g ipc.Grant) (string, string) {
		if g.Family != nil {
			return g.Code, g.Family.Words + " · " + g.Family.Dir
		}
		return g.Code, g.Command
	})

	pairingCodes = names(ipc.Query{What: "pairing"}, func(l ipc.PairingList) []ipc.Pairing { return l.Waiting },
		func(p ipc.Pairing) (string, string) { return p.Code, p.Channel + " " + p.Sender + " " + p.Name })

	taskIDs = names(ipc.Query{What: "tasks"}, itself[taskRow], func(t taskRow) (string, string) { return t.ID, t.Text })

	liveTaskIDs = names(ipc.Query{What: "tasks"}, itself[taskRow], func(t taskRow) (string, string) {
		if !slices.Contains([]string{"PENDING", "RUNNING", "PAUSED"}, t.State) {
			return "", ""
		}
		return t.ID, t.Text
	})

	// changeIDs are those of changes that can be taken back.
	changeIDs = names(ipc.Query{What: "changes"}, itself[ipc.Change], func(c ipc.Change) (string, string) {
		if len(c.Effects) == 0 || c.TakenBack != "" || len(c.Steps) == 0 {
			return "", ""
		}
		return c.ID, cmp.Or(c.Goal, c.Steps[0].Command)
	})

	sessionKeys = names(ipc.Query{What: "sessions", Limit: 50, Page: 1}, itself[ipc.SessionRow],
		func(r ipc.SessionRow) (string, string) { return ipc.SessionName(r.Key), r.Title })

	sessionNames = names(ipc.Query{What: "sessions", Limit: 50, Page: 1}, itself[ipc.SessionRow], sessionName)

	agentNames = names(ipc.Query{What: "status"}, func(s ipc.Status) []string { return s.Agents },
		func(name string) (string, string) { return name, "" })

	rulesByName = names(ipc.Query{What: "automations"},
		func(l ipc.AutomationList) []ipc.Automation { return l.Automations },
		func(r ipc.Automation) (string, string) { return r.Name, r.When })
)

func (a *app) providers(ctx context.Context, c *ipc.Client) ([]string, error) {
	return names(ipc.Query{What: "models"}, itself[ipc.ProviderModels], func(p ipc.ProviderModels) (string, string) {
		return p.Provider, i18n.ProviderLabel(p.Provider, p.Label, a.lang)
	})(ctx, c)
}

// pairedSenders completes a channel, then a sender paired there. Senders from the configuration are left out, because
// the command cannot remove them.
func (a *app) pairedSenders(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeFrom(func(ctx context.Context, c *ipc.Client) ([]string, error) {
		var list ipc.PairingList
		err := c.Query(ctx, ipc.Query{What: "pairing"}, &list)
		var names []string
		for _, p := range list.Paired {
			switch {
			case p.Configured:
			case len(args) == 0 && !slices.Contains(names, p.Channel):
				names = append(names, p.Channel)
			case len(args) == 1 && p.Channel == args[0]:
				names = append(names, describeCompletion(p.Sender, p.Name))
			}
		}
		return names, err
	})(cmd, args, word)
}

// sessionName returns the name of a conversation of this channel, or "", and its title.
func sessionName(r ipc.SessionRow) (name, title string) {
	name, ok := ownSession(r.Key, "")
	if !ok {
		return "", ""
	}
	return name, r.Title
}

// ownSession returns the name of an agent's conversation of this channel from its key. The agent "" is the default one.
func ownSession(key, agent string) (string, bool) {
	name, ok := strings.CutPrefix(key, "agent:"+cmp.Or(agent, "main")+":session:cli/")
	return name, ok && name != "" && !strings.HasSuffix(name, "…") // the list shortens long names, which are then of no use
}

func (a *app) ruleNames(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	return a.firstArg(rulesByName)(cmd, args, word)
}
