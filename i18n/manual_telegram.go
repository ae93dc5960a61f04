package i18n

func telegramItself() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge": {
			Long: T(`텔레그램 봇과 데몬 사이의 브리지예요. 인자 없이 시작하면 멈추라고 할 때까지 돌아요. 보통은 systemd가 시작해요.

브리지는 메시지를 전하기만 해요. 누가 쓸 수 있는지, 무엇을 승인할지는 데몬이 정해요. 메시지는 받았다고 기록한 뒤에야 텔레그램에 받았다고 알리고, 답은 텔레그램 서버가 받을 때까지 간직해요.

봇과 한 사람만 있는 대화만 들어요. 그룹, 채널, 다른 봇, 고친 메시지는 듣지 않아요. 봇의 대화는 종단간 암호화가 아니라서 텔레그램 서버가 읽을 수 있어요.

종료 코드 78은 사람이 할 일이 있다는 뜻이고(로그인 등), 75는 이미 돌고 있다는 뜻이에요.`,
				`The bridge between a Telegram bot and the daemon. Without a command it runs until it is asked to stop; usually systemd starts it.

It only passes messages on. Who may write, and what is approved, is the daemon's business. Telegram is told that a message has arrived once it is written down here, and answers are kept until Telegram's server has them.

Only chats of the bot and one person are heard: no groups, no channels, no other bots, no messages that were edited. Chats with bots are not end-to-end encrypted: Telegram's servers can read them.

Exit status 78 says that a person is needed (to log in, say), 75 that it runs already.`,
				`Telegram 机器人与守护进程之间的桥接程序。不带命令时一直运行，直到被要求停止；通常由 systemd 启动。

它只传递消息。谁可以写、批准什么，由守护进程决定。消息在本机记录之后才会告诉 Telegram 已收到；回答会保留到 Telegram 服务器收下为止。

只听取机器人与一个人之间的对话：不听群组、频道、其他机器人和编辑过的消息。与机器人的对话没有端到端加密，Telegram 的服务器可以读取。

退出码 78 表示需要人来处理（例如登录），75 表示已在运行。`),
			Example: T(`blunux-telegram-bridge login
systemctl --user enable --now blunux-telegram-bridge.service
# 로그 보기
journalctl --user -u blunux-telegram-bridge.service -f`,
				`blunux-telegram-bridge login
systemctl --user enable --now blunux-telegram-bridge.service
# read its log
journalctl --user -u blunux-telegram-bridge.service -f`,
				`blunux-telegram-bridge login
systemctl --user enable --now blunux-telegram-bridge.service
# 查看日志
journalctl --user -u blunux-telegram-bridge.service -f`),
		},
	}
}

func telegramLogin() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge login": {
			Long: T(`@BotFather가 준 토큰을 묻고, 텔레그램에 확인한 뒤, 이 사용자만 읽을 수 있는 파일에 넣어요($BLUNUX_AI_HOME/telegram/token). 이미 연결된 봇이 있으면 바꿔요.`,
				`Ask for the token that @BotFather gave you, check it with Telegram, and keep it in a file that only this user can read ($BLUNUX_AI_HOME/telegram/token). A bot that was connected before is replaced.`,
				`询问 @BotFather 给出的机器人密钥，向 Telegram 核实后存入只有本用户可读的文件（$BLUNUX_AI_HOME/telegram/token）。之前连接的机器人会被替换。`),
			Example: T(`blunux-telegram-bridge login
# 암호 관리자에서
pass show telegram/bot | blunux-telegram-bridge login --token-file -`,
				`blunux-telegram-bridge login
# out of a password manager
pass show telegram/bot | blunux-telegram-bridge login --token-file -`,
				`blunux-telegram-bridge login
# 来自密码管理器
pass show telegram/bot | blunux-telegram-bridge login --token-file -`),
		},
	}
}

func telegramLogout() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge logout": {
			Long: T(`$BLUNUX_AI_HOME/telegram에 있는 것을 지워요: 토큰, 아직 전하지 못한 메시지와 답, 받은 파일. 브리지가 돌고 있으면 먼저 멈춰야 해요. 텔레그램에 있는 봇과 대화는 그대로예요.`,
				`Remove what is in $BLUNUX_AI_HOME/telegram: the token, messages and answers not yet passed on, files that came. The bridge must not run. The bot and its chats at Telegram stay.`,
				`删除 $BLUNUX_AI_HOME/telegram 中的内容：机器人密钥、尚未传递的消息和回答、收到的文件。桥接程序须先停止。Telegram 上的机器人和对话不受影响。`),
			Example: T(`systemctl --user disable --now blunux-telegram-bridge.service
blunux-telegram-bridge logout
# 들여보낸 사람도 막기
blunux-aictl pairing`,
				`systemctl --user disable --now blunux-telegram-bridge.service
blunux-telegram-bridge logout
# who was let in, to take that back too
blunux-aictl pairing`,
				`systemctl --user disable --now blunux-telegram-bridge.service
blunux-telegram-bridge logout
# 查看已允许的人，以便一并取消
blunux-aictl pairing`),
		},
	}
}

func telegramStatus() map[string]Page {
	return map[string]Page{
		"blunux-telegram-bridge status": {
			Long: T(`종료 코드 0은 연결되어 있다는 뜻이고, 4는 사람이 할 일이 있다는 뜻, 1은 그 밖의 경우예요.`,
				`Exit status 0 says that it is connected, 4 that a person is needed, 1 anything else.`,
				`退出码 0 表示已连接，4 表示需要人来处理，1 表示其他情况。`),
		},
	}
}
