package check

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/internal/lazyregexp"
	"github.com/nidoit/blunux-ai/machine"
)

const (
	// journalLines is the maximum number of messages to read. The newest are read.
	journalLines = 1000
	// maxSeen bounds how many kinds of messages are remembered, and seenDays for how many days.
	maxSeen  = 400
	seenDays = 30
	// maxNew is how many new kinds of messages a look reports individually.
	maxNew = 5
)

// seesJournal reports whether the user can read some, and all, of the journal. It reports the unreadable part as the
// unknown subject unseen.
//
// It requests no messages and no JSON, because journalctl does not print hints about missing permissions with JSON.
func (l *look) seesJournal(unseen string) (some, all bool) {
	out, ok := l.run(l.row.name, machine.JournalProbe...)
	access, why := machine.ParseJournalAccess([]byte(out.Stderr)), Reason("")
	switch {
	case !ok:
		return false, false
	case access.Denied:
		why = ReasonRights
	case access.Absent:
		why = ReasonAbsent
	case out.Exit != 0 || !strings.HasPrefix(strings.TrimSpace(out.Stdout), "-- ") && !out.empty():
		why = outputProblem(out)
	case access.OwnOnly:
		l.unknown(unseen, ReasonRights, "journalctl")
		return true, false
	default:
		return true, true
	}
	l.unknown(l.row.name, why, "journalctl")
	return false, false
}

// journal reads messages from a readable journal.
func (l *look) journal(since time.Time, match ...string) ([]machine.JournalEntry, Output, bool) {
	argv := []string{
		"journalctl", "-o", "json", "--no-pager", "-n", strconv.Itoa(journalLines), fmt.Sprintf("--since=@%d", since.Unix()),
		"--output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_PID",
	}
	out, ok := l.run(l.row.name, append(argv, match...)...)
	all, err := machine.ParseJournal([]byte(out.Stdout))
	switch {
	case !ok:
		return nil, out, false
	case out.Exit != 0:
		l.unknown(l.row.name, outputProblem(out), "journalctl")
		return nil, out, false
	case err != nil && !out.Truncated || len(all) == 0 && out.Truncated:
		l.unknown(l.row.name, ReasonUnreadable, "journalctl")
		return nil, out, false
	}
	return all, out, true
}

var (
	uuidForm  = lazyregexp.New(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	pathForm  = lazyregexp.New(`(?:/[\pL\pN_.:@+%~-]+)+/?`)
	hexForm   = lazyregexp.New(`\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{8,}|(?:[0-9a-fA-F]{2}:){3,}[0-9a-fA-F]{2})\b`)
	digitForm = lazyregexp.New(`\pN+`)
)

// messageKind returns the common form of messages that differ only in numbers, addresses, paths and identifiers.
func messageKind(text string) string {
	if len(text) > 2048 {
		text = strings.ToValidUTF8(text[:2048], "")
	}
	text = uuidForm.ReplaceAllString(text, "#")
	text = pathForm.ReplaceAllString(text, "/")
	text = hexForm.ReplaceAllString(text, "#")
	text = digitForm.ReplaceAllString(text, "#")
	return display(text, 200)
}

// fingerprint identifies the kind of a message across looks.
func fingerprint(m machine.JournalEntry) string {
	sum := sha256.Sum256([]byte(digitForm.ReplaceAllString(m.Source, "#") + "\x00" + messageKind(m.Text)))
	return hex.EncodeToString(sum[:6])
}

// journalState is the state of journalErrors between looks: the kinds of messages with the day (since 1970) of their
// latest occurrence, and the time up to which the journal was read, in microseconds.
type journalState struct {
	Kinds map[string]int `json:"kinds"`
	Last  int64          `json:"last"`
}

// parseState parses the stored state. ok is false if there is no valid state, in which case this look only learns.
func parseState(kept json.RawMessage) (s journalState, ok bool) {
	if len(kept) == 0 || json.Unmarshal(kept, &s) != nil || s.Kinds == nil || s.Last <= 0 {
		return journalState{Kinds: map[string]int{}}, false
	}
	return s, true
}

// forget drops old kinds, and the oldest ones above the limit.
func (s *journalState) forget(today int) {
	maps.DeleteFunc(s.Kinds, func(_ string, on int) bool { return on < today-seenDays || on > today+1 })
	if len(s.Kinds) <= maxSeen {
		return
	}
	kinds := slices.SortedFunc(maps.Keys(s.Kinds), func(a, b string) int {
		return cmp.Or(s.Kinds[b]-s.Kinds[a], strings.Compare(a, b))
	})
	for _, k := range kinds[maxSeen:] {
		delete(s.Kinds, k)
	}
}

func dayOf(t time.Time) int { return int(t.Unix() / 86400) }

func journalErrors(l *look) {
	now := l.p.Now
	s, learned := parseState(l.p.Previous)
	l.res.Keep = l.p.Previous // unless this look succeeds
	since := now.Add(-day)
	switch last := time.UnixMicro(s.Last); {
	case !learned:
		since = now.Add(-seenDays * day)
	case last.After(now):
		s.Last = now.UnixMicro() // the clock was set back
	case last.Before(since):
		since = last
	}
	if limit := now.Add(-seenDays * day); since.Before(limit) {
		since = limit
	}
	some, whole := l.seesJournal("journal_errors:system")
	if !some {
		return
	}
	all, out, ok := l.journal(since, "-p", "err")
	if !ok {
		return
	}
	l.errorRate(all, out.Truncated || len(all) >= journalLines, whole)
	kinds := s.learn(all, now)
	if learned {
		l.reportNew(kinds)
	}
	s.forget(dayOf(now))
	if kept, err := json.Marshal(s); err == nil {
		l.res.Keep = kept
	}
}

// errorRate counts the errors of the last hour and of the last day. Messages of this user's programs alone are
// not reported as a figure.
func (l *look) errorRate(all []machine.JournalEntry, partial, everyone bool) {
	hour, whole := int64(0), int64(0)
	for _, m := range all {
		if m.At.After(l.p.Now.Add(-time.Hour)) {
			hour++
		}
		if m.At.After(l.p.Now.Add(-day)) {
			whole++
		}
	}
	f := Finding{
		Key: "journal_errors:rate", Severity: Warning, Code: "journal_rate", Fix: "journalctl -p err --since -1h",
		Args: Args{Count: hour, AtLeast: partial && hour == int64(len(all)), Limit: l.over()},
	}
	switch {
	case float64(hour) > l.over():
		l.find(f)
	case float64(hour) > l.over()*0.8:
		l.near(f.Key)
	}
	if everyone {
		l.figure(Figure{Key: "journal_errors", Value: float64(whole), Unit: Number, AtLeast: partial && whole == int64(len(all))})
	}
}

type newKind struct {
	print string
	first machine.JournalEntry
	count int64
}

// learn records the messages since the last look and returns the new kinds, the most severe first.
func (s *journalState) learn(all []machine.JournalEntry, now time.Time) []*newKind {
	fresh, last := map[string]*newKind{}, s.Last
	for _, m := range all {
		micro := m.At.UnixMicro()
		if micro <= last || m.At.After(now.Add(time.Minute)) {
			continue
		}
		s.Last = max(s.Last, micro)
		print := fingerprint(m)
		if on, met := s.Kinds[print]; met && fresh[print] == nil && dayOf(m.At)-on <= seenDays {
			s.Kinds[print] = max(on, dayOf(m.At))
			continue
		}
		s.Kinds[print] = dayOf(m.At)
		if fresh[print] == nil {
			fresh[print] = &newKind{print: print, first: m}
		}
		fresh[print].count++
		fresh[print].first.Priority = min(fresh[print].first.Priority, m.Priority)
	}
	if s.Last == 0 {
		s.Last = now.UnixMicro()
	}
	return slices.SortedFunc(maps.Values(fresh), func(a, b *newKind) int {
		return cmp.Or(a.first.Priority-b.first.Priority, cmp.Compare(b.count, a.count), strings.Compare(a.print, b.print))
	})
}

func (l *look) reportNew(kinds []*newKind) {
	for _, k := range kinds[:min(maxNew, len(kinds))] {
		f := Finding{
			Key: "journal_errors:new:" + k.print, Severity: Notice, Code: "journal_new", Event: true,
			Args: Args{Name: display(k.first.Source, 40), Detail: display(k.first.Text, 120), Count: k.count},
		}
		if k.first.Priority <= 2 { // emerg, alert, crit
			f.Severity = Warning
		}
		l.find(f)
	}
	if rest := len(kinds) - maxNew; rest > 0 {
		l.find(Finding{
			Key: fmt.Sprintf("journal_errors:more:%d", l.p.Now.Unix()), Severity: Notice, Code: "journal_more", Event: true,
			Args: Args{Count: int64(rest)}, Fix: "journalctl -p err --since today",
		})
	}
}

// Messages of failed logins: OpenSSH (auth.c, auth_log; packet.c, sshpkt_vfatal), sudo (logging.c), su and login
// of util-linux, and pam_unix(8).
var (
	sshFailed   = lazyregexp.New(`^Failed [\w/-]+ for (?:invalid user )?.* from (\S+) port \d+`)
	sshInvalid  = lazyregexp.New(`^Invalid user .* from (\S+) port \d+`)
	sshClosed   = lazyregexp.New(`^Connection (?:closed|reset) by (?:authenticating|invalid) user .* (\S+) port \d+`)
	sudoFailed  = lazyregexp.New(`: (\d{1,3}) incorrect password attempts? ;`)
	localFailed = lazyregexp.New(`^FAILED (?:SU|LOGIN)\b|^pam_unix\([\w-]+:auth\): authentication failure;`)
)

// attempt returns the source and the kind of the login failure that a message reports, or an empty kind for other
// messages. One failure can cause several kinds of messages.
func attempt(m machine.JournalEntry) (from, kind string, count int64) {
	switch m.Source {
	case "sshd", "sshd-session", "sshd-auth":
		for kind, form := range map[string]*lazyregexp.Regexp{"failed": sshFailed, "invalid": sshInvalid, "closed": sshClosed} {
			if s := form.FindStringSubmatch(m.Text); s != nil {
				return source(s[1]), kind, 1
			}
		}
	case "sudo":
		if s := sudoFailed.FindStringSubmatch(m.Text); s != nil {
			return "sudo", "failed", int64(number(s[1]))
		}
		if localFailed.MatchString(m.Text) {
			return "sudo", "pam", 1
		}
	case "su", "login":
		if localFailed.MatchString(m.Text) {
			return m.Source, m.Text[:min(6, len(m.Text))], 1
		}
	}
	return "", "", 0
}

// source returns a normalized address, or "?" for anything else.
func source(word string) string {
	if a, err := netip.ParseAddr(word); err == nil {
		return a.WithZone("").String()
	}
	return "?"
}

// failures counts failed logins by source. If a source has several kinds of messages, only the most frequent kind
// counts.
func failures(all []machine.JournalEntry) (total int64, by map[string]int64) {
	kinds := map[string]map[string]int64{}
	for _, m := range all {
		from, kind, n := attempt(m)
		if kind == "" {
			continue
		}
		if kinds[from] == nil {
			kinds[from] = map[string]int64{}
		}
		kinds[from][kind] += n
	}
	by = map[string]int64{}
	for from, ways := range kinds {
		by[from] = slices.Max(slices.Collect(maps.Values(ways)))
		total += by[from]
	}
	return total, by
}

func logins(l *look) {
	within := cmp.Or(l.p.Within, l.row.within)
	// Failed logins are in the system's part of the journal.
	if _, all := l.seesJournal("logins"); !all {
		return
	}
	all, out, ok := l.journal(l.p.Now.Add(-within), "-t", "sshd", "-t", "sshd-session", "-t", "sshd-auth", "-t", "sudo", "-t", "su", "-t", "login")
	if !ok {
		return
	}
	total, by := failures(all)
	partial := out.Truncated || len(all) >= journalLines
	l.figure(Figure{Key: "logins", Value: float64(total), Unit: Number, AtLeast: partial})
	f := Finding{
		Key: "logins", Severity: Warning, Code: "logins_failed", Fix: "journalctl -t sshd -t sshd-session --since today",
		Args: Args{Count: total, For: within, Names: worstSources(by), AtLeast: partial},
	}
	if local := by["sudo"] + by["su"] + by["login"]; local == total {
		f.Fix = "journalctl -t sudo -t su -t login --since today"
	}
	switch {
	case float64(total) > l.over():
		l.find(f)
	case float64(total) > l.over()*0.8 || partial:
		l.near(f.Key)
	}
}

// worstSources returns the three sources with the most failures, with their counts.
func worstSources(by map[string]int64) []string {
	from := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	from = from[:min(3, len(from))]
	for i, f := range from {
		from[i] = fmt.Sprintf("%s ×%d", f, by[f])
	}
	return from
}
