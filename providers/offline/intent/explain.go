package intent

import "strings"

var (
	// commandQuestion matches the words around a command that ask what it does, or whether to run it.
	commandQuestion = pattern(`(?i)\b(?:what|what's|whats|explain|means?|meaning|safe|safely|dangerous|harm(?:ful|less)?|should i|can i|may i|could|is (?:it|this|that)|ok(?:ay)? to|before i|does|do\s*\?*$|doing|legit|trust|break|wreck|says?|told me|tells? me|suggests?)\b` +
		`|뭐|뭔|무슨|무엇|뜻|의미|설명|안전|위험|괜찮|해도|쳐도|돌려도|실행해도|되나|되는지|되죠|될까|하래|하라|치래|치라|라는데|써도|하면|어떻게\s*(?:돼|되)|언제\s*쓰|어떤\s*명령|무해` +
		`|什么|干嘛|干啥|啥|作用|意思|解释|安全|危险|能跑|能运行|能执行|可以[运执]行|可不可以|能不能|会怎[样么]|会不会|吗|该不该|要不要`)
	// bareQuestion matches a question about a command that is one word.
	bareQuestion = pattern(`(?i)\bcommand\b|\bwhat (?:does|would|will) \S+ do\b|명령|命令|:\(\)\{`)
	// commandOrder matches the words around a command that want it run, or ask why it fails.
	commandOrder = pattern(`(?i)\b(?:please run|run it|go ahead|execute it|why|fails?|failed|failing|errors?|does ?n['’]?t|don['’]?t|instead|difference|hangs?)\b` +
		`|(?:실행|돌려|수행)\s*(?:해)?\s*(?:줘|주세요|주라|봐)|왜|에러|오류|실패|안\s?(?:돼|되|됨|먹)|차이|(?:하|치|돌리|실행하)지\s*(?:마|말)|失败|报错|出错|为什么|为啥|区别|不要执行|别执行|(?:执行|运行|跑)一下`)
	// commandTail matches a word after which a question in English goes on: "what does rm -rf x do".
	commandTail = pattern(`(?i)^(?:do|does|doing|means?|mean|is|are|was|safe|dangerous|harmful|harmless|risky|bad|fine|legit|okay|necessary|what|what's|whats|should|would|will|can|could|break|breaks|speeds?|makes?|fixes|frees?|cleans?|to|like|so|but|because|before|if|it|its|ok|okay|and\??|or\??|please|for)[?.!,]*$`)
)

// decideExplain explains a command that the request asks about. A question about a command never runs it.
func (r *Reading) decideExplain() (Plan, bool) {
	raw := strings.TrimSpace(r.u.raw)
	if r.u.lang == "en" && looksLikeCommand(strings.TrimPrefix(raw, "$ ")) || strings.Contains(raw, "\n") || r.u.data != "" {
		return Plan{}, false
	}
	command := quotedCommand(raw)
	rest := strings.Replace(raw, command, " ", 1)
	if command == "" {
		command, rest = spokenAbout(raw)
	}
	if !strings.Contains(raw, "`") && !strings.Contains(command, " ") && !bareQuestion().MatchString(raw) {
		return Plan{}, false // a program, about which much else can be asked
	}
	if command == "" || !commandQuestion().MatchString(rest) || commandOrder().MatchString(rest) {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("explain", "command", command, "lang", r.u.lang)).because("asks what the command %q does", command), true
}

// quotedCommand returns the command between backticks, "" for none or several.
func quotedCommand(raw string) string {
	if m := commandBackticks().FindStringSubmatch(raw); m != nil && strings.Count(raw, "`") == 2 {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// spokenAbout returns the longest command within a request, and the words around it.
func spokenAbout(raw string) (command, rest string) {
	words := strings.Fields(apart(raw))
	for from, first := range words {
		if first != "sudo" && first != "doas" && !strings.HasPrefix(first, "mkfs.") && !wordsOf("programs")[first] && !strings.HasPrefix(first, ":(){") {
			continue
		}
		to, last := from, ""
		for to < len(words) {
			var more bool
			if last, more = commandWord(words[to], to > from); last == "" {
				break
			}
			words[to] = last
			if to++; !more {
				break
			}
		}
		for to > from && strings.Trim(words[to-1], "<>|:;&-=") == "" {
			to--
		}
		if to <= from {
			continue
		}
		if span := strings.Join(words[from:to], " "); looksLikeCommand(span) {
			return span, strings.Join(words[:from], " ") + " " + strings.Join(words[to:], " ")
		}
	}
	return "", raw
}

// commandWord returns a word as part of a command, "" if it belongs to the question; more reports whether the command can go
// on after it.
func commandWord(w string, tail bool) (part string, more bool) {
	rs := []rune(w)
	if isHangul(rs[0]) || isHan(rs[0]) || tail && commandTail().MatchString(w) {
		return "", false
	}
	for i, c := range rs { // a Korean particle, but not the name of a file
		if isHangul(c) && i > 0 && rs[i-1] != '/' && !isHangul(rs[i-1]) {
			return string(rs[:i]), false
		}
	}
	if cut := strings.TrimRight(w, ",?!"); cut != w {
		return cut, false
	}
	return w, true
}

// apart separates Chinese text and full-width punctuation from the letters next to it.
func apart(raw string) string {
	var b strings.Builder
	var before rune
	for _, c := range raw {
		wide, was := isHan(c) || strings.ContainsRune("：，。？！“”「」、", c), isHan(before) || strings.ContainsRune("：，。？！“”「」、", before)
		if before != 0 && before != '/' && wide != was && before < 0x10000 && !isHangul(c) && !isHangul(before) {
			b.WriteByte(' ')
		}
		if !strings.ContainsRune("：，。？！“”「」、", c) {
			b.WriteRune(c)
		}
		before = c
	}
	return b.String()
}
