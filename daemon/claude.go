package daemon

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
	"github.com/nidoit/blunux-ai/providers"
)

// claudeFailure describes why the installed claude cannot answer. It returns nil for any other failure.
func claudeFailure(pe *providers.Error, lang i18n.Lang) *ipc.Error {
	switch pe.Kind {
	case providers.KindMissing:
		return &ipc.Error{Code: ipc.CodeNotConfigured, Message: i18n.ErrClaudeMissing.In(lang), Hint: i18n.ErrClaudeMissingHint.In(lang)}
	case providers.KindLogin:
		return &ipc.Error{Code: ipc.CodeAuth, Message: i18n.ErrClaudeLogin(causeText(pe, lang)).In(lang), Hint: i18n.ErrClaudeLoginHint.In(lang)}
	case providers.KindOutdated:
		return &ipc.Error{Code: ipc.CodeNotConfigured, Message: i18n.ErrClaudeOutdated(causeText(pe, lang)).In(lang), Hint: i18n.ErrClaudeOutdatedHint.In(lang)}
	}
	return nil
}
