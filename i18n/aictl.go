package i18n

import "strings"

// Texts of the command line.
var (
	CmdAictl          = T("이 컴퓨터에게 말로 물어보고 시켜요", "Ask this machine, and tell it what to do, in plain words", "用自然语言向这台电脑提问和下达指令")
	CmdAsk            = T("질문하고 답을 받아요", "Ask a question", "提问")
	CmdStatus         = T("데몬의 상태를 보여줘요", "Show the daemon's state", "显示守护进程状态")
	CmdLog            = T("실행했거나 거절된 명령의 기록을 보여줘요", "Show the commands that were run or refused", "显示执行或拒绝过的命令")
	CmdApprovals      = T("기다리는 확인을 보여줘요", "Show the approvals that wait", "显示等待确认的项目")
	CmdApprove        = T("기다리는 명령을 승인해요", "Approve a waiting command", "批准等待中的命令")
	CmdDeny           = T("기다리는 명령을 거절해요", "Deny a waiting command", "拒绝等待中的命令")
	CmdTasks          = T("작업을 보여줘요", "Show the tasks", "显示任务")
	CmdCancel         = T("작업을 취소해요", "Cancel a task", "取消任务")
	CmdSessions       = T("대화 목록을 보여줘요", "Show the conversations", "显示对话列表")
	CmdSessionsList   = T("대화를 최근 것부터 보여줘요", "Show the conversations, the latest first", "显示对话，最近的在前")
	CmdSessionsShow   = T("대화 하나를 보여줘요", "Show a conversation", "显示一个对话")
	CmdSessionsSearch = T("대화에서 낱말을 찾아요", "Find words in the conversations", "在对话中查找词语")
	CmdSessionsExport = T("대화 하나를 통째로 내보내요", "Write out a whole conversation", "导出整个对话")
	CmdSessionsDelete = T("대화 하나를 완전히 지워요", "Delete a conversation for good", "彻底删除一个对话")
	CmdReset          = T("대화를 새로 시작해요", "Start the conversation anew", "重新开始对话")
	CmdNotify         = T("전달을 기다리는 알림을 보여줘요", "Show the notifications that wait", "显示等待送达的通知")
	CmdCall           = T("프로토콜의 한 줄을 그대로 보내요", "Send one raw line of the protocol", "原样发送一行协议消息")

	FlagLang      = T("말할 언어: ko, en, zh", "language: ko, en, zh", "语言：ko、en、zh")
	FlagJSON      = T("안정된 JSON 문서 하나로 출력해요 (docs/json.md)", "print one stable JSON document (docs/json.md)", "输出一个稳定的 JSON 文档（docs/json.md）")
	FlagJSONL     = T("일어나는 일을 한 줄씩 JSON으로 출력해요", "print the events as JSON, one a line", "逐行以 JSON 输出事件")
	FlagDryRun    = T("계획과 판정만 하고 실행하지 않아요", "plan and classify, run nothing", "只做计划和判定，不执行")
	FlagQuiet     = T("답만 출력해요", "print the answer only", "只输出回答")
	FlagTimeout   = T("이만큼 지나면 멈춰요 (예: 30s)", "stop after this long (for example 30s)", "超过此时间即停止（如 30s）")
	FlagSession   = T("대화의 이름", "the conversation's name", "对话名称")
	FlagContinue  = T("가장 최근의 대화를 이어요", "go on with the latest conversation", "继续最近的对话")
	FlagFile      = T("이 파일의 글을 자료로 함께 보내요 (여러 번 쓸 수 있어요)", "send the text of this file along as data (may be repeated)", "将此文件的文字作为资料一起发送（可重复）")
	FlagNoColor   = T("색을 쓰지 않아요", "no colour", "不使用颜色")
	FlagFollow    = T("새로 쓰이는 줄을 계속 보여줘요", "go on showing lines as they are written", "持续显示新写入的行")
	FlagNoStart   = T("데몬을 시작하지 않아요. 없으면 종료 코드 3", "start no daemon; exit status 3 when there is none", "不启动守护进程；未运行时退出码为 3")
	FlagDaemonLog = T("데몬 자신의 기록 (명령 기록 대신)", "the daemon's own log, not the commands", "守护进程自身的日志（而不是命令记录）")
	FlagVerify    = T("기록이 바뀌거나 지워지지 않았는지 확인해요", "prove that nobody changed or removed a record", "验证记录没有被修改或删除")
	FlagEdit      = T("명령을 고쳐서 승인해요: 물어보거나 --edit='명령'", "approve an edited command: asks for it, or --edit='command'", "修改命令后批准：会询问，或 --edit='命令'")
	FlagGrant     = T("이 대화에서 똑같은 명령은 다시 묻지 않아요", "do not ask again for the same command in its conversation", "在该对话中对相同命令不再询问")
	FlagClear     = T("보여준 알림을 지워요", "remove the notifications that were shown", "删除已显示的通知")
	FlagLimit     = T("한 번에 몇 개까지", "how many at most", "最多多少条")
	FlagPage      = T("몇 번째 쪽 (1이 가장 최근)", "which page, 1 is the latest", "第几页（1 为最近）")
	FlagFormat    = T("형식: md 또는 jsonl", "format: md or jsonl", "格式：md 或 jsonl")
	FlagOutput    = T("이 파일에 써요 (없으면 표준 출력)", "write to this file instead of standard output", "写入此文件而不是标准输出")
	FlagYes       = T("묻지 않고 해요", "do it without asking", "不询问直接执行")
	FlagLines     = T("마지막 몇 줄", "how many of the last lines", "最后多少行")

	AskPrompt       = T("[예(y)/아니요(N)/세션 허용(a)/수정(e)/?]", "[y/N/a/e/?]", "[是(y)/否(N)/本会话允许(a)/修改(e)/?]")
	AskPromptNoAll  = T("[예(y)/아니요(N)/수정(e)/?]", "[y/N/e/?]", "[是(y)/否(N)/修改(e)/?]")
	AskCommand      = T("명령", "command", "命令")
	AskDirectory    = T("위치", "directory", "目录")
	AskUser         = T("사용자", "user", "用户")
	AskRoot         = T("관리자(root)", "root", "管理员（root）")
	AskYou          = T("나", "you", "你")
	AskWhy          = T("이유", "why", "原因")
	AskExpires      = T("만료", "expires", "有效期至")
	AskLines        = T("%d줄, %d바이트", "%d {line|lines}, %d {byte|bytes}", "%d 行，%d 字节")
	AskLine         = T("1줄, %d바이트", "1 line, %d {byte|bytes}", "1 行，%d 字节")
	AskEdit         = T("새 명령 (빈 줄이면 취소): ", "new command (empty: cancel): ", "新命令（留空则取消）：")
	AskHelp         = T("y 한 번 실행해요 · n 실행하지 않아요 · a 이 세션에서 똑같은 명령은 다시 묻지 않아요 · e 명령을 고쳐요", "y runs it once · n does not run it · a does not ask again for exactly this command in this session · e edits it", "y 执行一次 · n 不执行 · a 本会话内完全相同的命令不再询问 · e 修改命令")
	AskPromptNoEdit = T("[예(y)/아니요(N)/세션 허용(a)/?]", "[y/N/a/?]", "[是(y)/否(N)/本会话允许(a)/?]")
	AskHelpNoEdit   = T("y 한 번 실행해요 · n 실행하지 않아요 · a 이 세션에서는 같은 호출을 묻지 않아요 (다른 서버의 도구 호출은 고칠 수 없어요. 거절한 뒤 원하는 것을 말해 주세요)", "y runs it once · n does not run it · a allows this very call for the session (what another server's tool is called with cannot be edited: say n, then say what you want instead)", "y 执行一次 · n 不执行 · a 本会话内允许同样的调用（对其他服务器工具的调用不能修改：请先拒绝，再说明你想要什么）")
	AskHelpNoAll    = T("y 한 번 실행해요 · n 실행하지 않아요 · e 명령을 고쳐요 (관리자 권한을 쓰거나 다른 프로그램을 실행하는 명령은 매번 물어봐요)", "y runs it once · n does not run it · e edits it (what runs with root's rights or starts other programs is asked every time)", "y 执行一次 · n 不执行 · e 修改命令（以管理员权限运行或启动其他程序的命令每次都会询问）")
	AskCovers       = T("세션 허용", "session", "会话允许")
	AskFile         = T("파일", "file", "文件")
	AskMore         = T("…%d바이트가 더 있어요.", "…%d more {byte|bytes}.", "…还有 %d 字节。")
	AskMorePrompt   = T("[엔터: 계속/아니요(n)/?]", "[Enter: more/n/?]", "[回车：继续/否(n)/?]")
	AskMoreHelp     = T("엔터 이어서 보여줘요 · n 실행하지 않아요 · 명령을 끝까지 본 뒤에만 y로 답할 수 있어요", "Enter shows what follows · n does not run it · y is taken only after the whole command was shown", "回车继续显示 · n 不执行 · 看完整个命令后才能回答 y")
	AskMoreFirst    = T("아직 명령을 다 보여 드리지 않았어요. 엔터를 눌러 끝까지 본 뒤에 답해 주세요.", "The whole command was not shown yet. Press Enter to see the rest, then answer.", "命令尚未全部显示。请按回车看完后再回答。")
	AskAgain        = T("y, n, a, e, ? 중 하나로 답해 주세요.", "Answer y, n, a, e or ?.", "请回答 y、n、a、e 或 ?。")
	AnsweredAlready = T("다른 곳에서 이미 답했어요: %s", "Answered elsewhere already: %s", "已在别处回答：%s")

	AskExpired = T("시간 안에 답이 없어 실행하지 않아요.", "Nobody answered in time; it is not run.", "未在时限内回答，不执行。")
	StdinWaits = T("표준 입력을 기다려요. 없으면 Ctrl-D 또는 </dev/null 을 쓰세요.", "Waiting for standard input to end. If there is none, add </dev/null.", "正在等待标准输入结束。如果没有输入，请加上 </dev/null。")

	PendingApproval = T("승인을 기다리고 있어요. 승인하려면: blunux-aictl approve %s", "Waiting for your approval. Approve it: blunux-aictl approve %s", "等待您批准。批准：blunux-aictl approve %s")
	ToolRefused     = T("실행 안 함: %s", "not run: %s", "未执行：%s")
	TriedAt         = T("소켓: %s", "socket: %s", "套接字：%s")
	Tried           = T("시도: %s", "tried: %s", "尝试：%s")
	Unreachable     = T("데몬에 연결할 수 없어요.", "Cannot reach the daemon.", "无法连接守护进程。")
	UnreachableHint = T("직접 시작해 보세요: blunux-ai daemon", "Start it by hand to see why: blunux-ai daemon", "请手动启动以查看原因：blunux-ai daemon")
	ConnectionLost  = T("답이 끝나기 전에 데몬과의 연결이 끊겼어요.", "The daemon went away before the answer was finished.", "回答完成前与守护进程的连接中断了。")
	LostHint        = T("질문은 보관돼 있어요. 답이나 알려진 결과: blunux-aictl notifications, 실행된 것: blunux-aictl log", "The question is kept. Its answer, or what is known: blunux-aictl notifications. What was run: blunux-aictl log", "问题已保存。查看回答或已知结果：blunux-aictl notifications；查看执行过什么：blunux-aictl log")
	UnreadNotices   = T("알림 %d개가 기다려요: blunux-aictl notifications", "Notifications waiting: %d. See: blunux-aictl notifications", "有 %d 条通知等待：blunux-aictl notifications")
	EditUnchanged   = T("명령을 고치지 않아서 아무것도 하지 않았어요.", "The command was not changed, so nothing was done.", "命令没有修改，未做任何操作。")
	EditNowhere     = T("여기에는 터미널이 없어요. 고친 명령을 함께 주세요: --edit='명령'", "there is no terminal here; give the edited command too: --edit='command'", "这里没有终端，请直接给出修改后的命令：--edit='命令'")
	NoSuchTask      = T("그런 작업이 없어요: %s. 목록: blunux-aictl tasks", "There is no task %s. The list: blunux-aictl tasks", "没有任务 %s。列表：blunux-aictl tasks")
	TaskState       = T("상태", "state", "状态")
	TaskWhere       = T("어디서", "from", "来自")
	TaskAsked       = T("질문", "asked", "问题")
	TaskAnswer      = T("답", "answer", "回答")
	TaskError       = T("오류", "error", "错误")
	TaskDetails     = T("자세히", "details", "详情")
	TaskTook        = T("들인 것", "took", "用量")
	TaskFigures     = T("%d번 시작, 모델 요청 %d번, 토큰 %d개, 도구 호출 %d번", "started %d×, %d model {request|requests}, %d {token|tokens}, %d tool {call|calls}", "启动 %d 次，模型请求 %d 次，词元 %d 个，工具调用 %d 次")
	UsageError      = T("사용법이 맞지 않아요: %s", "Wrong usage: %s", "用法错误：%s")
	SeeHelp         = T("도움말: %s --help", "Help: %s --help", "帮助：%s --help")
	StdinCut        = T("[%d바이트를 잘라냈어요]", "[%d {byte was|bytes were} left out]", "[省略了 %d 字节]")
	NotUTF8         = T("질문이 올바른 UTF-8이 아니에요.", "The question is not valid UTF-8.", "问题不是有效的 UTF-8。")
	QuestionTooLong = T("질문이 너무 길어요 (%d바이트, 최대 %d). 긴 글은 표준 입력으로 넣어 주세요.", "The question is too long (%d {byte|bytes}, at most %d). Pipe long text into standard input.", "问题太长（%d 字节，最多 %d）。请通过标准输入传入长文本。")
	NoApprovals     = T("기다리는 확인이 없어요.", "No approvals are waiting.", "没有等待确认的项目。")
	LogEmpty        = T("아직 실행한 명령이 없어요.", "No commands have been run yet.", "还没有执行过命令。")
	LogWaits        = T("데몬이 멈췄어요. 다시 시작되면 이어서 보여 드려요.", "The daemon went away; this goes on when it is back.", "守护进程已停止；恢复后将继续显示。")
	LogWhole        = T("기록이 온전해요: commands.log %d줄, audit.jsonl %d건", "The log is whole: %d {line|lines} in commands.log, %d {record|records} in audit.jsonl", "日志完整：commands.log %d 行，audit.jsonl %d 条记录")
	LogBefore       = T("사슬이 시작되기 전의 줄: %d", "lines from before the chain began: %d", "链开始之前的行：%d")
	LogRepaired     = T("비정상 종료로 끊겼다가 복구됨: %d", "cut off by a crash and recovered: %d", "因崩溃中断并已恢复：%d")
	LogPending      = T("비정상 종료로 끊김, 다음 기록 때 복구됨: %d", "cut off by a crash, recovered with the next record: %d", "因崩溃中断，写入下一条记录时恢复：%d")
	LogJournal      = T("시스템 저널과 대조한 기록: %d", "checked against the system journal: %d", "已与系统日志核对：%d")
	LogProblem      = T("%s %d번째 줄 (기록 %d번): %s", "%s line %d (record %d): %s", "%s 第 %d 行（记录 %d）：%s")
	LogMore         = T("그 밖의 문제: %d", "further problems: %d", "其他问题：%d")
	NoTasks         = T("작업이 없어요.", "There are no tasks.", "没有任务。")
	NoSessions      = T("대화가 없어요.", "There are no conversations.", "没有对话。")
	NoHits          = T("찾지 못했어요.", "Nothing was found.", "没有找到。")
	MorePages       = T("더 있어요: --page %d", "There is more: --page %d", "还有更多：--page %d")
	MoreHits        = T("더 있을 수 있어요: --limit 을 늘리거나 낱말을 더 쓰세요.", "There may be more: raise --limit, or give more words.", "可能还有更多：请增大 --limit 或增加词语。")
	SessionNoTitle  = T("(말 없음)", "(no words)", "（无内容）")
	SessionPage     = T("%d/%d쪽", "page %d of %d", "第 %d/%d 页")
	SessionDamaged  = T("읽을 수 없는 줄이 %d개 있어요 (줄 번호: %s). 파일에 그대로 남아 있어요.", "%d {line|lines} cannot be read (line %s). {It is|They are} still in the file.", "有 %d 行无法读取（行号：%s），仍原样保留在文件中。")
	SessionTorn     = T("비정상 종료로 쓰다 만 줄: %d", "lines cut off by a crash while they were written: %d", "因崩溃而未写完的行：%d")
	SessionCut      = T("[…줄였어요. 전체: blunux-aictl sessions export]", "[… cut; all of it: blunux-aictl sessions export]", "[…已截断，完整内容：blunux-aictl sessions export]")
	DeleteAsk       = T("대화 %s{을/를} 완전히 지울까요? 되돌릴 수 없어요. [예(y)/아니요(N)] ", "Delete the conversation %s for good? It cannot be undone. [y/N] ", "要彻底删除对话 %s 吗？无法恢复。[是(y)/否(N)] ")
	DeleteNeedsYes  = T("지우려면 --yes를 붙이거나 터미널에서 답해 주세요.", "Deleting needs --yes, or an answer at a terminal.", "删除需要加 --yes，或在终端回答。")
	NotDeleted      = T("지우지 않았어요.", "Not deleted.", "未删除。")
	SpeakerUser     = T("나", "you", "你")
	SpeakerThought  = T("비서", "assistant", "助手")
	SpeakerTool     = T("도구", "tool", "工具")
	SpeakerResult   = T("결과", "result", "结果")
	SpeakerError    = T("오류", "error", "错误")
	SpeakerReset    = T("새로 시작", "started anew", "重新开始")
	SpeakerSummary  = T("앞의 요약", "summary so far", "此前摘要")
	NoNotifications = T("알림이 없어요.", "There are no notifications.", "没有通知。")
	NothingPlanned  = T("실행할 것이 없어요.", "Nothing would be run.", "不会执行任何命令。")

	StatusRunning        = T("실행 중", "running", "运行中")
	StatusProvider       = T("모델", "model", "模型")
	StatusPaused         = T("%s{은/는} %s까지 쉬어요: %s", "%s is left alone until %s: %s", "%s 暂停到 %s：%s")
	StatusLanguage       = T("언어", "language", "语言")
	StatusFiles          = T("파일", "files", "文件")
	StatusConfig         = T("설정", "config", "配置")
	StatusStopping       = T("멈추는 중", "stopping", "正在停止")
	StatusReplaced       = T("다른 버전이 설치됐어요. 하던 일이 끝나면 그 버전이 이어받아요. 바로 바꾸려면: %s", "another version was installed, which takes over when nothing is at work; at once: %s", "已安装另一版本，当前工作结束后由它接管；立即切换：%s")
	StatusNotRunning     = T("실행 중이 아니에요", "not running", "未运行")
	StatusNotifications  = T("알림", "notifications", "通知")
	StatusNNotifications = T("대기 %d, 버림 %d", "%d waiting, %d dropped", "%d 条等待，%d 条丢弃")
	StatusAutomations    = T("자동화", "automations", "自动化")
	StatusPrivilege      = T("권한 상승", "privilege", "提权方式")
	StatusMemory         = T("메모리", "memory", "内存")
	StatusLogTo          = T("기록", "log", "日志")
	StatusProblem        = T("문제", "problem", "问题")
	StatusConnections    = T("연결", "connections", "连接")
	StatusLiveTasks      = T("진행 중인 작업", "tasks at work", "进行中的任务")
	StatusTask           = T("%d회 호출, 토큰 %d/%d, 명령 %d", "%d {round|rounds}, %d {token|tokens} in, %d out, %d {command|commands}", "%d 轮，词元 %d/%d，命令 %d")
	StatusTraffic        = T("요청 %d개, %s 받고 %s 보냄", "%d {request|requests}, %s received, %s sent", "请求 %d 个，收到 %s，发出 %s")
	StatusSelf           = T("(이 연결)", "(this one)", "（本连接）")
	StatusWarnings       = T("최근 경고", "last warnings", "最近警告")
	StatusTokens         = T("입력 %d, 출력 %d (%d회 질문)", "%d in, %d out (%d {turn|turns})", "输入 %d，输出 %d（%d 次提问）")
	StatusIdleBlockers   = T("지금은 %s 때문에 남아 있음", "kept by %s", "目前因 %s 保留")
	StatusTasks          = T("작업", "tasks", "任务")
	StatusApprovals      = T("확인 대기", "approvals", "待确认")
	StatusIdle           = T("유휴 종료", "idle exit", "空闲退出")
	StatusUsage          = T("토큰", "tokens", "词元")
	StatusSandbox        = T("샌드박스", "sandbox", "沙箱")
	StatusLog            = T("최근 명령", "last commands", "最近命令")
	StatusSince          = T("%s부터", "since %s", "自 %s")
	StatusNTasks         = T("실행 %d, 대기 %d", "%d running, %d waiting", "%d 个运行，%d 个等待")
	StatusNever          = T("안 함", "never", "从不")
	StatusAfter          = T("%s 뒤", "after %s", "%s 后")
	StatusDefaults       = T("(파일 없음, 기본값)", "(no file, defaults)", "（无文件，使用默认值）")
	StatusNoSandbox      = T("없음 (SAFE 명령은 검사기만으로 판정)", "none (SAFE rests on the checker alone)", "无（SAFE 仅依靠检查器）")
)

// StatusNames are the row names of blunux-aictl status.
var StatusNames = []Text{
	StatusProvider, StatusLanguage, StatusFiles, StatusConfig, StatusTasks, StatusApprovals, StatusNotifications, StatusAutomations, StatusBridges,
	StatusSandbox, StatusPrivilege, StatusUsage, StatusToday, StatusBudget, StatusMemory, StatusIdle, StatusLogTo, StatusProblem,
}

// idleBlockers maps what prevents an idle exit of the daemon to texts.
var idleBlockers = map[string]Text{
	"client":   T("다른 연결", "other connections", "其他连接"),
	"task":     T("작업", "tasks", "任务"),
	"delivery": T("전달", "deliveries", "送达"),
}

// IdleBlocker translates what prevents an idle exit ("CODE NUMBER"). An unknown code is returned unchanged.
func IdleBlocker(hold string, lang Lang) string {
	code, number, _ := strings.Cut(hold, " ")
	if text, ok := idleBlockers[code]; ok {
		return text.In(lang) + " " + number
	}
	return hold
}

// refusals maps the reasons why a tool call was not run to texts.
var refusals = map[string]Text{
	"blocked":       T("정책이 막은 명령이에요", "blocked by policy", "被策略禁止"),
	"denied":        T("거절했어요", "denied", "已拒绝"),
	"expired":       T("시간 안에 답이 없었어요", "nobody answered in time", "未在时限内回答"),
	"cancelled":     T("취소했어요", "cancelled", "已取消"),
	"queued":        T("승인을 기다려요", "waits for an approval", "等待批准"),
	"read_only":     T("읽기 전용으로 설정돼 있어요", "the configuration allows reading only", "配置为只读"),
	"bad_input":     T("도구의 입력이 맞지 않아요", "the tool's input makes no sense", "工具输入无效"),
	"no_tool":       T("그런 도구가 없어요", "there is no such tool", "没有这个工具"),
	"unparsed":      T("끝까지 확인할 수 없는 명령이에요: 셸 문법이 틀렸거나, 너무 길거나, 보이지 않는 문자가 있어요", "it cannot be checked as a whole: not valid shell syntax, too long, or with characters that do not show", "无法完整检查：shell 语法错误、过长或含不可见字符"),
	"missing":       T("프로그램이 설치돼 있지 않아요", "the program is not installed", "程序未安装"),
	"no_rights":     T("관리자 권한을 얻을 방법이 없어요", "nothing here gives root's rights", "这里无法获得管理员权限"),
	"log":           T("명령 기록을 쓸 수 없어요", "the command log cannot be written", "无法写入命令日志"),
	"mismatch":      T("승인한 명령과 달라요", "it differs from what was approved", "与批准的命令不一致"),
	"away":          T("다른 서버가 응답하지 않아요", "another server does not answer", "另一服务器没有响应"),
	"secret-note":   T("비밀번호나 키는 기억해 두지 않아요", "passwords and keys are not remembered", "不记录密码和密钥"),
	"self_schedule": T("자동화는 자동화를 만들거나 바꿀 수 없어요", "an automation changes no automations", "自动化不能新建或更改自动化"),
	"left":          T("명령은 계속 실행 중이에요", "the command goes on", "命令仍在运行"),
	"max_rounds":    T("답을 찾기까지 너무 많은 단계가 필요해서 멈췄어요", "it took too many steps, so it was stopped", "步骤过多，已停止"),
	"planned":       T("계획만 보여 주고 실행하지 않았어요", "only planned, not run", "只是计划，没有执行"),
	"timeout":       T("너무 오래 걸려서 멈췄어요", "it took too long and was stopped", "耗时过长，已停止"),
	"unknown":       T("중간에 멈췄어요", "it was stopped before its end", "中途停止"),
	"repeated":      T("같은 호출을 되풀이해요", "the same call again", "重复相同的调用"),
}

// RunByHand names a command that the user has to run, because this program may not.
var RunByHand = T("터미널에서 직접 실행하세요: `%[1]s`", "Run it yourself in a terminal: `%[1]s`", "请自行在终端中运行：`%[1]s`")

var refusedOtherwise = T("실행할 수 없었어요", "it could not be run", "无法运行")

// Refusal translates a refusal code. For an unknown code it returns a general text.
func Refusal(code string, lang Lang) string {
	if text, ok := refusals[code]; ok {
		return text.In(lang)
	}
	return refusedOtherwise.In(lang)
}

// logFlaws maps problems of the command log to texts.
var logFlaws = map[string]Text{
	"edited":  T("쓰인 내용과 달라요", "not what was written", "与写入的内容不符"),
	"removed": T("없어졌어요", "not there any more", "已不存在"),
	"moved":   T("제자리에 있지 않아요", "not in its place", "不在原来的位置"),
	"added":   T("프로그램이 쓰지 않은 줄이에요", "not written by this program", "不是本程序写入的"),
	"cut":     T("뒷부분이 잘렸어요", "its end was cut off", "末尾被截断"),
	"missing": T("파일이 없거나 읽을 수 없어요", "the file is not there, or unreadable", "文件不存在或无法读取"),
	"old":     T("옛 파일로 바뀌었어요", "replaced by an older one", "被旧文件替换"),
}

// LogProblemText translates a problem of the command log. An unknown code is returned unchanged.
func LogProblemText(code string, lang Lang) string {
	if text, ok := logFlaws[code]; ok {
		return text.In(lang)
	}
	return code
}

// ConnectionAttempts lists where the client looked for the daemon and what it tried, one per line.
func ConnectionAttempts(lang Lang, socket string, tried []string) string {
	lines := []string{TriedAt.In(lang, socket)}
	for _, attempt := range tried {
		lines = append(lines, "  "+Tried.In(lang, PlainCause(attempt, lang)))
	}
	return strings.Join(lines, "\n")
}

// decisions maps the answers to a confirmation to texts.
var decisions = map[string]Text{
	"allow_once":    T("허락", "allowed", "允许"),
	"allow_session": T("이 대화에서 허락", "allowed for the conversation", "在本对话中允许"),
	"edit":          T("고쳐서 허락", "allowed with changes", "修改后允许"),
	"reject":        T("거절", "refused", "拒绝"),
}

// AnswerText translates the answer to a confirmation. An unknown action is returned unchanged.
func AnswerText(action string, lang Lang) string {
	if text, ok := decisions[action]; ok {
		return text.In(lang)
	}
	return action
}
