package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
)

// Telegram is the [telegram] table, read by the bridge.
type Telegram struct {
	// AllowedChats are the chats of two that are listened to, by id; nobody where it
	// is empty. A group's id has a minus sign (Bot API, Chat.id) and is refused: in a
	// group anybody could answer for the person.
	AllowedChats []string `toml:"allowed_chats"`
}

// Discord is the [discord] table, read by the bridge.
type Discord struct {
	// AllowedUsers are the people who are listened to, by id; nobody where it is
	// empty (Discord developer documentation, "Snowflakes").
	AllowedUsers []string `toml:"allowed_users"`
}

// The bounds of lists of senders, and what an id is made of: 64 bits have at
// most 20 digits.
const maxSenders = 200

var (
	userID  = regexp.MustCompile(`^[0-9]{1,20}$`)
	groupID = regexp.MustCompile(`^-[0-9]{1,20}$`)
	number  = regexp.MustCompile(`^\+?[0-9][0-9() .-]*$`)
	notE164 = strings.NewReplacer("+", "", "(", "", ")", "", " ", "", ".", "", "-", "")
)

// The digits of a telephone number with its country's, E.164.
const leastDigits, mostDigits = 7, 15

// Number returns a telephone number's digits, E.164 without the plus; "" for what is
// none.
func Number(s string) string {
	digits := notE164.Replace(s)
	if !number.MatchString(s) || len(digits) < leastDigits || len(digits) > mostDigits {
		return ""
	}
	return digits
}

func isNumber(s string) bool { return Number(s) != "" }

// ChatID reports whether a text can be the id of a Telegram chat of two people.
func ChatID(s string) bool { return userID.MatchString(s) }

// UserID reports whether a text can be the id of a Discord user.
func UserID(s string) bool { return userID.MatchString(s) }

// badSender finds an id that cannot be one.
func (c *Config) badSender() problem {
	for _, list := range []struct {
		key string
		ids []string
		ok  func(string) bool
		is  i18n.Text
	}{
		{"whatsapp.allowed_numbers", c.WhatsApp.AllowedNumbers, isNumber, i18n.SettingPhone},
		{"telegram.allowed_chats", c.Telegram.AllowedChats, ChatID, i18n.SettingChatID},
		{"discord.allowed_users", c.Discord.AllowedUsers, UserID, i18n.SettingUserID},
	} {
		for i, id := range list.ids {
			key := fmt.Sprintf("%s[%d]", list.key, i)
			switch {
			case i >= maxSenders:
				return problem{key, i18n.SettingTooMany.With(list.key, maxSenders)}
			case list.key == "telegram.allowed_chats" && groupID.MatchString(id):
				return problem{key, i18n.SettingGroup.With(list.key, id)}
			case !list.ok(id):
				return problem{key, list.is.With(list.key, id)}
			}
		}
	}
	return problem{}
}
