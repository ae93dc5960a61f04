package channeltest

import (
	"testing"
	"time"
)

// World is a messenger's server and the people who use it, played on loopback. It
// outlives bridges: what it has told people stays.
type World interface {
	// Channel is the messenger's name, as in ipc.Bridged.
	Channel() string
	// Command builds the bridge once and returns how it is started: argv, and what is
	// added to its environment.
	Command(t testing.TB) (argv, env []string)
	// LogIn puts a session or a token below home, as a login leaves it, and what else a
	// bridge needs to be online at once.
	LogIn(t testing.TB, home string)

	// Owner is the person the configuration admits, Partner another one, Stranger
	// nobody knows; each as the daemon compares senders.
	Owner() string
	Partner() string
	Stranger() string

	// Say has a person write, in the chat with the bridge's account, and returns the
	// messenger's id of that as the bridge sees it. It does not wait.
	Say(from string, s Said) (id string)
	// Again delivers a message once more, as servers do that got no receipt.
	Again(id string)
	// Press has a person press a button of what they were told; where the messenger has
	// no buttons it fails the test.
	Press(t testing.TB, from, handle, action string)
	// Seen is everything the bridge has shown a person, in order, as it stands now.
	Seen(person string) []Seen
	// Changed is closed at the next change of anything Seen returns.
	Changed() <-chan struct{}
	// Typed is how often a person was shown that an answer is being written.
	Typed(person string) int
	// Cut closes all connections; Down has the server take none until it is told false.
	Cut()
	Down(bool)
	// Stall has the server take what the bridge posts and say nothing to it until it is
	// told false: the bridge cannot know whether it was taken.
	Stall(bool)
}

// Said is what a person writes.
type Said struct {
	Text      string
	Group     bool // not in the chat of the two, but in a group both are in
	Own       bool // by the bridge's own account, on another of its devices
	Forwarded bool
	Sent      time.Time // by the server's clock; zero means now
	File      *Sent
}

// Sent is a file a person sends. Claims is how long it says it is; 0 is the truth.
type Sent struct {
	Name, Type string
	Data       []byte
	Claims     int64
}

// Seen is a message as its reader has it.
type Seen struct {
	Handle  string
	Text    string   // as the reader sees it: without markup
	Raw     string   // as it was sent
	Buttons []string // their actions
	File    []byte
	Name    string // of the file
	Edits   int
	Copies  int // how often it was posted; readers see it once
}
