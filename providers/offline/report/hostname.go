package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// hostname reports the name of this computer.
func (q *inquiry) hostname() Reply {
	name := strings.TrimSpace(q.stdout(q.first))
	if name == "" || quoteWord(name) != name {
		return q.toolReply(q.first)
	}
	return Reply{Text: q.say(i18n.HelperHostnameHostname(name))}
}
