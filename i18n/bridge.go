package i18n

import "strings"

// Texts that a bridge sends itself, without the daemon.
var (
	BridgePairing = T("이 컴퓨터의 비서는 허락받은 사람에게만 답해요. 코드: %s\n컴퓨터 주인이 이렇게 허락할 수 있어요: blunux-aictl pairing approve %s",
		"The assistant of this computer answers those who were let in only. Code: %s\nIts owner can let you in with: blunux-aictl pairing approve %s",
		"这台电脑的助手只回答获准的人。代码：%s\n电脑主人可以这样允许：blunux-aictl pairing approve %s")
	BridgeDaemonDown = T("컴퓨터의 비서가 지금 대답하지 않아요. 보내신 메시지는 보관해 두었고, 다시 연결되면 답해 드릴게요.",
		"The assistant of the computer does not answer just now. Your message is kept, and will be answered when it is back.",
		"电脑上的助手现在没有应答。您的消息已保存，恢复后会回复。")
	BridgeFlood = T("메시지가 너무 빨리 많이 와서 일부는 받지 않았어요. 잠시 뒤에 다시 보내 주세요.",
		"Too many messages came too fast, and some were not taken. Please send them again in a while.",
		"消息来得太多太快，有些没有接收。请稍后再发。")
	BridgeFull = T("기다리는 메시지가 너무 많아서 이번 것은 받지 못했어요. 나중에 다시 보내 주세요.",
		"Too many messages are waiting, and this one could not be taken. Please send it again later.",
		"等待的消息太多，这一条没能接收。请稍后再发。")
	BridgeNotLiteral = T("확인이 필요한 명령이 있지만 여기서는 글자 그대로 보여 드릴 수 없어요. 컴퓨터에서 보고 승인하세요: blunux-aictl approvals, blunux-aictl approve %[1]s. 거절하려면 \"아니요\"라고 답해 주세요.",
		"A command needs a confirmation, and cannot be shown here letter for letter. Look at it and approve it at the machine: blunux-aictl approvals, blunux-aictl approve %[1]s. Answer \"no\" to refuse it.",
		"有命令需要确认，但无法在这里逐字显示。请在电脑上查看并批准：blunux-aictl approvals，blunux-aictl approve %[1]s。如要拒绝，请回答“否”。")
	BridgeNotShown = T("이 답은 여기에 보여 드릴 수 없어요. 컴퓨터에서 볼 수 있어요: blunux-aictl tasks %s",
		"This answer cannot be shown here. It can be read at the machine: blunux-aictl tasks %s",
		"这个回答无法在这里显示。可以在电脑上查看：blunux-aictl tasks %s")
	BridgeMore = T("답이 길어서 여기까지만 보여 드려요. 나머지는 컴퓨터에서 볼 수 있어요: blunux-aictl tasks %s",
		"The answer is long, and ends here in this chat. The rest can be read at the machine: blunux-aictl tasks %s",
		"回答较长，这里只显示到此。其余部分可以在电脑上查看：blunux-aictl tasks %s")
	BridgeFileMissing = T("%s 파일을 보내지 못했어요.", "The file %s could not be sent.", "无法发送文件 %s。")
	BridgePressLost   = T("컴퓨터의 비서가 지금 대답하지 않아요. 잠시 뒤에 다시 눌러 주세요.",
		"The assistant does not answer just now. Press again in a while.",
		"助手现在没有应答，请稍后再按。")

	BridgeYes     = T("네", "Yes", "是")
	BridgeNo      = T("아니요", "No", "否")
	BridgeSession = T("이 대화에서 계속 네", "Yes for this conversation", "本次对话中一直允许")
)

// ApprovalPhrases returns text that only approvals may contain in a chat, in all languages. Bridges quote it
// elsewhere, so that it cannot be imitated.
func ApprovalPhrases() []string {
	var all []string
	for _, lang := range []Lang{Korean, English, Chinese} {
		reply, _, _ := strings.Cut(AskReply.In(lang, "\n"), "\n")
		all = append(all, AskQuestion.In(lang), strings.TrimRight(reply, " (（"))
	}
	return all
}
