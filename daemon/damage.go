package daemon

import (
	"errors"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/daemon/settings"
)

// damageList holds the errors of state files that cannot be read. It is safe for
// concurrent use.
type damageList struct {
	mu   sync.Mutex
	errs []error
}

func (l *damageList) add(errs ...error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errs = append(l.errs, errs...)
}

func (l *damageList) all() []error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.errs)
}

// reportDamagedApprovals notifies the person at the machine once of each damaged approval, which does not run and
// must be requested again.
func (sa *Stored) reportDamagedApprovals() {
	for _, err := range sa.ts.approvals.Damaged() {
		var damaged *approval.DamagedError
		if !errors.As(err, &damaged) || sa.ts.post.Outbox.IsKnown(damaged.ID()) {
			continue
		}
		sa.ts.log.Error().Err(damaged).Str("approval", damaged.Code()).Msg("cannot read approval")
		sa.ts.post.Notify(outbox.Message{ID: damaged.ID(), Channel: "cli", To: "default", Session: post.KeyOf("cli", "default"), Body: settings.ProblemText(damaged, sa.ts.settings.Lang())})
	}
}
