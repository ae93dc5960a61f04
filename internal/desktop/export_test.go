package desktop

// OpenCount returns how many notices with buttons are open.
func (n *Notifier) OpenCount() int {
	l := n.currentLink()
	if l == nil {
		return 0
	}
	return l.notices.withButtons()
}

func (s *openNotices) withButtons() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, at := range s.byID {
		if len(at.buttons) > 0 {
			n++
		}
	}
	return n
}
