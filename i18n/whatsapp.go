package i18n

// Texts of the WhatsApp bridge: commands, login, state.
var (
	CmdWhatsApp       = T("WhatsApp으로 오는 말을 비서에게 이어요", "Connect WhatsApp with the assistant", "将 WhatsApp 连接到助手")
	CmdWhatsAppLogin  = T("WhatsApp 계정에 연결해요", "Link it to a WhatsApp account", "关联 WhatsApp 账号")
	CmdWhatsAppLogout = T("WhatsApp 계정과 연결을 끊어요", "End the link to the WhatsApp account", "解除与 WhatsApp 账号的关联")
	CmdWhatsAppStatus = T("지금 어떤 상태인지 보여줘요", "Show how it stands", "显示当前状态")

	FlagWhatsAppCode  = T("QR 대신 이 번호의 전화기에 입력할 코드를 써요 (국가 번호부터)", "in place of a QR code, show a code to type on the phone of this number (with the country's code)", "不用二维码，而是显示在该号码手机上输入的代码（含国家代码）")
	FlagWhatsAppPNG   = T("QR을 이 PNG 파일에 써요", "write the QR code into this PNG file", "将二维码写入此 PNG 文件")
	FlagWhatsAppAgain = T("이미 연결되어 있어도 새로 연결해요", "link anew, also where an account is linked", "即使已关联也重新关联")

	WhatsAppNotice = T(`시작하기 전에 알아 두세요.

- WhatsApp의 공식 프로그램이 아니에요. WhatsApp 약관은 이런 프로그램을 허용하지 않고, WhatsApp이 계정을 막을 수 있어요.
- 그래서 평소 쓰는 번호 말고 따로 마련한 번호를 쓰세요.
- 연결하면 이 컴퓨터는 그 계정의 '연결된 기기'가 되어, 계정에 오는 메시지를 받을 수 있어요. 설정에서 허락한 사람과의 일대일 대화에만 답해요.
- 그 사람들은 이 컴퓨터에 일을 시킬 수 있어요.`,
		`Before you begin:

- This is not WhatsApp's own program. WhatsApp's terms do not allow such programs, and WhatsApp may lock the account.
- So use a number kept for this, not the one you use every day.
- Once linked, this computer is a "linked device" of that account and can receive its messages. Only people you let in are answered, and only in chats of the two of you.
- Those people can have this computer do things.`,
		`开始之前请了解：

- 这不是 WhatsApp 官方程序。WhatsApp 的条款不允许此类程序，WhatsApp 可能会封禁账号。
- 因此请使用专用号码，不要用您日常的号码。
- 关联后，这台电脑成为该账号的“已关联设备”，可以接收其消息。只回答您允许的人，且仅限一对一聊天。
- 这些人可以让这台电脑做事。`)
	WhatsAppGoOn      = T("계속할까요?", "Go on?", "继续吗？")
	WhatsAppLinked    = T("이미 %s 계정에 연결되어 있어요. 새로 연결하려면: blunux-wa-bridge login --again", "It is linked to %s already. To link anew: blunux-wa-bridge login --again", "已关联到 %s。如需重新关联：blunux-wa-bridge login --again")
	WhatsAppScan      = T("전화기의 WhatsApp에서 설정 > 연결된 기기 > 기기 연결을 누르고 이 코드를 찍어 주세요. 코드는 저절로 새로 바뀌어요.", "On the phone, in WhatsApp: Settings > Linked devices > Link a device, and scan this code. It changes by itself.", "在手机 WhatsApp 中打开：设置 > 已关联的设备 > 关联设备，扫描此代码。代码会自动更新。")
	WhatsAppPNG       = T("%s 파일의 코드를 찍어 주세요 (설정 > 연결된 기기 > 기기 연결). 코드가 바뀌면 파일도 바뀌어요.", "Scan the code in the file %s (Settings > Linked devices > Link a device). When the code changes, so does the file.", "请扫描文件 %s 中的代码（设置 > 已关联的设备 > 关联设备）。代码更新时文件也会更新。")
	WhatsAppType      = T("전화기의 WhatsApp에 온 알림을 누르거나, 설정 > 연결된 기기 > 기기 연결 > 전화번호로 연결을 누르고 이 코드를 입력해 주세요: %s", "On the phone, open WhatsApp's notification, or Settings > Linked devices > Link a device > Link with phone number, and type this code: %s", "在手机上打开 WhatsApp 的通知，或：设置 > 已关联的设备 > 关联设备 > 使用电话号码关联，然后输入此代码：%s")
	WhatsAppSmall     = T("QR 코드를 보여 주려면 터미널이 %[1]d칸 × %[2]d줄은 되어야 하는데 지금은 %[3]d × %[4]d{이에요/예요}. 창을 키우거나, 다른 방법을 쓰세요:", "The QR code needs a terminal of %[1]d {column|columns} × %[2]d {row|rows}; this one has %[3]d × %[4]d. Make the window larger, or go another way:", "显示二维码需要 %[1]d 列 × %[2]d 行的终端，当前为 %[3]d × %[4]d。请放大窗口，或使用其他方式：")
	WhatsAppNoScreen  = T("터미널이 아니라서 QR 코드를 보여 줄 수 없어요. 다른 방법을 쓰세요:", "This is no terminal, so no QR code can be shown. Go another way:", "这里不是终端，无法显示二维码。请使用其他方式：")
	WhatsAppOtherWays = T("  blunux-wa-bridge login --code 821012345678    전화기에 입력할 코드\n  blunux-wa-bridge login --png qr.png           그림 파일", "  blunux-wa-bridge login --code 821012345678    a code to type on the phone\n  blunux-wa-bridge login --png qr.png           a picture", "  blunux-wa-bridge login --code 821012345678    在手机上输入的代码\n  blunux-wa-bridge login --png qr.png           图片文件")
	WhatsAppBadNumber = T("--code %s: 국가 번호로 시작하는 숫자만 써 주세요. 예: 821012345678", "--code %s: digits only, with the country's code in front, as in 821012345678.", "--code %s：仅使用数字，并以国家代码开头，例如 821012345678。")
	WhatsAppSyncing   = T("%s에 연결됐어요. 처음 맞추는 중이에요…", "Linked to %s. The first exchange is under way…", "已关联到 %s，正在进行首次同步…")
	WhatsAppReady     = T("준비됐어요: %s. 이제 이렇게 시작하세요:\n  systemctl --user enable --now blunux-wa-bridge\n누가 쓸 수 있는지는 설정의 [whatsapp] allowed_numbers나 blunux-aictl pairing으로 정해요.", "Ready: %s. Start the bridge with:\n  systemctl --user enable --now blunux-wa-bridge\nWho may write is set by [whatsapp] allowed_numbers in the configuration, or with blunux-aictl pairing.", "准备就绪：%s。这样启动：\n  systemctl --user enable --now blunux-wa-bridge\n谁可以发消息由配置中的 [whatsapp] allowed_numbers 或 blunux-aictl pairing 决定。")
	WhatsAppBackup    = T("전에 쓰던 연결은 %s에 옮겨 두었어요. 전화기의 '연결된 기기'에서 예전 것을 지우세요.", "The former link was put aside in %s. Remove the old device on the phone, under Linked devices.", "之前的关联已移至 %s。请在手机的“已关联的设备”中删除旧设备。")

	WhatsAppNotScanned  = T("시간 안에 연결되지 않았어요. 다시 해 보세요: blunux-wa-bridge login", "Nobody linked it in time. Try again: blunux-wa-bridge login", "未在时限内完成关联。请重试：blunux-wa-bridge login")
	WhatsAppRefused     = T("WhatsApp이 이 기기를 받아들이지 않았어요 (%s). 잠시 뒤에 다시 해 보세요.", "WhatsApp did not let this device in (%s). Try again in a while.", "WhatsApp 未接受此设备（%s）。请稍后再试。")
	WhatsAppPasskey     = T("전화기가 패스키를 요구하는데 터미널에서는 쓸 수 없어요. 코드로 연결해 보세요: blunux-wa-bridge login --code 821012345678", "The phone asks for a passkey, which a terminal has not. Try a code: blunux-wa-bridge login --code 821012345678", "手机要求通行密钥，终端无法提供。请尝试用代码关联：blunux-wa-bridge login --code 821012345678")
	WhatsAppUnreachable = T("WhatsApp 서버에 연결할 수 없어요 (%s). 인터넷 연결을 확인해 주세요.", "WhatsApp's server cannot be reached (%s). Check the network.", "无法连接 WhatsApp 服务器（%s）。请检查网络。")
	WhatsAppNoSession   = T("연결된 계정이 없어요. 연결하기: blunux-wa-bridge login", "No account is linked. To link one: blunux-wa-bridge login", "没有关联的账号。关联：blunux-wa-bridge login")
	WhatsAppLogoutAsk   = T("%s 계정과 연결을 끊고 이 컴퓨터에서 그 연결을 지울까요?", "End the link to %s and remove it from this computer?", "解除与 %s 的关联并从这台电脑删除吗？[y/N] ")
	WhatsAppUnreadable  = T("읽을 수 없는", "an account that cannot be read", "无法读取的账号")
	WhatsAppDataRemoved = T("연결을 끊고 지웠어요.", "The link is ended and removed.", "已解除关联并删除。")
	WhatsAppGoneHere    = T("이 컴퓨터에서는 지웠지만 WhatsApp에 알리지 못했어요. 전화기의 설정 > 연결된 기기에서 blunux-ai를 지워 주세요.", "It is removed here, but WhatsApp could not be told. Remove blunux-ai on the phone, under Settings > Linked devices.", "已从本机删除，但未能通知 WhatsApp。请在手机的设置 > 已关联的设备中删除 blunux-ai。")

	WhatsAppLoggedOut = T("전화기에서 연결을 끊었어요. 다시 연결하기: blunux-wa-bridge login --again", "The phone has ended the link. To link again: blunux-wa-bridge login --again", "手机已解除关联。重新关联：blunux-wa-bridge login --again")
	WhatsAppReplaced  = T("다른 프로그램이 같은 연결을 쓰고 있어요. 그것을 멈춘 다음: systemctl --user restart blunux-wa-bridge", "Another program uses the same link. Stop that, and then: systemctl --user restart blunux-wa-bridge", "另一个程序正在使用同一关联。请先停止它，然后：systemctl --user restart blunux-wa-bridge")
	WhatsAppOutdated  = T("WhatsApp이 이 버전을 더는 받지 않아요. 업데이트하기: sudo pacman -Syu 한 다음 systemctl --user restart blunux-wa-bridge", "WhatsApp takes this version no more. Update it: sudo pacman -Syu, and then systemctl --user restart blunux-wa-bridge", "WhatsApp 不再接受此版本。请更新：sudo pacman -Syu，然后 systemctl --user restart blunux-wa-bridge")
	WhatsAppBanned    = T("WhatsApp이 이 계정을 막았어요. 전화기의 WhatsApp에서 이유를 보고 이의를 제기할 수 있어요. 다른 번호로 연결하기: blunux-wa-bridge login --again", "WhatsApp has locked this account. The app on the phone says why, and lets you appeal. To link another number: blunux-wa-bridge login --again", "WhatsApp 已封禁此账号。可在手机应用中查看原因并申诉。关联其他号码：blunux-wa-bridge login --again")
	WhatsAppBroken    = T("저장된 연결을 읽을 수 없어요. 새로 연결하면 예전 것은 옮겨 둬요: blunux-wa-bridge login", "What is kept of the link cannot be read. Linking anew puts the old one aside: blunux-wa-bridge login", "保存的关联无法读取。重新关联时会将旧的移开：blunux-wa-bridge login")
	WhatsAppNoRoom    = T("디스크가 꽉 찼어요. 자리를 비우면 저절로 이어서 해요. 멈춰 있다면: systemctl --user restart blunux-wa-bridge", "The disk is full. It goes on by itself when there is room. Where it has stopped: systemctl --user restart blunux-wa-bridge", "磁盘已满。腾出空间后会自动继续。若已停止：systemctl --user restart blunux-wa-bridge")
)
