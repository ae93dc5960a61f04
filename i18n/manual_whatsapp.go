package i18n

func whatsAppItself() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge": {
			Short: CmdWhatsApp,
			Long: T(`WhatsApp으로 오는 말을 비서에게 잇는 브리지예요. 명령 없이 실행하면 브리지가 돼요. 보통은 systemd가 실행해요: systemctl --user enable --now blunux-wa-bridge

WhatsApp의 공식 프로그램이 아니고, WhatsApp이 계정을 막을 수 있어요. 따로 마련한 번호를 쓰세요.

일대일 대화만 이어요. 그룹, 방송, 채널, 상태, 그리고 계정 자신이 쓴 것은 받지 않아요. 누가 쓸 수 있는지는 데몬이 정해요. 허락하지 않은 사람에게는 아무것도 답하지 않거나, 주인이 승인할 코드를 하루에 한 번 보내요.

종료 코드 78은 사람이 할 일이 있다는 뜻이고(로그아웃, 계정이 막힘, 오래된 버전 같은 것), 75는 브리지가 이미 실행 중이라는 뜻이에요.`,
				`Connect WhatsApp with the assistant. Without a command it is the bridge, which systemd usually runs: systemctl --user enable --now blunux-wa-bridge

It is not WhatsApp's own program, and WhatsApp may lock the account. Use a number kept for it.

Only chats of two people are connected. Groups, broadcasts, channels, status and what the account itself writes are left. Who may write is the daemon's to say. Others are not answered, or get a code once a day that the owner can approve.

The exit status 78 says that a person has something to do, as after a log-out, a locked account, an outdated version; 75 that the bridge is running already.`,
				`将 WhatsApp 连接到助手。不带命令时作为桥接程序运行，通常由 systemd 运行：systemctl --user enable --now blunux-wa-bridge

这不是 WhatsApp 官方程序，WhatsApp 可能会封禁账号。请使用专用号码。

仅连接一对一聊天。不接收群组、广播、频道、状态以及账号自己发送的内容。谁可以发消息由守护进程决定；其他人得不到回复，或每天得到一次可由主人批准的代码。

退出状态 78 表示需要人来处理（如已退出登录、账号被封、版本过旧），75 表示桥接程序已在运行。`),
			Example: T(`# 연결하고, 시작하고, 보기
blunux-wa-bridge login
systemctl --user enable --now blunux-wa-bridge
blunux-wa-bridge status`,
				`# link it, start it, look at it
blunux-wa-bridge login
systemctl --user enable --now blunux-wa-bridge
blunux-wa-bridge status`,
				`# 关联、启动、查看
blunux-wa-bridge login
systemctl --user enable --now blunux-wa-bridge
blunux-wa-bridge status`),
			Flags: map[string]Text{"lang": FlagLang},
		},
	}
}

func whatsAppLogin() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge login": {
			Short: CmdWhatsAppLogin,
			Long: T(`이 컴퓨터를 WhatsApp 계정의 연결된 기기로 만들어요. 터미널에 QR 코드를 보여 주고, 전화기로 찍으면 돼요. 터미널이 작거나 터미널이 아니면 --code나 --png를 쓰세요.

연결이 끝날 때까지는 아무것도 바뀌지 않고, 언제든 Ctrl-C로 그만둘 수 있어요. 전에 쓰던 연결이 있으면 session.old로 옮겨 둬요.`,
				`Make this computer a linked device of a WhatsApp account: a QR code is shown in the terminal, to be scanned with the phone. Where the terminal is small, or none, use --code or --png.

Nothing changes until the device is linked; Ctrl-C ends it at any time. A link that is there is put aside as session.old.`,
				`将这台电脑设为 WhatsApp 账号的已关联设备：终端中显示二维码，用手机扫描。终端太小或没有终端时，请使用 --code 或 --png。

关联完成前不会有任何更改，可随时按 Ctrl-C 结束。已有的关联会移为 session.old。`),
			Example: T(`blunux-wa-bridge login
# 전화기에 입력할 코드로
blunux-wa-bridge login --code 821012345678
blunux-wa-bridge login --png qr.png`,
				`blunux-wa-bridge login
# with a code to type on the phone
blunux-wa-bridge login --code 821012345678
blunux-wa-bridge login --png qr.png`,
				`blunux-wa-bridge login
# 使用在手机上输入的代码
blunux-wa-bridge login --code 821012345678
blunux-wa-bridge login --png qr.png`),
			Flags: map[string]Text{"code": FlagWhatsAppCode, "png": FlagWhatsAppPNG, "again": FlagWhatsAppAgain, "yes": FlagYes, "lang": FlagLang},
		},
	}
}

func whatsAppLogout() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge logout": {
			Short: CmdWhatsAppLogout,
			Long: T(`WhatsApp에 연결을 끊겠다고 알리고, 이 컴퓨터에서 연결을 지워요. 알릴 수 없으면 여기서는 지우고, 전화기에서 무엇을 지울지 알려줘요.`,
				`Tell WhatsApp that the device is no more, and remove the link from this computer. Where WhatsApp cannot be told, it is removed here, and you are told what to remove on the phone.`,
				`通知 WhatsApp 解除关联，并从本机删除。若无法通知，则仅从本机删除，并提示在手机上删除什么。`),
			Example: T(`# 먼저 브리지를 멈추고
systemctl --user disable --now blunux-wa-bridge
blunux-wa-bridge logout`, `# stop the bridge first
systemctl --user disable --now blunux-wa-bridge
blunux-wa-bridge logout`, `# 先停止桥接程序
systemctl --user disable --now blunux-wa-bridge
blunux-wa-bridge logout`),
			Flags: map[string]Text{"yes": FlagYes, "lang": FlagLang},
		},
	}
}

func whatsAppStatus() map[string]Page {
	return map[string]Page{
		"blunux-wa-bridge status": {
			Short: CmdWhatsAppStatus,
			Long: T(`브리지가 어떤 상태인지, 사람이 할 일이 있으면 무엇인지 보여줘요. 브리지가 실행 중이 아니어도 돼요.`,
				`Show how the bridge stands and, where a person has something to do, what. It need not be running.`,
				`显示桥接程序的状态；若需要人来处理，显示该做什么。无需正在运行。`),
			Example: T(`blunux-wa-bridge status
# 프로그램이 읽을 수 있게
blunux-wa-bridge status --json`, `blunux-wa-bridge status
# for a program to read
blunux-wa-bridge status --json`, `blunux-wa-bridge status
# 供程序读取
blunux-wa-bridge status --json`),
			Flags: map[string]Text{"json": FlagJSONThis, "lang": FlagLang},
		},
	}
}
