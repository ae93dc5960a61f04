package daemon

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// maxChatCommand is the longest command, in bytes as a chat shows it, that
	// can be approved there. Chat programs fold what is longer.
	maxChatCommand = 4 << 10
	// chatExcerpt is how much of a longer one is shown.
	chatExcerpt = 512
	// maxChatText is the longest question, in UTF-16 code units, that can be
	// answered with yes: the original WhatsApp bridge passes on no more of a text.
	maxChatText = 4000
)

// chatAsk is the text of an approval for a chat, with everything there is to
// decide about, and whether it shows the whole command.
func chatAsk(question string, ask ipc.Ask, lang i18n.Lang) (body string, whole bool) {
	shown, left := chatRows(ask.Command, maxChatCommand)
	if body = chatQuestion(question, ask, shown, left, lang); left == 0 && len(utf16.Encode([]rune(body))) <= maxChatText {
		return body, true
	}
	shown, left = chatRows(ask.Command, chatExcerpt)
	return chatQuestion(question, ask, shown, left, lang), false
}

// chatQuestion puts a question together; of its command, left bytes are not
// among the rows shown.
func chatQuestion(question string, ask ipc.Ask, shown []string, left int, lang i18n.Lang) string {
	size := chatSize(ask.Command, lang)
	end, reply := size, i18n.AskReply.In(lang, ask.Code)
	if left > 0 {
		end, reply = i18n.AskMore.In(lang, left), i18n.AskOnlyHere.In(lang, size, left, ask.Code)
	}
	rows := slices.Concat(
		[]string{ipc.VisibleLine(question), ""},
		shown, []string{ipc.ApprovalEnd + " " + end, ""},
		chatDetails(ask, lang), []string{"", reply},
	)
	return strings.Join(rows, "\n")
}

// chatSize states how long a command is.
func chatSize(command string, lang i18n.Lang) string {
	if lines := strings.Count(command, "\n") + 1; lines > 1 {
		return i18n.AskLines.In(lang, lines, len(command))
	}
	return i18n.AskLine.In(lang, len(command))
}

// chatRows is a command as a chat shows it, up to a limit in bytes, each line
// marked as a part of it and numbered where there are more than one, and how
// many bytes are left out.
func chatRows(command string, limit int) (rows []string, left int) {
	numbered := strings.Contains(command, "\n")
	row, size, shown := chatMark(1, numbered), 0, 0
	for g := range ipc.Glyphs(command) {
		if g.Text == "\n" {
			rows, row = append(rows, row), chatMark(len(rows)+2, numbered)
			size += len(row)
		} else {
			row += g.Text
			size += len(g.Text)
		}
		if size > limit {
			return append(rows, strings.TrimSuffix(row, g.Text)), len(command) - shown
		}
		shown += g.Bytes
	}
	return append(rows, row), 0
}

// chatMark begins a line of a command.
func chatMark(line int, numbered bool) string {
	if !numbered {
		return ipc.ApprovalSign + " "
	}
	return fmt.Sprintf("%s%d%[1]s ", ipc.ApprovalSign, line)
}

// chatDetails are the lines below the command.
func chatDetails(ask ipc.Ask, lang i18n.Lang) []string {
	why := make([]string, len(ask.Reasons))
	for i, code := range ask.Reasons {
		why[i] = i18n.Reason(code, lang)
	}
	rows := []string{
		i18n.AskDirectory.In(lang) + ": " + ipc.VisibleLine(ask.Cwd),
		i18n.AskWhy.In(lang) + ": " + ipc.VisibleLine(ask.Class+" · "+strings.Join(why, "; ")),
	}
	for _, f := range ask.Files {
		rows = append(rows, fmt.Sprintf("%s: sha256:%.12s… %s", i18n.AskFile.In(lang),
			ipc.VisibleLine(strings.TrimPrefix(f.SHA256, "sha256:")), ipc.VisibleLine(f.Path)))
	}
	if ask.Privileged {
		rows = append(rows, i18n.AskPrivileged.In(lang))
	}
	warnings := slices.Concat(ask.Warnings, ipc.Suspicions(ask.Command))
	slices.Sort(warnings)
	for _, w := range slices.Compact(warnings) {
		rows = append(rows, "! "+ipc.VisibleLine(i18n.Warning(w, lang)))
	}
	return rows
}

// chatText is an answer as a chat shows it: without characters that change how
// others show, and with each line quoted that could pass for a part of an
// approval. Only [chatAsk] writes those as they are.
func chatText(body string) string {
	var b strings.Builder
	signs := strings.NewReplacer(ipc.ApprovalSign, "|", ipc.ApprovalEnd, "+")
	for line := range strings.Lines(ipc.Clean(body)) {
		if imitates(line) {
			b.WriteString("> ")
		}
		b.WriteString(signs.Replace(line))
	}
	return b.String()
}

// imitates reports whether a line begins with a drawn line, as the command of
// an approval does, or holds one of the sentences of an approval.
func imitates(line string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
	if first >= 0x2500 && first <= 0x259f || first >= 0x2758 && first <= 0x275a || first == 0xffe8 {
		return true
	}
	for _, lang := range []i18n.Lang{i18n.Korean, i18n.English, i18n.Chinese} {
		reply, _, _ := strings.Cut(i18n.AskReply.In(lang, "\n"), "\n")
		if strings.Contains(line, i18n.AskQuestion.In(lang)) || strings.Contains(line, strings.TrimRight(reply, " (（")) {
			return true
		}
	}
	return false
}
