package report

import "github.com/nidoit/blunux-ai/i18n"

// What is said when nothing ran.
var (
	sayBlocked    = i18n.T("이 명령은 안전 규칙에 막혀 실행하지 않았어요. 승인으로도 풀 수 없어요.", "That command is blocked by the safety rules and was not run; it cannot be approved either.", "该命令被安全规则阻止，没有执行，也无法批准。")
	sayDenied     = i18n.T("알겠어요. 실행하지 않았어요.", "All right, I did not run it.", "好的，没有执行。")
	sayCancelled  = i18n.T("취소되어 아무것도 바꾸지 않았어요.", "It was cancelled; nothing was changed.", "已取消，没有做任何更改。")
	sayExpired    = i18n.T("승인 시간이 지나서 실행하지 않았어요. 필요하면 다시 말씀해 주세요.", "The approval expired, so nothing was run. Ask again if you still want it.", "批准已过期，没有执行。如仍需要请再说一次。")
	sayQueued     = i18n.T("승인을 기다리고 있어요. 승인하면 실행돼요. `blunux-aictl approvals`로 목록을 볼 수 있어요.", "It is waiting for approval and runs once approved. `blunux-aictl approvals` lists what is waiting.", "正在等待批准，批准后才会执行。`blunux-aictl approvals` 可查看列表。")
	sayRefusedBy  = i18n.T("실행하지 않았어요(이유: %[1]s).", "It was not run (reason: %[1]s).", "没有执行（原因：%[1]s）。")
	sayLeft       = i18n.T("프로그램이 끝나는 중이라 명령은 뒤에서 계속 실행돼요. 결과는 다시 시작한 뒤에 알려 드려요.", "The assistant is stopping; the command goes on without it, and its result is told after the next start.", "助手正在停止，命令会继续执行，结果将在下次启动后告知。")
	sayUnknownEnd = i18n.T("`%[1]s` 명령은 시작됐지만 중간에 끊겨서 어떻게 끝났는지 알 수 없어요. 다시 실행하지 않았으니, 먼저 상태를 확인해 주세요.", "`%[1]s` was started and cut short, so it is not known how it ended. It was not run again: look first what it has done.", "`%[1]s` 已启动但中途被中断，结果不明。没有再次执行，请先确认其状态。")
	sayNoRights   = i18n.T("관리자 권한이 필요한 일인데 여기서는 그 권한을 얻을 방법이 없어서 실행하지 않았어요(%[1]s). 터미널에서 직접 실행해 주세요: `%[2]s`", "This needs administrator rights, and nothing here gives them, so it was not run (%[1]s). Run it in a terminal yourself: `%[2]s`", "此操作需要管理员权限，而这里无法获得，因此没有执行（%[1]s）。请在终端中自行运行：`%[2]s`")
	saySecretNote = i18n.T("비밀번호나 키는 적어 두지 않아요. 메모는 누구나 읽을 수 있는 글이라서요. 비밀번호 관리자에 넣고, 어디에 두었는지만 알려 주세요.", "I do not keep passwords or keys: notes are plain text. Put it into a password manager, and tell me where it is if you like.", "我不会记录密码或密钥，因为笔记是明文。请放进密码管理器，只告诉我放在哪里即可。")
	sayNoSelf     = i18n.T("자동화는 스스로나 다른 자동화를 만들거나 바꾸지 못해요. 필요하면 직접 말씀해 주세요.", "An automation changes no automation, its own or another. Tell me yourself if you want that.", "自动化不能新建或更改自动化，需要的话请直接告诉我。")
	sayByHand     = i18n.T("직접 실행하려면 터미널에서: `%[1]s`", "To run it yourself, in a terminal: `%[1]s`", "如需自行运行，请在终端中输入：`%[1]s`")
	sayLogBroken  = i18n.T("명령 기록을 쓸 수 없어서 실행하지 않았어요.", "The command log could not be written, so nothing was run.", "无法写入命令日志，因此没有执行。")
)

// refused tells why nothing ran, by the reason code.
func (r *result) refused(code string) Reply {
	switch code {
	case "blocked":
		return Reply{Text: r.say(sayBlocked)}
	case "denied", "rejected":
		return Reply{Text: r.say(sayDenied)}
	case "cancelled", "canceled":
		return Reply{Text: r.say(sayCancelled)}
	case "expired", "timeout":
		return Reply{Text: r.say(sayExpired)}
	case "queued", "pending", "approval_pending":
		return Reply{Text: r.say(sayQueued)}
	case "left":
		return Reply{Text: r.say(sayLeft)}
	case "no_rights":
		return Reply{Text: r.say(sayNoRights, i18n.RightsLacking(r.out.Lacks, r.lang), r.out.ByHand)}
	case "secret-note":
		return Reply{Text: r.say(saySecretNote)}
	case "self_schedule":
		return Reply{Text: r.say(sayNoSelf)}
	case "log", "log_failed", "log_unwritable":
		return Reply{Text: r.say(sayLogBroken)}
	}
	return Reply{Text: r.say(sayRefusedBy, code)}
}
