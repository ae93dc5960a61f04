package i18n

import "strings"

// Texts of the daemon.
var (
	ErrCancelled      = T("취소했어요.", "Cancelled.", "已取消。")
	ErrTimeout        = T("시간 안에 끝나지 않아 멈췄어요.", "Stopped: it did not finish in time.", "未能在时限内完成，已停止。")
	ErrBusy           = T("기다리는 메시지가 너무 많아요.", "Too many messages are waiting.", "等待处理的消息太多。")
	ErrBusyHint       = T("앞의 답이 끝난 뒤 다시 보내 주세요.", "Send it again when the earlier ones are answered.", "请等前面的消息处理完后再发送。")
	ErrAuth           = T("%s에서 API 키를 받아 주지 않았어요.", "%s did not accept the API key.", "%s 不接受该 API 密钥。")
	ErrAuthHint       = T("키를 확인하세요: %s (권한 0600)", "Check the key: %s (mode 0600)", "请检查密钥：%s（权限 0600）")
	ErrMissingKey     = T("%s{을/를} 쓰려면 API 키가 필요해요.", "%s needs an API key.", "使用 %s 需要 API 密钥。")
	ErrMissingKeyHint = T("환경 변수 %s에 넣거나 파일에 저장하세요: (umask 077; mkdir -p \"$(dirname %[2]s)\"; cat > %[2]s)", "Set %s, or store it in a file: (umask 077; mkdir -p \"$(dirname %[2]s)\"; cat > %[2]s)", "请设置 %s，或保存到文件：(umask 077; mkdir -p \"$(dirname %[2]s)\"; cat > %[2]s)")
	ErrNoKey          = T("설정이 덜 됐어요: %s", "Not configured: %s", "尚未配置：%s")
	ErrRateLimit      = T("%s에 요청이 너무 많아요.", "Too many requests to %s.", "对 %s 的请求太多。")
	ErrRetryAfter     = T("%d초 뒤에 다시 물어보세요.", "Ask again in %d {second|seconds}.", "请在 %d 秒后再试。")
	ErrRetryLater     = T("잠시 뒤에 다시 물어보세요.", "Ask again in a moment.", "请稍后再试。")
	ErrNetwork        = T("%s에 연결할 수 없어요.", "Cannot reach %s.", "无法连接 %s。")
	ErrNetworkHint    = T("연결을 확인하거나, 내장 엔진으로 쓰세요: BLUNUX_AI_PROVIDER=offline (또는 config.toml의 provider = \"offline\")", "Check the connection, or use the built-in engine: BLUNUX_AI_PROVIDER=offline (or provider = \"offline\" in config.toml)", "请检查网络，或使用内置引擎：BLUNUX_AI_PROVIDER=offline（或在 config.toml 中设置 provider = \"offline\"）")
	ErrProvider       = T("%s에서 쓸 수 있는 답이 오지 않았어요: %s", "%s did not give a usable answer: %s", "%s 没有给出可用的回答：%s")
	ErrUnusableAnswer = T("이해할 수 없는 답이에요", "its answer makes no sense", "回答无法理解")
	ErrProviderHint   = T("다시 물어보거나 다른 모델을 쓰세요.", "Ask again or use another model.", "请重试或换一个模型。")
	ErrModel          = T("%s에는 그런 모델이 없어요: %s", "%s has no such model: %s", "%s 没有这个模型：%s")
	ErrModelHint      = T("고를 수 있는 모델: blunux-aictl models %s", "What there is: blunux-aictl models %s", "可选模型：blunux-aictl models %s")
	ErrContext        = T("이 질문과 대화가 %s 모델에 너무 길어요.", "This question, with its conversation, is too long for the model of %s.", "这个问题及其对话对 %s 的模型来说太长了。")
	ErrContextHint    = T("더 짧게 물어보거나 대화를 새로 시작하세요: blunux-aictl reset", "Ask with less, or begin the conversation anew: blunux-aictl reset", "请缩短问题，或重新开始对话：blunux-aictl reset")
	FallbackToHelper  = T("(%s 그래서 내장 도우미가 대신 답해요.)", "(%s The built-in helper answers instead.)", "（%s 由内置助手代为回答。）")
	Fallback          = T("(%s 그래서 %s{이/가} 대신 답해요.)", "(%s %s answers instead.)", "（%s 由 %s 代为回答。）")
	AnswerRestarted   = T("(답이 중간에 끊겨서 처음부터 다시 써요.)", "(The answer broke off; it begins anew.)", "（回答中断，重新开始。）")
	NoteStored        = T("📝 기억했어요: %s (지우기: '%s 잊어줘')", "📝 Remembered: %s (to undo: \"forget %s\")", "📝 已记住：%s（撤销：“忘掉 %s”）")
	NoteRemoved       = T("📝 잊었어요: %s", "📝 Forgotten: %s", "📝 已忘掉：%s")
	UserNotesChanged  = T("📝 USER.md를 고쳤어요: %d줄 추가, %d줄 삭제", "📝 USER.md changed: lines added %d, removed %d", "📝 已更新 USER.md：新增 %d 行，删除 %d 行")
	ErrConfig         = T("설정을 읽을 수 없어요: %s", "Cannot use the configuration: %s", "无法使用配置：%s")
	ErrConfigHint     = T("그 줄을 고치면 다음 질문부터 적용돼요.", "Mend that line; the next question uses it.", "修正该行后，下一个问题即生效。")
	ErrMissingUnknown = T("실행하지 못했어요: %s 프로그램이 설치되어 있지 않아요.", "Not run: the program %s is not installed.", "未执行：未安装程序 %s。")
	ErrMissing        = T("실행하지 못했어요: %s 프로그램이 설치되어 있지 않아요 (Arch 패키지: %s).", "Not run: the program %s is not installed (Arch package: %s).", "未执行：未安装程序 %s（Arch 软件包：%s）。")
	// WaitsForApproval is for a command without a client that could confirm it.
	WaitsForApproval = T("승인을 기다리고 있어요: `%s` 승인하려면: blunux-aictl approve %s", "Waiting for your approval: `%s`. Approve it: blunux-aictl approve %s", "等待您批准：`%s`。批准：blunux-aictl approve %s")
	// DiskNotWritable precedes an answer while the disk is not writable.
	DiskNotWritable = T("%s에 쓸 수 없어서(디스크가 꽉 찼거나 읽기 전용) 이 대화는 저장되지 않아요. 조회 명령만 실행하고, 그 기록은 systemd 저널에 남겨요.", "%s cannot be written to (disk full or read-only), so this conversation is not kept. Only commands that read are run; they are recorded in the systemd journal.", "无法写入 %s（磁盘已满或只读），因此不会保存此对话。只运行读取类命令，其记录写入 systemd 日志。")
	// Problems of a state file: its path, and where it was moved.
	FileNewer       = T("%s 파일은 더 새로운 blunux-ai가 쓴 거예요(형식 %s, 이 버전은 %d까지 알아요). 그대로 두고 아무것도 실행하지 않아요. blunux-ai를 업데이트해 주세요.", "%s was written by a newer blunux-ai (format %s, this one knows up to %d). It is left as it is and nothing in it runs. Update blunux-ai.", "%s 由更新版本的 blunux-ai 写入（格式 %s，此版本最高支持 %d）。文件保持原样，其中的内容不会执行。请更新 blunux-ai。")
	FileLineDamaged = T("%s의 %d번째 줄을 읽을 수 없어요. 그 줄은 그대로 남겨 둬요.", "%s: line %d cannot be read. The line is kept as it is.", "%s 第 %d 行无法读取，该行保持原样。")
	FileDamaged     = T("%s 파일이 비었거나 망가져서 %s{으로/로} 옮겼어요. 거기 있던 기록은 쓸 수 없어요.", "%s was emptied or damaged and was moved to %s. The records in it cannot be used.", "%s 已被清空或损坏，已移至 %s。其中的记录无法使用。")
	FileUnreadable  = T("%s 파일이 비었거나 망가져서 읽을 수 없어요.", "%s was emptied or damaged and cannot be read.", "%s 已被清空或损坏，无法读取。")
	ApprovalDamaged = T("승인 %s의 파일이 망가져서 실행하지 않았어요. 필요하면 다시 요청해 주세요. (망가진 파일: approvals/%s)", "Approval %s is damaged, so it did not run. Ask again if you still need it. (damaged file: approvals/%s)", "审批 %s 的文件已损坏，因此没有执行。如仍需要，请重新提出。（损坏的文件：approvals/%s）")
	ErrHomeHint     = T("쓸 수 있는지 확인하세요: ls -ld %[1]s; df -h %[1]s (다른 곳을 쓰려면 BLUNUX_AI_HOME)", "Check that it can be written to: ls -ld %[1]s; df -h %[1]s (or set BLUNUX_AI_HOME to another place)", "请检查是否可写：ls -ld %[1]s; df -h %[1]s（或用 BLUNUX_AI_HOME 指定其他位置）")
	ErrInternal     = T("처리하지 못했어요: %s", "It could not be done: %s", "无法完成：%s")
	ErrRounds       = T("정해진 횟수 안에 답을 찾지 못했어요. 질문을 더 좁혀서 다시 물어봐 주세요.", "No answer was found within the allowed rounds. Ask again with a narrower question.", "在允许的轮数内没有得到答案。请把问题缩小后再问。")
	ErrEmpty        = T("질문이 비어 있어요.", "The question is empty.", "问题是空的。")
	ErrEmptyHint    = T("예: blunux-aictl ask \"디스크 꽉 찼어?\"", "For example: blunux-aictl ask \"disk full?\"", "例如：blunux-aictl ask \"磁盘满了吗？\"")
	ErrUnknownType  = T("모르는 메시지 종류예요: %s", "Unknown message type: %s", "未知的消息类型：%s")
	ErrNotCaller    = T("도구를 직접 부를 수 있는 것은 MCP 클라이언트(채널 mcp)뿐이에요.", "Only MCP clients (channel mcp) call tools on their own account.", "只有 MCP 客户端（通道 mcp）可以自行调用工具。")
	ErrNotMessage   = T("메시지가 아니에요: %s", "Not a message: %s", "不是消息：%s")
	ErrTooLarge     = T("한 줄이 1 MiB보다 길어요.", "A line is longer than 1 MiB.", "一行超过了 1 MiB。")
	ErrUnknownQuery = T("%q{은/는} 물어볼 수 없어요. 가능한 것: %s", "Cannot query %q. What there is: %s", "无法查询 %q。可查询：%s")
	ErrNotWaiting   = T("기다리는 확인이 없어요. 이미 답했거나 시간이 지났어요.", "No such approval is waiting: it was answered already, or it expired.", "没有等待确认的项目：已经回答过或已过期。")
	ErrOtherChannel = T("이 확인은 물어본 곳에서만, 또는 이 컴퓨터에서 답할 수 있어요", "only who was asked can answer this, or somebody at the machine: blunux-aictl approve CODE", "只有被询问的一方，或在本机上，才能回答")
	ErrDigest       = T("보여 드린 명령과 달라서 실행하지 않았어요.", "Not run: the answer is for a different command than the one shown.", "未执行：回答对应的命令与显示的不同。")
	ErrNoSession    = T("이 명령은 세션 허용을 할 수 없어요. 한 번만 허용하거나 거절해 주세요.", "This command cannot be allowed for the session; allow it once or say no.", "此命令不能在本会话内一律允许；请只允许一次或拒绝。")
	ErrNoEdit       = T("이 요청은 수정할 수 없어요. 거절한 뒤 원하는 것을 말해 주세요.", "This cannot be edited; say no, then say what you want instead.", "此请求不能修改；请先拒绝，再说明你想要什么。")
	ErrNoCommand    = T("수정할 명령이 비어 있어요.", "The edited command is empty.", "修改后的命令是空的。")
	ErrStopping     = T("데몬이 멈추는 중이에요.", "The daemon is stopping.", "守护进程正在停止。")

	ErrPrivate        = T("처리하지 못했어요 (%s). 자세한 내용은 컴퓨터에서 볼 수 있어요: blunux-aictl tasks %s", "It could not be done (%s). The details are at the machine: blunux-aictl tasks %s", "无法完成（%s）。详情请在电脑上查看：blunux-aictl tasks %s")
	StoppingHint      = T("질문은 보관돼 있고, 데몬이 다시 시작되면 이어서 답해요: blunux-aictl notifications", "The question is kept and is answered when the daemon is back: blunux-aictl notifications", "问题已保存，守护进程恢复后会继续回答：blunux-aictl notifications")
	LateExpired       = T("%s 확인은 %s에 시간이 지나서 아무것도 실행하지 않았어요: %s\n필요하면 다시 말씀해 주세요.", "%s expired at %s; nothing was run: %s\nAsk again if you still want it.", "确认 %s 已于 %s 过期，没有执行任何命令：%s\n如仍需要，请再说一次。")
	LateDenied        = T("%s 확인은 이미 %s에 거절됐어요(%s). 아무것도 실행하지 않았어요: %s", "%s was denied at %s already (%s); nothing was run: %s", "确认 %s 已于 %s 被拒绝（%s），没有执行任何命令：%s")
	LateAllowed       = T("%s 확인은 이미 %s에 승인됐어요(%s): %s", "%s was approved at %s already (%s): %s", "确认 %s 已于 %s 获批（%s）：%s")
	LateCancelled     = T("%s 확인은 %s에 취소돼서 아무것도 실행하지 않았어요: %s", "%s was cancelled at %s; nothing was run: %s", "确认 %s 已于 %s 取消，没有执行任何命令：%s")
	DeniedLater       = T("거절해서 실행하지 않았어요: %s", "Not run, because the answer was no: %s", "因被拒绝而未执行：%s")
	ExpiredLater      = T("제때 답이 없어서 실행하지 않았어요: %s", "Not run, because nobody answered in time: %s", "因未及时答复而未执行：%s")
	EditAsksAgain     = T("고친 명령은 처음 보여 드린 것보다 더 많은 일을 해서 다시 확인이 필요해요: %s", "The edited command does more than what was shown, so it needs a yes of its own: %s", "修改后的命令超出了之前显示的范围，需要再次确认：%s")
	EditAsksAgainHint = T("승인: blunux-aictl approve %s", "To approve it: blunux-aictl approve %s", "批准：blunux-aictl approve %s")
	AnsweredElsewhere = T("(다른 곳(%s)에서 답했어요.)", "(It was answered elsewhere: %s.)", "（已在别处（%s）答复。）")
	WhichOne          = T("확인이 여러 개 기다리고 있어요. 어느 것에 대한 답인가요?", "More than one question is waiting. Which one do you mean?", "有多个确认在等待。您指的是哪一个？")
	WhichOneReply     = T("코드와 함께 답해 주세요. 예: %s 네", "Answer with its code, for example: %s yes", "请带上代码回答，例如：%s 是")

	Interrupted           = T("데몬이 다시 시작돼서 이 질문을 끝까지 처리하지 못했어요: “%s”", "The daemon was started anew before this was finished: “%s”", "守护进程重启，未能处理完这个问题：“%s”")
	InterruptedNo         = T("아무것도 실행하지 않았어요. 다시 물어봐 주세요.", "Nothing was run. Ask again.", "没有执行任何命令。请重新提问。")
	InterruptedTwice      = T("두 번 시도했지만 두 번 다 중간에 끊겼어요. 아무것도 실행하지 않았어요. 다시 물어봐 주세요.", "It was tried twice and cut off twice. Nothing was run. Ask again.", "尝试了两次都被中断，没有执行任何命令。请重新提问。")
	InterruptedRan        = T("실행한 명령이에요. 다시 실행하지는 않아요.", "This was run, and is not run again:", "以下命令已执行，不会再次执行：")
	InterruptedExit       = T("- %s (%s)", "- %s (%s)", "- %s（%s）")
	InterruptedOpen       = T("- %s (끝났는지 알 수 없어요)", "- %s (it is not known whether it finished)", "- %s（不知道是否执行完）")
	InterruptedFailed     = T("- %s (시작하지 못했어요: %s)", "- %s (it did not start: %s)", "- %s（未能启动：%s）")
	ErrUnknownSession     = T("그런 대화가 없어요: %s", "There is no conversation %s.", "没有这个对话：%s")
	ErrUnknownSessionHint = T("대화 목록: blunux-aictl sessions", "See which there are: blunux-aictl sessions", "查看对话列表：blunux-aictl sessions")
	ErrSessionInUse       = T("지금 이 대화에서 작업 중이라 지우지 않았어요.", "Not deleted: a task of this conversation is running.", "未删除：此对话中有任务正在进行。")
	ErrSessionInUseHint   = T("끝난 뒤 다시 하거나 작업을 멈추세요: blunux-aictl tasks, blunux-aictl cancel TASK", "Try again when it has ended, or end it: blunux-aictl tasks, blunux-aictl cancel TASK", "请等任务结束，或先取消：blunux-aictl tasks，blunux-aictl cancel TASK")
	SessionUnreadable     = T("대화 %[2]s에 읽을 수 없는 줄이 %[1]d개 있어요: blunux-aictl sessions show %[2]s", "%d {line|lines} of the conversation %s cannot be read: blunux-aictl sessions show %[2]s", "对话 %[2]s 有 %[1]d 行无法读取：blunux-aictl sessions show %[2]s")
	SessionDeleted        = T("대화를 지웠어요: %s", "Deleted the conversation %s.", "已删除对话：%s")

	AskQuestion   = T("이 명령을 실행할까요?", "Run this command?", "要执行这个命令吗？")
	AskInstall    = T("%s{을/를} 설치할까요?", "Install %s?", "要安装 %s 吗？")
	AskRemove     = T("%s{을/를} 제거할까요?", "Remove %s?", "要卸载 %s 吗？")
	AskUpdate     = T("시스템 전체를 업데이트할까요?", "Update the whole system?", "要更新整个系统吗？")
	AskRemember   = T("이것을 기억해 둘까요?", "Remember this?", "要记住这些吗？")
	AskForget     = T("이 메모를 지울까요?", "Forget this note?", "要忘掉这条笔记吗？")
	AskUserNotes  = T("USER.md를 이렇게 고칠까요?", "Change USER.md like this?", "要这样修改 USER.md 吗？")
	AskService    = T("%s 서비스에 %s{을/를} 실행할까요?", "%[2]s the service %[1]s?", "要对服务 %s 执行 %s 吗？")
	AskReply      = T("\"네\" 또는 \"아니요\"로 답해 주세요. (%s)", "Answer \"yes\" or \"no\". (%s)", "请回答“是”或“否”。（%s）")
	AskPrivileged = T("관리자 권한으로 실행돼요.", "It runs with root's rights.", "将以管理员权限运行。")

	// AskOnlyHere is for a chat where a long command cannot be shown completely.
	AskOnlyHere = T("명령이 길어(%s) 여기에 다 보여 드릴 수 없어서 이 대화에서는 승인할 수 없어요. %d바이트가 더 있어요. 컴퓨터에서 확인하고 승인하세요: blunux-aictl approvals, blunux-aictl approve %s. 거절하려면 \"아니요\"라고 답해 주세요.",
		"The command is too long (%s) to be shown here whole, so it cannot be approved in this chat. %d more {byte is|bytes are} not shown. Look at it and approve it at the machine: blunux-aictl approvals, blunux-aictl approve %s. Answer \"no\" to refuse it.",
		"命令太长（%s），无法在这里完整显示，因此不能在此对话中批准，还有 %d 字节未显示。请在电脑上查看并批准：blunux-aictl approvals，blunux-aictl approve %s。如要拒绝，请回答“否”。")
	ErrSessionName = T("대화 이름에 보이지 않는 문자가 있어요.", "The conversation's name holds characters that do not show.", "对话名称含有不可见字符。")
	AskNotHere     = T("이 명령은 여기서 승인할 수 없어요. 컴퓨터에서 승인하거나(blunux-aictl approve %s) \"아니요\"라고 답해 주세요.",
		"This command cannot be approved here. Approve it at the machine (blunux-aictl approve %s), or answer \"no\".",
		"不能在这里批准此命令。请在电脑上批准（blunux-aictl approve %s），或回答“否”。")

	OriginalError   = T("Error: %s", "Error: %s", "Error: %s")
	StillWorking    = T("아직 작업 중이에요. 끝나면 결과를 보내 드릴게요.", "Still working. The result will follow.", "仍在处理中，完成后会发送结果。")
	NothingToAnswer = T("지금 기다리는 확인이 없어요.", "Nothing is waiting for an answer.", "当前没有等待回答的确认。")
	ResetDone       = T("대화를 새로 시작해요.", "The conversation starts anew.", "对话已重新开始。")
	DeniedByMessage = T("(앞의 확인은 거절로 처리했어요.)", "(The earlier question was taken as a no.)", "（之前的确认已按拒绝处理。）")
	ApprovedRan     = T("승인한 명령을 실행했어요 (%s).", "The approved command was run (%s).", "已执行获批的命令（%s）。")
	DeniedDone      = T("거절했어요. 아무것도 실행하지 않았어요.", "Denied. Nothing was run.", "已拒绝，没有执行任何命令。")
	ReplyCut        = T("\n\n[답이 너무 길어 잘렸어요]", "\n\n[the answer was too long and was cut]", "\n\n[回答过长，已截断]")
)

// warnings maps the codes of an approval's warnings to texts.
var warnings = map[string]Text{
	"user-rule":          T("내 규칙", "your rule", "你的规则"),
	"dangerous-pattern":  T("설정에 적힌 위험한 패턴이 들어 있어요", "holds a pattern the configuration calls dangerous", "含有配置中列为危险的模式"),
	"decomposed":         T("낱자로 풀어 쓴 글자라서 보통 글자와 같아 보여도 다른 이름이에요", "letters written in parts: they look like the usual ones and are another name", "以组合形式书写的字：看起来与普通字相同，其实是另一个名称"),
	"mixed-script":       T("한 낱말에 여러 문자가 섞여 있어요", "mixed scripts in one word", "同一个词里混用了不同文字"),
	"note-goes":          T("메모에서 사라질 내용", "what goes from the notes", "将从笔记中消失的内容"),
	"note-echoes":        T("같은 내용이라 함께 지울 줄", "lines that repeat it and go with it", "重复该内容、将一并删除的行"),
	"note-comes":         T("메모에 들어갈 내용", "what comes into the notes", "将写入笔记的内容"),
	"automation-goes":    T("지금의 자동화", "the automation as it is", "现有的自动化"),
	"automation-comes":   T("이렇게 돼요", "what it will be", "将变为"),
	"automation-next":    T("다음 실행", "next due", "接下来的执行时间"),
	"automation-reads":   T("확인만 하고, 무언가 바꿔야 하면 그때 물어봐요", "it only reads; whatever it would change is asked about then", "只做查看；需要更改时会再询问"),
	"automation-applies": T("묻지 않고 실행하는 서명된 명령", "a signed command that it runs unasked", "不经询问就执行的已签署命令"),
	"persistence":        T("나중에 저절로 실행되는 것을 정하는 곳이에요", "decides what is run later by itself", "决定以后会自动运行什么"),
	"untrusted-read":     T("이번 차례에 남이 쓴 글(도구 출력, 파일, 웹 페이지)을 읽어서, 이 세션에서 허용한 명령이라도 다시 물어봐요", "this turn has read text that is not yours (a tool's output, a file, a page), so it asks although you allowed this for the session", "本轮读取了不是你写的文字（工具输出、文件或网页），因此即使本会话已允许也会询问"),
}

// warningsOf maps codes to texts that include the warning's detail.
var warningsOf = map[string]Text{
	"not-covered":  T("승인해도 %s{이/가} 읽는 파일의 내용까지 승인하는 것은 아니에요", "not covered by your yes: what %s reads", "您的同意不包括 %s 读取的内容"),
	"data-loss":    T("%s에 있는 데이터를 모두 잃어요", "all data on %s is lost", "%s 上的所有数据都将丢失"),
	"unnamed-host": T("%s에 접속해요. 이 대화에서 말한 적 없는 호스트라서, 이름 자체로 정보가 새어 나갈 수 있어요", "contacts %s, which you have not named in this conversation; such a name can carry data away", "会访问 %s，你在本次对话中没有提到过它；这样的名称可能会带走数据"),
}

// Warning translates a warning of an approval ("CODE" or "CODE: DETAIL"). The detail is kept. An unknown code
// is returned unchanged.
func Warning(warning string, lang Lang) string {
	code, detail, detailed := strings.Cut(warning, ": ")
	if text, ok := warningsOf[code]; ok && detailed {
		return text.In(lang, detail)
	}
	words := code
	if text, ok := warnings[code]; ok {
		words = text.In(lang)
	}
	if !detailed {
		return words
	}
	if code == "automation-goes" || code == "automation-comes" {
		detail = ruleWords(detail, lang)
	}
	return words + ": " + detail
}

// ruleParts are the labels of the parts of a rule that a tool writes on one line.
var ruleParts = []struct {
	begins string
	words  Text
}{
	{"on", T("켜짐", "on", "启用")},
	{"paused", T("멈춤", "paused", "暂停")},
	{"silent until ", T("조용함, 언제까지: ", "silent until ", "静音至 ")},
	{"check ", T("살펴보는 것: ", "watches ", "检查：")},
	{"do ", T("할 일: ", "does: ", "任务：")},
	{"tell ", T("알림: ", "tells ", "通知：")},
}

// ruleWords translates the labels of a rule on one line. The separator of the parts never occurs inside a part.
func ruleWords(line string, lang Lang) string {
	parts := strings.Split(line, " · ")
	for i, part := range parts[1:] {
		for _, p := range ruleParts {
			if rest, ok := strings.CutPrefix(part, p.begins); ok {
				parts[i+1] = p.words.In(lang) + rest
				break
			}
		}
	}
	return strings.Join(parts, " · ")
}
