// Package channel is the table of the messengers. The settings, setup, doctor, automations, the daemon and the bridges
// read from it what they need to know about each.
package channel

import "slices"

// Channel is a messenger over which admitted senders reach the assistant.
type Channel struct {
	Name  string // on the wire, in the settings and as a directory
	Title string // display name
	// Senders is the setting in the table [Name] that lists who may write.
	Senders string
	// Phones reports that senders are telephone numbers (E.164); otherwise they are the server's numeric ids.
	Phones bool
	// Chats reports that the ids are those of chats, and that a group's id has a minus sign; otherwise they are of users.
	Chats bool
	// Program and Unit are the bridge and its user unit, or "" for a channel that has no bridge of ours.
	Program, Unit string
	// Login is the file in the channel's directory that a login creates and a logout deletes. The systemd unit starts
	// only if it exists.
	Login string
	// KeepsAccount reports that a login keeps an existing account, even if the server has ended the session. A new
	// login then needs --again.
	KeepsAccount bool

	// Rooms is the setting in the table [Name] that lists the channels of servers in which the senders may also write, ""
	// if there is none.
	Rooms string

	senders func(*Settings) *[]string
	rooms   func(*Settings) []string
}

// Settings are the tables of the channels in the configuration. An empty list of senders admits only paired senders.
type Settings struct {
	WhatsApp struct {
		AllowedNumbers       []string `toml:"allowed_numbers"`
		RequirePrefix        bool     `toml:"require_prefix"`
		SessionTimeout       int      `toml:"session_timeout"` // seconds
		MaxMessagesPerMinute int      `toml:"max_messages_per_minute"`
	} `toml:"whatsapp"`
	Telegram struct {
		AllowedChats []string `toml:"allowed_chats"` // private chats; anybody in a group could answer for the person
	} `toml:"telegram"`
	Discord struct {
		AllowedUsers []string `toml:"allowed_users"`
		Channels     []string `toml:"channels"` // of servers, in which these people may mention the bot
	} `toml:"discord"`
}

// Senders returns the list of a channel's admitted senders, for reading and changing. An unknown channel has an empty
// one.
func (s *Settings) Senders(name string) *[]string {
	if c, ok := ByName(name); ok {
		return c.senders(s)
	}
	return new([]string)
}

// RoomsOf returns the list of a channel's rooms.
func (s *Settings) RoomsOf(name string) []string {
	if c, ok := ByName(name); ok && c.rooms != nil {
		return c.rooms(s)
	}
	return nil
}

// All returns the channels in display order.
func All() []Channel {
	return []Channel{
		{
			Name: "whatsapp", Title: "WhatsApp", Senders: "allowed_numbers", Phones: true,
			Program: "blunux-wa-bridge", Unit: "blunux-wa-bridge.service", Login: "session/store.db", KeepsAccount: true,
			senders: func(s *Settings) *[]string { return &s.WhatsApp.AllowedNumbers },
		},
		{
			Name: "telegram", Title: "Telegram", Senders: "allowed_chats", Chats: true,
			Program: "blunux-telegram-bridge", Unit: "blunux-telegram-bridge.service", Login: "token",
			senders: func(s *Settings) *[]string { return &s.Telegram.AllowedChats },
		},
		{
			Name: "discord", Title: "Discord", Senders: "allowed_users", Rooms: "channels",
			Program: "blunux-discord-bridge", Unit: "blunux-discord-bridge.service", Login: "token",
			senders: func(s *Settings) *[]string { return &s.Discord.AllowedUsers },
			rooms:   func(s *Settings) []string { return s.Discord.Channels },
		},
	}
}

// WithBridge returns the channels that have a bridge, in display order.
func WithBridge() []Channel {
	return slices.DeleteFunc(All(), func(c Channel) bool { return c.Program == "" })
}

// Names returns the names of the channels in display order.
func Names() []string {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
	}
	return names
}

// ByName returns a channel by its name.
func ByName(name string) (Channel, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Channel{}, false
}

// Key returns the setting that lists the senders, such as telegram.allowed_chats.
func (c Channel) Key() string { return c.Name + "." + c.Senders }

// RoomsKey returns the setting that lists the rooms, such as discord.channels.
func (c Channel) RoomsKey() string { return c.Name + "." + c.Rooms }
