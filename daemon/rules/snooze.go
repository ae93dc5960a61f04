package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/automation"
	"github.com/nidoit/blunux-ai/daemon/post"
	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/internal/lazyregexp"
)

// snoozeWords match a request to mute, with the duration before or after the word.
var snoozeWords = lazyregexp.New(`(?i)^\s*(?:(?:snooze|mute|스누즈|미루기|조용히|静音|稍后)\s*[:：]?\s*(.{0,30}?)|(.{1,20}?)\s*(?:동안\s*|만\s*|간\s*)?(?:조용히(?:\s*해\s*줘?)?|미뤄\s*줘?|스누즈|静音))\s*[.!。！]*\s*$`)

// parseSnooze returns for how long a text asks to mute. The default is a day.
func parseSnooze(text string) (time.Duration, bool) {
	m := snoozeWords.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	span := strings.TrimSpace(m[1] + m[2])
	if span == "" {
		return 24 * time.Hour, true
	}
	d, err := automation.ParseSpan(strings.TrimSuffix(strings.TrimPrefix(span, "for "), "동안"))
	return d, err == nil
}

// SnoozeReply handles a text that asks to mute: it mutes the rule that last reported something to this address
// within a week.
func (a *Automations) SnoozeReply(channel, name, text string, lang i18n.Lang) (reply string, ok bool) {
	span, asked := parseSnooze(text)
	if !asked {
		return "", false
	}
	for _, r := range a.runs.ledger.History("", 0) {
		if !r.Fired || a.machine.Now().Sub(r.Ended) > 7*24*time.Hour {
			continue
		}
		p, known := a.rule(r.Rule)
		if !known || p.Check == "" {
			continue
		}
		here := slices.Contains(a.addresses(p.Rule), post.Address{Channel: channel, To: name})
		if !here && !slices.Contains(post.AtTheMachine, channel) {
			continue
		}
		return i18n.AutomationQuiet(i18n.RuleName(p.Name, lang), a.formatTime(a.conditions.snooze(p.Name, span), lang)).In(lang), true
	}
	return "", false
}

// formatTime formats a time in the person's zone and language.
func (a *Automations) formatTime(t time.Time, lang i18n.Lang) string {
	return automation.When(lang, a.machine.Now(), t, a.machine.Zone())
}
