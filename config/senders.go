package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/channel"
)

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
	case c.Chats && groupID.MatchString(id):
		return i18n.SettingGroup(c.Key(), id)
	case c.Chats:
		return i18n.SettingChatId(c.Key(), id)
	}
	return i18n.SettingUserId(c.Key(), id)
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
