package check

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"

	"github.com/nidoit/blunux-ai/machine"
)

// Messages of failed logins: OpenSSH (auth.c, auth_log; packet.c, sshpkt_vfatal), sudo (logging.c), su and login
// of util-linux, and pam_unix(8).
var (
	sshFailed   = regexp.MustCompile(`^Failed [\w/-]+ for (?:invalid user )?.* from (\S+) port \d+`)
	sshInvalid  = regexp.MustCompile(`^Invalid user .* from (\S+) port \d+`)
	sshClosed   = regexp.MustCompile(`^Connection (?:closed|reset) by (?:authenticating|invalid) user .* (\S+) port \d+`)
	sudoFailed  = regexp.MustCompile(`: (\d{1,3}) incorrect password attempts? ;`)
	localFailed = regexp.MustCompile(`^FAILED (?:SU|LOGIN)\b|^pam_unix\([\w-]+:auth\): authentication failure;`)
)

// attempt returns the source and the kind of the login failure that a message reports, or an empty kind for other
// messages. One failure can cause several kinds of messages.
func attempt(m machine.JournalEntry) (from, kind string, count int64) {
	switch m.Source {
	case "sshd", "sshd-session", "sshd-auth":
		for kind, form := range map[string]*regexp.Regexp{"failed": sshFailed, "invalid": sshInvalid, "closed": sshClosed} {
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
	var out []string
	for _, f := range from[:min(3, len(from))] {
		out = append(out, fmt.Sprintf("%s ×%d", f, by[f]))
	}
	return out
}
