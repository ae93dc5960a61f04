package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
)

// Telegram is the [telegram] table, read by the bridge.
type Telegram struct {
	// AllowedChats are the ids of the private chats that may write to the assistant; empty means none. A group's
	// id has a minus sign (Bot API, Chat.id) and is refused, because anybody in a group could answer for the
	// person.
	AllowedChats []string `toml:"allowed_chats"`
}

// Discord is the [discord] table, read by the bridge.
type Discord struct {
	// AllowedUsers are the ids of the users who may write to the assistant; empty means none (Discord developer
	// documentation, "Snowflakes").
	AllowedUsers []string `toml:"allowed_users"`
}

// Bound of lists of senders, and the format of ids: 64 bits have at most 20 digits.
const maxSenders = 200

var (
	userID  = regexp.MustCompile(`^[0-9]{1,20}$`)
	groupID = regexp.MustCompile(`^-[0-9]{1,20}$`)
	number  = regexp.MustCompile(`^\+?[0-9][0-9() .-]*$`)
	notE164 = strings.NewReplacer("+", "", "(", "", ")", "", " ", "", ".", "", "-", "")
)

// Number of digits of an international telephone number, E.164.
const leastDigits, mostDigits = 7, 15

// PhoneDigits returns a telephone number's digits, E.164 without the plus, or "" if it is invalid.
func PhoneDigits(s string) string {
	digits := notE164.Replace(s)
	if !number.MatchString(s) || len(digits) < leastDigits || len(digits) > mostDigits {
		return ""
	}
	return digits
}

// IsSender reports whether a text can be a sender of a channel: a telephone number, or an id of the channel's server.
func IsSender(c channel.Channel, s string) bool {
	if c.Phones {
		return PhoneDigits(s) != ""
	}
	return userID.MatchString(s)
}

// badSenderText explains what a sender of a channel looks like.
func badSenderText(c channel.Channel, id string) i18n.Text {
	switch {
	case c.Phones:
		return i18n.SettingPhone(c.Key(), id)
	case c.Name == "telegram" && groupID.MatchString(id):
		return i18n.SettingGroup(c.Key(), id)
	case c.Name == "telegram":
		return i18n.SettingChatId(c.Key(), id)
	}
	return i18n.SettingUserId(c.Key(), id)
}

// Senders returns the list of a channel's admitted senders, for reading and changing. An unknown channel has an empty
// one.
func (c *Config) Senders(name string) *[]string {
	switch name {
	case "whatsapp":
		return &c.WhatsApp.AllowedNumbers
	case "telegram":
		return &c.Telegram.AllowedChats
	case "discord":
		return &c.Discord.AllowedUsers
	}
	return new([]string)
}

// badSender returns the first invalid id.
func (c *Config) badSender() problem {
	for _, ch := range channel.All() {
		for i, id := range *c.Senders(ch.Name) {
			key := fmt.Sprintf("%s[%d]", ch.Key(), i)
			switch {
			case i >= maxSenders:
				return problem{key, i18n.SettingTooMany(ch.Key(), maxSenders)}
			case !IsSender(ch, id):
				return problem{key, badSenderText(ch, id)}
			}
		}
	}
	return problem{}
}
