package program

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nidoit/blunux-ai/bridge/state"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/manual"
	"github.com/nidoit/blunux-ai/ipc"
)

// Document is the output of status --json.
type Document struct {
	state.State
	LoggedIn    bool   `json:"logged_in"`
	Running     bool   `json:"running"`
	NeedsPerson bool   `json:"needs_person"`
	Do          string `json:"do,omitempty"` // the command that helps
}

// statusCommand returns the command that reports the bridge's state, whether or not it runs.
func (p *Program) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status", Short: p.Kind.Status.In(p.Lang), Args: manual.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			home, err := p.home()
			if err != nil {
				return err
			}
			d, err := p.readStatus(home)
			if err != nil {
				return err
			}
			if err := p.print(d, asJSON); err != nil {
				return fmt.Errorf("cannot write: %w", err)
			}
			switch {
			case d.Phase == state.Online && d.Running:
				return nil
			case d.NeedsPerson:
				return &Exit{Code: NotConfigured}
			}
			return &Exit{Code: Failure}
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, i18n.FlagJsonThis.In(p.Lang))
	return cmd
}

func (p *Program) readStatus(home string) (Document, error) {
	seen := state.Of(home, p.Kind.Channel)
	if seen.Err != nil {
		return Document{}, seen.Err
	}
	d := Document{State: seen.State, LoggedIn: seen.LoggedIn, Running: seen.State.Running}
	d.Phase, d.Do = seen.Phase(), strings.Join(seen.Remedy(), " ")
	if p.Kind.Problem != nil && d.LoggedIn && !d.Running {
		if detail, do := p.Kind.Problem(seen.Dir); do != "" {
			d.Phase, d.Detail, d.Do, d.LoggedIn = state.Broken, detail, do, false
		}
	}
	d.NeedsPerson = d.Phase.NeedsPerson()
	return d, nil
}

func (p *Program) print(d Document, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(p.Out)
		enc.SetEscapeHTML(false)
		return enc.Encode(d)
	}
	b := i18n.Bridge{
		Channel: p.Kind.Channel.Name, Phase: string(d.Phase), Account: ipc.VisibleLine(d.Account), Since: d.Since, Until: d.Until, Unsent: d.Unsent, Untaken: d.Undelivered, Do: d.Do,
	}
	lines := b.Lines(p.Lang, time.Now())
	if more, ok := p.Kind.PhaseHelp[d.Phase]; ok && d.Phase != state.Broken {
		lines = append(lines[:1], more.In(p.Lang))
	}
	_, err := fmt.Fprintln(p.Out, strings.Join(lines, "\n"))
	return err
}
