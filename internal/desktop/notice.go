package desktop

import (
	"math"
	"slices"
	"time"

	"github.com/esiqveland/notify"
)

// DefaultAction is the key of the action for a click on the notice itself, if the server supports that. Do not
// use it to approve anything: people click a notice to get rid of it, and a click meant for a replaced notice
// counts.
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

// hint adds optional hints for the server.
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
