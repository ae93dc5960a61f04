package i18n

// Texts about pairing.
var (
	OnlyAtMachine        = T("이 컴퓨터에서만 할 수 있는 일이에요.", "This can be done at the machine only.", "只能在本机进行。")
	PairingNoCode        = T("%s: 그런 코드가 없거나 하루가 지났어요.", "%s: there is no such code, or it is more than a day old.", "%s：没有这个代码，或已超过一天。")
	PairingUnknownSender = T("%s: %s에서 들여보낸 적이 없는 상대예요. 설정에 적힌 상대는 설정에서 지우세요.", "%s: nobody of that name was let in on %s. Who stands in the configuration is taken out there.", "%s：%s 中没有允许过此人。配置中的名单请在配置中删除。")
	PairingFull          = T("들여보낸 상대가 너무 많아요.", "Too many were let in.", "允许的人太多。")
	PairingHint          = T("목록: blunux-aictl pairing", "The list: blunux-aictl pairing", "列表：blunux-aictl pairing")
	PairingNone          = T("들어오려는 사람도, 들여보낸 사람도 없어요.", "Nobody waits to be let in, and nobody was.", "没有人等待，也没有允许过任何人。")
	PairingWaiting       = T("들여보낼지 기다리는 상대", "waiting to be let in", "等待允许")
	PairingApproved      = T("쓸 수 있는 상대", "may write", "可以发消息")
	PairingByFile        = T("설정", "configuration", "配置")
	PairingUntil         = T("%s까지", "until %s", "至 %s")
	PairingHow           = T("들여보내기: blunux-aictl pairing approve %s", "Let in: blunux-aictl pairing approve %s", "允许：blunux-aictl pairing approve %s")
	PairingDone          = T("%s에서 %s의 메시지를 이제 받아요.", "Messages on %s from %s are answered from now on.", "现在起接收来自 %s 上 %s 的消息。")
	PairingDenied        = T("%s에서 %s{을/를} 들여보내지 않아요.", "On %s, %s is not let in.", "不允许 %s 上的 %s。")
	PairingRemoved       = T("%s에서 %s의 메시지를 이제 받지 않아요.", "Messages on %s from %s are not answered any more.", "不再接收来自 %s 上 %s 的消息。")

	CmdPairing        = T("밖에서 누가 말을 걸 수 있는지 보고 정해요", "See and decide who may write from afar", "查看和决定谁可以从远程发消息")
	CmdPairingApprove = T("코드를 받은 상대를 들여보내요", "Let in who got a code", "允许持有代码的人")
	CmdPairingDeny    = T("코드를 받은 상대를 들여보내지 않아요", "Do not let in who got a code", "拒绝持有代码的人")
	CmdPairingRemove  = T("들여보낸 상대를 다시 막아요", "Let somebody in no more", "不再允许某人")
)
