package automation

// waitQueue is the queue of runs that wait for others to end. The zero value is empty.
type waitQueue struct {
	line  []candidate
	known map[mark]bool // reasons of the waiting runs
}

// reason returns what the candidate is for: an occurrence, or its rule's schedule, represented by a mark that has
// only the rule.
func (c candidate) reason() mark {
	if c.mark != nil {
		return *c.mark
	}
	return mark{Rule: c.run.Rule}
}

func (w *waitQueue) add(all ...candidate) {
	if w.known == nil {
		w.known = map[mark]bool{}
	}
	for _, c := range all {
		w.known[c.reason()] = true
	}
	w.line = append(w.line, all...)
}

// has reports whether a run for this reason is waiting.
func (w *waitQueue) has(reason mark) bool { return w.known[reason] }

// remove removes the runs at the given places, which must be sorted. It moves only the runs before the last
// place, which are few.
func (w *waitQueue) remove(places []int) {
	for gone, at := range places {
		delete(w.known, w.line[at].reason())
		copy(w.line[gone+1:at+1], w.line[gone:at])
	}
	clear(w.line[:len(places)])
	w.line = w.line[len(places):]
}
