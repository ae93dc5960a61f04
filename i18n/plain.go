package i18n

// Texts of the line-by-line chat.
var (
	PlainWelcome = T("무엇을 도와드릴까요? 도움말은 /help, 나가려면 /quit.",
		"What can I do for you? /help tells more, /quit leaves.", "需要什么帮助？/help 查看说明，/quit 退出。")
	PlainHelp = T(`한 줄이 질문 하나예요. 명령:
  /help          이 도움말
  /reset         대화를 새로 시작해요
  /model         지금 답하는 모델
  /memory [낱말]  기억한 것, 또는 그 안에서 찾기
  /sessions [번호] 대화 목록, 또는 그 대화 열기
  /approvals     기다리는 확인
  /quit          나가기 (Ctrl-D도 돼요)
Ctrl-C 하던 일을 멈춰요. 한 번 더 누르면 나가요.`,
		`A line is a question. Commands:
  /help               this help
  /reset              begins the conversation anew
  /model              the model that answers
  /memory [WORDS]     what is remembered, or what is found there
  /sessions [NUMBER]  the conversations, or opens one
  /approvals          what waits for a yes
  /quit               leaves (so does Ctrl-D)
Ctrl-C stops what is at work; pressed again it leaves.`,
		`一行就是一个问题。命令：
  /help             本说明
  /reset            重新开始对话
  /model            当前回答的模型
  /memory [词语]     记住的内容，或在其中查找
  /sessions [编号]   对话列表，或打开其中一个
  /approvals        等待确认的项目
  /quit             退出（Ctrl-D 也可以）
Ctrl-C 停止正在进行的操作，再按一次退出。`)
	PlainNoCommand = T("%s{이라는/라는} 명령은 없어요. 목록: /help", "There is no command %s. The list: /help", "没有命令 %s。列表：/help")
	PlainReset     = T("대화를 새로 시작했어요.", "The conversation begins anew.", "对话已重新开始。")
	PlainAgain     = T("나가려면 Ctrl-C를 한 번 더 누르세요.", "Press Ctrl-C again to leave.", "再按一次 Ctrl-C 退出。")

	PlainCancelling    = T("멈추고 있어요…", "Stopping…", "正在停止…")
	PlainOpened        = T("%s 대화를 열었어요.", "Opened the conversation %s.", "已打开对话 %s。")
	PlainSessionsHint  = T("열기: /sessions 번호", "To open one: /sessions NUMBER", "打开：/sessions 编号")
	PlainApprovalsHint = T("승인: blunux-aictl approve 코드, 거절: blunux-aictl deny 코드", "To allow one: blunux-aictl approve CODE; to refuse: blunux-aictl deny CODE", "批准：blunux-aictl approve 代码，拒绝：blunux-aictl deny 代码")
	PlainModelHint     = T("고를 수 있는 모델: blunux-aictl models", "What there is to choose from: blunux-aictl models", "可选模型：blunux-aictl models")
	PlainMemoryHint    = T("찾기: /memory 낱말", "To search: /memory WORDS", "查找：/memory 词语")
)

// Texts of the command chat.
var (
	ChatGoOn       = T("이어서 하기: blunux-ai chat -s %s", "To go on with it: blunux-ai chat -s %s", "继续此对话：blunux-ai chat -s %s")
	ChatNoScreen   = T("화면 전체로 대화할 수 없어서 한 줄씩 해요: %s", "There is no chat on the whole screen, so it goes line by line: %s", "无法使用全屏对话，改为逐行对话：%s")
	ChatNoneYet    = T("이어갈 대화가 아직 없어요. 새로 시작해요.", "There is no conversation to go on with yet; this is a new one.", "还没有可继续的对话，开始新的对话。")
	ChatNoTerminal = T("터미널이 아니어서 고를 수 없어요. 대화 이름을 주세요: -s 이름", "There is no terminal to choose at; name the conversation: -s NAME", "没有终端可供选择；请指定对话名称：-s 名称")
)
