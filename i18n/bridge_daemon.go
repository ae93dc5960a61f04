package i18n

import (
	"slices"
	"strings"

	"golang.org/x/text/width"
)

// Texts of the daemon for bridges and their users.
var (
	BridgeHelloFirst = T("이 소켓에서는 먼저 hello로 채널(%s)을 밝혀야 해요.", "This socket is for %s: its bridge says hello first.", "此套接字只供 %s：需先发送 hello。")
	BridgeOnlyOwn    = T("브리지는 %s{을/를} 할 수 없어요.", "A bridge may not do this: %s", "桥接程序不能执行：%s")
	BridgeNotPaired  = T("허용 목록에 없는 상대예요.", "This sender is not on the list of allowed senders.", "此发送者不在允许名单中。")
	BridgeBadSender  = T("보낸 사람이나 메시지 id가 올바르지 않아요.", "The sender or the message's id makes no sense.", "发送者或消息 id 无效。")
	BridgeNoChannel  = T("브리지만 물어볼 수 있어요.", "Only a bridge asks this.", "只有桥接程序可以查询。")
	BridgeNoDigest   = T("버튼에는 무엇을 승인하는지(digest)가 있어야 해요.", "A button has to say what it allows (digest).", "按钮须注明所允许的内容（digest）。")

	BridgeNotWhole = T("전부 보여 드릴 수 없었던 명령이라 컴퓨터에서만 승인할 수 있어요: blunux-aictl approvals", "It could not be shown whole, so it is approved at the machine only: blunux-aictl approvals", "此命令无法完整显示，只能在电脑上批准：blunux-aictl approvals")

	BridgeEmpty     = T("메시지가 비어 있어요. 무엇을 도와드릴까요?", "The message is empty. What can I do for you?", "消息是空的。需要我做什么？")
	BridgeTooLong   = T("메시지가 너무 길어요(최대 64 KiB). 줄이거나 파일로 보내 주세요.", "The message is too long (64 KiB at most). Shorten it, or send it as a file.", "消息太长（最多 64 KiB）。请缩短，或作为文件发送。")
	BridgeLimited   = T("메시지가 너무 잦아요. 1분에 %d개까지 받을 수 있어요. 잠시 뒤에 다시 보내 주세요.", "Too many messages: %d a minute are answered. Please try again in a little while.", "消息太频繁：每分钟最多回复 %d 条。请稍后再试。")
	BridgeCancelled = T("그만뒀어요.", "Stopped.", "已停止。")
	BridgeNothing   = T("지금 하고 있는 일이 없어요.", "Nothing is being done just now.", "当前没有正在进行的任务。")
	BridgeAllowed   = T("승인했어요.", "Allowed.", "已允许。")
	BridgeDenied    = T("거절했어요.", "Denied.", "已拒绝。")
	AskHost         = T("말한 적 없는 호스트 %s에 접속해도 될까요?", "You have not named %s. May I contact it?", "你没有提到过 %s。可以访问它吗？")
	AskSendFile     = T("이 파일을 메신저로 보낼까요?", "Send this file to you over the messenger?", "要通过聊天软件发送这个文件吗？")
	BridgeFile      = T("파일: %s", "The file: %s", "文件：%s")
	BridgeLong      = T("(답이 길어서 앞부분만 보여요. 전체는 answer.md에 있어요.)", "(The answer is long: this is its beginning, all of it is in answer.md.)", "（回答较长，这里只显示开头，全文见 answer.md。）")
	BridgeFileOnly  = T("보낸 파일을 살펴보고 무엇인지, 눈여겨볼 것이 있는지 알려 주세요.", "Look at the file I sent: tell me what it is and what stands out.", "请看看我发的文件：说明它是什么，有什么值得注意。")
)

// Prefixes start a message that is addressed to the assistant.
var Prefixes = []string{"/ai", "!ai", "블루눅스", "blunux"}

var (
	cancelWords = []string{"취소", "그만", "중지", "정지", "멈춰", "stop", "cancel", "/cancel", "/stop", "取消", "停止"}
	resetWords  = []string{"reset", "/reset", "/new", "새 대화", "새대화", "新对话"}
)

// IsCancel reports whether a message only asks to stop.
func IsCancel(text string) bool { return slices.Contains(cancelWords, shortWords(text)) }

// IsReset reports whether a message only asks to start over.
func IsReset(text string) bool { return slices.Contains(resetWords, shortWords(text)) }

// shortWords normalizes a short message for comparison: case, width, blanks and final punctuation are removed.
func shortWords(text string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(width.Fold.String(text)), " ")), ".!~ ")
}

// WithoutPrefix removes a prefix that addresses the assistant, and reports whether there was one.
func WithoutPrefix(text string) (rest string, had bool) {
	text = strings.TrimSpace(text)
	for _, prefix := range Prefixes {
		if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
			continue
		}
		rest := text[len(prefix):]
		if prefix == "블루눅스" { // with the vocative particle
			rest = strings.TrimPrefix(rest, "야")
		}
		if rest == "" || strings.ContainsAny(rest[:1], " \t\n,:!.?") {
			return strings.TrimLeft(rest, " \t\n,:!."), true
		}
	}
	return text, false
}
