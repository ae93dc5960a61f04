package channeltest

import (
	"testing"
	"time"
)

// World is a fake messenger server on loopback with its users. It outlives bridges and keeps what
// people have received.
type World interface {
	// Channel returns the messenger's name, as in ipc.Bridged.
	Channel() string
	// Command builds the bridge once and returns its command line and the variables to add to its
	// environment.
	Command(t testing.TB) (argv, env []string)
	// LogIn creates a session or a token below home, as a login does, and everything else that a
	// bridge needs to go online.
	LogIn(t testing.TB, home string)

	// Owner and Partner return people whom the configuration admits, Stranger returns someone
	// unknown. The IDs are those by which the daemon compares senders.
	Owner() string
	Partner() string
	Stranger() string

	// Say sends a message from a person to the bridge's account, and returns its messenger ID as
	// the bridge sees it. It does not wait for delivery.
	Say(from string, s PersonMessage) (id string)
	// Redeliver redelivers a message, as servers do if they got no receipt.
	Redeliver(id string)
	// Press presses a button of a message as a person. It fails the test if the messenger has no
	// buttons.
	Press(t testing.TB, from, handle, action string)
	// Received returns everything that the bridge has sent to a person, in order, in its current form.
	Received(person string) []ReceivedMessage
	// Changed returns a channel that is closed when the result of Seen changes.
	Changed() <-chan struct{}
	// TypingCount returns how often the typing indicator was sent to a person.
	TypingCount(person string) int
	// CloseConnections closes all connections. Down(true) makes the server reject connections until Down(false).
	CloseConnections()
	SetDown(bool)
	// SetStalled(true) makes the server accept what the bridge posts but not reply until Stall(false).
	// The bridge cannot know whether the server accepted it.
	SetStalled(bool)
}

// OnlineFirst is a [World] whose server delivers the first message of a person only to a bridge that is online. Bots on
// Discord cannot list who has written to them.
type OnlineFirst interface{ OnlineFirst() bool }

// Roomy is a [World] with a room, in which the people and the bridge's account are.
type Roomy interface {
	// Room returns the ID of the room. Mention returns a text that mentions the account.
	Room() string
	Mention(text string) string
	// HearsRoom reports whether the bridge gets the messages of the room.
	HearsRoom() bool
	SayInRoom(from, text string) (id string)
	// ReceivedInRoom returns everything that the bridge has sent to the room, in its current form.
	ReceivedInRoom() []ReceivedMessage
	// PressAnswers returns what a person alone was shown after button presses.
	PressAnswers(person string) []string
}

// PersonMessage is a message that a person sends.
type PersonMessage struct {
	Text      string
	Group     bool // in a group of the person and the bridge's account
	Own       bool // sent by the bridge's own account from another device
	Forwarded bool
	Sent      time.Time // by the server's clock; zero means now
	File      *PersonFile
}

// PersonFile is a file that a person sends. Claims is the size that the message claims; 0 means the real
// size.
type PersonFile struct {
	Name, Type string
	Data       []byte
	Claims     int64
}

// ReceivedMessage is a received message.
type ReceivedMessage struct {
	Handle  string
	Text    string   // as displayed, without markup
	Raw     string   // as sent
	Buttons []string // actions of the buttons
	File    []byte
	Name    string // of the file
	Edits   int
	Copies  int // number of posts; readers see it once
}
