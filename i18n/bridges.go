package i18n

import (
	"strings"
	"time"
)

// Texts about the messenger bridges in status, doctor and setup.
var (
	StatusBridges = T("메신저", "messengers", "即时通讯")

	BridgeAs            = T("계정 %s", "as %s", "账号 %s")
	BridgeSince         = T("%s부터", "since %s", "自 %s")
	BridgeUntil         = T("%s까지 기다려요", "waits until %s", "等到 %s")
	BridgeUnsent        = T("못 보낸 것 %d", "%d not sent yet", "未发送 %d 条")
	BridgeNotHandedOver = T("데몬에 못 넘긴 것 %d", "%d not handed to the daemon yet", "未交给守护进程 %d 条")
	BridgeUnknown       = T("상태를 알 수 없어요: %s", "how it is cannot be told: %s", "无法得知状态：%s")
	BridgeDo            = T("할 일: %s", "do: %s", "请执行：%s")

	bridgeStarting   = T("시작하는 중", "starting", "正在启动")
	bridgeConnecting = T("연결하는 중", "connecting", "正在连接")
	bridgeOnline     = T("연결됨", "connected", "已连接")
	bridgeOffline    = T("연결이 끊겨 다시 시도하는 중", "not connected, trying again", "连接中断，正在重试")
	bridgeLimited    = T("서버가 잠시 쉬라고 했어요", "the server asks for a pause", "服务器要求暂停")
	bridgeStopped    = T("꺼져 있음", "does not run", "未运行")
	bridgeNoLogin    = T("로그인하지 않았어요", "not logged in", "未登录")
	bridgeLoggedOut  = T("로그아웃됐어요. 다시 로그인해야 해요", "logged out: log in again", "已退出登录，需要重新登录")
	bridgeReplaced   = T("다른 프로그램이 이 로그인을 쓰고 있어요. 그것을 멈추고 다시 켜세요", "another program uses this login: stop that one, and start the bridge again", "另一个程序正在使用此登录，请停止它后重新启动")
	bridgeOutdated   = T("서버가 이 버전을 더 받지 않아요. 패키지를 업데이트하고 다시 켜세요", "the server takes this version no more: update the package, and start it again", "服务器不再接受此版本，请更新软件包后重新启动")
	bridgeBanned     = T("서버가 이 계정을 막았어요. 다른 계정으로 로그인하세요", "the server has locked this account: log in with another one", "服务器已封禁此账号，请用其他账号登录")
	bridgeBroken     = T("저장된 로그인을 읽을 수 없어요. 다시 로그인하세요", "the kept login cannot be read: log in again", "无法读取保存的登录，请重新登录")
	bridgeNoRoom     = T("디스크가 꽉 찼어요. 자리를 만들면 저절로 이어서 해요", "the disk is full: make room, and it goes on by itself", "磁盘已满，腾出空间后会自动继续")
)

// Texts of setup about bridges.
var (
	SetupLink           = T("지금 %s{을/를} 연결할까요?", "Link %s now?", "现在连接 %s 吗？")
	SetupLinkLater      = T("나중에: %s", "Later: %s", "以后：%s")
	SetupSwitchOn       = T("%s 브리지를 지금 켜고, 로그인할 때마다 켤까요?", "Start the bridge to %s now and at each login?", "现在启动 %s 桥接，并在每次登录时启动吗？")
	SetupNoBridge       = T("%[1]s: 프로그램 %[2]s{이/가} 설치돼 있지 않아요. 배포판의 패키지 %[2]s{을/를} 설치하거나 소스에서 make install 한 다음 %[2]s login 하세요.", "%[1]s: the program %[2]s is not installed. Install your distribution's package %[2]s, or make install from the sources; then %[2]s login.", "%[1]s：未安装程序 %[2]s。请安装发行版的软件包 %[2]s，或用源码 make install，然后执行 %[2]s login。")
	SetupNoUnit         = T("systemd 유닛이 없어요. 브리지를 직접 켜 두세요: %s", "There is no systemd unit; keep the bridge running yourself: %s", "没有 systemd 单元，请自行保持桥接运行：%s")
	SetupNext           = T("남은 일: %s", "Left to do: %s", "接下来：%s")
	SetupNoticeWhatsApp = T("알아 두세요: WhatsApp은 개인용 봇을 위한 공식 길을 주지 않아요. 이 브리지는 WhatsApp Web처럼 연결하는 비공식 프로그램이고, WhatsApp은 그런 계정을 막을 수 있어요. 늘 쓰는 번호 말고 이것만 쓸 번호를 따로 마련해서, 그 번호의 WhatsApp에 연결하세요.",
		"Please know: WhatsApp has no official way for a bot of your own. This bridge is an unofficial client that links as WhatsApp Web does, and WhatsApp may lock accounts that use one. Use a number of its own for it, not the one you live with, and link the WhatsApp of that number.",
		"请注意：WhatsApp 没有为个人机器人提供官方途径。此桥接是像 WhatsApp Web 一样连接的非官方客户端，WhatsApp 可能会封禁使用它的账号。请准备一个专用号码，不要用日常号码，并连接该号码的 WhatsApp。")
	SetupNoticeTelegram = T("알아 두세요: Telegram에서는 공식 봇이 답해요. @BotFather에게 /newbot을 보내 봇을 만들면 토큰을 줘요. 봇과의 대화는 종단 간 암호화가 아니어서 Telegram 서버가 읽을 수 있어요.",
		"Please know: on Telegram an official bot answers. Send /newbot to @BotFather, which gives you the token. What is said to bots is not encrypted end to end: Telegram's servers can read it.",
		"请注意：在 Telegram 上由官方机器人应答。向 @BotFather 发送 /newbot 创建机器人并获得其密钥。与机器人的对话不是端到端加密，Telegram 服务器可以读取。")
)

// Texts of doctor about bridges.
var (
	DoctorMessenger         = T("%[1]s: %[2]s %[3]s", "%[1]s: %[2]s %[3]s", "%[1]s：%[2]s %[3]s")
	DoctorMessengerNone     = T("%s{은/는} 쓰지 않아요.", "%s is not used.", "未使用 %s。")
	DoctorMessengerForeign  = T("%s: %s{이/가} 내 것이 아니거나 링크예요.", "%s: %s is somebody else's, or a link.", "%s：%s 属于他人或是链接。")
	DoctorMessengerOpen     = T("%s: 로그인 정보가 든 %s{을/를} 다른 사람이 읽을 수 있어요(%v).", "%s: others may read %s, which holds the login (%v).", "%s：他人可以读取保存登录信息的 %s（%v）。")
	DoctorMessengerUnknown  = T("%s: 상태를 읽을 수 없어요: %v", "%s: its state cannot be read: %v", "%s：无法读取状态：%v")
	DoctorMessengerWaits    = T("%s: %s", "%s: %s", "%s：%s")
	DoctorMessengerOff      = T("%s{은/는} 로그인돼 있지만 브리지가 돌고 있지 않아요.", "%s is logged in, but its bridge does not run.", "%s 已登录，但桥接未运行。")
	DoctorMessengerDisabled = T("%s: 브리지가 켜져 있지 않아서 다음 로그인 때 시작하지 않아요.", "%s: its bridge is not enabled and will not start at the next login.", "%s：桥接未启用，下次登录时不会启动。")
	DoctorMessengerFailed   = T("%s: 브리지가 실패했어요. 까닭: journalctl --user -u %s", "%s: its bridge has failed; why: journalctl --user -u %s", "%s：桥接失败，原因见：journalctl --user -u %s")
	DoctorMessengerNoUnit   = T("%s: 유닛 %s{이/가} 설치돼 있지 않아요(%s).", "%s: the unit %s is not installed (%s).", "%s：单元 %s 未安装（%s）。")
	DoctorMessengerSocket   = T("%s: 브리지가 데몬에 닿는 소켓 %s{이/가} 꺼져 있어요(%s).", "%s: the socket %s over which its bridge reaches the daemon is off (%s).", "%s：桥接连接守护进程的套接字 %s 未启用（%s）。")
	DoctorMessengerBarred   = T("%s: 설정 %s{이/가} false라서 아무의 말도 듣지 않아요.", "%s: nobody is answered, because the setting %s is false.", "%s：设置 %s 为 false，不会应答任何人。")
	DoctorMessengerWaiting  = T("%s: 말을 걸 수 있는 사람이 아직 없어요. 들어오려는 사람이 %d명 있어요.", "%s: nobody may write yet; %d wait to be let in.", "%s：还没有人可以发消息；%d 人等待允许。")
	DoctorMessengerNoSender = T("%s: 말을 걸 수 있는 사람이 없어요. 번호를 적거나, 받은 코드를 허락하세요: blunux-aictl pairing approve 코드", "%s: nobody may write. Name who may, or let in who got a code: blunux-aictl pairing approve CODE", "%s：没有人可以发消息。请填写允许的人，或允许已获代码的人：blunux-aictl pairing approve 代码")
)

// bridgePhases maps the phases of package bridge/state to texts.
var bridgePhases = map[string]Text{
	"starting": bridgeStarting, "connecting": bridgeConnecting, "online": bridgeOnline, "offline": bridgeOffline, "limited": bridgeLimited,
	"stopped": bridgeStopped, "not_logged_in": bridgeNoLogin, "logged_out": bridgeLoggedOut, "replaced": bridgeReplaced, "outdated": bridgeOutdated,
	"banned": bridgeBanned, "broken": bridgeBroken, "no_room": bridgeNoRoom,
}

// BridgePhase translates a phase of a bridge. An unknown phase is returned unchanged.
func BridgePhase(phase string, l Lang) string {
	if text, ok := bridgePhases[phase]; ok {
		return text.In(l)
	}
	return phase
}

// Bridge is the state of a messenger bridge, for [Bridge.Lines].
type Bridge struct {
	Channel, Phase, Account string
	Since, Until            time.Time
	Unsent, Untaken         int
	// Do is the command that helps, or "". Problem is why the state is unknown.
	Do, Problem string
}

// BridgeTitle returns a messenger's name.
func BridgeTitle(channel string) string {
	switch channel {
	case "whatsapp":
		return "WhatsApp"
	case "telegram":
		return "Telegram"
	case "discord":
		return "Discord"
	}
	return channel
}

// Lines describes a bridge in one line, and in a second one what to do.
func (b Bridge) Lines(l Lang, now time.Time) []string {
	title := BridgeTitle(b.Channel) + ": "
	if b.Problem != "" {
		return []string{title + BridgeUnknown.In(l, b.Problem)}
	}
	parts := []string{BridgePhase(b.Phase, l)}
	if b.Account != "" {
		parts = append(parts, BridgeAs.In(l, b.Account))
	}
	if b.Phase == "limited" && b.Until.After(now) {
		parts = append(parts, BridgeUntil.In(l, b.Until.Local().Format("15:04:05")))
	} else if !b.Since.IsZero() && b.Phase != "stopped" {
		parts = append(parts, BridgeSince.In(l, b.Since.Local().Format("2006-01-02 15:04:05")))
	}
	if b.Unsent > 0 {
		parts = append(parts, BridgeUnsent.In(l, b.Unsent))
	}
	if b.Untaken > 0 {
		parts = append(parts, BridgeNotHandedOver.In(l, b.Untaken))
	}
	lines := []string{title + strings.Join(parts, ", ")}
	if b.Do != "" {
		lines = append(lines, "! "+BridgeDo.In(l, b.Do))
	}
	return lines
}

// Texts of the bridge programs.
var (
	BridgeRuns     = T("%[1]s 브리지가 이미 돌고 있어요. 먼저 멈추세요: systemctl --user stop %[2]s", "The bridge to %[1]s is running. Stop it first: systemctl --user stop %[2]s", "%[1]s 桥接正在运行。请先停止：systemctl --user stop %[2]s")
	BridgeNeedsYes = T("물어볼 터미널이 아니에요. 그래도 하려면 --yes를 붙이세요.", "There is no terminal to ask at: add --yes to do it all the same.", "没有可询问的终端。仍要执行请加 --yes。")
	BridgeYesNo    = T("[예(y)/아니요(N)]", "[y/N]", "[是(y)/否(N)]")
	BridgeLeft     = T("아무것도 바꾸지 않았어요.", "Nothing was changed.", "未做任何更改。")
)
