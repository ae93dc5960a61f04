package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

var sayHostname = i18n.T("이 컴퓨터의 호스트 이름은 %[1]s{이에요/예요}(`uname -n`).", "The host name of this computer is %[1]s (`uname -n`).", "这台电脑的主机名是 %[1]s（`uname -n`）。")

// hostname reports the name of this computer.
func (q *inquiry) hostname() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	name := strings.TrimSpace(q.stdout(q.first))
	if name == "" || quoteWord(name) != name {
		return q.toolReply(q.first)
	}
	return Reply{Text: q.say(sayHostname, name)}
}
