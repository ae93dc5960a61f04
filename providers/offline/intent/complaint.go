package intent

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// complaint is one line of complaints.tsv: how people say that something does not work.
type complaint struct {
	topic  string
	last   bool // only for a request that is not understood otherwise
	object string
	about  func() *regexp.Regexp // what it is about
	wrong  func() *regexp.Regexp // what is wrong with it
}

func loadComplaints() []complaint {
	var out []complaint
	rows("complaints.tsv", func(f []string) {
		out = append(out, complaint{f[0], f[1] == "last", f[2], pattern(`(?i)` + f[3]), pattern(`(?i)` + f[4])})
	})
	return out
}

// maxComplaint bounds the words of a complaint that the diagnosis gets, in bytes.
const maxComplaint = 2000

// complaints are read on first use.
var complaints = sync.OnceValue(loadComplaints)

// decideComplaint looks for the cause of what a request complains about.
func (r *Reading) decideComplaint() (Plan, bool) { return r.complain(false) }

// decideLastComplaint does so for a request that is not understood otherwise.
func (r *Reading) decideLastComplaint() (Plan, bool) { return r.complain(true) }

// Problem returns the topic and the object of a complaint. ok is false for other requests.
func (r *Reading) Problem() (topic, object string, ok bool) {
	p, ok := r.complain(false)
	if !ok {
		p, ok = r.complain(true)
	}
	if !ok {
		return "", "", false
	}
	return stringOf(p.Steps[0].Input["topic"]), stringOf(p.Steps[0].Input["object"]), true
}

func (r *Reading) complain(last bool) (Plan, bool) {
	if r.u.data != "" || len(r.orders()) > 0 || r.RequestsUndo() || r.hasAny("remember", "recall", "write", "howto") || looksLikeCommand(strings.TrimSpace(r.u.raw)) {
		return Plan{}, false
	}
	for _, c := range complaints() {
		if c.last != last || !c.about().MatchString(r.u.raw) || !c.wrong().MatchString(r.u.raw) {
			continue
		}
		object, ok := r.objectOf(c.object)
		if !ok || r.otherDevice() != "" && !attached[c.topic] {
			continue
		}
		if object == c.topic {
			object = ""
		}
		step := Call("diagnose", "topic", c.topic, "lang", r.u.lang, "text", r.u.raw[:min(len(r.u.raw), maxComplaint)])
		if object != "" {
			step.Input["object"] = object
		}
		return callPlan(sureScore, step).because("complains about %s", c.topic), true
	}
	return Plan{}, false
}

// attached are topics about devices that are attached to this computer.
var attached = set("camera", "scanner", "mount")

// timerName matches a timer that is named as a unit.
var timerName = pattern(`(?i)\b([a-z0-9@_.-]+)\.timer\b`)

// objectOf returns what a complaint is about: a kind, with a question mark if it may be missing.
func (r *Reading) objectOf(kind string) (object string, ok bool) {
	kind, optional := strings.CutSuffix(kind, "?")
	switch kind {
	case "service":
		object, _ = r.value("$service").(string)
		object = cmp.Or(object, r.unknownName())
	case "app":
		object, _ = r.value("$app").(string)
	case "path":
		object = r.Path()
	case "timer":
		if m := timerName().FindStringSubmatch(r.u.raw); m != nil {
			object = m[1]
		}
	case "port":
		object = r.Port()
	default:
		return "", true
	}
	if object != "" && !isLatin(object) {
		object = ""
	}
	return object, optional || object != ""
}
