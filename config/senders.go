package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
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

func isNumber(s string) bool { return PhoneDigits(s) != "" }

// IsChatID reports whether a text can be the id of a private Telegram chat.
func IsChatID(s string) bool { return userID.MatchString(s) }

// IsUserID reports whether a text can be the id of a Discord user.
func IsUserID(s string) bool { return userID.MatchString(s) }

// badSender returns the first invalid id.
func (c *Config) badSender() problem {
	for _, list := range []struct {
		key string
		ids []string
		ok  func(string) bool
		is  func(key, id string) i18n.Text
	}{
		{"whatsapp.allowed_numbers", c.WhatsApp.AllowedNumbers, isNumber, i18n.SettingPhone},
		{"telegram.allowed_chats", c.Telegram.AllowedChats, IsChatID, i18n.SettingChatId},
		{"discord.allowed_users", c.Discord.AllowedUsers, IsUserID, i18n.SettingUserId},
	} {
		for i, id := range list.ids {
			key := fmt.Sprintf("%s[%d]", list.key, i)
			switch {
			case i >= maxSenders:
				return problem{key, i18n.SettingTooMany(list.key, maxSenders)}
			case list.key == "telegram.allowed_chats" && groupID.MatchString(id):
				return problem{key, i18n.SettingGroup(list.key, id)}
			case !list.ok(id):
				return problem{key, list.is(list.key, id)}
			}
		}
	}
	return problem{}
}
