package intent

// decideUndo recognises a wish to have something taken back. Nothing is undone
// by itself: what was changed lately is looked at, and the answer says what can
// be done by hand.
func (r *Reading) decideUndo() (Plan, bool) {
	if !r.says("undo") || r.has["autostart"] || r.hasAny("remember", "recall", "write", "explain") || r.u.data != "" {
		return Plan{}, false
	}
	if _, repeats := findRecurrence(r.u.raw); repeats {
		return Plan{}, false
	}
	return r.undoPlan(), true
}

func (r *Reading) undoPlan() Plan {
	return callPlan(sureScore, r.packageHistory()).because("asks to undo: look at what was changed")
}

// packageHistory is the look at what pacman has changed.
func (r *Reading) packageHistory() Step {
	s := Call("read_logs", "log", "packages")
	if since := findSince(r.u); since != "" {
		s.Input["since"] = since
	}
	return s
}

// Undoes reports whether a request asks for something to be taken back.
func (r *Reading) Undoes() bool { return r.undoes() }

// decideChanges recognises a question about what was installed, removed,
// updated or changed lately: pacman's own log tells, not the journal.
func (r *Reading) decideChanges() (Plan, bool) {
	if r.has["@do"] && !r.says("changed") || r.hasAny("service", "crash", "error", "file", "remember", "recall", "write", "howto", "schedule") || r.has["@service"] && !r.says("changed") {
		return Plan{}, false
	}
	changed := r.hasAny("@install", "@remove", "@update", "installed") || r.says("changed") && !r.hasAny("disk", "memory", "ip", "wifi", "internet")
	lately := r.has["@since"] || r.says("lately")
	if !changed || !lately || !r.asksWhat() {
		return Plan{}, false
	}
	return callPlan(sureScore, r.packageHistory()).because("asks what was changed lately"), true
}

// asksWhat reports whether a request asks for things or a time, not to do
// something.
func (r *Reading) asksWhat() bool {
	return r.says("asks-what")
}

// Denies reports whether a request forbids a change or takes one back: then none
// is offered behind what was looked at.
func (r *Reading) Denies() bool {
	for _, a := range r.acts {
		if a.form == formNeg {
			return true
		}
	}
	return r.undoes() || r.u.lang == "zh" && containsAny(string(r.u.flat), "别", "不要", "不用", "先不", "不想", "不必", "请勿")
}
