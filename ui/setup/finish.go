package setup

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Done is the result of writing.
type Done struct {
	Written  []string `json:"written"` // files
	Reloaded bool     `json:"reloaded"`
	// Problem is why a running daemon cannot use the settings.
	Problem string `json:"problem,omitempty"`
	Memory  bool   `json:"memory"` // the facts about this computer are saved
	// Messengers are those with admitted senders, and Next the commands that are still necessary
	// for them.
	Messengers []string `json:"-"`
	Next       []string `json:"next"`
}

// Finish writes a plan, saves the facts about this computer, and reloads a running daemon. It does
// not start the daemon. It fails only if the plan cannot be written.
func (s *Setup) Finish(ctx context.Context, p Plan) (Done, error) {
	if err := p.Write(s.Paths); err != nil {
		return Done{}, err
	}
	d := Done{Written: []string{}, Messengers: p.Messengers, Next: s.NextCommands(p.Messengers)}
	for _, f := range p.files() {
		d.Written = append(d.Written, f.Path)
	}
	if s.Remember != nil {
		d.Memory = s.Remember() == nil // otherwise the daemon does it at start
	}
	if s.Reload != nil && !p.IsEmpty() {
		running, err := s.Reload(ctx)
		d.Reloaded = running && err == nil
		if err != nil {
			d.Problem = i18n.Cause(err, s.Lang)
		}
	}
	return d, nil
}

// ReportDone reports what was done and what to do next, and offers to enable the daemon's socket
// unit if it is disabled. If the person leaves, the rest stays undone.
func (s *Setup) ReportDone(ctx context.Context, ask Asker, d Done) {
	if len(d.Written) > 0 {
		ask.Tell(s.say(i18n.SetupSaved))
	}
	if d.Memory {
		ask.Tell(s.say(i18n.SetupMemory))
	}
	switch {
	case d.Problem != "":
		ask.Tell(s.say(i18n.SetupNoReload(ipc.VisibleLine(d.Problem))))
	case d.Reloaded:
		ask.Tell(s.say(i18n.SetupReloaded))
	}
	if s.HasDormantSocket != nil && s.Run != nil && s.HasDormantSocket(ctx) {
		argv := []string{"systemctl", "--user", "enable", "--now", ipc.SocketUnit}
		ok, err := ask.Confirm(ctx, Question{Title: s.say(i18n.SetupSocket), Help: s.say(i18n.SetupRuns(strings.Join(argv, " "))), Value: yes})
		if err == nil && ok {
			if err := s.Run(ctx, argv); err != nil {
				ask.Tell(ipc.VisibleLine(i18n.Cause(err, s.Lang)))
			}
		}
	}
	s.linkMessengers(ctx, ask, d.Messengers)
	ask.Tell(s.say(i18n.SetupDone))
}
