package i18n

func aiChat() map[string]Page {
	return map[string]Page{
		"blunux-ai chat": {
			Short: T("터미널에서 대화해요", "Chat at the terminal", "在终端对话"),
			Long: T(`터미널에서 대화해요. 읽기만 하는 명령은 바로 실행되고, 무언가를 바꾸는 명령은 먼저 보여 주고 물어봐요. 데몬이 없으면 시작해요.

화면 전체를 쓰고, 터미널이 할 수 없거나(TERM=dumb) 입력이나 출력이 터미널이 아니거나 --plain이면 한 줄씩 해요. 물어볼 사람이 없으면 바꾸는 명령은 실행하지 않아요.

대화는 저장되고, -c는 가장 최근의 것을, -s는 이름이 있는 것을, --resume은 고른 것을 이어요. 셋 가운데 하나만 쓸 수 있어요.`,
				`Chat at the terminal. Commands that only read run at once; those that change something are shown first and asked about. A daemon is started where none runs.

It uses the whole screen; where the terminal cannot (TERM=dumb), where input or output is none, and with --plain it goes line by line. Where nobody can be asked, nothing is changed.

Conversations are kept: -c goes on with the latest, -s with the one of a name, --resume with the one you choose. Only one of the three can be given.`,
				`在终端对话。只读命令立即执行，会改动系统的命令先显示并询问。需要时会启动守护进程。

默认使用整个屏幕；终端不支持（TERM=dumb）、输入或输出不是终端，或使用 --plain 时逐行进行。无人可询问时不改动任何东西。

对话会保存：-c 继续最近的，-s 继续指定名称的，--resume 继续您选择的。三者只能用其一。`),
			Example: T(`blunux-ai chat
# 마지막 대화를 이어서
blunux-ai chat -c
blunux-ai chat -s 프린터
# 스크립트에서, 한 줄에 질문 하나
printf '디스크 얼마나 남았어?\n' | blunux-ai chat`,
				`blunux-ai chat
# go on with the latest conversation
blunux-ai chat -c
blunux-ai chat -s printer
# in a script, a question a line
printf 'how full is the disk?\n' | blunux-ai chat`,
				`blunux-ai chat
# 继续最近的对话
blunux-ai chat -c
blunux-ai chat -s 打印机
# 在脚本中，每行一个问题
printf '磁盘还剩多少？\n' | blunux-ai chat`),
			Flags: map[string]Text{
				"continue": FlagContinue,
				"session":  T("이 이름의 대화를 시작하거나 이어요", "begin the conversation of this name, or go on with it", "开始或继续此名称的对话"),
				"resume":   T("이어 갈 대화를 목록에서 골라요", "choose from a list which conversation to go on with", "从列表中选择要继续的对话"),
				"plain":    T("화면을 쓰지 않고 한 줄씩 해요", "go line by line in place of the whole screen", "不使用整个屏幕，逐行进行"),
				"no-color": T("색을 쓰지 않아요", "use no colour", "不使用颜色"),
				"lang":     FlagLang,
			},
		},
	}
}
