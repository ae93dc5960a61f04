package discord

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"github.com/nidoit/blunux-ai/internal/journal"
)

const (
	conversationsFile    = "conversations.json"
	maxConversationsFile = 1 << 20
	// maxConversations bounds the number of conversations. Only people who share a server with the bot can start one.
	maxConversations = 256
)

// maxUnsaved is how many messages of rooms to other people are not saved one by one. Those are fetched again after a crash.
const maxUnsaved = 64

// conversations are the people whose messages the bot receives and the rooms in which it is mentioned, and the file in
// which the last messages are saved. It is safe for concurrent use.
type conversations struct {
	path string

	mu      sync.Mutex
	saved   conversationsRecord
	dirty   bool
	unsaved int // messages of rooms to other people since the last save
}

// conversationsRecord is the content of the file. Bot is the first part of the token, which identifies the bot.
type conversationsRecord struct {
	Bot    string                  `json:"bot"`
	People map[string]conversation `json:"people"`          // by user ID
	Rooms  map[string]room         `json:"rooms,omitempty"` // by channel ID
}

// conversation is a person's channel, and the last message that was received there.
type conversation struct {
	Channel string `json:"channel"`
	Last    string `json:"last,omitempty"`
}

// room is the last message of a server's channel, the one before the first that counts, and the last one to the bot of each
// person there.
type room struct {
	Last string            `json:"last"`
	From map[string]string `json:"from,omitempty"` // by user ID
	// Since is the last message from before the channel was named, "" if it is not known.
	Since string `json:"since,omitempty"`
}

// openConversations reads the saved conversations. A damaged file counts as empty: then the messages since the last run
// are not fetched. A file of a newer version is an error, and left unchanged.
func openConversations(o Options) (*conversations, error) {
	bot, _, _ := strings.Cut(o.Token, ".")
	cs := &conversations{saved: conversationsRecord{Bot: bot, People: map[string]conversation{}, Rooms: map[string]room{}}}
	if o.Dir == "" {
		return cs, nil
	}
	cs.path = filepath.Join(o.Dir, conversationsFile)
	f, err := os.OpenFile(cs.path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return cs, nil
	}
	defer f.Close()
	var kept conversationsRecord
	data, err := io.ReadAll(io.LimitReader(f, maxConversationsFile))
	if err == nil {
		if err := journal.CheckVersion(cs.path, data); err != nil {
			return nil, fmt.Errorf("cannot read the conversations: %w", err)
		}
		err = json.Unmarshal(data, &kept)
	}
	if err != nil || kept.Bot != bot {
		if err != nil {
			o.Log.Warn().Err(err).Msg("cannot read the saved conversations")
		}
		return cs, nil
	}
	for person, k := range kept.People {
		if isSnowflake(person) && isSnowflake(k.Channel) && (k.Last == "" || isSnowflake(k.Last)) {
			cs.saved.People[person] = k
		}
	}
	for id, k := range kept.Rooms {
		if isSnowflake(id) && isSnowflake(k.Last) && (k.Since == "" || isSnowflake(k.Since)) {
			maps.DeleteFunc(k.From, func(person, message string) bool { return !isSnowflake(person) || !isSnowflake(message) })
			cs.saved.Rooms[id] = k
		}
	}
	return cs, nil
}

// of returns a person's conversation.
func (cs *conversations) of(person string) conversation {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.saved.People[person]
}

// personIn returns the person of a channel, or "" if it is not known.
func (cs *conversations) personIn(channel string) string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for person, k := range cs.saved.People {
		if k.Channel == channel {
			return person
		}
	}
	return ""
}

// all returns the conversations by person.
func (cs *conversations) all() map[string]conversation {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return maps.Clone(cs.saved.People)
}

// advance records a person's channel, and that a message there was handled; "" for none.
func (cs *conversations) advance(person, channel, message string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	k := cs.saved.People[person]
	next := conversation{channel, k.Last}
	if k.Channel != channel {
		next.Last = ""
	}
	if isLater(message, next.Last) {
		next.Last = message
	}
	if next == k {
		return
	}
	if _, known := cs.saved.People[person]; !known && len(cs.saved.People) >= maxConversations {
		delete(cs.saved.People, cs.oldest())
	}
	cs.saved.People[person], cs.dirty = next, true
}

// oldest returns the person who has been silent for the longest time.
func (cs *conversations) oldest() string {
	return slices.MinFunc(slices.Collect(maps.Keys(cs.saved.People)), func(a, b string) int {
		switch last := cs.saved.People[b].Last; {
		case isLater(last, cs.saved.People[a].Last):
			return -1
		case isLater(cs.saved.People[a].Last, last):
			return 1
		}
		return 0
	})
}

// forget removes a conversation whose channel does not exist any more.
func (cs *conversations) forget(person string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.saved.People, person)
	cs.dirty = true
}

// lastOf returns a person's last message to the bot in a room, "" if it is not known.
func (cs *conversations) lastOf(person, id string) string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.saved.Rooms[id].From[person]
}

// fetchFrom returns the message of a room after which messages are to be fetched, by a time before the last one. It is ""
// for a new room.
func (cs *conversations) fetchFrom(id string, by time.Duration) string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	k := cs.saved.Rooms[id]
	if k.Last == "" {
		return ""
	}
	if from := before(k.Last, by); isLater(from, k.Since) {
		return from
	}
	return k.Since
}

// beginRoom records the last message of a new room. Later ones count.
func (cs *conversations) beginRoom(id, last string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.saved.Rooms[id], cs.dirty = room{Last: last, Since: last}, true
}

// advanceRoom records that a message of a room was handled. person is who wrote it to the bot, "" if it is to other
// people. It reports whether the conversations should be saved now.
func (cs *conversations) advanceRoom(person, id, message string) (due bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	k := cs.saved.Rooms[id]
	if isLater(message, k.Last) {
		k.Last, cs.dirty = message, true
	}
	if person != "" && isLater(message, k.From[person]) {
		if k.From == nil || len(k.From) >= maxConversations {
			k.From = map[string]string{} // at worst, an answer is no reply
		}
		k.From[person], cs.dirty = message, true
	}
	cs.saved.Rooms[id] = k
	cs.unsaved++
	return person != "" || cs.unsaved >= maxUnsaved
}

// keepRooms forgets all rooms but these.
func (cs *conversations) keepRooms(ids []string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	before := len(cs.saved.Rooms)
	maps.DeleteFunc(cs.saved.Rooms, func(id string, _ room) bool { return !slices.Contains(ids, id) })
	cs.dirty = cs.dirty || len(cs.saved.Rooms) != before
}

// save saves the conversations if they have changed.
func (cs *conversations) save() error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.path == "" || !cs.dirty {
		return nil
	}
	data, err := json.Marshal(cs.saved)
	if err == nil {
		err = renameio.WriteFile(cs.path, append(journal.AddVersion(data), '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("cannot save the conversations: %w", err)
	}
	cs.dirty, cs.unsaved = false, 0
	return nil
}
