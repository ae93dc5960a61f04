package desktop

import (
	"math"
	"slices"
	"time"

	"github.com/esiqveland/notify"
)

// DefaultAction is the key of what a click on the notice itself does, where the
// server knows such a thing. It is no place for a yes: it is what people press
// to be rid of a notice, and a click that was meant for what stood there before
// counts.
const DefaultAction = "default"

// maxActions bounds the buttons of a notice; servers show two or three.
const maxActions = 6

// Notice is what is shown.
type Notice struct {
	// Key tells notices apart: showing one replaces the one with its key.
	Key string
	// Title and Body are plain text, in which nothing is markup. More than 120 and
	// 1,000 characters are cut off, control characters left out.
	Title, Body string
	// Actions are the buttons, six at most. A server without any shows the notice
	// without them; see [Capabilities].
	Actions []Action
	Urgency Urgency
	// Category is one of the specification's ("im.received"), or "".
	Category string
	// Expire is after how long it is closed: 0 leaves that to the server, negative
	// is never.
	Expire time.Duration
	// Resident keeps it open when a button is pressed.
	Resident bool
	// Sound is the name of a sound of the theme ("message-new-instant"), "" what the
	// server does by itself; Silent is no sound.
	Sound  string
	Silent bool
}

// Action is a button. Key may be any text and is what [Options.Pressed] gets;
// Label is what people read, at most 40 characters.
type Action struct {
	Key, Label string
}

// Urgency is how much a notice matters; servers show critical ones over what
// fills the screen, and do not let them expire.
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

// Capabilities are what a server can do.
type Capabilities struct {
	Server, Version string // who it is
	Actions         bool   // shows buttons
	Body            bool   // shows more than the title
	Markup          bool   // reads markup in the body, which [Notifier.Show] takes care of
	Persistent      bool   // keeps notices until they are dealt with
	Sound           bool
}

// capable reads what GetCapabilities answers.
func capable(list []string) Capabilities {
	has := func(what string) bool { return slices.Contains(list, what) }
	return Capabilities{
		Actions: has("actions"), Body: has("body"), Markup: has("body-markup"), Persistent: has("persistence"), Sound: has("sound"),
	}
}

// note makes of a notice what is sent, and the keys of its buttons by what the
// server calls them.
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

// hint adds what servers may heed.
func (n Notice) hint(note *notify.Notification, o Options) {
	note.AddHint(n.Urgency.hint())
	for id, name := range map[string]string{"desktop-entry": o.Entry, "category": n.Category, "sound-name": n.Sound} {
		if name != "" {
			note.AddHint(textHint(id, line(name, maxTitle)))
		}
	}
	for id, is := range map[string]bool{"resident": n.Resident, "suppress-sound": n.Silent} {
		if is {
			note.AddHint(flagHint(id))
		}
	}
}

// expire is the specification's expire_timeout: -1 for the server's, 0 for
// never, in milliseconds.
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
