package desktop

import (
	"strconv"
	"strings"
	"sync"
)

// Reason is why a notice was closed.
//
// Source: Desktop Notifications Specification, NotificationClosed.
type Reason uint32

// The reasons. The last is not in the specification.
const (
	Expired    Reason = 1
	Dismissed  Reason = 2 // by the person, without a press
	Withdrawn  Reason = 3 // by a call
	Unknown    Reason = 4
	ServerLost Reason = 5 // lost with the server or the bus
)

// openNotice is an open notice.
type openNotice struct {
	key      string
	buttons  map[string]string // keys by the names sent to the server
	resident bool
}

// openNotices is the set of open notices by the server's ids.
type openNotices struct {
	mu     sync.Mutex
	byID   map[uint32]openNotice
	serial int
}

// next returns the id of the notice to replace, or 0, and a new serial number.
func (s *openNotices) next(key string) (replaces uint32, serial int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	id, _ := s.find(key)
	return id, s.serial
}

func (s *openNotices) find(key string) (id uint32, ok bool) {
	for id, at := range s.byID {
		if at.key == key {
			return id, true
		}
	}
	return 0, false
}

// put records a shown notice. It removes the previous one with the key, because some servers give a replacement a
// new id.
func (s *openNotices) put(id uint32, at openNotice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.find(at.key); ok {
		delete(s.byID, old)
	}
	if s.byID == nil {
		s.byID = map[uint32]openNotice{}
	}
	s.byID[id] = at
}

// drop removes a notice and returns its id.
func (s *openNotices) drop(key string) (id uint32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok = s.find(key)
	delete(s.byID, id)
	return id, ok
}

// press returns the event for a pressed button. Unless the notice is resident, it is then removed.
func (s *openNotices) press(id uint32, button string) event {
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

// end removes a notice that the server has closed.
func (s *openNotices) end(id uint32, reason Reason) event {
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

// clear removes all notices and returns their keys.
func (s *openNotices) clear() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for _, at := range s.byID {
		keys = append(keys, at.key)
	}
	s.byID = nil
	return keys
}

// withButtons returns the number of notices with buttons.
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

// buttonName returns the name of a button for the server. It is different each time the notice is shown, so that
// a late press of a replaced notice is not mistaken for one of the new notice. The default action's name has a
// meaning for servers and is not changed.
func buttonName(serial, at int, key string) string {
	if key == DefaultAction {
		return key
	}
	return strings.Join([]string{strconv.Itoa(serial), strconv.Itoa(at)}, ".")
}
