package desktop

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/esiqveland/notify"
	"github.com/godbus/dbus/v5"
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

// buttonName returns the name of a button for the server. It is different each time the notice is shown, so that
// a late press of a replaced notice is not mistaken for one of the new notice. The default action's name has a
// meaning for servers and is not changed.
func buttonName(serial, at int, key string) string {
	if key == DefaultAction {
		return key
	}
	return strings.Join([]string{strconv.Itoa(serial), strconv.Itoa(at)}, ".")
}

// DefaultAction is the key of the action for a click on the notice itself, if the server supports that. Do not use it
// to approve anything: people click a notice to get rid of it, and a click meant for a replaced notice counts.
const DefaultAction = "default"

// maxActions bounds the buttons of a notice. Servers show two or three.
const maxActions = 6

// Notice is a notification to show.
type Notice struct {
	// Key identifies the notice. A notice replaces the one with the same key.
	Key string
	// Title and Body are plain text without markup. They are cut at 120 and 1,000 characters, and control
	// characters are removed.
	Title, Body string
	// Actions are the buttons, at most six. A server without support for buttons shows the notice without them;
	// see [Capabilities].
	Actions []Action
	Urgency Urgency
	// Category is a category of the specification ("im.received"), or "".
	Category string
	// Expire is how long the notice is shown. 0 means the server's default, a negative value means forever.
	Expire time.Duration
	// Resident keeps the notice open after a press.
	Resident bool
	// Sound is the name of a sound of the theme ("message-new-instant"). "" means the server's default. Silent
	// means no sound.
	Sound  string
	Silent bool
}

// Action is a button. Key can be any text and is passed to [Options.Pressed]. Label is the button's text, at most
// 40 characters.
type Action struct {
	Key, Label string
}

// Urgency is the importance of a notice. Servers show critical ones above full-screen windows and do not let them
// expire.
type Urgency int

// The urgencies.
const (
	Normal Urgency = iota
	Low
	Critical
)

func (u Urgency) hint() notify.Hint {
	switch u {
	case Low:
		return notify.HintUrgency(notify.UrgencyLow)
	case Critical:
		return notify.HintUrgency(notify.UrgencyCritical)
	default:
		return notify.HintUrgency(notify.UrgencyNormal)
	}
}

// Capabilities are the capabilities of a server.
type Capabilities struct {
	Server, Version string // name and version
	Actions         bool   // shows buttons
	Body            bool   // shows more than the title
	Markup          bool   // interprets markup in the body; [Notifier.Show] escapes it
	Persistent      bool   // keeps notices until the person closes them
	Sound           bool
}

// parseCapabilities parses the answer of GetCapabilities.
func parseCapabilities(list []string) Capabilities {
	has := func(what string) bool { return slices.Contains(list, what) }
	return Capabilities{
		Actions: has("actions"), Body: has("body"), Markup: has("body-markup"), Persistent: has("persistence"), Sound: has("sound"),
	}
}

// note converts a notice to a notification and its buttons: a map from the names sent to the server to the keys.
func (n Notice) note(o Options, can Capabilities, serial int) (notify.Notification, map[string]string) {
	note := notify.Notification{
		AppName: line(o.App, maxLabel), AppIcon: line(o.Icon, maxTitle), Summary: line(n.Title, maxTitle), Body: text(n.Body, maxBody),
		ExpireTimeout: n.expire(),
	}
	if can.Markup {
		note.Body = escape(note.Body)
	}
	n.hint(&note, o)
	if !can.Actions {
		return note, nil
	}
	buttons := map[string]string{}
	for i, a := range n.Actions[:min(len(n.Actions), maxActions)] {
		name := buttonName(serial, i, a.Key)
		buttons[name] = a.Key
		note.Actions = append(note.Actions, notify.Action{Key: name, Label: line(a.Label, maxLabel)})
	}
	return note, buttons
}

func (n Notice) hint(note *notify.Notification, o Options) {
	note.AddHint(n.Urgency.hint())
	for id, name := range map[string]string{"desktop-entry": o.Entry, "category": n.Category, "sound-name": n.Sound} {
		if name != "" {
			note.AddHint(notify.Hint{ID: id, Variant: dbus.MakeVariant(line(name, maxTitle))})
		}
	}
	for id, is := range map[string]bool{"resident": n.Resident, "suppress-sound": n.Silent} {
		if is {
			note.AddHint(flagHint(id))
		}
	}
}

// expire returns the specification's expire_timeout in milliseconds: -1 for the server's default, 0 for never.
func (n Notice) expire() time.Duration {
	switch {
	case n.Expire == 0:
		return notify.ExpireTimeoutSetByNotificationServer
	case n.Expire < 0:
		return notify.ExpireTimeoutNever
	default:
		return min(max(n.Expire, time.Millisecond), math.MaxInt32*time.Millisecond)
	}
}
