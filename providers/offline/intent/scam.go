package intent

import (
	"regexp"
	"sync"
)

// scam is one line of scams.tsv: how people tell of an attempt to deceive them.
type scam struct {
	kind  string
	about func() *regexp.Regexp
	asked func() *regexp.Regexp
}

var scams = sync.OnceValue(func() []scam {
	var out []scam
	rows("scams.tsv", func(f []string) {
		out = append(out, scam{f[0], pattern(`(?i)` + f[1]), pattern(`(?i)` + f[2])})
	})
	return out
})

// decideScam warns of what looks like an attempt to deceive the person, before any word of it becomes an order: "the bank
// wants me to install AnyDesk" installs nothing.
func (r *Reading) decideScam() (Plan, bool) {
	if r.u.data != "" {
		return Plan{}, false
	}
	for _, s := range scams() {
		if s.about().MatchString(r.u.raw) && s.asked().MatchString(r.u.raw) {
			return otherPlan(KindRefuse, "scam-"+s.kind, "").because("looks like a scam: %s", s.kind), true
		}
	}
	return Plan{}, false
}
