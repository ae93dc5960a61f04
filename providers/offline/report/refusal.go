package report

import "github.com/nidoit/blunux-ai/i18n"

// Answers for calls that did not run.
var (
	sayBlocked    = i18n.T("이 명령은 안전 규칙에 막혀 실행하지 않았어요. 승인으로도 풀 수 없어요.", "That command is blocked by the safety rules and was not run; it cannot be approved either.", "该命令被安全规则阻止，没有执行，也无法批准。")
	sayDenied     = i18n.T("알겠어요. 실행하지 않았어요.", "All right, I did not run it.", "好的，没有执行。")
	sayCancelled  = i18n.T("취소되어 아무것도 바꾸지 않았어요.", "It was cancelled; nothing was changed.", "已取消，没有做任何更改。")
	sayExpired    = i18n.T("승인 시간이 지나서 실행하지 않았어요. 필요하면 다시 말씀해 주세요.", "The approval expired, so nothing was run. Ask again if you still want it.", "批准已过期，没有执行。如仍需要请再说一次。")
	sayQueued     = i18n.T("승인을 기다리고 있어요. 승인하면 실행돼요. `blunux-aictl approvals`로 목록을 볼 수 있어요.", "It is waiting for approval and runs once approved. `blunux-aictl approvals` lists what is waiting.", "正在等待批准，批准后才会执行。`blunux-aictl approvals` 可查看列表。")
	sayRefusedAny = i18n.T("실행하지 않았어요.", "It was not run.", "没有执行。")
	sayElsewhere  = i18n.T("%[1]s{은/는} 시스템 폴더에는 없고 `%[2]s`에 있어요. 실행하려면 이 경로를 그대로 적어 주세요.", "%[1]s is not in the system's directories, but here: `%[2]s`. Write that path to run it.", "%[1]s 不在系统目录中，而是在 `%[2]s`。要运行请写出这个路径。")
	sayUnparsed   = i18n.T("완전한 명령이 아니거나 너무 길어서 무엇을 하는지 확인할 수 없어요. 그래서 실행하지 않았어요. 따옴표나 괄호가 빠지지 않았는지 보고 다시 적어 주세요.", "I could not read that as a complete command, so I did not run it. See whether a quote or bracket is missing, and write it again.", "无法把它读成完整的命令，因此没有执行。请检查引号或括号是否缺失，再写一遍。")
	sayBadInput   = i18n.T("그 이름이나 값으로는 실행할 수 없어서 실행하지 않았어요.", "That name or value cannot be used, so nothing was run.", "无法使用这个名称或值，因此没有执行。")
	sayReadOnly   = i18n.T("보기만 하도록 설정되어 있어서 실행하지 않았어요. 바꾸려면 `config.toml`의 `[ai_agent]`에서 `autonomy`를 고치세요.", "I am set to look only, so I did not run it. To change that, set `autonomy` in `[ai_agent]` of `config.toml`.", "当前设置为只读，因此没有执行。要更改，请修改 `config.toml` 中 `[ai_agent]` 的 `autonomy`。")
	sayMismatch   = i18n.T("승인한 것과 달라져서 실행하지 않았어요. 다시 말씀해 주세요.", "It is no longer what was approved, so it was not run. Ask again.", "与批准时不同，因此没有执行。请再说一次。")
	sayRepeated   = i18n.T("같은 일을 되풀이하고 있어서 그만두었어요.", "The same thing was tried again and again, so I stopped.", "同样的操作反复出现，已停止。")
	sayPlannedRun = i18n.T("계획만 보여 드리는 것이라 실행하지 않았어요.", "This only shows the plan; nothing was run.", "这只是展示计划，没有执行。")
	sayAway       = i18n.T("그 도구를 제공하는 프로그램이 응답하지 않아서 실행하지 못했어요.", "The program that offers this tool does not answer, so it was not run.", "提供该工具的程序没有响应，因此没有执行。")
	sayNoSuchTool = i18n.T("그 일을 할 도구가 없어요.", "There is no tool for that.", "没有用于此操作的工具。")
	sayLeft       = i18n.T("프로그램이 끝나는 중이라 명령은 뒤에서 계속 실행돼요. 결과는 다시 시작한 뒤에 알려 드려요.", "The assistant is stopping; the command goes on without it, and its result is told after the next start.", "助手正在停止，命令会继续执行，结果将在下次启动后告知。")
	sayUnknownEnd = i18n.T("`%[1]s` 명령은 시작됐지만 중간에 끊겨서 어떻게 끝났는지 알 수 없어요. 다시 실행하지 않았으니, 먼저 상태를 확인해 주세요.", "`%[1]s` was started and cut short, so it is not known how it ended. It was not run again: look first what it has done.", "`%[1]s` 已启动但中途被中断，结果不明。没有再次执行，请先确认其状态。")
	sayNoRights   = i18n.T("관리자 권한이 필요한 일인데 여기서는 그 권한을 얻을 방법이 없어서 실행하지 않았어요(%[1]s). 터미널에서 직접 실행해 주세요: `%[2]s`", "This needs administrator rights, and nothing here gives them, so it was not run (%[1]s). Run it in a terminal yourself: `%[2]s`", "此操作需要管理员权限，而这里无法获得，因此没有执行（%[1]s）。请在终端中自行运行：`%[2]s`")
	saySecretNote = i18n.T("비밀번호나 키는 적어 두지 않아요. 메모는 누구나 읽을 수 있는 글이라서요. 비밀번호 관리자에 넣고, 어디에 두었는지만 알려 주세요.", "I do not keep passwords or keys: notes are plain text. Put it into a password manager, and tell me where it is if you like.", "我不会记录密码或密钥，因为笔记是明文。请放进密码管理器，只告诉我放在哪里即可。")
	sayNoSelf     = i18n.T("자동화는 스스로나 다른 자동화를 만들거나 바꾸지 못해요. 필요하면 직접 말씀해 주세요.", "An automation changes no automation, its own or another. Tell me yourself if you want that.", "自动化不能新建或更改自动化，需要的话请直接告诉我。")
	sayByHand     = i18n.T("직접 실행하려면 터미널에서: `%[1]s`", "To run it yourself, in a terminal: `%[1]s`", "如需自行运行，请在终端中输入：`%[1]s`")
	sayLogBroken  = i18n.T("명령 기록을 쓸 수 없어서 실행하지 않았어요.", "The command log could not be written, so nothing was run.", "无法写入命令日志，因此没有执行。")
)

// refusalReply reports why a call did not run, by its reason code.
func (r *result) refusalReply(code string) Reply {
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
		if r.out.ApprovalCode != "" {
			return Reply{Text: r.say(i18n.WaitsForApproval, r.out.ApprovalCommand, r.out.ApprovalCode)}
		}
		return Reply{Text: r.say(sayQueued)}
	case "left":
		return Reply{Text: r.say(sayLeft)}
	case "no_rights":
		return Reply{Text: r.say(sayNoRights, i18n.RightsLacking(r.out.RootProblems, r.lang), r.out.ManualCommand)}
	case "secret-note":
		return Reply{Text: r.say(saySecretNote)}
	case "self_schedule":
		return Reply{Text: r.say(sayNoSelf)}
	case "log", "log_failed", "log_unwritable":
		return Reply{Text: r.say(sayLogBroken)}
	}
	if code == "missing" {
		return Reply{Text: r.missingProgram()}
	}
	if text, ok := refusals[code]; ok {
		return Reply{Text: r.say(text)}
	}
	return Reply{Text: r.say(sayRefusedAny)}
}

// refusals maps the reason codes that need only a text.
var refusals = map[string]i18n.Text{
	"unparsed": sayUnparsed, "bad_input": sayBadInput, "read_only": sayReadOnly, "mismatch": sayMismatch, "repeated": sayRepeated, "max_rounds": sayRepeated,
	"planned": sayPlannedRun, "away": sayAway, "no_tool": sayNoSuchTool,
}

// missingProgram names the program that a call lacked.
func (r *result) missingProgram() string {
	for _, s := range r.steps {
		if s.MissingProgram != "" {
			return r.missingText(s.MissingProgram)
		}
	}
	return r.say(sayRefusedAny)
}
