package i18n

import "strings"

// reasons maps the reason codes of verdicts and plans to texts.
var reasons = map[string]Text{
	// why a tool needs confirmation
	"package-install": T("패키지를 설치해요", "installs packages", "安装软件包"),
	"package-remove":  T("패키지를 제거해요", "removes packages", "卸载软件包"),
	"system-update":   T("시스템 전체를 업데이트해요", "updates the whole system", "更新整个系统"),
	"service-change":  T("서비스를 바꿔요", "changes a service", "更改服务"),
	"changes-system":  T("시스템을 바꿀 수 있어요", "may change the system", "可能更改系统"),

	// why a command is never run
	"chmod-root":      T("루트 디렉터리를 모두에게 열어요", "opens the root directory to every user", "向所有用户开放根目录"),
	"delete-root":     T("시스템이나 홈을 지워요", "removes the system, a home or a part of one", "删除系统、主目录或其中的一部分"),
	"disk-wipe":       T("디스크 전체나 사용 중인 장치의 데이터를 모두 지워요", "erases a whole disk, or a device in use", "清除整块磁盘或正在使用的设备"),
	"disk-write":      T("디스크를 덮어써요", "writes over a disk", "覆盖磁盘"),
	"find-delete":     T("시스템이나 홈의 파일을 지워요", "removes files of the system or of a home", "删除系统或主目录中的文件"),
	"fork-bomb":       T("프로세스를 끝없이 만들어요", "starts processes without end", "无限制地创建进程"),
	"make-filesystem": T("장치에 새 파일 시스템을 만들어요", "makes a new file system on a device", "在设备上新建文件系统"),

	// why a command needs confirmation
	"assignment":          T("프로그램의 동작을 바꿀 수 있는 변수예요", "this assignment can change what programs do", "此赋值会改变程序的行为"),
	"background":          T("백그라운드에 계속 남아요", "is left running in the background", "会一直在后台运行"),
	"bad-redirect":        T("파일을 쓰거나 장치를 여는 리디렉션이에요", "redirects to something other than reading a file", "重定向不只是读取文件"),
	"control-character":   T("보이지 않는 문자나 제어 문자가 들어 있어요", "holds invisible, control or invalid characters", "含有不可见或控制字符"),
	"data-loss":           T("장치나 파일에 있는 데이터를 모두 잃어요", "all data on a device or in a file is lost", "设备或文件中的所有数据都将丢失"),
	"directory":           T("작업 디렉터리를 알 수 없어요", "the working directory cannot be followed", "无法确定工作目录"),
	"empty":               T("명령이 비어 있어요", "there is no command", "没有命令"),
	"environment":         T("비밀일 수 있는 환경 변수를 읽어요", "reads a variable that may be a secret", "读取可能是机密的变量"),
	"forget-note":         T("기억해 둔 것을 지워요", "removes what was remembered", "删除已记住的内容"),
	"rewrite-note":        T("기억해 둔 것을 다른 내용으로 바꿔요", "puts something else in the place of what was remembered", "用别的内容替换已记住的内容"),
	"untrusted-note":      T("남이 쓴 글을 읽은 뒤라서, 내가 한 말이 아닐 수 있는 내용을 기억하려 해요", "would remember what may not be your words: text of others was read before", "之前读取过别人写的文字，要记住的内容可能不是你说的"),
	"new-automation":      T("앞으로 저절로 실행될 일을 정해요", "sets up something that will happen by itself", "设定今后会自动执行的事"),
	"leaves-machine":      T("파일이 이 컴퓨터 밖으로 나가요", "the file leaves this machine", "文件将离开本机"),
	"change-automation":   T("저절로 실행되는 일을 바꿔요", "changes what happens by itself", "更改自动执行的事"),
	"pause-automation":    T("저절로 실행되던 일을 멈춰요. 그동안은 알림도 오지 않아요", "silences what happens by itself: it tells nothing meanwhile", "暂停自动执行的事，期间不会有通知"),
	"remove-automation":   T("저절로 실행되던 일을 지워요", "removes what happens by itself", "删除自动执行的事"),
	"foreign-tool":        T("다른 서버의 도구라서 무엇을 하는지 알 수 없어요", "another server's tool: nobody here knows what it does", "这是其他服务器的工具，无法得知它会做什么"),
	"function":            T("내용을 확인할 수 없는 함수예요", "a function that cannot be followed", "无法分析的函数"),
	"interpreter":         T("글을 프로그램으로 실행해요", "runs text as a program", "把文本当作程序执行"),
	"listed":              T("읽기만 하는 명령이에요", "only reads", "只读"),
	"missing-operand":     T("인자가 없으면 다른 일을 해요", "without an operand it does something else", "缺少参数时会做别的事"),
	"missing-value":       T("옵션이나 프로그램에 필요한 값이 없어요", "a value that an option or the program needs is missing", "缺少选项或程序所需的值"),
	"network-condition":   T("다른 호스트에 접속하는데, 접속 여부가 다른 결과에 달려 있거나 그 전에 파일을 읽어요", "reaches another host, depending on something else or after reading a file", "会访问其他主机，而是否访问取决于别的结果，或在此之前读取了文件"),
	"network-operand":     T("다른 호스트에 보내는 값을 실행할 때야 알 수 있어요", "what it sends to another host is only known when it runs", "发送给其他主机的内容运行时才知道"),
	"operand":             T("읽기만 한다고 확인되지 않은 인자예요", "an operand that is not known to be read-only", "未确认为只读的参数"),
	"operand-count":       T("읽기만 하는 형태보다 인자가 많아요", "more operands than the read-only form takes", "参数多于只读形式"),
	"path-program":        T("시스템 밖의 프로그램이에요", "a program outside the system's directories", "系统目录之外的程序"),
	"script":              T("프로그램 글이 읽기 전용으로 확인되지 않았어요", "the program text is not known to be read-only", "程序文本未确认为只读"),
	"secret-file":         T("비밀이 든 파일일 수 있어요", "the file may hold secrets", "文件可能含有机密"),
	"substitution":        T("무언가를 실행하거나 바꿀 수 있는 치환이에요", "an expansion that can run or change something", "可能执行或更改内容的替换"),
	"unnamed-host":        T("이 대화에서 말한 적 없는 호스트에 접속해요", "contacts a host that you have not named in this conversation", "会访问你在本次对话中未提到过的主机"),
	"mixed-cells":         T("읽기만 하지만, 서로 다른 권한이 필요한 명령이 하나로 묶여 있어 따로 실행할 수 없어요", "only reads, but its parts need different access and cannot be run apart", "只读取，但各部分需要不同的访问权限且无法分开执行"),
	"no-sandbox":          T("읽기만 하지만, 이 컴퓨터에서는 커널이 그것을 보장해 줄 수 없어요", "only reads, but this machine's kernel cannot hold it to that", "只读取，但本机内核无法保证这一点"),
	"sudo":                T("다른 사용자(관리자)의 권한을 써요", "uses another user's rights", "使用其他用户（管理员）的权限"),
	"too-long":            T("너무 길어서 확인할 수 없어요", "too long to check", "过长，无法检查"),
	"too-many-wrappers":   T("명령이 너무 여러 겹으로 싸여 있어요", "too many wrappers around the command", "命令外层包装过多"),
	"unbounded":           T("끝나지 않을 수 있어요", "may run without end", "可能不会结束"),
	"unknown-command":     T("실행할 때야 알 수 있는 프로그램이에요", "which program it is shows only when it runs", "运行时才知道是哪个程序"),
	"unknown-program":     T("읽기 전용 목록에 없는 프로그램이에요", "a program not on the read-only list", "不在只读列表中的程序"),
	"unlisted-expression": T("읽기 전용 목록에 없는 식이에요", "an expression not on the read-only list", "不在只读列表中的表达式"),
	"unlisted-option":     T("읽기 전용 목록에 없는 옵션이에요", "an option not on the read-only list", "不在只读列表中的选项"),
	"unlisted-verb":       T("읽기 전용 목록에 없는 동작이에요", "a verb not on the read-only list", "不在只读列表中的动作"),
	"unparsed":            T("올바른 셸 문법이 아니에요", "not valid shell syntax", "不是有效的 shell 语法"),
	"unprintable":         T("명령을 다시 쓸 수 없어요", "cannot be written out again", "无法重新写出"),
	"unproven-operand":    T("실행할 때야 알 수 있는 값이 들어가요", "takes a value only known when it runs", "含有运行时才知道的值"),
	"unstable-print":      T("다시 쓴 명령이 다르게 판정돼요", "written out again it is judged differently", "重新写出后判定不同"),
	"unsupported-syntax":  T("확인할 수 없는 문법이에요", "a construct that is not accepted unasked", "未被接受的语法结构"),
	"version-only":        T("이 프로그램은 --version과 --help만 묻지 않고 실행해요", "only --version and --help of this program run unasked", "此程序仅 --version 和 --help 可不经询问运行"),
	"user-rule":           T("설정에 적힌 내 규칙에 걸려요", "one of your own rules says so", "符合你自己设置的规则"),
	"wrapper":             T("프로그램을 다른 방식으로 시작해요", "starts a program in a way that is not accepted unasked", "以未被接受的方式启动程序"),
	"write-redirect":      T("파일에 써요", "writes to a file", "写入文件"),
}

var reasonElse = T("그 밖의 이유예요", "for another reason", "其他原因")

// Reason translates a reason code. For an unknown code it returns a general text.
func Reason(code string, lang Lang) string {
	if text, ok := reasons[code]; ok {
		return text.In(lang)
	}
	return reasonElse.In(lang)
}

var (
	reasonPart  = T("%[1]s: `%[2]s`", "%[1]s: `%[2]s`", "%[1]s：`%[2]s`")
	reasonNeeds = T("`%[1]s`{은/는} %[2]s 같은 옵션이 없으면 다른 일을 해요", "without an option such as %[2]s, `%[1]s` does something else", "没有 %[2]s 这样的选项时，`%[1]s` 会做别的事")
	reasonLacks = T("`%s`에 필요한 값이 빠졌어요", "`%s` lacks a value that it needs", "`%s` 缺少所需的值")
	reasonLoss  = T("%s에 있는 데이터를 모두 잃어요", "all data on %s is lost", "%s 上的所有数据都将丢失")
	reasonRule  = T("내 규칙 “%s”에 걸려요", "your rule “%s” says so", "符合你的规则“%s”")
	reasonList  = T(", ", ", ", "、")
)

// ReasonAbout says why a command needs confirmation, and names the part of it that the checker found.
func ReasonAbout(code, part string, lang Lang) string {
	program, rest, _ := strings.Cut(part, " ")
	switch code {
	case "missing-operand":
		if options := optionNames(rest, lang); program != "" && options != "" {
			return reasonNeeds.In(lang, program, options)
		}
		part, rest = program, ""
	case "missing-value":
		if program != "" {
			return reasonLacks.In(lang, program)
		}
	case "data-loss":
		return reasonLoss.In(lang, part)
	case "user-rule":
		return reasonRule.In(lang, part)
	case "unparsed", "empty", "too-long": // the part is a parser's text, or the whole command
		part, rest = "", ""
	}
	if rest != "" {
		part = program + " " + strings.TrimLeft(rest, " ")
	}
	if part = strings.TrimSpace(part); part == "" {
		return Reason(code, lang)
	}
	return reasonPart.In(lang, Reason(code, lang), part)
}

// mostOptions limits how many options of a group are listed.
const mostOptions = 3

// optionNames formats a group of options, "p,print", as they are typed. It returns "" if there are none.
func optionNames(group string, lang Lang) string {
	var names []string
	for name := range strings.SplitSeq(group, ",") {
		switch {
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "":
			return ""
		case len(names) == mostOptions:
		case len(name) == 1:
			names = append(names, "-"+name)
		default:
			names = append(names, "--"+name)
		}
	}
	return strings.Join(names, reasonList.In(lang))
}
