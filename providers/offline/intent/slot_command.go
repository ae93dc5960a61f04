package intent

import (
	"slices"
	"strings"
)

// literal is a command that the user wrote out to be run unchanged.
type literal struct {
	command string
	alone   bool // the request is nothing but the command
}

var (
	commandWhoIsIn      = pattern(`(?i)^\s*(?:(?:tell|show) me )?(?:(?:who(?:['’]?s| is| else is)?|(?:which|what) users? (?:is|are)|(?:the )?users (?:that|who) are) (?:currently |now )?logged[ -]?(?:in|on)(?: (?:right )?now| currently| here| (?:in)?to this (?:machine|computer|system))?|(?:(?:list|show)(?: me)? )?(?:the )?(?:users logged in|logged[ -]?in users))\s*[?.!]*\s*$|^\s*(?:지금|현재)?\s*누가\s*(?:지금|현재)?\s*로그인\s*(?:되어|돼|해|하고|중)\s*(?:있|이|야).{0,6}$|^\s*(?:지금|현재)?\s*로그인(?:한|된|해 있는|되어 있는|돼 있는|중인| 중인)\s*(?:사용자|유저|사람).{0,14}$|^\s*(?:现在|目前|当前)?(?:谁|有谁|哪些用户)(?:现在|目前|当前)?(?:已经|正在|在)?登[录入]了?[?？]?\s*$|^\s*(?:显示|查看)?(?:当前|已)?登录的?用户\s*$`)
	commandBackticks    = pattern("`([^`\n]+)`")
	commandRunVerb      = pattern(`(?i)^\s*(?:in\s+(?:the|a)\s+(?:shell|terminal|console)\s*[:,]?\s+|on\s+the\s+command\s+line\s*[:,]?\s+)?(?:please\s+|pls\s+|can you\s+|could you\s+|would you\s+|just\s+)*(?:run|execute|exec|run this|run the command|execute the command|run this command|execute this command|run the following|run the following command|execute this|type|do|launch the command|shell|cmd|command)(?:\s+(?:this|the|following|command|for me|please))*\s*[:：]?\s+(.+?)\s*$`)
	commandShell        = pattern(`(?i)^\s*(?:in|on)\s+(?:the|a)\s+(?:shell|terminal|console|command\s+line)\s*[:,]?\s+(.+?)\s*$|^\s*(?:please\s+)?(?:do|run|type)\s+(?:an?\s+|the\s+)?("[^"]+"|'[^']+')\s+(?:in|on)\s+(?:the|a)\s+(?:shell|terminal|console|command\s+line)\s*[.!]*$`)
	commandKoreanAfter  = pattern(`^\s*(?:이거|이것|이걸|이|다음|아래|요|저|그)?\s*(?:명령어?|커맨드)?\s*(?:를|을)?\s*(?:좀|한번|그대로)?\s*(?:실행|돌려|수행|쳐)(?:해|시켜)?\s*(?:줘|주세요|줄래|봐|라|요|주라)*\s*[:：]\s*(.+?)\s*$|^\s*(?:실행|명령어?|명령 실행|실행할 명령)\s*[:：]\s*(.+?)\s*$|^\s*(?:执行|运行|请执行|请运行|帮我执行|帮我运行)(?:命令|这个命令|以下命令|一下|下面的命令)?\s*[:：]?\s*([a-z./~].*?)\s*$`)
	commandKoreanBefore = pattern(`^\s*(?:(?:터미널|쉘|셸|콘솔)(?:에서|에다|에|로)?\s+)?(.+?)\s*(?:라는|란|이라는)?\s*(?:명령어?|커맨드)?\s*(?:를|을|이거|이걸|그거|좀|한번)?\s*(?:실행|돌려|수행|쳐|해|执行|运行)(?:해|시켜)?\s*(?:줘|주세요|줄래|줄래요|봐|봐줘|라|요|주라|주시겠어요|부탁해|부탁드려요|줄 수 있어)*\s*[.!~?]*\s*$`)
)

// findLiteral returns the command that the request wants run unchanged.
func findLiteral(r *Reading) (literal, bool) {
	raw := strings.TrimPrefix(strings.TrimSpace(r.u.raw), "$ ")
	if commandWhoIsIn().MatchString(raw) {
		return literal{command: "who"}, true
	}
	if looksLikeCommand(raw) {
		return literal{raw, true}, true
	}
	if strings.Contains(raw, "`") {
		return tickedCommand(r, raw)
	}
	if m := commandShell().FindStringSubmatch(raw); m != nil && looksLikeCommand(strings.Trim(m[1]+m[2], `"'`)) {
		return literal{command: strings.Trim(m[1]+m[2], `"'`)}, true
	}
	if m := commandRunVerb().FindStringSubmatch(raw); m != nil {
		return spokenCommand(m[1], strings.ContainsAny(raw, ":："))
	}
	if m := commandKoreanAfter().FindStringSubmatch(raw); m != nil {
		return spokenCommand(m[1]+m[2]+m[3], true)
	}
	if r.u.lang != "en" {
		if m := commandKoreanBefore().FindStringSubmatch(raw); m != nil && (looksLikeCommand(m[1]) || scriptPath().MatchString(m[1])) {
			return literal{command: m[1]}, true
		}
		return spannedCommand(raw)
	}
	return literal{}, false
}

// scriptPath matches the path of a script, which a person can only want to run.
var scriptPath = pattern(`^(?:~|\.{1,2})?/[\w./+-]+\.(?:sh|bash|zsh|fish|py|pl|rb)$`)

// plainWords counts arguments that consist only of letters.
func plainWords(args []string) int {
	return len(filter(args, func(a string) bool {
		return strings.Trim(strings.ToLower(a), "abcdefghijklmnopqrstuvwxyz") == ""
	}))
}

// spannedCommand finds a command among Korean or Chinese words that only ask to run it.
func spannedCommand(raw string) (literal, bool) {
	span := longestLatin(raw)
	if !looksLikeCommand(span) || strings.Contains(raw, "?") && !containsAny(raw, "래", "吗") {
		return literal{}, false
	}
	rest := squeezeBlanks(strings.Replace(raw, span, " ", 1))
	for _, w := range wordList("run-words") {
		rest = strings.ReplaceAll(rest, squeezeBlanks(w), "")
	}
	return literal{command: span}, strings.Trim(rest, " .,:;!?~，。！？：") == ""
}

// longestLatin returns the longest part of a text without Hangul and Han.
func longestLatin(raw string) string {
	best := ""
	for _, part := range strings.FieldsFunc(raw, func(c rune) bool { return isHangul(c) || isHan(c) }) {
		if part = strings.Trim(part, " ,:;，：、。!?"); len(part) > len(best) {
			best = part
		}
	}
	return best
}

// spokenCommand accepts the text after "run": after a colon, anything that begins with a known program;
// otherwise only an unmistakable command.
func spokenCommand(s string, colon bool) (literal, bool) {
	s = strings.TrimSpace(s)
	for _, tail := range []string{" for me", " please", " pls", " now"} {
		s = strings.TrimSuffix(s, tail)
	}
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		s = s[1 : n-1]
	}
	first := strings.ToLower(strings.Fields(s + " .")[0])
	named := colon && (wordsOf("programs")[first] || hasAnyPrefix(first, "./", "/", "~/"))
	return literal{command: s}, looksLikeCommand(s) || named || scriptPath().MatchString(s)
}

// tickedCommand accepts a command between backticks if the surrounding words only say "run this".
func tickedCommand(r *Reading, raw string) (literal, bool) {
	m := commandBackticks().FindStringSubmatch(raw)
	if m == nil {
		return literal{}, false
	}
	rest := strings.ToLower(strings.Replace(raw, m[0], " ", 1))
	if strings.Contains(rest, "`") || aboutCommand().MatchString(rest) {
		return literal{}, false
	}
	ask := containsAny(rest, "run", "execute", "실행", "돌려", "해줘", "해 줘", "해주", "해봐", "쳐", "运行", "执行", "do", "please", "부탁", "수행", "result", "output", "결과", "출력", "show", "보여", "try", "start", "跑")
	alone := strings.TrimSpace(rest) == ""
	return literal{strings.TrimSpace(m[1]), alone}, alone || ask
}

// aboutCommand matches words that discuss a command without asking to run it.
var aboutCommand = pattern(`\b(?:what does|what is|what's|explain|means?|why|how|don'?t|do not|never|safe|should|can i|translate|write|difference|when|fail(?:s|ed)?|errors?|if|would|did|instead)\b|뭐야|뭔가|설명|무슨|뜻|왜|어떻게|지\s?마|지\s?말|안전|되나|될까|돼\?|什么|解释|不要|别|怎么|안\s?돼|이\s명령어가|차이|언제|에러|오류|실패|하면`)

// looksLikeCommand reports whether all of s is a shell command: a known program followed by arguments that only
// commands have.
func looksLikeCommand(s string) bool {
	fields := strings.Fields(s)
	if len(fields) == 0 || strings.ContainsAny(s, "\n") || strings.HasSuffix(s, "?") {
		return false
	}
	if slices.ContainsFunc(fields, func(f string) bool { return isHangul([]rune(f)[0]) }) {
		return false // Hangul belongs to the words of "run it" around a command
	}
	first := fields[0]
	if hasAnyPrefix(first, "./") || strings.HasPrefix(first, "/") && strings.Contains(first[1:], "/") && len(fields) > 1 {
		return detectLang(s) == "en"
	}
	if (first == "sudo" || first == "doas") && len(fields) > 1 {
		return wordsOf("programs")[fields[1]] && !naturalTail(fields[2:]) || strings.HasPrefix(fields[1], "-")
	}
	if !wordsOf("programs")[first] {
		return first == ":(){" || strings.HasPrefix(s, ":(){")
	}
	if len(fields) == 1 {
		return wordsOf("alone")[first]
	}
	return shellLike(first, fields[1:])
}

// tarLetters matches options of tar(1) without a dash.
var tarLetters = pattern(`^[cxtru][jJzapvkC]*f$`)

// shellLike reports whether the arguments can only belong to a command.
func shellLike(program string, args []string) bool {
	if program == "find" && !hasAnyPrefix(args[0], "-", "/", "~", ".", "$", "'", `"`) {
		return false // find's first operand is where to look, find(1)
	}
	if program == "ps" && len(args) == 1 {
		return args[0] == "aux" || args[0] == "auxf" || args[0] == "ax" || args[0][0] == '-'
	}
	if program == "tar" && tarLetters().MatchString(args[0]) {
		return len(args) > 1 && !naturalTail(args[1:])
	}
	if program == "top" && args[0][0] != '-' {
		return false // "top 10 files": top(1) takes no operands
	}
	if slices.ContainsFunc(args, func(a string) bool { return isHangul([]rune(a)[0]) || isHan([]rune(a)[0]) }) {
		return false
	}
	if wordsOf("sentence-programs")[program] && plainWords(args) > 3 {
		return false // "which file types or folders clog up /data"
	}
	for _, a := range args {
		if hasAnyPrefix(a, "-", "+", "/", "~", "./", "../", "$", "'", `"`, "if=", "of=") || strings.ContainsAny(a, "|><;&*=") && len(a) < 200 {
			return !naturalTail(args)
		}
	}
	if slices.Contains([]string{"ping", "ssh", "curl", "wget", "dig", "nslookup", "traceroute"}, program) {
		return strings.Contains(args[0], ".") && len(args) == 1
	}
	if wordsOf("service-programs")[program] && len(args) == 1 && args[0] != "ps" && args[0] != "images" {
		return false // "docker restart" asks for the service to be restarted
	}
	if wordsOf("service-programs")[program] && (wordsOf("asking")[args[0]] || isHalfGroup(args)) {
		return false
	}
	if wordsOf("subcommands")[args[0]] && !wordsOf("sentence-programs")[program] {
		return len(args) < 4 && !naturalTail(args[1:])
	}
	onFiles := []string{"cat", "rm", "mkdir", "touch", "chmod", "mkfs.ext4", "python", "python3", "bash", "sh"}
	return slices.Contains(onFiles, program) && strings.ContainsAny(strings.Join(args, ""), "./0123456789_") &&
		!naturalTail(args)
}

// isHalfGroup reports whether a subcommand that needs another one (docker-system(1), docker-network(1)) is followed by
// something else: "docker system kitchen".
func isHalfGroup(args []string) bool {
	group := slices.Contains([]string{"system", "network", "volume", "image", "container"}, args[0])
	return group && len(args) > 1 && !wordsOf("subcommands")[args[1]] && !slices.Contains([]string{"ls", "df", "events", "inspect"}, args[1])
}

// naturalTail reports whether the words are prose: no command has "please". A quoted text is one operand,
// regardless of its words.
func naturalTail(args []string) bool {
	var quoted byte
	for _, a := range args {
		if quoted == 0 && wordsOf("prose")[strings.ToLower(strings.Trim(a, ".,?!"))] {
			return true
		}
		for i := range len(a) {
			switch c := a[i]; {
			case quoted == c:
				quoted = 0
			case quoted == 0 && (c == '\'' || c == '"'):
				quoted = c
			}
		}
	}
	return false
}
