package intent

import "slices"

// openOrder matches the verb of an order to open something, without its object.
var openOrder = pattern(`(?i)^\s*(?:(?:please|can you|could you|would you|will you|just|hey|now|i want to|i'd like to)[, ]+)*(?:open|launch|start|run|fire up|bring up)\b` +
	`|(?:열어|띄워|켜|실행|틀어)\s*(?:해|시켜)?\s*(?:줘|주세요|줄래|봐|라|달라고|요|놔|주라|주시겠어요|줄 수 있어)` +
	`|(?:打开|启动|运行|开一下|打開|啟動|開啟|开启)`)

// ProgramToOpen returns the desktop program to open, or nil if the request asks for something else.
func (r *Reading) ProgramToOpen() *Name {
	if !openOrder().MatchString(r.u.raw) || r.u.data != "" || len(r.u.words) > 10 || r.isOnlyQuestion() || r.forbids() || r.otherDevice() != "" {
		return nil
	}
	if r.hasAny("@install", "@remove", "@stop", "@restart", "info", "package", "version", "log", "file", "@path", "crash", "slow", "port", "autostart", "boot", "why", "error", "@since", "howto", "explain", "remember", "recall", "write", "installed", "search", "cause", "service", "status", "process", "when", "update") || r.asksUndo() {
		return nil
	}
	for _, a := range r.orders() {
		if a.verb != "start" {
			return nil
		}
	}
	if r.isInstrument() {
		return nil // 크롬으로 유튜브 틀어줘
	}
	names := r.namesIn(0, len(r.u.flat))
	if len(names) != 1 || names[0].Kind != "app" || names[0].Service != "" || !packageName().MatchString(names[0].Package) {
		return nil
	}
	return names[0]
}

// isInstrument reports whether a program is named as the means of an action.
func (r *Reading) isInstrument() bool {
	return slices.ContainsFunc(r.names, func(h hit) bool {
		rest := string(r.u.flat[h.end:])
		return hasAnyPrefix(rest, "으로", "로", "에서") || h.start > 0 && r.u.flat[h.start-1] == '用'
	})
}

// decideOpen recognises an order to open a desktop program. The first step looks up how to start it, and the
// answer offers to start it.
func (r *Reading) decideOpen() (Plan, bool) {
	n := r.ProgramToOpen()
	if n == nil || !r.isOnePart() {
		return Plan{}, false
	}
	return callPlan(sureScore, Call("run_command", "command", "pacman -Qlq "+n.Package)).because("order to open %s", n.Package), true
}
