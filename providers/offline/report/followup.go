package report

import (
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	askThenInstall = i18n.T("이어서 %[1]s{을/를} 설치할까요?", "Shall I now install %[1]s?", "接着安装 %[1]s 吗？")
	askThenRemove  = i18n.T("이어서 %[1]s{을/를} 삭제할까요?", "Shall I now remove %[1]s?", "接着卸载 %[1]s 吗？")
	askThenUpdate  = i18n.T("이어서 시스템을 업데이트할까요?", "Shall I now update the system?", "接着更新系统吗？")
	askThenStart   = i18n.T("이어서 %[1]s{을/를} 시작할까요?", "Shall I now start %[1]s?", "接着启动 %[1]s 吗？")
	askThenStop    = i18n.T("이어서 %[1]s{을/를} 멈출까요?", "Shall I now stop %[1]s?", "接着停止 %[1]s 吗？")
	askThenRestart = i18n.T("이어서 %[1]s{을/를} 다시 시작할까요?", "Shall I now restart %[1]s?", "接着重启 %[1]s 吗？")
	askThenReload  = i18n.T("이어서 %[1]s의 설정을 다시 읽게 할까요?", "Shall I now have %[1]s read its configuration again?", "接着让 %[1]s 重新读取配置吗？")
	askThenEnable  = i18n.T("이어서 %[1]s{이/가} 부팅할 때 자동으로 시작되게 할까요?", "Shall I now have %[1]s start at boot?", "接着设置 %[1]s 开机启动吗？")
	askThenDisable = i18n.T("이어서 %[1]s{이/가} 부팅할 때 시작되지 않게 할까요?", "Shall I now keep %[1]s from starting at boot?", "接着取消 %[1]s 开机启动吗？")
	askThenDo      = i18n.T("이어서 나머지도 할까요?", "Shall I now do the rest as well?", "接着做剩下的吗？")
)

// askFollowUp asks to confirm a change requested after a read-only step.
func (c Case) askFollowUp(s intent.Step) string {
	name, _ := s.Input["name"].(string)
	action, _ := s.Input["action"].(string)
	question := map[string]i18n.Text{
		"install_package": askThenInstall, "remove_package": askThenRemove, "update_system": askThenUpdate,
		"start": askThenStart, "stop": askThenStop, "restart": askThenRestart, "reload": askThenReload, "enable": askThenEnable, "disable": askThenDisable,
	}
	for _, key := range []string{action, s.Tool} {
		text, ok := question[key]
		switch {
		case ok && s.Tool == "update_system":
			return text.In(c.Lang) // contains no name
		case ok:
			return text.In(c.Lang, name)
		}
	}
	return askThenDo.In(c.Lang)
}
