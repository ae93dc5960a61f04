package i18n

import (
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/channel"
)

// BridgePhase translates a phase of a bridge. An unknown phase is returned unchanged.
func BridgePhase(phase string, l Lang) string { return BridgePhases.In(phase, l) }

// NoRecipient says that nobody gets what an automation sends over a channel, and which setting helps.
func NoRecipient(automation, name string) Text {
	c, _ := channel.ByName(name)
	return AutomationNoRecipient(automation, name, c.Key())
}

// SetupNotices are what people should know of a messenger before it is linked, by channel.
var SetupNotices = map[string]Text{"whatsapp": SetupNoticeWhatsApp, "telegram": SetupNoticeTelegram}

// Bridge is the state of a messenger bridge, for [Bridge.Lines].
type Bridge struct {
	Channel, Phase, Account string
	Since, Until            time.Time
	Unsent, Untaken         int
	// Do is the command that helps, or "". Problem is why the state is unknown.
	Do, Problem string
}

// BridgeTitle returns a messenger's name.
func BridgeTitle(name string) string {
	if c, ok := channel.ByName(name); ok {
		return c.Title
	}
	return name
}

// ChannelName returns the name of a channel for a reader.
func ChannelName(name string, lang Lang) string {
	switch name {
	case "cli", "tui":
		return ChannelCli.In(lang)
	case "desktop":
		return ChannelDesktop.In(lang)
	}
	return BridgeTitle(name)
}

// Lines describes a bridge in one line, and in a second one what to do.
func (b Bridge) Lines(l Lang, now time.Time) []string {
	title := BridgeTitle(b.Channel) + ": "
	if b.Problem != "" {
		return []string{title + BridgeUnknown(b.Problem).In(l)}
	}
	parts := []string{BridgePhase(b.Phase, l)}
	if b.Account != "" {
		parts = append(parts, BridgeAs(b.Account).In(l))
	}
	if b.Phase == "limited" && b.Until.After(now) {
		parts = append(parts, BridgeUntil(b.Until.Local().Format("15:04:05")).In(l))
	} else if !b.Since.IsZero() && b.Phase != "stopped" {
		parts = append(parts, BridgeSince(b.Since.Local().Format("2006-01-02 15:04:05")).In(l))
	}
	if b.Unsent > 0 {
		parts = append(parts, BridgeUnsent(b.Unsent).In(l))
	}
	if b.Untaken > 0 {
		parts = append(parts, BridgeNotHandedOver(b.Untaken).In(l))
	}
	lines := []string{title + strings.Join(parts, ", ")}
	if b.Do != "" {
		lines = append(lines, "! "+BridgeDo(b.Do).In(l))
	}
	return lines
}
