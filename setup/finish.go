package setup

import (
	"context"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

// Done is what came of writing.
type Done struct {
	Written  []string `json:"written"` // files
	Reloaded bool     `json:"reloaded"`
	// Problem is why a running daemon cannot use the settings.
	Problem string `json:"problem,omitempty"`
	Memory  bool   `json:"memory"` // what is known of this machine is written down
	// Messengers are those over which somebody may write, and Next the commands that
	// are left to do for them.
	Messengers []string `json:"-"`
	Next       []string `json:"next"`
}

// Finish writes a plan, has what is known of the machine written down, and a
// running daemon read its settings again; none is started. Only writing the
// plan can fail.
func (s *Setup) Finish(ctx context.Context, p Plan) (Done, error) {
	if err := p.Write(s.Paths); err != nil {
		return Done{}, err
	}
	d := Done{Written: []string{}, Messengers: p.Messengers, Next: s.Next(p.Messengers)}
	for _, f := range p.files() {
		d.Written = append(d.Written, f.Path)
	}
	if s.Remember != nil {
		d.Memory = s.Remember() == nil // the daemon does it when it starts
	}
	if s.Reload != nil && !p.Empty() {
		running, err := s.Reload(ctx)
		d.Reloaded = running && err == nil
		if err != nil {
			d.Problem = i18n.Cause(err, s.Lang)
		}
	}
	return d, nil
}

// Celebrate tells what was done and what to do now, and offers to keep the daemon
// ready where its unit waits for that. What the person leaves open stays so.
func (s *Setup) Celebrate(ctx context.Context, ask Asker, d Done) {
	if len(d.Written) > 0 {
		ask.Tell(s.say(i18n.SetupSaved))
	}
	if d.Memory {
		ask.Tell(s.say(i18n.SetupMemory))
	}
	switch {
	case d.Problem != "":
		ask.Tell(s.say(i18n.SetupNoReload, ipc.VisibleLine(d.Problem)))
	case d.Reloaded:
		ask.Tell(s.say(i18n.SetupReloaded))
	}
	if s.Dormant != nil && s.Run != nil && s.Dormant(ctx) {
		argv := []string{"systemctl", "--user", "enable", "--now", ipc.SocketUnit}
		ok, err := ask.Confirm(ctx, Question{Title: s.say(i18n.SetupSocket), Help: s.say(i18n.SetupRuns, strings.Join(argv, " ")), Value: yes})
		if err == nil && ok {
			if err := s.Run(ctx, argv); err != nil {
				ask.Tell(ipc.VisibleLine(i18n.Cause(err, s.Lang)))
			}
		}
	}
	s.link(ctx, ask, d.Messengers)
	ask.Tell(s.say(i18n.SetupDone))
}
