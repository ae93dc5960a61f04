package i18n

// Findings of doctor about the machine and the model, and texts of its repairs.
var (
	DoctorSlow = T("%d초 안에 알아볼 수 없었어요.", "It could not be found out within %d {second|seconds}.", "%d 秒内未能得知。")

	DoctorSocket         = T("소켓이 기다리고 있어요: %s.", "The socket listens: %s.", "套接字正在监听：%s。")
	DoctorSocketPlain    = T("소켓: %s. systemd 없이 필요할 때 만들어요.", "The socket is %s; it is made when it is needed, without systemd.", "套接字：%s，需要时创建，不经 systemd。")
	DoctorSocketOff      = T("소켓 유닛이 꺼져 있어서 로그인해도 데몬을 깨울 준비가 안 돼요(%s).", "The socket unit is not switched on (%s), so after a login nothing waits to wake the daemon.", "套接字单元未启用（%s），登录后没有可唤醒守护进程的监听。")
	DoctorSocketInactive = T("소켓 유닛이 켜져 있지만 지금은 기다리지 않아요(%s).", "The socket unit is switched on, but does not listen now (%s).", "套接字单元已启用，但目前没有监听（%s）。")
	DoctorSocketStale    = T("아무도 듣지 않는 옛 소켓 파일이 남아 있어요: %s.", "A socket file is left over on which nobody listens: %s.", "残留了无人监听的套接字文件：%s。")
	DoctorSocketBad      = T("소켓 %s{을/를} 쓸 수 없어요: %v", "The socket %s cannot be used: %v", "无法使用套接字 %s：%v")

	DoctorTimer     = T("자동화 %d개를 제때 깨울 타이머가 켜져 있어요.", "The timer that wakes for automations (%d) is on.", "唤醒自动化（%d 个）的定时器已开启。")
	DoctorTimerNone = T("켜진 자동화가 없어서 타이머가 필요 없어요.", "No automation is on, so no timer is needed.", "没有启用的自动化，不需要定时器。")
	DoctorTimerOff  = T("자동화가 %d개 있는데 %s{이/가} 꺼져 있어서, 데몬이 없을 때는 아무 일도 일어나지 않아요.", "There {is|are} %d {automation|automations}, but %s is off: while no daemon runs nothing happens by itself.", "有 %d 个自动化，但 %s 未开启：守护进程未运行时不会自动执行。")
	DoctorTimerBare = T("자동화가 %d개 있는데 systemd 타이머가 없어요. 데몬이 돌 때만 실행돼요: %v", "There {is|are} %d {automation|automations} and no timer of systemd's: {it runs|they run} only while the daemon does: %v", "有 %d 个自动化，但没有 systemd 定时器，仅在守护进程运行时执行：%v")

	DoctorVersion         = T("버전 %s.", "Version %s.", "版本 %s。")
	DoctorVersionOld      = T("데몬은 %s인데 이 프로그램은 %s{이에요/예요}. 다시 시작해야 새 버전이 답해요.", "The daemon is %s and this program %s: the new one answers once it is restarted.", "守护进程为 %s，本程序为 %s，重启后新版本才会应答。")
	DoctorVersionNoAnswer = T("데몬이 연결은 받지만 대답하지 않아요: %v", "The daemon takes connections and does not answer: %v", "守护进程接受连接但不应答：%v")

	DoctorModel       = T("%[1]s{이/가} 답해요 — %[2]s", "%[1]s answers: %[2]s", "由 %[1]s 应答：%[2]s")
	DoctorModelNone   = T("%[1]s{이/가} 답해야 하는데 아직 못 해요(%[2]s): %[3]v", "%[1]s should answer and cannot yet (%[2]s): %[3]v", "应由 %[1]s 应答，但目前不能（%[2]s）：%[3]v")
	DoctorReach       = T("%s 서버에 닿아요.", "The server %s is reached.", "可以连接服务器 %s。")
	DoctorReachLocal  = T("인터넷에 물어볼 필요가 없어요.", "Nobody on the network needs to be asked.", "无需联网询问。")
	DoctorReachKey    = T("%s 서버가 키를 받아 주지 않아요: %v", "The server %s refuses the key: %v", "服务器 %s 拒绝了密钥：%v")
	DoctorReachDNS    = T("%s의 주소를 찾지 못해요(DNS). 인터넷 연결을 봐 주세요.", "The address of %s is not found (DNS); is there a network?", "找不到 %s 的地址（DNS），请检查网络。")
	DoctorReachProxy  = T("%s까지 가는 길의 프록시가 막아요.", "The proxy on the way to %s does not let it through.", "通往 %s 的代理不放行。")
	DoctorReachClock  = T("시계가 틀려서 %s의 인증서를 믿지 못해요(지금 시각 %s).", "This computer's clock (%[2]s) does not fit the certificate of %[1]s.", "本机时钟（%[2]s）与 %[1]s 的证书不符。")
	DoctorReachTLS    = T("%s의 인증서를 믿을 수 없어요.", "The certificate of %s is not trusted.", "不信任 %s 的证书。")
	DoctorReachRoute  = T("%s까지 가는 길이 없어요. 인터넷 연결을 봐 주세요.", "There is no way to %s; is there a network?", "没有通往 %s 的网络路径，请检查网络。")
	DoctorReachClosed = T("%s에서 아무도 듣지 않아요.", "Nobody listens at %s.", "%s 无人监听。")
	DoctorReachSlow   = T("%s{이/가} 제시간에 대답하지 않아요.", "%s does not answer in time.", "%s 未及时应答。")
	DoctorReachServer = T("%s 서버에는 닿지만 대답이 이상해요: %v", "The server %s is reached and answers with a failure: %v", "可连接服务器 %s，但应答异常：%v")

	DoctorPacman      = T("pacman이 있어요.", "pacman is there.", "有 pacman。")
	DoctorNoPacman    = T("pacman이 없어서 패키지 일은 못 해요. 이 프로그램은 Arch 계열을 위한 거예요.", "There is no pacman, so nothing can be done about packages; this program is made for Arch.", "没有 pacman，无法处理软件包；本程序面向 Arch 系。")
	DoctorLock        = T("패키지 데이터베이스가 잠겨 있지 않아요.", "The package database is not locked.", "软件包数据库未锁定。")
	DoctorLockHeld    = T("%s{이/가} 패키지 데이터베이스를 쓰는 중이에요.", "%s is using the package database.", "%s 正在使用软件包数据库。")
	DoctorLockStale   = T("아무도 pacman을 안 쓰는데 잠금 파일이 남아 있어서 설치가 안 돼요: %s.", "The package database is locked and no pacman runs, so nothing can be installed: %s.", "没有 pacman 在运行却残留锁文件，无法安装：%s。")
	DoctorKeyring     = T("pacman의 열쇠 꾸러미가 있어요.", "pacman's keyring is there.", "pacman 密钥环存在。")
	DoctorNoKeyring   = T("pacman의 열쇠 꾸러미가 없어서 패키지 서명을 확인하지 못해요: %s.", "pacman has no keyring, so no package's signature can be checked: %s.", "没有 pacman 密钥环，无法验证软件包签名：%s。")
	DoctorAUR         = T("AUR 도우미: %s.", "AUR helper: %s.", "AUR 助手：%s。")
	DoctorNoAUR       = T("yay도 paru도 없어서 AUR 패키지는 다루지 못해요.", "There is neither yay nor paru, so packages of the AUR are out of reach.", "没有 yay 或 paru，无法处理 AUR 软件包。")
	DoctorJournal     = T("시스템 로그를 읽을 수 있어요(%s).", "The system's journal can be read (%s).", "可以读取系统日志（%s）。")
	DoctorNoJournal   = T("시스템 로그를 읽을 수 없어서 서비스가 왜 실패했는지 못 봐요. 바꾼 뒤 다시 로그인해야 해요.", "The system's journal cannot be read, so why a service failed stays unknown. It counts after the next login.", "无法读取系统日志，看不到服务失败原因。更改后需重新登录。")
	DoctorJournalNone = T("이 컴퓨터에는 systemd 저널이 없어요.", "This machine keeps no journal.", "本机没有 systemd 日志。")

	DoctorDesktop   = T("데스크톱 알림을 %s{이/가} 보여 줘요.", "%s shows notifications on the desktop.", "桌面通知由 %s 显示。")
	DoctorNoDesktop = T("데스크톱 알림을 보여 줄 프로그램이 없어요. 알림은 다음에 말을 걸 때 전해요: %v", "Nobody shows notifications on the desktop; they are told when you next ask: %v", "没有显示桌面通知的程序，将在下次对话时告知：%v")

	DoctorClock         = T("시계가 맞춰져 있어요.", "The clock is kept right.", "时钟已同步。")
	DoctorClockUnsure   = T("날짜는 그럴듯해요. 시계를 맞추는지는 알 수 없어요: %v", "The date is plausible; whether the clock is kept right cannot be told: %v", "日期合理；无法得知是否同步：%v")
	DoctorClockWrong    = T("날짜가 틀렸어요(%s). 암호화된 연결이 모두 실패해요.", "The date is wrong (%s); every encrypted connection will fail.", "日期错误（%s），所有加密连接都会失败。")
	DoctorClockOff      = T("시계 자동 맞춤이 꺼져 있어요.", "Nothing keeps the clock right.", "未开启时钟同步。")
	DoctorClockUnsynced = T("시계 자동 맞춤이 켜져 있지만 아직 맞추지 못했어요.", "The clock is to be kept right, but has not been set yet.", "已开启时钟同步，但尚未同步成功。")

	DoctorBridges       = T("브리지: %s. 연결된 것: %d개.", "Bridges: %s; connected: %d.", "桥接：%s；已连接：%d 个。")
	DoctorBridgeNone    = T("메신저 브리지를 쓰지 않아요.", "No bridge to a messenger is installed.", "未安装聊天桥接。")
	DoctorBridgeDown    = T("브리지 %s{이/가} 켜져 있지만 돌고 있지 않아요(%s).", "The bridge %s is switched on and does not run (%s).", "桥接 %s 已启用但未运行（%s）。")
	DoctorBridgeMissing = T("브리지 %s{이/가} 돌고 있지만 데몬에 연결돼 있지 않아요.", "The bridge %s runs and is not connected to the daemon.", "桥接 %s 正在运行，但未连接守护进程。")

	DoctorFiles    = T("파일이 %s{을/를} 써요. 가장 큰 것: %s (%s).", "Its files take %s; the largest is %s (%s).", "文件占用 %s，最大的是 %s（%s）。")
	DoctorFilesNew = T("아직 파일이 없어요.", "There are no files yet.", "尚无文件。")
	DoctorFilesBig = T("%s{이/가} %s{을/를} 써요. 보통은 %s 아래예요.", "%s takes %s, usually it is below %s.", "%s 占用 %s，通常低于 %s。")

	DoctorRules    = T("자동화 파일이 올바라요(켜진 것 %d개).", "The files of automations are fine (on: %d).", "自动化文件正确（启用 %d 个）。")
	DoctorRulesBad = T("자동화 파일에 쓸 수 없는 것이 있어요(%d개): %s", "Something in the files of automations cannot be used (%d): %s", "自动化文件中有无法使用的内容（%d 处）：%s")

	DoctorTerminal       = T("글자 모음은 UTF-8, 터미널은 %s, 너비 %s.", "The character set is UTF-8, the terminal %s, its width %s.", "字符集 UTF-8，终端 %s，宽度 %s。")
	DoctorTerminalNone   = T("글자 모음은 UTF-8이고, 터미널이 아니에요.", "The character set is UTF-8; this is no terminal.", "字符集 UTF-8；当前不是终端。")
	DoctorTerminalASCII  = T("로캘이 UTF-8이 아니어서(%s) 한글이 깨질 수 있어요.", "The locale is not UTF-8 (%s): letters beyond ASCII may be garbled.", "区域设置不是 UTF-8（%s），非 ASCII 字符可能乱码。")
	DoctorTerminalDumb   = T("터미널 종류를 몰라요(TERM=%s). 한 줄씩 보여 줘요.", "What the terminal can do is not known (TERM=%s); everything is shown line by line.", "终端类型未知（TERM=%s），逐行显示。")
	DoctorTerminalNarrow = T("터미널이 %d칸이라 좁아요. 40칸은 있어야 읽기 좋아요.", "The terminal has %d {column|columns}; it reads well from 40.", "终端仅 %d 列，至少 40 列才便于阅读。")
	DoctorLanguage       = T("한국어로 말해요(%s).", "It speaks English (%s).", "使用中文（%s）。")
	DoctorLanguageOdd    = T("%s{은/는} 모르는 언어라서 한국어로 말해요.", "%s is no language it speaks; it speaks English.", "不支持语言 %s，使用中文。")

	DoctorFixAsk     = T("이 명령을 실행할까요? [예(y)/아니요(N)] ", "Run this command? [y/N] ", "执行该命令吗？[是(y)/否(N)] ")
	DoctorFixDone    = T("실행했어요.", "Done.", "已执行。")
	DoctorFixLeft    = T("그대로 뒀어요.", "Left as it is.", "保持原样。")
	DoctorFixFailed  = T("실패했어요: %v", "It failed: %v", "失败：%v")
	DoctorFixNothing = T("스스로 고칠 수 있는 것이 없어요.", "There is nothing that could be mended from here.", "没有可自动修复的内容。")
	DoctorFixAgain   = T("다시 살펴볼게요.", "Looking again.", "重新检查。")
	DoctorFixLog     = T("명령 기록에 쓸 수 없어서 아무것도 실행하지 않았어요: %v", "The command log cannot be written, so nothing was run: %v", "无法写入命令日志，因此未执行任何命令：%v")
	DoctorNoTerminal = T("고칠지는 사람이 터미널에서 직접 답해야 해요. 명령만 보려면: blunux-ai doctor", "Mending takes a person at a terminal; to see the commands: blunux-ai doctor", "修复需要本人在终端确认；仅查看命令：blunux-ai doctor")

	ReportWritten = T("보고서를 썼어요: %s", "The report is written: %s", "报告已写入：%s")
	ReportHolds   = T("들어 있는 것(키·대화·메모는 없어요. 이름·주소·번호는 아는 만큼 가렸고, 명령은 프로그램과 옵션의 이름만 있어요. 규칙과 오류의 글은 그대로예요):", "What is in it (no keys, conversations or notes; names, addresses and numbers are replaced as far as they are known; of commands only the names of programs and options; the texts of rules and errors as they are):", "内容（不含密钥、对话和笔记；已知的名称、地址和号码已替换；命令只有程序和选项的名称；规则和错误的文字保持原样）：")
	ReportNowhere = T("어디에도 보내지 않았어요. 보내기 전에 직접 읽어 보세요: tar -xzf %s", "Nothing was sent anywhere. Read it before you pass it on: tar -xzf %s", "未发送到任何地方。转交前请先查看：tar -xzf %s")
)

// ChoiceReason says why a provider was chosen, by the reason code of catalog.Detect.
func ChoiceReason(code string, lang Lang) string {
	text, known := map[string]Text{
		"configured":  T("설정에서 골랐어요", "it is configured", "配置指定"),
		"environment": T("LLM_PROVIDER가 정했어요", "LLM_PROVIDER says so", "由 LLM_PROVIDER 指定"),
		"key":         T("키가 있어요", "its key is there", "有其密钥"),
		"login":       T("claude에 로그인돼 있어요", "claude is logged in", "claude 已登录"),
		"local":       T("이 컴퓨터에 모델 서버가 있어요", "its server is on this computer", "本机有模型服务器"),
		"nothing":     T("키도 로그인도 모델 서버도 없어요", "there is no key, login or model server", "没有密钥、登录或模型服务器"),
	}[code]
	if !known {
		return code
	}
	return text.In(lang)
}
