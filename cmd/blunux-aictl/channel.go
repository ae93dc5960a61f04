package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
	"github.com/nidoit/blunux-ai/internal/errand"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/ui/confirm"
)

// channel returns the commands of the messengers. Without a subcommand it lists them.
func (a *app) channel() *cobra.Command {
	cmd := a.channelList("channel", i18n.CmdChannel)
	cmd.AddCommand(
		a.channelList("list", i18n.CmdChannelList),
		a.jsonCommand("get NAME", i18n.CmdChannelGet, manual.OneArg, a.getChannel),
		a.channelAdd(), a.channelRemove(),
		a.jsonCommand("enable NAME", i18n.CmdChannelEnable, manual.OneArg, func(in invocation) error { return a.switchChannel(in, true) }),
		a.jsonCommand("disable NAME", i18n.CmdChannelDisable, manual.OneArg, func(in invocation) error { return a.switchChannel(in, false) }),
	)
	return cmd
}

// channelRow is a messenger in the output of channel list --json.
type channelRow struct {
	Title string `json:"title"`
	SetUp bool   `json:"set_up"`
	ipc.BridgeStatus
}

// channelView is the output of channel get --json.
type channelView struct {
	channelRow
	Setting string        `json:"setting"` // who may write
	Senders []ipc.Pairing `json:"senders"`
}

func newChannelRow(m ipc.Messenger) channelRow {
	return channelRow{Title: m.Title, SetUp: m.SetUp, BridgeStatus: m.Bridge}
}

// readChannels returns all messengers with the states of their bridges.
func (a *app) readChannels(ctx context.Context) ([]ipc.Messenger, error) {
	var s ipc.Status
	if err := a.query(ctx, ipc.Query{What: "status"}, &s); err != nil {
		return nil, err
	}
	return s.Messengers(), nil
}

// channelByName returns a messenger by its name, in any case. The error for an unknown name lists the known ones.
func (a *app) channelByName(name string) (channel.Channel, error) {
	if c, ok := channel.ByName(strings.ToLower(name)); ok && c.Program != "" {
		return c, nil
	}
	return channel.Channel{}, a.newUsageError(i18n.ChannelUnknown(visible(name), strings.Join(channelNames(), ", ")))
}

// channelNames returns the messengers that have a bridge.
func channelNames() (names []string) {
	for _, c := range channel.WithBridge() {
		names = append(names, c.Name)
	}
	return names
}

// findChannel returns the messenger that the first argument names, with its state.
func (a *app) findChannel(in invocation) (ipc.Messenger, error) {
	known, err := a.channelByName(in.args[0])
	if err != nil {
		return ipc.Messenger{}, err
	}
	list, err := a.readChannels(in.Context())
	if err != nil {
		return ipc.Messenger{}, err
	}
	return list[slices.IndexFunc(list, func(m ipc.Messenger) bool { return m.Name == known.Name })], nil
}

func (a *app) channelList(use string, short i18n.Text) *cobra.Command {
	return a.jsonCommand(use, short, manual.NoArgs, func(in invocation) error {
		list, err := a.readChannels(in.Context())
		if err != nil {
			return err
		}
		rows := []channelRow{}
		for _, m := range list {
			rows = append(rows, newChannelRow(m))
		}
		if in.json {
			return printJSON(a.out, rows)
		}
		for _, m := range list {
			fmt.Fprintln(a.out, channelMark(m)+" "+a.channelLines(m)[0])
		}
		return nil
	})
}

// channelMark is filled if the bridge runs, and an exclamation mark if it needs the user.
func channelMark(m ipc.Messenger) string {
	switch {
	case m.Bridge.NeedsPerson || m.Bridge.Problem != "":
		return "!"
	case m.Bridge.Running:
		return "●"
	}
	return "○"
}

// channelLines returns the state of a messenger in one line, and what to do in a second one.
func (a *app) channelLines(m ipc.Messenger) []string {
	if !m.SetUp {
		return []string{i18n.ChannelNotSetUp(m.Title, "blunux-aictl channel add "+m.Name).In(a.lang)}
	}
	return bridgeText(m.Bridge, a.lang).Lines(a.lang, time.Now())
}

func (a *app) getChannel(in invocation) error {
	m, err := a.findChannel(in)
	if err != nil {
		return err
	}
	var list ipc.PairingList
	if err := a.query(in.Context(), ipc.Query{What: "pairing"}, &list); err != nil {
		return err
	}
	view := channelView{channelRow: newChannelRow(m), Setting: m.Key(), Senders: []ipc.Pairing{}}
	for _, p := range list.Paired {
		if p.Channel == m.Name {
			view.Senders = append(view.Senders, p)
		}
	}
	if in.json {
		return printJSON(a.out, view)
	}
	fmt.Fprintln(a.out, channelMark(m)+" "+strings.Join(a.channelLines(m), "\n  "))
	fmt.Fprintf(a.out, "  %s, %s\n", m.Program, m.Unit)
	if len(view.Senders) == 0 {
		fmt.Fprintln(a.out, "  "+i18n.ChannelNoSenders(view.Setting).In(a.lang))
		return nil
	}
	fmt.Fprintln(a.out, "  "+i18n.ChannelSenders(view.Setting).In(a.lang))
	for _, p := range view.Senders {
		fmt.Fprintln(a.out, "    "+strings.TrimSpace(visible(p.Sender)+"  "+visible(p.Name)))
	}
	return nil
}

// channelAdd returns the command that becomes the login of a messenger's bridge.
func (a *app) channelAdd() *cobra.Command {
	return &cobra.Command{
		Use: "add NAME [-- OPTIONS...]", Short: i18n.CmdChannelAdd.In(a.lang), Args: manual.AtLeastOneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			known, file, err := a.channelProgram(args[0])
			if err != nil {
				return err
			}
			return errand.Replace(file, append([]string{known.Program, "login", "--lang", string(a.lang)}, args[1:]...))
		},
	}
}

// channelProgram returns a messenger by its name, and the path of its bridge.
func (a *app) channelProgram(name string) (known channel.Channel, file string, err error) {
	if known, err = a.channelByName(name); err != nil {
		return known, "", err
	}
	file, err = findProgram(known.Program)
	return known, file, err
}

func (a *app) channelRemove() *cobra.Command {
	var yes bool
	cmd := a.jsonCommand("remove NAME", i18n.CmdChannelRemove, manual.OneArg, func(in invocation) error {
		return a.removeChannel(in, yes)
	})
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, i18n.FlagYes.In(a.lang))
	return cmd
}

// removeChannel stops a messenger's bridge and logs it out, after a question.
func (a *app) removeChannel(in invocation, yes bool) error {
	_, file, err := a.channelProgram(in.args[0])
	if err != nil {
		return err
	}
	m, err := a.findChannel(in)
	if err != nil {
		return err
	}
	if m.SetUp && !yes {
		if err := a.confirmRemoval(in.Context(), m); err != nil {
			return err
		}
	}
	if m.Bridge.Running {
		if err := a.runErrand(in.Context(), unitCommand("disable", m.Unit)); err != nil {
			return err
		}
	}
	if err := a.runErrand(in.Context(), []string{file, "logout", "--yes", "--lang", string(a.lang)}); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, map[string]any{"channel": m.Name, "removed": true})
	}
	return nil
}

// confirmRemoval asks at the terminal. Without a terminal it refuses.
func (a *app) confirmRemoval(ctx context.Context, m ipc.Messenger) error {
	p := confirm.OpenPrompt()
	if p == nil {
		return a.newUsageError(i18n.DeleteNeedsYes)
	}
	defer p.Close()
	line, err := p.AskLine(ctx, i18n.ChannelAskRemove(m.Title).In(a.lang)+" "+i18n.BridgeYesNo.In(a.lang)+" ")
	if err != nil {
		return err
	}
	if i18n.ParseAnswer(line) != i18n.Yes {
		fmt.Fprintln(os.Stderr, i18n.BridgeLeft.In(a.lang))
		return quietExit(exitDenied)
	}
	return nil
}

// switchChannel turns a bridge's unit on or off, now and at the next login. There is no question, because the user
// typed the command.
func (a *app) switchChannel(in invocation, on bool) error {
	m, err := a.findChannel(in)
	if err != nil {
		return err
	}
	verb, done := "enable", i18n.ChannelEnabled
	switch {
	case !on:
		verb, done = "disable", i18n.ChannelDisabled
	case !m.SetUp:
		return i18n.ChannelNotSetUp(m.Title, "blunux-aictl channel add "+m.Name).WithCause(nil)
	}
	if err := a.runErrand(in.Context(), unitCommand(verb, m.Unit)); err != nil {
		return err
	}
	if in.json {
		return printJSON(a.out, map[string]any{"channel": m.Name, "unit": m.Unit, "enabled": on})
	}
	fmt.Fprintln(a.out, done(m.Title).In(a.lang))
	return nil
}

// unitCommand returns the command that enables or disables a user unit, with immediate effect.
func unitCommand(verb, unit string) []string {
	return []string{"systemctl", "--user", "--quiet", verb, "--now", unit}
}

// runErrand runs a command at the user's terminal. If it fails, it has printed why, and its exit status is returned.
func (a *app) runErrand(ctx context.Context, argv []string) error {
	err := errand.Run(ctx, argv)
	if status := errand.ExitStatus(err); status != 0 {
		return quietExit(status)
	}
	return err
}
