package automation

// waiting are the runs that wait for others to end, in the order in which they may
// begin. The zero value is none.
type waiting struct {
	line  []candidate
	known map[mark]bool // what each of them is for
}

// reason is what a candidate is for: an occurrence, or the times of its rule's
// schedule, which is a mark of nothing but the rule.
func (c candidate) reason() mark {
	if c.mark != nil {
		return *c.mark
	}
	return mark{Rule: c.run.Rule}
}

func (w *waiting) add(all ...candidate) {
	if w.known == nil {
		w.known = map[mark]bool{}
	}
	for _, c := range all {
		w.known[c.reason()] = true
	}
	w.line = append(w.line, all...)
}

// has reports whether one for this reason waits already.
func (w *waiting) has(reason mark) bool { return w.known[reason] }

// remove takes out those at places in the line, which are in order. Those before
// them move up, which are few: the others stay where they are, however many.
func (w *waiting) remove(places []int) {
	for gone, at := range places {
		delete(w.known, w.line[at].reason())
		copy(w.line[gone+1:at+1], w.line[gone:at])
	}
	clear(w.line[:len(places)])
	w.line = w.line[len(places):]
}
