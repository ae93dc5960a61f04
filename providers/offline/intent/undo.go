package intent

// restorePattern matches requests to restore an earlier state with separated words: "put firefox back", "make it as
// before".
var restorePattern = pattern(`(?i)^\s*(?:please |can you |could you |can we |i want to |i would like to |i'd like to |just )*(?:put|bring|take|change|set|switch|get|go|turn|roll|move|make)\b[^.?!,]*\bback\b[^.?!,]*\b(?:to|as|like|version|before|was|were|had|old|previous|last|yesterday\S*|it was)\b` +
	`|\b(?:return|restore|reset|recover|put|get|set|bring) [^.?!,]*\b(?:to|from) (?:the |its |an? )?(?:\S+ )?(?:states?|versions?|snapshots?|point)\b` +
	`|\b(?:as|like|the way|how|what) (?:it |things |they |everything )?(?:was|were|used to be|had been)?\s*(?:before|yesterday|last (?:week|month|time))\b[^?]*$|\b(?:as|like) before\b` +
	`|\b(?:i )?regret (?:installing|removing|updating|upgrading|having|that|this|it|the)\b` +
	`|(?:없던|없었던)\s*(?:걸|것|일)\s*로|(?:상태|버전|시점|때|전|어제|원래|이전|예전|옛날)(?:의)?\s*(?:상태|버전|모습)?(?:으로|로)\s*(?:다시\s*)?(?:돌아가|되돌아가|가고 싶|돌려|바꿔|복구|복원)|(?:설치|삭제|업데이트|업그레이드)한\s*(?:거|것|걸)(?:을)?\s*(?:후회|무르|물러|물리|빼)` +
	`|(?:恢复|回|退|弄|改|变|还)到?\S{0,6}(?:昨天|上周|上个月|之前|以前|原来|原先|旧版?|老版?|上个版本)|撤(?:掉|了|下)|当(?:作)?没(?:有)?(?:发生|装|更新)|后悔`)

// pastPattern matches words of a sentence about the past that do not occur in a request to undo.
var pastPattern = pattern(`(?i)\b(?:why|slow|slower|worked|working|works|not|isn't|doesn't|won't|error)\b|왜|느려|안 ?돼|안 ?되|为什么|慢|不能`)

// haltPattern matches orders to stop the current action.
var haltPattern = pattern(`(?i)^\s*(?:please |just )?(?:(?:abort|halt)(?:[ ,!.]+(?:abort|halt|now|please|it|that|this|everything))*|stop (?:what(?:ever)? you(?:'re| are)? (?:are )?doing|doing (?:that|this|anything)|right there|immediately))(?:[ ,]+(?:now|please|immediately|right now))*[ .!]*$` +
	`|^\s*(?:지금\s*)?(?:하던|하고\s*있(?:는|던))\s*(?:거|것|일|걸)(?:을|를)?\s*(?:전부|다|모두|당장|그냥)?\s*(?:그만|멈|중단|중지)\S{0,6}\s*(?:줘|주세요)?[ .!]*$|^\s*(?:그만|멈춰|중단해|중지해)(?:해|둬|줘|요|주세요)*[ .!]*$` +
	`|^\s*(?:马上|立刻|赶紧|请)?(?:停下(?:来)?|住手|别做了|别弄了|停止你在做的事|中止)(?:吧|一下)?[ 。！!.]*$`)

// decideHalt answers an order to stop the current action: this helper has none running.
func (r *Reading) decideHalt() (Plan, bool) {
	if !haltPattern().MatchString(r.u.raw) || len(r.names) > 0 {
		return Plan{}, false
	}
	return declinePlan("halt", "").because("asks to stop the current action"), true
}

// wantsOldState reports whether a request asks to restore an earlier state in words that are not in the list.
func (r *Reading) wantsOldState() bool {
	return restorePattern().MatchString(r.u.raw) && !pastPattern().MatchString(r.u.raw) && !r.asksHistory()
}

// asksHistory reports whether a question is about the past and not a request to undo.
func (r *Reading) asksHistory() bool {
	return r.hasAny("when", "log", "boot", "slow", "error", "crash") || r.u.question && wordsOf("question-words")[firstWord(r.u)]
}

// whatToUndo matches questions about what can be undone, and how.
var whatToUndo = pattern(`(?i)\bwhat\b.*\b(?:can|could|may|is|are|else)\b.*\b(?:undo|undone|undoable|take back|taken back|revert(?:ed|ible)?|rolled back)\b|\b(?:is|are) there (?:anything|something)\b.*\b(?:undo|take back|revert)\b|\bhow (?:do|can|could|to)\b.*\b(?:undo|take|revert|roll)\b|\b(?:list|show)\b.*\b(?:undo|undone|undoable|take back|taken back|revert)\b` +
	`|(?:뭐|뭘|무엇|어떤|무슨|어느).*(?:되돌릴|취소할|롤백할|복구할)\s*수|(?:되돌릴|취소할|롤백할)\s*수\s*있는\s*(?:거|것|게|건|변경|작업|목록)|(?:되돌리|취소하)(?:려면|는\s*방법|는\s*법)|어떻게\s*(?:되돌|취소)` +
	`|(?:什么|哪些|哪个|有啥).*(?:撤销|撤消|还原|恢复|回滚)|(?:可以|能|可)(?:撤销|撤消|还原|回滚)(?:什么|哪|的)|(?:怎么|如何|怎样)(?:撤销|撤消|还原|回滚)`)

// AsksWhatToUndo reports whether a request only asks what can be undone.
func (r *Reading) AsksWhatToUndo() bool {
	return whatToUndo().MatchString(r.u.raw) || prohibition().MatchString(r.u.raw)
}

// olderVersion matches requests for an earlier version of something.
var olderVersion = pattern(`(?i)\bdowngrad\w*|\b(?:old|older|earlier|previous|last) (?:version|kernel|release)\b|다운그레이드|(?:이전|예전|옛날|구)\s*(?:버전|커널)|降级|旧版|老版|(?:上|前)(?:一个|个)?版本|之前的版本`)

// AsksForVersion reports whether a request to undo asks for an earlier version, not for the removal of something new.
func (r *Reading) AsksForVersion() bool { return olderVersion().MatchString(r.u.raw) }

// decideUndo recognises a request to undo something. It looks up what was changed through this program; package report
// finds out which change is meant.
func (r *Reading) decideUndo() (Plan, bool) {
	if !r.mentions("undo") && !r.wantsOldState() || r.has["autostart"] || r.hasAny("remember", "write", "explain") || r.u.data != "" ||
		r.has["recall"] && !(r.AsksForVersion() && r.has["@name"]) {
		return Plan{}, false
	}
	if _, repeats := findRecurrence(r.u.raw); repeats {
		return Plan{}, false
	}
	return r.undoPlan(), true
}

func (r *Reading) undoPlan() Plan {
	return callPlan(sureScore, Call("recent_changes")).because("asks to undo: which changes were made here")
}

// packageHistory returns the step that reads pacman's log of changes.
func (r *Reading) packageHistory() Step {
	s := Call("read_logs", "log", "packages")
	if since := findSince(r.u); since != "" {
		s.Input["since"] = since
	}
	return s
}

// decideChanges recognises a question about recently installed, removed, updated or changed packages. The
// answer is in pacman's log, not in the journal.
func (r *Reading) decideChanges() (Plan, bool) {
	if r.has["@do"] && !r.mentions("changed") || r.hasAny("service", "crash", "error", "file", "remember", "write", "howto", "schedule") || r.has["recall"] && !r.has["when"] || r.has["@service"] && !r.mentions("changed") {
		return Plan{}, false
	}
	changed := r.hasAny("@install", "@remove", "@update", "installed") || r.mentions("changed") && !r.hasAny("disk", "memory", "ip", "wifi", "internet")
	lately := r.has["@since"] || r.mentions("lately")
	whenLast := r.has["when"] && r.hasAny("@install", "@update", "update") && latestPattern().MatchString(r.u.raw) && !r.has["@name"]
	if !whenLast && (!changed || !lately || !r.mentions("asks-what")) {
		return Plan{}, false
	}
	return callPlan(sureScore, r.packageHistory()).because("asks for recent changes"), true
}

// ForbidsChange reports whether a request forbids or undoes a change. No change is offered in the answer.
func (r *Reading) ForbidsChange() bool {
	denies := r.denies()
	if denies && r.FailsToStart() { // "does not start" forbids nothing, but the rest can
		denies = r.lex.Read(failsToStart().ReplaceAllString(r.u.raw, " ")).denies()
	}
	return denies || r.RequestsUndo() ||
		r.u.lang == "zh" && containsAny(string(r.u.flat), "别", "不要", "不用", "先不", "不想", "不必", "请勿")
}
