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
	ordered := len(r.orders()) > 0 && !endsTrouble().MatchString(r.u.raw)
	if r.u.data != "" || ordered || r.RequestsUndo() || r.hasAny("remember", "recall") || r.has["howto"] && !asksWhatNow().MatchString(r.u.raw) || r.wordForWriting() != "" ||
		looksLikeCommand(strings.TrimSpace(r.u.raw)) {
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

// endsTrouble matches an order that only wants a trouble to end: "stop asking me for the password", and what is no order
// in a complaint: "its support stopped".
var endsTrouble = pattern(`(?i)\b(?:stop|quit) (?:it |this |that )?(?:asking|prompting|bugging|nagging|popping|telling|complaining)\b|(?:그만|안)\s*(?:좀\s*)?(?:묻게|물어보게|뜨게|나오게|뜨도록)|(?:别|不要)(?:再|老|总|一直)*(?:问|弹|提示|让我)|停止(?:支持|维护)|周期结束`)

// asksWhatNow matches a question what to do about a trouble. It is no question how something is done.
var asksWhatNow = pattern(`(?i)\bwhat (?:now|do i do|can i do|should i do|to do)\b|(?:어떡|어쩌|어쩔|어[떻케]게?\s*(?:해|하지|하나|하죠|해야))\S{0,5}\s*[?!.~]*$|怎么办|咋办|怎麼辦`)

// attached are topics about devices that are attached to this computer.
var attached = set("camera", "scanner", "mount")

// inputFrameworks are the programs of input methods.
var inputFrameworks = set("fcitx", "fcitx5", "ibus", "kime", "nimf")

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
		if object, _ = r.value("$app").(string); inputFrameworks[object] {
			object = "" // it is what does not work, not where
		}
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
