package i18n

import "strings"

// rights maps the reasons why a way to root rights is not available to texts.
var rights = map[string]Text{
	"not_installed": T("설치되어 있지 않아요", "not installed", "未安装"),
	"no_agent":      T("물어볼 polkit 창(에이전트)이 없어요", "no polkit agent that could ask you", "没有可询问您的 polkit 代理"),
	"no_polkit":     T("polkit이 허락하지 않거나 답하지 않아요", "polkit does not allow it, or does not answer", "polkit 不允许或没有响应"),
	"password":      T("암호를 물어보는데 입력할 터미널이 없어요", "it wants a password, and there is no terminal to type it into", "需要密码，但没有可输入的终端"),
	"not_allowed":   T("그럴 권한이 없는 사용자예요", "this user may not", "该用户无此权限"),
	"no_new_rights": T("명령이 새 권한을 얻을 수 없는 곳에서 실행돼요", "commands run where they may gain no rights", "命令运行在不能获得新权限的环境中"),
	"dismissed":     T("권한 확인 창이 닫혔어요", "the window that asks was closed", "授权窗口被关闭"),
	"timeout":       T("제때 답이 없었어요", "it did not answer in time", "未及时响应"),
	"switched_off":  T("설정에서 껐어요(security.privilege = \"none\")", "switched off (security.privilege = \"none\")", "已在设置中关闭（security.privilege = \"none\"）"),
	"does_not_work": T("동작하지 않아요", "it does not work", "无法使用"),
}

// Rights says why a way to root rights is not available. An unknown code is returned unchanged.
func Rights(code string, lang Lang) string {
	if text, ok := rights[code]; ok {
		return text.In(lang)
	}
	return code
}

// RightsLacking translates a list of "way: reason code".
func RightsLacking(list []string, lang Lang) string {
	words := make([]string, len(list))
	for i, item := range list {
		way, code, _ := strings.Cut(item, ": ")
		words[i] = way + ": " + Rights(code, lang)
		if way == "none" {
			words[i] = Rights(code, lang)
		}
	}
	return strings.Join(words, "; ")
}
