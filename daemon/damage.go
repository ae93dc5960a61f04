package daemon

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nidoit/blunux-ai/daemon/approval"
	"github.com/nidoit/blunux-ai/daemon/outbox"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/journal"
	"github.com/nidoit/blunux-ai/ipc"
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

// damageText describes a state file that cannot be used.
func damageText(err error, lang i18n.Lang) (text string, ok bool) {
	var newer *journal.VersionError
	var damaged *approval.DamagedError
	var line journal.Damage
	switch {
	case errors.As(err, &newer):
		return i18n.FileNewer(newer.File, newer.Version, journal.Version).In(lang), true
	case errors.As(err, &damaged):
		return i18n.ApprovalDamaged(damaged.Code(), filepath.Base(cmp.Or(damaged.MovedTo, damaged.File))).In(lang), true
	case errors.As(err, &line) && line.Line > 0:
		return i18n.FileLineDamaged(line.File, line.Line).In(lang), true
	case errors.As(err, &line) && line.MovedTo != "":
		return i18n.FileDamaged(line.File, filepath.Base(line.MovedTo)).In(lang), true
	case errors.As(err, &line):
		return i18n.FileUnreadable(line.File).In(lang), true
	}
	return "", false
}

// problemText returns an error as status lists it.
func problemText(err error, lang i18n.Lang) string {
	if text, ok := damageText(err, lang); ok {
		return text
	}
	return i18n.ErrorText(err, lang)
}

// damageFailure returns the error of a request that needs an unusable state file, or nil for other errors.
func damageFailure(err error, lang i18n.Lang) *ipc.Error {
	text, ok := damageText(err, lang)
	if !ok {
		return nil
	}
	code := ipc.CodeInternal
	if damaged := (*approval.DamagedError)(nil); errors.As(err, &damaged) {
		code = ipc.CodeExpired
	}
	return &ipc.Error{Code: code, Message: text}
}

// reportDamagedApprovals notifies the person at the machine once of each damaged approval, which does not run and
// must be requested again.
func (sa *Stored) reportDamagedApprovals() {
	for _, err := range sa.ts.approvals.Damaged() {
		var damaged *approval.DamagedError
		if !errors.As(err, &damaged) || sa.ts.post.outbox.IsKnown(damaged.ID()) {
			continue
		}
		sa.ts.log.Error().Err(damaged).Str("approval", damaged.Code()).Msg("cannot read approval")
		sa.ts.post.notify(outbox.Message{ID: damaged.ID(), Channel: "cli", To: "default", Session: keyOf("cli", "default"), Body: problemText(damaged, sa.ts.settings.lang())})
	}
}
