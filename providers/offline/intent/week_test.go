package intent

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// weekScores are how many requests of testdata/week-*.tsv are understood exactly: verb and arguments. The files were written
// without knowledge of the word lists. So was "second", of which 43 of 60 were understood at first sight; "upkeep" has
// the words for updates, the AUR, timers and causes that the lists did not lead to.
var weekScores = map[string]int{"ko": 162, "en": 161, "zh": 86, "second": 83, "upkeep": 145}

// weekRow is a request of a person's first week: language, words, verb, arguments, with | between alternatives.
type weekRow struct{ text, verb, args string }

func weekRows(t *testing.T, name string) (all []weekRow) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(f) == 4 {
			all = append(all, weekRow{f[1], f[2], asMoment(f[2], f[3])})
		}
	}
	return all
}

var weekMinutes = pattern(`\bin=(\d+)`)

// asMoment writes the minutes until a reminder as a time of day.
func asMoment(verb, args string) string {
	if verb != "reminder" {
		return args
	}
	return weekMinutes().ReplaceAllStringFunc(args, func(in string) string {
		n, _ := strconv.Atoi(in[len("in="):]) // digits
		return "at=" + weekNow().Add(time.Duration(n)*time.Minute).Format("15:04")
	})
}

// weekChains are the topics of diagnoses that start as a chain.
var weekChains = map[string]string{
	"sound": "sound", "wifi": "internet", "internet": "internet", "bluetooth": "bluetooth", "printer": "printer", "slow": "slow", "input": "input",
	"clock": "clock", "locale": "locale", "usb": "modules", "crash": "crash", "battery": "battery",
}

// weekTools are the verbs of other tools.
var weekTools = map[string]string{
	"check_disk": "disk", "check_memory": "memory", "check_updates": "updates", "update_system": "updates", "list_packages": "packages", "search_packages": "packages",
	"package_info": "packages", "check_service": "service", "manage_service": "service", "system_info": "info", "check_hardware": "info", "check_network": "info",
	"check_boot": "info", "check_processes": "info", "find_large": "large", "change_automation": "reminders",
}

// stepMeaning returns a step in the words of the files.
func stepMeaning(s Step, chain string) (verb, args string) {
	text := func(key string) string { return stringOf(s.Input[key]) }
	switch s.Tool {
	case "desktop":
		return wishMeaning(text("verb"), text("act"), text("object"), text("amount"))
	case "diagnose":
		return "diagnose", "topic=" + text("topic")
	case "install_package":
		return "install=" + text("name"), "-"
	case "remove_package":
		return "remove=" + text("name"), "-"
	case "remember":
		return "remember", "text=" + text("text")
	case "recall":
		return "recall", "query=" + text("query")
	case "schedule":
		if text("check") != "" {
			if s.Input["over"] == nil {
				return "watch", "thing=" + text("check")
			}
			return "watch", fmt.Sprintf("thing=%s;over=%v", text("check"), s.Input["over"])
		}
		if text("on") != "" {
			kind, _, _ := strings.Cut(text("on"), ":")
			return "watch", "thing=" + kind
		}
		if at := text("at"); at != "" && text("say") == "" {
			return "reminder", reminderTime(at)
		} else if at != "" {
			return "reminder", reminderTime(at) + ";text=" + text("say")
		}
		return "reminder", "cron=" + text("cron") + ";text=" + text("say") + text("task")
	case "preview_upgrade":
		return "preview", "-"
	case "pacnew":
		return "pacnew", "-"
	case "recent_changes":
		return chain, "-"
	case "read_logs":
		if text("log") == "packages" {
			return "packages", "-"
		}
		if weekChains[chain] == "" {
			return "logs", "-"
		}
	case "fetch_page":
		if text("url") == ArchNews {
			return "news", "-"
		}
	case "list_automations":
		return "reminders", "list"
	case "remove_automation":
		return "reminders", "cancel"
	case "explain":
		return "explain", "command=" + text("command")
	case "check_network":
		if text("scope") == "wifi" && chain != "wifi" {
			return "wifi", "list"
		}
	case "run_command":
		switch c := text("command"); {
		case strings.HasPrefix(c, "lsblk -P"):
			return "eject", "-"
		case c == "uname -n":
			return "hostname", "show"
		default:
			return "run", c
		}
	}
	if topic := weekChains[chain]; topic != "" {
		return "diagnose", "topic=" + topic
	}
	return weekTools[s.Tool], "-"
}

// weekNow is when the requests are made.
func weekNow() time.Time { return time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC) }

// reminderTime returns a moment as the files write it: a time of day.
func reminderTime(at string) string {
	if i := strings.LastIndexAny(at, " T"); i >= 0 && len(at) >= i+6 {
		return "at=" + at[i+1:i+6]
	}
	return "at=" + at
}

func wishMeaning(verb, act, object, amount string) (string, string) {
	with := func(name, value string) string {
		if value == "" {
			return name
		}
		return name + "=" + value
	}
	switch verb {
	case "volume", "microphone", "brightness":
		if act == "set" {
			return verb, "set=" + amount
		}
		return verb, act
	case "wifi", "bluetooth", "output":
		return verb, with(act, object)
	case "session":
		switch {
		case strings.Contains(amount, ":"):
			act += ";at=" + amount
		case amount != "":
			act += ";in=" + amount
		}
		return verb, act
	case "close":
		if act == "force" {
			return verb, "program=" + object + ";force"
		}
		return verb, "program=" + object
	case "open", "default", "print":
		return verb, with(act, object)
	case "timezone", "hostname", "layout", "language", "autostart":
		return verb, with(act, object)
	case "screen", "blank":
		return verb, with(act, strings.ReplaceAll(amount, ":", "x"))
	case "clipboard":
		return verb, with(act, object)
	case "find":
		var name, rest []string
		for word := range strings.FieldsSeq(object) {
			if key, value, ok := strings.Cut(word, ":"); ok {
				rest = append(rest, key+"="+value)
			} else {
				name = append(name, word)
			}
		}
		if len(name) > 0 {
			rest = append([]string{"name=" + strings.Join(name, " ")}, rest...)
		}
		return verb, strings.Join(rest, ";")
	case "old", "duplicates":
		return verb, "-"
	}
	return verb, act
}

// weekMeaning returns what a plan does in the words of the files.
func weekMeaning(p Plan) (verb, args string) {
	switch p.Kind {
	case KindRefuse:
		if strings.HasPrefix(p.Topic, "scam") {
			return "scam", "-"
		}
		return "refuse", "-"
	case KindAsk:
		return "ask", "-"
	case KindCall:
		var verbs, all []string
		for i, s := range p.Steps {
			chain := ""
			if i < len(p.Diagnoses) {
				chain = p.Diagnoses[i]
			}
			v, a := stepMeaning(s, chain)
			verbs, all = append(verbs, v), append(all, a)
		}
		return strings.Join(verbs, "+"), strings.Join(all, "+")
	case KindNone:
		if p.Topic == "device" {
			return "device", "-"
		}
		return "none", "-"
	}
	return string(p.Kind), "-"
}

// isOneOf reports whether a word is one of the alternatives, without regard to case.
func isOneOf(word, alternatives string) bool {
	return slices.ContainsFunc(strings.Split(alternatives, "|"), func(a string) bool {
		return strings.EqualFold(strings.ReplaceAll(a, " ", ""), strings.ReplaceAll(word, " ", ""))
	})
}

// weekLooks are the acts of wishes that change nothing.
var weekLooks = set("show", "camera", "microphone", "time", "list", "where", "password", "file")

// isWrongChange reports whether a plan would change something else than a request asks for.
func (w weekRow) isWrongChange(p Plan) bool {
	if p.Kind != KindCall {
		return false
	}
	verbs := strings.FieldsFunc(w.verb, func(r rune) bool { return r == '|' || r == '+' })
	for i := range verbs {
		verbs[i], _, _ = strings.Cut(verbs[i], "=")
	}
	for _, s := range p.Steps {
		v, _ := stepMeaning(s, "")
		v, _, _ = strings.Cut(v, "=")
		changes := !s.IsReadOnly() && s.Tool != "run_command" || s.Tool == "desktop" && !weekLooks[stringOf(s.Input["act"])]
		if changes && !slices.Contains(verbs, v) {
			return true
		}
	}
	return false
}

// TestTheFirstWeekIsUnderstood: the reached scores are held, and no request changes something else.
func TestTheFirstWeekIsUnderstood(t *testing.T) {
	for _, lang := range slices.Sorted(maps.Keys(weekScores)) {
		right := 0
		all := weekRows(t, "testdata/week-"+lang+".tsv")
		for _, w := range all {
			p := BuiltIn().Understand(w.text, Context{Now: weekNow()})
			if verb, args := weekMeaning(p); isOneOf(verb, w.verb) && isOneOf(args, w.args) {
				right++
			}
			require.False(t, w.isWrongChange(p), "%s: %s", w.text, p.Why())
		}
		t.Logf("%s: %d of %d", lang, right, len(all))
		require.GreaterOrEqual(t, right, weekScores[lang], "%s: %d of %d", lang, right, len(all))
	}
}
