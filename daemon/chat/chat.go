// Package chat writes questions and answers as chats show them.
package chat

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/ipc"
)

const (
	// MaxCommand is the longest command that can be approved in a chat, in bytes as shown. Chat programs fold
	// longer ones.
	MaxCommand = 4 << 10
	// ExcerptBytes is how many bytes of a longer command are shown.
	ExcerptBytes = 512
	// MaxText is the longest question, in UTF-16 code units, that can be
	// answered with yes: the original WhatsApp bridge passes on no more of a text.
	MaxText = 4000
)

// Ask returns the text of an approval for a chat, and whether it shows the whole command. If the chat only
// shows text unchanged between fences, a command that contains a fence cannot be shown completely. The question about a
// plan can take several messages.
func Ask(question string, ask ipc.Ask, lang i18n.Lang, at Place) (body string, whole bool) {
	shown, left := Rows(ask.Command, MaxCommand)
	end, most := "", MaxText
	if steps := ask.Steps(); len(steps) > 0 {
		shown, left, end = planRows(steps, lang), 0, planEnd(ask, lang)
		if at.Pages {
			most = maxPlan
		}
	}
	body = chatQuestion(question, ask, shown, left, lang, left == 0, end)
	breaks := at.Fenced && strings.Contains(body, chatFence)
	if left == 0 && !breaks && len(utf16.Encode([]rune(body))) <= most {
		return body, true
	}
	shown, left = Rows(ask.Command, ExcerptBytes)
	body = chatQuestion(question, ask, shown, left, lang, left == 0 && !breaks && end == "", "")
	if breaks {
		body = strings.ReplaceAll(body, chatFence, "'''")
	}
	return body, false
}

// Actions returns the choices of a question that was shown completely (whole) or in part.
func Actions(whole bool) []string {
	if !whole {
		return []string{ipc.ActionReject}
	}
	return []string{ipc.ActionAllowOnce, ipc.ActionReject}
}

// chatFence encloses text that WhatsApp shows unchanged.
const chatFence = "```"

// NeedsFences reports whether the chats of a channel show text unchanged only between fences.
func NeedsFences(channel string) bool { return channel == "whatsapp" }

// chatQuestion composes a question. left is how many bytes of the command the rows omit, here reports whether the
// chat can answer it with yes. end is the row below the rows, "" for the size of the command.
func chatQuestion(question string, ask ipc.Ask, shown []string, left int, lang i18n.Lang, here bool, end string) string {
	size := chatSize(ask.Command, lang)
	end, reply := cmp.Or(end, size), i18n.AskReply(ask.Code).In(lang)
	switch {
	case left > 0:
		end, reply = i18n.AskMore(left).In(lang), i18n.AskOnlyHere(size, left, ask.Code).In(lang)
	case !here:
		reply = i18n.AskNotHere(ask.Code).In(lang)
	}
	rows := slices.Concat(
		visibleLines(question), []string{""},
		shown, []string{ipc.ApprovalEnd + " " + end, ""},
		chatDetails(ask, lang), []string{"", reply},
	)
	return strings.Join(rows, "\n")
}

// visibleLines returns the lines of a text with every character visible.
func visibleLines(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ipc.VisibleLine(line)
	}
	return lines
}

// chatSize states how long a command is.
func chatSize(command string, lang i18n.Lang) string {
	if lines := strings.Count(command, "\n") + 1; lines > 1 {
		return i18n.AskLines(lines, len(command)).In(lang)
	}
	return i18n.AskLine(len(command)).In(lang)
}

// Rows returns a command as a chat shows it, up to a limit in bytes, and how many bytes are left out. Each
// line is marked as part of the command, and numbered if there are several.
func Rows(command string, limit int) (rows []string, left int) {
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

// chatMark returns the beginning of a command's line.
func chatMark(line int, numbered bool) string {
	if !numbered {
		return ipc.ApprovalSign + " "
	}
	return fmt.Sprintf("%s%d%[1]s ", ipc.ApprovalSign, line)
}

// chatDetails returns the lines below the command.
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

// Text returns an answer as a chat shows it. Only [chatAsk] writes lines that look like an approval.
func Text(body string) string {
	return ipc.ChatText(body, i18n.ApprovalPhrases())
}

// MaxBody bounds an answer, in bytes, so that its line stays below 1 MiB with any escaping.
const MaxBody = 128 << 10

// BoundBody returns a body that fits a frame, with a note if it was cut.
func BoundBody(body string, lang i18n.Lang) string {
	if len(body) <= MaxBody {
		return body
	}
	return strings.ToValidUTF8(body[:MaxBody], "") + i18n.ReplyCut.In(lang)
}

// MaxShown bounds a command or an input in frames other than questions, in bytes.
const MaxShown = 16 << 10

// Truncate returns s, or its beginning and how many bytes are missing.
func Truncate(s string) string {
	if len(s) <= MaxShown {
		return s
	}
	return strings.ToValidUTF8(s[:MaxShown], "") + " … (+" + strconv.Itoa(len(s)-MaxShown) + " bytes)"
}

// MaxExcerpt bounds a task's words in lists, in bytes.
const MaxExcerpt = 200

func ExcerptOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
