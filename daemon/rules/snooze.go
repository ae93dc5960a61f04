package rules

import (
	"slices"
	"strings"
	"time"
	"unicode"

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

// againWords match a request to be reminded again of what was just said.
var againWords = lazyregexp.New(`(?i)^\s*(?:(?:please\s+)?(?:remind|tell)\s+me\s+again\s+in\s+(.{1,20}?)|(?:again\s+)?in\s+(.{1,20}?)\s+again|(.{1,20}?)\s*(?:뒤|후|있다가?|이따가?)(?:에)?\s*다시(?:\s*(?:한\s*번\s*)?(?:알려|말해|깨워)\s*(?:줘|주세요|줄래)?)?|(?:请)?(?:过)?(.{1,12}?)(?:后|以后|之后)(?:请)?再(?:次)?(?:提醒|叫|告诉|通知)(?:我)?(?:一次|一下)?)(?:요|吧)?\s*(?:please)?\s*[.!。！]*\s*$`)

// parseAgain returns after how long a text asks to be reminded again.
func parseAgain(text string) (time.Duration, bool) {
	m := againWords.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	d, err := automation.ParseSpan(spokenSpans.Replace(strings.Join(m[1:], "")))
	return d, err == nil
}

// spokenSpans replaces spans in words by ones in figures.
var spokenSpans = strings.NewReplacer("half an hour", "30m", "an hour", "1h", "a minute", "1m", "반시간", "30분", "반 시간", "30분", "한시간", "1시간",
	"한 시간", "1시간", "半个小时", "30分", "半小时", "30分", "一个小时", "1小时", "一小时", "1小时", "十分钟", "10分", "五分钟", "5分")

// SnoozeReply handles a text that asks to mute: it mutes the rule that last reported something to this address
// within a week.
func (a *Automations) SnoozeReply(channel, name, text string, lang i18n.Lang) (reply string, ok bool) {
	if again, asked := parseAgain(text); asked {
		return a.againReply(channel, name, again, lang)
	}
	span, asked := parseSnooze(text)
	if !asked {
		return "", false
	}
	if sent, ok := a.lastReminder(post.Address{Channel: channel, To: name}); ok && span <= 24*time.Hour {
		if !strings.ContainsFunc(text, unicode.IsDigit) {
			span = remindAgain // only the word
		}
		return a.againReplyTo(sent, span, lang)
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

// againReply reminds an address again of what was last said there.
func (a *Automations) againReply(channel, name string, span time.Duration, lang i18n.Lang) (reply string, ok bool) {
	sent, ok := a.lastReminder(post.Address{Channel: channel, To: name})
	if !ok {
		return "", false
	}
	return a.againReplyTo(sent, span, lang)
}

func (a *Automations) againReplyTo(sent automation.Run, span time.Duration, lang i18n.Lang) (reply string, ok bool) {
	due, err := a.remindLater(sent, span)
	if err != nil {
		return a.Failure(err, lang).Message, true
	}
	return i18n.ReminderAgain(sent.Say, a.formatTime(due, lang)).In(lang), true
}

// formatTime formats a time in the person's zone and language.
func (a *Automations) formatTime(t time.Time, lang i18n.Lang) string {
	return automation.When(lang, a.machine.Now(), t, a.machine.Zone())
}
