package intent

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Context describes the conversation before a request. The zero value is the first request.
type Context struct {
	// Answered reports that an assistant message directly precedes the request.
	Answered bool
	// Offer is the step offered by that message; nil if none.
	Offer *Step
	// Choices are the requests that it listed by number; nil for none.
	Choices []string
	// Previous is the request that message answered; "" if there are tool calls or other messages in between.
	Previous string
	// Tool and Input are the subject of the conversation: the first call made for the last question that led to
	// calls; Tool is "" if there was none. Fresh reports that this was the question directly before.
	Tool     string
	Input    map[string]any
	IsRecent bool
	// Now is when the request is made, for days such as "last Friday"; zero if unknown.
	Now time.Time
}

// follow plans a request that may depend on the conversation: "yes", "why?", "restart it", "vlc" after "which
// package?".
func (l *Lexicon) follow(c Context, u *utterance) Plan {
	if p, ok := c.answerToOffer(u); ok {
		return p
	}
	if p, ok := l.completeReminder(c, u); ok {
		return p
	}
	if p, ok := l.completeQuestion(c, u); ok {
		return p
	}
	p := l.understand(u)
	if q, ok := l.resolveReference(c, p, u); ok {
		return q
	}
	return p
}

// answers maps the words of followups.tsv to their meaning.
var answers = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	rows("followups.tsv", func(f []string) {
		for _, w := range fieldWords(f[1]) {
			if detectLang(w) != "en" {
				w = strings.ReplaceAll(w, " ", "")
			}
			out[w] = f[0]
		}
	})
	return out
})

// normalizedText returns the request in the form used by answers.
func normalizedText(u *utterance) string {
	switch {
	case u.lang == "en" && len(u.words) > 0:
		return strings.TrimSpace(u.spacedWords())
	case len(u.flat) == 0:
		return strings.TrimRight(strings.TrimSpace(u.raw), ".!~")
	}
	return string(u.flat)
}

// choice returns the listed request that a reply picks: by its number, or with a yes if there is only one.
func (c Context) choice(u *utterance) string {
	n := slices.Index([]string{"1", "2", "3"}, answers()[normalizedText(u)])
	if n < 0 && len(c.Choices) == 1 && answers()[normalizedText(u)] == "yes" {
		n = 0
	}
	if n < 0 || n >= len(c.Choices) {
		return ""
	}
	return c.Choices[n]
}

// answerToOffer reads "yes" as accepting the step that the last answer offered. Text from another provider offers
// nothing.
func (c Context) answerToOffer(u *utterance) (Plan, bool) {
	answer := answers()[normalizedText(u)]
	yes, no := answer == "yes", answer == "no"
	switch {
	case answer == "more" && c.Tool != "":
		return otherPlan(KindFollow, "more", "").because("asks for more of the last output"), true
	case !yes && !no:
		return Plan{}, false
	case no && len(c.Choices) > 0:
		return otherPlan(KindFollow, "declined", "").because("means none of the choices"), true
	case c.Offer == nil:
		return otherPlan(KindFollow, "no_offer", "").because("an answer without an offer before it"), true
	case no:
		return otherPlan(KindFollow, "declined", "").because("declines the offer"), true
	}
	p := callPlan(10, *c.Offer).withGrant(grantAccepted)
	p.AcceptsOffer = true
	return p.because("accepts the offered step"), true
}

// completeQuestion reads a bare name as the object that the last answer asked for.
func (l *Lexicon) completeQuestion(c Context, u *utterance) (Plan, bool) {
	if c.Previous == "" || len(u.words) == 0 || len(u.words) > 6 {
		return Plan{}, false
	}
	asked := l.understand(newUtterance(c.Previous))
	r := l.read(u)
	if asked.Kind != KindAsk || asked.pending == "" || len(r.acts) > 0 || !r.isBareAnswer() {
		return Plan{}, false
	}
	name := r.unknownName()
	switch n := r.anyName(); {
	case n != nil && isServiceVerb(asked.pending) && n.Service != "":
		name = n.Service
	case n != nil:
		name = n.Package
	case name == "" || len(u.words) > 3:
		return Plan{}, false
	}
	return verbPlan(asked.pending, name).withGrant(grantAnswered).because("completes %q with %s", c.Previous, name), true
}

// isBareAnswer reports whether a request is only a name and polite words. "cups 상태" is a new question.
func (r *Reading) isBareAnswer() bool {
	return !r.asks() && r.hasOnlyNamesAnd("filler", "it", "service", "package", "app")
}

func isServiceVerb(verb string) bool {
	return verb != "install" && verb != "remove" && verb != "update" && verb != "recipe"
}

func verbPlan(verb, name string) Plan {
	switch verb {
	case "install":
		return callPlan(9, Call("install_package", "name", strings.ToLower(name)))
	case "remove":
		if wordsOf("essential-packages")[strings.ToLower(name)] {
			return otherPlan(KindRefuse, "system", name)
		}
		return callPlan(9, Call("remove_package", "name", strings.ToLower(name)))
	case "update":
		return callPlan(9, Call("update_system"))
	case "recipe":
		return recipePlan(strings.ToLower(name))
	}
	return callPlan(9, Call("manage_service", "action", verb, "name", name))
}

// resolveReference resolves "it" or "why?" using the earlier calls.
func (l *Lexicon) resolveReference(c Context, p Plan, u *utterance) (Plan, bool) {
	tool, input := c.Tool, c.Input
	if tool == "" {
		return Plan{}, false
	}
	if answers()[normalizedText(u)] == "why" {
		return keepUserScope(input)(whyPlan(tool, input))
	}
	r := l.read(u)
	name := subjectOf(input)
	switch {
	case p.Kind == KindAsk && p.pending != "" && name != "" && (r.has["it"] || c.IsRecent && len(u.words) <= 3):
		return keepUserScope(input)(applyToSubject(p.pending, tool, name))
	case p.Kind != KindCall && r.anyName() != nil && len(u.words) <= 4 && len(r.acts) == 0 && name != "":
		return sameToolOn(tool, input, r), true
	case p.Kind == KindCall && p.Steps[0].Tool == "read_logs" && len(p.Steps[0].Input) == 0 && name != "" && r.has["it"]:
		return keepUserScope(input)(checkSubject(r, name), true)
	case p.Kind != KindCall && name != "" && r.has["it"] && r.hasAny("log", "status", "running", "version", "info"):
		return keepUserScope(input)(checkSubject(r, name), true)
	}
	return Plan{}, false
}

// applyToSubject applies a verb to the subject of the conversation: services are managed, packages are installed and
// removed.
func applyToSubject(verb, tool, name string) (Plan, bool) {
	isService := tool == "check_service" || tool == "manage_service" || tool == "read_logs"
	if n := LookUpName(name); n != nil {
		switch {
		case !isServiceVerb(verb):
			name = n.Package
		case n.Service == "":
			return otherPlan(KindNone, "program", name).because("%s is a program, not a service", name), true
		default:
			name, isService = n.Service, true
		}
	}
	if isServiceVerb(verb) && !isService {
		return Plan{}, false
	}
	return verbPlan(verb, name).because("it is %s, named before", name), true
}

// LookUpName looks up a built-in package or service name. It returns nil if s is not listed.
func LookUpName(s string) *Name { return shared().lookUpName(s) }

func sameToolOn(tool string, input map[string]any, r *Reading) Plan {
	n := r.anyName()
	next := maps.Clone(input)
	key, value := "name", n.Package
	switch tool {
	case "read_logs":
		key = "unit"
	case "check_processes":
		value = processName(n)
	}
	if (tool == "check_service" || tool == "manage_service" || tool == "read_logs") && n.Service != "" {
		value = n.Service
	}
	next[key] = value
	if changes(tool) {
		return callPlan(7, Call("package_info", "name", n.Package)).because("a bare name after a change: check, do not act")
	}
	return callPlan(8, Step{tool, next}).because("the same question about %s", value)
}

func changes(tool string) bool {
	changing := []string{"install_package", "remove_package", "update_system", "manage_service", "run_command", "plan", "undo"}
	return slices.Contains(changing, tool)
}

func checkSubject(r *Reading, name string) Plan {
	step := Call("check_service", "name", name)
	switch {
	case r.has["log"]:
		step = Call("read_logs", "unit", name)
	case r.hasAny("version", "info"):
		step = Call("package_info", "name", name)
	}
	return callPlan(8, step).because("it is %s", name)
}

// keepUserScope keeps to the user manager if the earlier call did.
func keepUserScope(input map[string]any) func(Plan, bool) (Plan, bool) {
	return func(p Plan, ok bool) (Plan, bool) {
		if user, _ := input["user"].(bool); user {
			for _, s := range p.Steps {
				if s.Tool == "manage_service" || s.Tool == "check_service" || s.Tool == "read_logs" {
					s.Input["user"] = true
				}
			}
		}
		return p, ok
	}
}

// whyPlan checks the reason for the last answer.
func whyPlan(tool string, input map[string]any) (Plan, bool) {
	var s Step
	switch name := subjectOf(input); {
	case (tool == "check_service" || tool == "manage_service") && name != "":
		s = Call("read_logs", "unit", name, "since", "boot")
	case tool == "check_disk":
		s = Call("find_large", "path", "/")
	case tool == "check_memory":
		s = Call("check_processes", "sort", "mem")
	case tool == "check_network" && input["scope"] != "ports" && input["scope"] != "ip":
		s = Call("read_logs", "unit", "NetworkManager", "since", "boot")
	case tool == "check_boot", tool == "check_service", tool == "check_hardware":
		s = Call("read_logs", "since", "boot", "priority", "err")
	default:
		return otherPlan(KindFollow, "why", "").because("no further check after %s", tool), true
	}
	return callPlan(8, s).because("asks for the reason after %s", tool), true
}

// subjectOf returns the one program or service that a call was about.
func subjectOf(input map[string]any) string {
	for _, key := range []string{"name", "unit"} {
		if s, _ := input[key].(string); s != "" && !strings.Contains(s, " ") {
			return s
		}
	}
	return ""
}
