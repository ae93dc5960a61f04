package i18n

// Descriptions of the chat's keys: long ones, and short ones for terminals of 40 columns.
var (
	ChatReviewRun   = T("Enter 실행", "Enter runs", "回车执行")
	ChatReviewEdit  = T("고칠 수 있어요", "edit it", "可修改")
	ChatReviewEsc   = T("Esc 취소", "Esc cancels", "Esc 取消")
	ChatReviewUnsee = T("Enter 다음 쪽 (끝까지 본 뒤에 실행돼요)", "Enter shows more (it runs only after all was shown)", "回车显示后续（看完全部后才能执行）")
	ChatReviewWait  = T("잠깐만요, 곧 키를 받아요…", "a moment, keys do not count yet…", "请稍候，按键尚未生效…")
	ChatReviewDead  = T("차단되어 실행되지 않아요 · 고칠 수 있어요", "blocked, it will not run · edit it", "会被拦截，不会执行 · 可修改")

	ChatShortRun   = T("Enter 실행", "Enter run", "回车执行")
	ChatShortUnsee = T("Enter 다음 쪽", "Enter more", "回车后续")
	ChatShortWait  = T("잠깐만요…", "a moment…", "请稍候…")
	ChatShortDead  = T("차단돼요", "blocked", "会被拦截")
	ChatShortEsc   = T("Esc 취소", "Esc cancel", "Esc 取消")
	ChatShortBack  = T("Esc 닫기", "Esc close", "Esc 关闭")
	ChatShortNo    = T("Ctrl-R 거절", "Ctrl-R refuse", "Ctrl-R 拒绝")
	ChatShortSmall = T("최소 %d×%d", "at least %d×%d", "至少 %d×%d")

	ChatTooSoon    = T("방금 바뀐 화면이라 Enter를 받지 않았어요. 읽고 다시 눌러 주세요.", "Too soon after the screen changed: read it, then press Enter again.", "画面刚刚改变，未接受回车。请阅读后再按一次。")
	ChatNotJudged  = T("고친 명령을 아직 판정하는 중이에요.", "The edited command is still being judged.", "修改后的命令仍在判定中。")
	ChatWillNotRun = T("차단되는 명령이라 실행하지 않아요. 고치거나 Esc를 누르세요.", "It is blocked and will not run. Edit it, or press Esc.", "该命令会被拦截，不会执行。请修改或按 Esc。")
	ChatEditFull   = T("여기서는 %d KB, %d줄까지만 고칠 수 있어요. 넣지 않았어요.", "A command of at most %d KB and %d {line|lines} can be edited here; nothing was put in.", "此处最多可编辑 %d KB、%d 行；未插入。")

	ChatStays     = T("방금 끝났어요. 나가려면 Esc를 다시 누르세요.", "It has just ended. Press Esc again to leave.", "刚刚结束。要离开请再按一次 Esc。")
	ChatNoSuspend = T("여기에는 돌아올 셸이 없어서 Ctrl-Z를 쓸 수 없어요.", "There is no shell here to come back from: Ctrl-Z does nothing.", "这里没有可返回的 shell，Ctrl-Z 不起作用。")
	ChatCallCut   = T("도중에 멈췄어요", "stopped before its end", "中途停止")
	ChatCallEnded = T("취소했어요", "cancelled", "已取消")
	ChatCallLost  = T("연결이 끊겨 어떻게 끝났는지 몰라요", "the connection was lost, how it ended is unknown", "连接已断开，不知道结果如何")
)
