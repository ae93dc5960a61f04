package i18n

// Texts of the daemon while the assistant is switched off.
var (
	ErrSwitchedOff    = T("AI 도우미가 꺼져 있어서 아무것도 실행하지 않아요 ([ai_agent] enabled = false).", "The assistant is switched off ([ai_agent] enabled = false); nothing is run.", "助手已关闭（[ai_agent] enabled = false），不执行任何操作。")
	ErrSwitchedOffFix = T("다시 켜려면 %s 파일의 [ai_agent] 아래에 enabled = true를 적으세요.", "To switch it on, set enabled = true under [ai_agent] in %s", "要重新开启，请在 %s 的 [ai_agent] 下设置 enabled = true")
)
