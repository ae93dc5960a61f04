package offline

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

// exampleOf returns a request that leads to step s, "" if none is known.
func exampleOf(s intent.Step, lang i18n.Lang) string {
	scope, _ := s.Input["scope"].(string)
	for _, key := range []string{s.Tool + " " + scope, s.Tool} {
		if text, ok := exampleRequests[key]; ok {
			return text.In(lang)
		}
	}
	return ""
}
