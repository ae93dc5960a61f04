package i18n

import "fmt"

// Texts about notes in both programs and the daemon.
var (
	CmdMemory         = T("이 컴퓨터와 당신에 대한 메모를 보고 고쳐요", "See and change what is noted of this machine and of you", "查看和修改关于这台电脑和您的笔记")
	CmdMemoryShow     = T("메모를 모두, 또는 파일 하나를 보여줘요", "Show all notes, or one file of them", "显示全部笔记，或其中一个文件")
	CmdMemorySearch   = T("메모와 대화에서 찾아요", "Find notes, and what was said in conversations", "在笔记和对话中查找")
	CmdMemoryCount    = T("메모가 몇 개인지 종류별로 세요 (SYSTEM.md는 빼고)", "Count the notes by category (without SYSTEM.md)", "按类别统计笔记数量（不含 SYSTEM.md）")
	CmdMemoryRemember = T("메모를 하나 적어요", "Note something", "记下一条笔记")
	CmdMemoryForget   = T("메모를 하나 지워요 (열쇠말이나 글 전체)", "Remove a note, by its key or its whole text", "删除一条笔记（用键或全文）")
	CmdMemoryRefresh  = T("SYSTEM.md를 새로 써요", "Write SYSTEM.md anew", "重新写 SYSTEM.md")
	CmdMemoryClear    = T("daily/와 MEMORY.md를 지워요", "Delete daily/ and MEMORY.md", "删除 daily/ 和 MEMORY.md")
	CmdMemoryExport   = T("모든 메모를 파일 하나로 내보내요", "Write all notes into one document", "将全部笔记导出为一个文件")
	CmdMemoryImport   = T("내보낸 메모나 Markdown, JSON Lines를 들여와요", "Take in notes: an export, Markdown or JSON Lines", "导入笔记：导出文件、Markdown 或 JSON Lines")

	FlagNoteKey      = T("메모의 열쇠말 (같은 열쇠말의 메모를 바꿔요)", "the note's key; a note with the same one is replaced", "笔记的键；同键的笔记会被替换")
	FlagNoteCategory = T("메모의 종류 (MEMORY.md의 제목)", "the note's category, a heading of MEMORY.md", "笔记的类别（MEMORY.md 的标题）")
	FlagCategories   = T("이 종류에서만: core, daily, conversation, 또는 당신의 것", "only in these: core, daily, conversation or one of your own", "仅在这些类别中：core、daily、conversation 或您自己的")

	MemoryEmpty     = T("아직 메모가 없어요.", "Nothing is noted yet.", "还没有笔记。")
	MemoryCount     = T("메모 %d개", "%d {note|notes}", "共 %d 条笔记")
	MemoryNoHits    = T("그런 메모가 없어요.", "No note is about that.", "没有相关的笔记。")
	MemoryCut       = T("… (끝부분만 보여드려요. 전체: %s)", "… (only the end is shown; the whole is in %s)", "…（仅显示末尾，全文在 %s）")
	MemoryAdded     = T("+ %s", "+ %s", "+ %s")
	MemoryRemoved   = T("- %s", "- %s", "- %s")
	MemorySame      = T("이미 그렇게 적혀 있어요.", "It is noted like that already.", "已经是这样记录的。")
	MemoryRemember  = T("적어 두었어요 (%s).", "Noted in %s.", "已记录（%s）。")
	MemoryForgotten = T("지웠어요 (%s).", "Removed from %s.", "已删除（%s）。")
	ForgotAlso      = T("같은 내용이 든 줄도 지웠어요: %s에서 %d줄", "Lines that repeated it are gone too: %[2]d from %[1]s", "重复该内容的行也已删除：%s 中 %d 行")
	ForgotStill     = T("고칠 수 없는 파일이라 아직 남아 있어요: %s", "Still in, because it cannot be changed: %s", "文件无法修改，仍保留：%s")
	RemainsSaid     = T("대화 %s에는 아직 남아 있어요. 지우기: blunux-aictl sessions delete %s", "Still in the conversation %s; to delete it: blunux-aictl sessions delete %s", "对话 %s 中仍有；删除：blunux-aictl sessions delete %s")
	RemainsMore     = T("다른 대화 %d개에도 남아 있어요. 찾기: blunux-aictl sessions search", "Also in %d more {conversation|conversations}; to find them: blunux-aictl sessions search", "另有 %d 个对话中仍有；查找：blunux-aictl sessions search")
	RemainsFiles    = T("기록 파일에도 남아 있어요: %s. 무엇을 실행했는지의 기록이라 고쳐 쓰지 않아요.", "Still in the records: %s. They say what was asked and run, and are not rewritten.", "记录文件中仍有：%s。它们记载请求与执行的内容，不会改写。")
	MemoryUpdated   = T("%s{을/를} 바꿨어요.", "%s is changed.", "%s 已修改。")
	MemoryFresh     = T("SYSTEM.md를 새로 썼어요.", "SYSTEM.md is written anew.", "SYSTEM.md 已重新写入。")
	MemoryNotFresh  = T("SYSTEM.md는 바뀐 것이 없어요.", "SYSTEM.md has not changed.", "SYSTEM.md 没有变化。")
	MemoryClearAsk  = T("daily/ (%d일)와 MEMORY.md (메모 %d개)를 지울까요? 되돌릴 수 없어요. [예(y)/아니요(N)] ", "Delete daily/ (%d {day|days}) and MEMORY.md (%d {note|notes})? This cannot be undone. [y/N] ", "删除 daily/（%d 天）和 MEMORY.md（%d 条）？无法撤销。[是(y)/否(N)] ")
	MemoryNotClear  = T("지우지 않았어요.", "Nothing was deleted.", "没有删除。")
	MemoryCleared   = T("지웠어요: %s", "Deleted: %s", "已删除：%s")
	MemoryNothing   = T("지울 것이 없어요.", "There is nothing to delete.", "没有可删除的内容。")
	MemoryNeedsYes  = T("물어볼 터미널이 없어요. 정말 지우려면 --yes", "there is no terminal to ask at; to really delete, give --yes", "没有可询问的终端；确要删除请加 --yes")
	MemoryImported  = T("들여왔어요: 새로 %d개, 바뀜 %d개, 그대로 %d개", "Taken in: %d new, %d replaced, %d the same", "已导入：新增 %d，替换 %d，相同 %d")
	MemoryRefused   = T("%d번째 줄은 들여올 수 없어요: %s", "line %d cannot be taken in: %s", "第 %d 行无法导入：%s")
	MemoryNoFile    = T("%q{은/는} 메모 파일이 아니에요. 있는 것: %s", "%q is no file of notes. There are: %s", "%q 不是笔记文件。现有：%s")
	MemoryNoEditor  = T("편집기를 찾을 수 없어요. EDITOR를 정하거나 이 파일을 직접 여세요: %s", "no editor was found; set EDITOR, or open this file by hand: %s", "找不到编辑器；请设置 EDITOR，或手动打开此文件：%s")
	MemorySecret    = T("비밀번호나 키처럼 보여서 적지 않았어요. 메모는 모델에게 보내져요.", "Not noted: it looks like a password or key, and notes are sent to models.", "未记录：看起来像密码或密钥，而笔记会发送给模型。")
	MemoryNoNote    = T("그런 메모가 없어요. 열쇠말은 blunux-ai memory search --json으로 볼 수 있어요.", "There is no such note. blunux-ai memory search --json shows the keys.", "没有这样的笔记。键可用 blunux-ai memory search --json 查看。")
	MemoryWhich     = T("%q에 맞는 메모가 여럿이에요. 하나를 파일:줄로 고르세요:", "Several notes are %q. Name one by FILE:LINE:", "有多条笔记符合 %q。请用 文件:行 指定一条：")
	MemorySystem    = T("SYSTEM.md는 시작할 때마다 새로 써요. 거기서는 지울 수 없어요.", "SYSTEM.md is written anew at every start; nothing can be removed from it.", "SYSTEM.md 每次启动都会重写，无法从中删除。")
	MemoryNoText    = T("적을 내용이 없어요.", "There is nothing to note in that.", "没有可记录的内容。")
	MemoryLong      = T("메모 하나는 4 KiB까지예요. 긴 글은 파일로 두세요.", "A note has at most 4 KiB; keep longer texts in a file of yours.", "一条笔记最多 4 KiB；较长的文字请存成文件。")
	MemoryAtMachine = T("메모 파일은 이 컴퓨터에서만 보고 고칠 수 있어요. 여기서는 말로 물어보세요.", "The files of notes are shown and changed at the machine only. Here, just ask.", "笔记文件只能在本机查看和修改。在这里请直接提问。")
	MemoryBroken    = T("찾는 중 문제가 있었어요: %s", "Finding did not work in full: %s", "查找未能完全进行：%s")
)

// Reasons why a file of notes cannot be read or written, by code.
var (
	memoryUnread    = T("%s{을/를} 읽을 수 없어요: %s", "cannot read %s: %s", "无法读取 %s：%s")
	memoryUnwritten = T("%s{을/를} 쓸 수 없어요: %s", "cannot write %s: %s", "无法写入 %s：%s")
	memoryReasons   = map[string]Text{
		"link":        T("다른 파일을 가리키는 링크예요", "it is a link, which is not followed", "它是链接，不会跟随"),
		"not-regular": T("보통 파일이 아니에요", "it is not a regular file", "它不是普通文件"),
		"not-text":    T("UTF-8 글이 아니에요", "it is not a UTF-8 text", "它不是 UTF-8 文本"),
		"shape":       T("닫히지 않은 주석(<!--)이나 코드 블록이 있어요", "a comment (<!--) or a code fence in it is not closed", "其中有未闭合的注释（<!--）或代码块"),
		"too-large":   T("8 MiB보다 커요", "it is larger than 8 MiB", "大于 8 MiB"),
		"full":        T("256 KiB보다 커지게 돼요", "it would get larger than 256 KiB", "将超过 256 KiB"),
		"read-only":   T("읽기 전용이에요", "it is read-only", "它是只读的"),
		"no-space":    T("디스크가 가득 찼어요", "the disk is full", "磁盘已满"),
		"permission":  T("권한이 없어요", "it is not allowed", "没有权限"),
		"busy":        T("다른 프로그램이 메모를 쓰고 있어요", "another program is writing the notes", "另一个程序正在写笔记"),

		"read-only-disk": T("파일 시스템이 읽기 전용으로 마운트되어 있어요", "its file system is mounted read-only", "其文件系统以只读方式挂载"),
	}
)

// memoryHelps say what the command for the repair does.
var memoryHelps = map[string]Text{
	"link":        T("파일 자체를 그 자리에 두세요: %s", "put the file itself there: %s", "把文件本身放到那里：%s"),
	"not-regular": T("다른 곳으로 옮기세요: %s", "move it away: %s", "把它移走：%s"),
	"not-text":    T("UTF-16이라면: %s", "if it is UTF-16: %s", "如果是 UTF-16：%s"),
	"too-large":   T("줄이세요: %s", "shorten it: %s", "缩短它：%s"),
	"full":        T("줄이세요: %s", "shorten it: %s", "缩短它：%s"),
	"shape":       T("닫아 주세요: %s", "close it: %s", "把它闭合：%s"),
	"read-only":   T("쓸 수 있게 하세요: %s", "let it be written: %s", "使其可写：%s"),
	"no-space":    T("무엇이 자리를 차지하는지 보세요: %s", "see what takes the room: %s", "查看占用空间的内容：%s"),
	"permission":  T("이렇게 살펴보세요: %s", "look at it with: %s", "这样查看：%s"),

	"read-only-disk": T("어떻게 마운트됐는지 보세요: %s", "see how it is mounted: %s", "查看其挂载方式：%s"),
}

var memoryAgain = T("다시 해 보세요", "try again", "请重试")

// MemoryHelp says how to repair a file of notes, by reason code. It returns "" if there is no advice.
func MemoryHelp(lang Lang, reason, command string) string {
	if reason == "busy" {
		return memoryAgain.In(lang)
	}
	if help, ok := memoryHelps[reason]; ok {
		return help.In(lang, command)
	}
	return command
}

// memoryTroubles are reasons why the search of notes is limited, by code.
var memoryTroubles = map[string]Text{
	"index-damaged":   T("메모 색인이 망가져서 새로 만들어요. 있던 것은 남겨 두었어요", "the index of the notes was damaged and is made anew; what was there is kept", "笔记索引已损坏，正在重建，原来的已保留"),
	"index-in-memory": T("메모 색인을 쓸 수 없어서 메모리에 만들어요", "the index of the notes cannot be written, and is made in memory", "笔记索引无法写入，改为建在内存中"),
	"index-busy":      T("다른 프로그램이 메모 색인을 쓰고 있어서 최근 것이 빠졌을 수 있어요", "another program holds the index of the notes; the latest may be missing", "另一个程序占用着笔记索引，可能缺少最新内容"),
	"index-behind":    T("메모 색인을 새로 맞추지 못해서 최근 것이 빠졌을 수 있어요", "the index of the notes was not brought up to date; the latest may be missing", "笔记索引未能更新，可能缺少最新内容"),
	"no-index":        T("메모 색인을 쓸 수 없어요", "the index of the notes cannot be used", "无法使用笔记索引"),
	"file-unreadable": T("메모를 찾을 파일을 읽을 수 없어요", "a file cannot be looked through for notes", "有文件无法读取以查找笔记"),
	"file-cut":        T("큰 파일은 끝부분에서만 메모를 찾아요", "only the end of a large file is looked through for notes", "大文件只在末尾部分查找笔记"),
	"no-vectors":      T("임베딩 서버가 답하지 않아서 낱말로 찾아요", "the server of embeddings does not answer, so notes are found by their words", "嵌入服务器没有应答，因此按词查找笔记"),
	"vectors-late":    T("새 메모의 임베딩을 아직 다 만들지 못했어요. 다음에 검색할 때 이어서 만들어요", "not all new notes have vectors yet; the next search makes the rest", "新笔记的向量还没有全部生成，下次搜索时继续"),
	"no-embedder":     T("임베딩 서버를 쓸 수 없어서 낱말로만 찾아요", "the server of embeddings cannot be used, so notes are found by their words only", "无法使用嵌入服务器，因此只按词查找笔记"),
}

// SearchLimitText says why the search of notes is limited, and which file is concerned. An unknown
// code is returned unchanged.
func SearchLimitText(lang Lang, code, file string) string {
	said := code
	if text, ok := memoryTroubles[code]; ok {
		said = text.In(lang)
	}
	if file != "" {
		said += " (" + file + ")"
	}
	return said
}

// NoteFileError says that a file of notes cannot be used, and why: by reason code, or else with the system's
// error.
func NoteFileError(lang Lang, write bool, file, reason string, said error) string {
	text := memoryUnread
	if write {
		text = memoryUnwritten
	}
	if why, ok := memoryReasons[reason]; ok {
		return text.In(lang, file, why.In(lang))
	}
	return text.In(lang, file, fmt.Sprint(said))
}
