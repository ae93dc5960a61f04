package desktop

import (
	"strconv"
	"strings"
	"sync"
)

// Reason is why a notice is no longer there.
//
// Source: Desktop Notifications Specification, NotificationClosed.
type Reason uint32

// The reasons; the last is not the specification's.
const (
	Expired   Reason = 1
	Dismissed Reason = 2 // by the person, who pressed nothing
	Withdrawn Reason = 3 // by a call
	Unknown   Reason = 4
	Gone      Reason = 5 // the server or the bus went away, and it with them
)

// showing is a notice that is open.
type showing struct {
	key      string
	buttons  map[string]string // keys by what the server calls them
	resident bool
}

// shown are the notices that are open, by the server's numbers.
type shown struct {
	mu     sync.Mutex
	byID   map[uint32]showing
	serial int
}

// next returns the number of the notice to replace, 0 for none, and a number no
// notice had before.
func (s *shown) next(key string) (replaces uint32, serial int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	id, _ := s.find(key)
	return id, s.serial
}

func (s *shown) find(key string) (id uint32, ok bool) {
	for id, at := range s.byID {
		if at.key == key {
			return id, true
		}
	}
	return 0, false
}

// put notes what is shown. There is one of a key: a server may give one that
// was to be replaced another number.
func (s *shown) put(id uint32, at showing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.find(at.key); ok {
		delete(s.byID, old)
	}
	if s.byID == nil {
		s.byID = map[uint32]showing{}
	}
	s.byID[id] = at
}

// drop forgets a notice and returns its number.
func (s *shown) drop(key string) (id uint32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok = s.find(key)
	delete(s.byID, id)
	return id, ok
}

// press is what a button does: it answers, and unless the notice stays, that
// was its last word.
func (s *shown) press(id uint32, button string) event {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.byID[id]
	action, ok := at.buttons[button]
	if !ok {
		return event{}
	}
	if !at.resident {
		delete(s.byID, id)
	}
	return event{key: at.key, action: action, pressed: true}
}

// end forgets a notice the server has closed.
func (s *shown) end(id uint32, reason Reason) event {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.byID[id]
	if !ok {
		return event{}
	}
	delete(s.byID, id)
	if reason < Expired || reason > Unknown {
		reason = Unknown
	}
	return event{key: at.key, reason: reason}
}

// clear forgets all and returns their keys.
func (s *shown) clear() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for _, at := range s.byID {
		keys = append(keys, at.key)
	}
	s.byID = nil
	return keys
}

// asking counts those with buttons.
func (s *shown) asking() int {
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

// buttonName is what the server calls a button: another in every showing, so
// that a press meant for what a notice said before is not taken for one of what
// it says now. The default action's name means something to servers and stays.
func buttonName(serial, at int, key string) string {
	if key == DefaultAction {
		return key
	}
	return strings.Join([]string{strconv.Itoa(serial), strconv.Itoa(at)}, ".")
}
