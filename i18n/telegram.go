package i18n

// Texts of the Telegram bridge at the terminal.
var (
	CmdTelegram       = T("텔레그램으로 이 컴퓨터에게 말을 걸게 해 주는 브리지예요", "The bridge that lets you talk to this machine by Telegram", "通过 Telegram 与这台电脑对话的桥接程序")
	CmdTelegramLogin  = T("텔레그램 봇을 이 컴퓨터에 연결해요", "Connect a Telegram bot with this machine", "将 Telegram 机器人连接到本机")
	CmdTelegramLogout = T("봇의 토큰과 주고받던 것을 이 컴퓨터에서 지워요", "Remove the bot's token and what was under way from this machine", "从本机删除机器人密钥和传输中的内容")
	CmdTelegramStatus = T("브리지가 어떤 상태인지 보여줘요", "Show how the bridge stands", "显示桥接程序的状态")

	FlagTelegramServer = T("텔레그램 대신 쓸 Bot API 서버 (https)", "a Bot API server instead of Telegram's own (https)", "代替 Telegram 的 Bot API 服务器（https）")
	FlagTokenFile      = T("토큰이 적힌 파일, 표준 입력은 -", "a file with the token, - for standard input", "含机器人密钥的文件，标准输入用 -")

	TelegramHow = T(`텔레그램에서 @BotFather를 열고 /newbot을 보내세요.
이름을 정하면 1234567890:AAH...처럼 생긴 토큰을 줘요. 토큰을 아는 사람은 봇을 마음대로 쓸 수 있으니 남에게 보여주지 마세요.`,
		`Open @BotFather in Telegram and send /newbot.
After you have chosen a name it gives you a token like 1234567890:AAH... Whoever knows it has the bot: show it to nobody.`,
		`在 Telegram 中打开 @BotFather，发送 /newbot。
取好名字后会得到类似 1234567890:AAH... 的机器人密钥。知道它的人可以随意使用机器人，请勿告诉他人。`)
	TelegramAsk        = T("토큰 (입력해도 보이지 않아요):", "Token (it is not shown):", "机器人密钥（输入时不显示）：")
	TelegramNoTerminal = T("토큰을 입력할 터미널이 아니에요. --token-file FILE이나 --token-file -로 주세요.", "There is no terminal to type the token at: give it with --token-file FILE or --token-file -", "没有可输入机器人密钥的终端，请用 --token-file 文件 或 --token-file - 提供。")
	TelegramNoToken    = T("봇의 토큰이 아니에요. @BotFather가 준 1234567890:AAH... 모양의 글 전체를 넣으세요.", "This is no bot's token. Give all of what @BotFather gave you, like 1234567890:AAH...", "这不是机器人密钥。请完整输入 @BotFather 给出的 1234567890:AAH... 形式的文字。")
	TelegramUnknown    = T("텔레그램이 이 토큰을 몰라요. 빠진 글자가 있거나 취소된 토큰이에요. @BotFather의 /token으로 다시 받으세요.", "Telegram does not know this token: a part is missing, or it was revoked. Get it again with /token from @BotFather.", "Telegram 不认识此机器人密钥：可能不完整或已被撤销。请用 @BotFather 的 /token 重新获取。")
	TelegramNoAnswer   = T("텔레그램에 물어보지 못했어요: %s", "Telegram could not be asked: %s", "无法询问 Telegram：%s")
	TelegramHook       = T("@%s 봇의 메시지는 지금 %s{으로/로} 가요. 그쪽을 끊고 이 컴퓨터로 받을까요?", "Messages to @%s go to %s now. Shall that end, and they come to this machine?", "发给 @%s 的消息目前送往 %s。要中断它，改由本机接收吗？")
	TelegramLoggedIn   = T(`@%s 봇을 연결했어요. 남은 일:
  1. %s
  2. 텔레그램에서 https://t.me/%s 을 열어 아무 말이나 보내세요. 봇이 코드를 알려 줘요.
  3. blunux-aictl pairing approve 코드`,
		`@%s is connected. What is left:
  1. %s
  2. Open https://t.me/%s in Telegram and write anything. The bot answers with a code.
  3. blunux-aictl pairing approve CODE`,
		`已连接 @%s。还需：
  1. %s
  2. 在 Telegram 中打开 https://t.me/%s，随便发一条消息，机器人会回复一个代码。
  3. blunux-aictl pairing approve 代码`)

	TelegramNotLoggedIn  = T("연결된 봇이 없어요. 연결하기: blunux-telegram-bridge login", "No bot is connected. Connect one: blunux-telegram-bridge login", "尚未连接机器人。连接：blunux-telegram-bridge login")
	TelegramToken        = T("저장된 토큰이 봇의 토큰이 아니에요. 다시 연결하기: blunux-telegram-bridge login", "What is kept is no bot's token. Connect it again: blunux-telegram-bridge login", "保存的内容不是机器人密钥。重新连接：blunux-telegram-bridge login")
	TelegramOpenToken    = T("다른 사용자가 %s{을/를} 읽을 수 있어서 쓰지 않아요. 고치기: chmod 600 %s", "Others can read %s, so it is not used. Mend it: chmod 600 %s", "其他用户可以读取 %s，因此不使用。修复：chmod 600 %s")
	TelegramLoggedOut    = T("토큰이 더는 통하지 않아요. @BotFather에서 새로 받아 다시 연결하세요: blunux-telegram-bridge login", "The token is not valid any more. Get a new one from @BotFather and connect again: blunux-telegram-bridge login", "机器人密钥已失效。请从 @BotFather 获取新机器人密钥并重新连接：blunux-telegram-bridge login")
	TelegramReplaced     = T("다른 프로그램이 같은 봇을 쓰고 있어요. 그쪽을 멈춘 다음: systemctl --user restart blunux-telegram-bridge.service. 웹훅이면 blunux-telegram-bridge login이 끊어 줘요. 어디인지 모르면 @BotFather의 /revoke로 토큰을 바꾸세요.", "Another program uses the same bot. Stop that one, and then: systemctl --user restart blunux-telegram-bridge.service. If it is a webhook, blunux-telegram-bridge login ends it. Where it is unknown which, change the token with /revoke at @BotFather.", "另一个程序正在使用同一个机器人。请先停止它，然后：systemctl --user restart blunux-telegram-bridge.service。若是 webhook，blunux-telegram-bridge login 可以中断它。若不知道是哪个程序，请用 @BotFather 的 /revoke 更换机器人密钥。")
	TelegramBanned       = T("텔레그램이 이 봇을 막았어요. @BotFather에서 다른 봇을 만들어 연결하세요: blunux-telegram-bridge login", "Telegram has locked this bot. Make another one at @BotFather and connect it: blunux-telegram-bridge login", "Telegram 已封禁此机器人。请在 @BotFather 创建另一个并连接：blunux-telegram-bridge login")
	TelegramNoLogin      = T("연결된 봇이 없어요.", "No bot is connected.", "尚未连接机器人。")
	TelegramLogOut       = T("%s에 있는 봇의 토큰과 아직 전하지 못한 메시지를 지울까요?", "Remove the bot's token and messages not yet passed on from %s?", "要删除 %s 中的机器人密钥和尚未传递的消息吗？")
	TelegramLoginRemoved = T("지웠어요. 봇까지 없애려면 텔레그램에서 @BotFather에게 /deletebot을 보내세요.", "Removed. To delete the bot too, send /deletebot to @BotFather in Telegram.", "已删除。要连同机器人一起删除，请在 Telegram 中向 @BotFather 发送 /deletebot。")
)

// BridgeGreeting answers a new chat.
var BridgeGreeting = T("안녕하세요. 이 컴퓨터에게 물어보거나 시킬 일을 적어 주세요.", "Hello. Write what you want to ask this machine or have it do.", "您好。请写下想问这台电脑或让它做的事。")

// IsStart reports whether a message is the one that Telegram sends when a user opens a chat with a bot
// (core.telegram.org/bots/features, "Global commands").
func IsStart(text string) bool { return text == "/start" }
