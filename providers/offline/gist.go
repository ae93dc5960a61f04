package offline

import (
	"slices"

	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// clearScore is the score above which a text that is no conversation is taken for a request to this computer. The names of
// programs and files, which a search field gets most of the time, score less (TestTheWordsOfASearchField).
const clearScore = 9

// Gist returns the tools that a text without a conversation asks for, in order. It returns none if the helper would ask back,
// refuse, guess or only talk. It records nothing.
func (m *Model) Gist(text string) (tools []string) {
	p := m.lexicon().Understand(text, intent.Context{Now: m.opts.Now()})
	if p.Kind != intent.KindCall || p.IsUncertain || p.Score < clearScore || len(p.UnknownWords) > 0 {
		return nil
	}
	for _, s := range slices.Concat(p.Steps, p.FollowUps) {
		tools = append(tools, s.Tool)
	}
	return tools
}
