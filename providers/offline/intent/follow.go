package intent

import "strings"

// Context is what the conversation before a request tells. The zero value is a
// request that comes first.
type Context struct {
	// Answered reports that an assistant's message stands right before.
	Answered bool
	// Offer is the step that message offered; nil when it offered none.
	Offer *Step
	// Before is the request that message answered, "" when tool calls or other
	// messages lie between.
	Before string
	// Tool and Input are the last tool call of the conversation, "" when there was none.
	Tool  string
	Input map[string]any
}

// follow reads a request with the conversation for what it leaves out: "yes",
// "why?", "restart it", "vlc" after "which package?".
func (c Context) follow(u *utterance) Plan {
	if p, ok := c.answerToOffer(u); ok {
		return p
	}
	if p, ok := c.completion(u); ok {
		return p
	}
	p := understand(u)
	if q, ok := c.fromBefore(p, u); ok {
		return q
	}
	return p
}

var (
	yesWords = set("yes", "y", "yeah", "yep", "sure", "ok", "okay", "yes please", "please do", "do it", "yes do it", "go ahead", "yes, do it", "please", "of course", "sounds good", "네", "예", "응", "어", "그래", "그래줘", "해줘", "네해줘", "응해줘", "그래해줘", "해주세요", "네해주세요", "예해주세요", "부탁해", "네부탁해요", "부탁해요", "좋아", "좋아요", "네좋아요", "찾아줘", "네찾아줘", "응찾아줘", "네찾아주세요", "보여줘", "네보여줘", "응보여줘", "봐줘", "네봐줘", "ㅇㅇ", "ㅇ", "ㅛ", "是", "是的", "好", "好的", "可以", "行", "嗯", "要")
	noWords  = set("no", "n", "nope", "no thanks", "not now", "dont", "no thank you", "아니", "아니요", "아뇨", "괜찮아", "괜찮아요", "됐어", "됐어요", "아니괜찮아", "아니요괜찮아요", "ㄴㄴ", "나중에", "不", "不用", "不要", "不了", "不用了")
	whyWords = set("why", "why is that", "how come", "why so", "왜", "왜그래", "왜요", "왜그런거야", "왜그런가요", "이유가뭐야", "왜그럴까", "왜이래", "왜지", "为什么", "为何", "怎么回事", "why did that happen", "why did it fail", "왜실패했어", "왜실패했지", "왜죽었어", "왜안돼", "what happened", "무슨일이야")
)

// squeezed is the request in the form of the word lists above.
func squeezed(u *utterance) string {
	if u.lang == "en" {
		var words []string
		for _, w := range u.words {
			words = append(words, plain(w.text))
		}
		if len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	if len(u.flat) == 0 {
		return strings.TrimRight(strings.TrimSpace(u.raw), ".!~")
	}
	return string(u.flat)
}

// answerToOffer takes "yes" for the step that the last answer offered; text of
// another engine offers nothing.
func (c Context) answerToOffer(u *utterance) (Plan, bool) {
	said := squeezed(u)
	yes, no := yesWords[said], noWords[said]
	switch {
	case !yes && !no || !c.Answered:
		return Plan{}, false
	case c.Offer == nil:
		return otherPlan(KindFollow, "no_offer", "").because("an answer without a question before it"), true
	case no:
		return otherPlan(KindFollow, "declined", "").because("declines the offer"), true
	}
	return callPlan(10, *c.Offer).because("accepts the offered step"), true
}

// completion takes a bare name for the object that the last answer asked for.
func (c Context) completion(u *utterance) (Plan, bool) {
	if c.Before == "" || len(u.words) == 0 || len(u.words) > 6 {
		return Plan{}, false
	}
	asked := understand(newUtterance(c.Before))
	r := shared().read(u)
	if asked.Kind != KindAsk || asked.pending == "" || len(r.dos()) > 0 {
		return Plan{}, false
	}
	name := ""
	switch n := r.anyName(); {
	case n != nil:
		name = n.Package
		if isServiceVerb(asked.pending) && n.Service != "" {
			name = n.Service
		}
	case r.unknownName() != "" && len(u.words) <= 3:
		name = r.unknownName()
	default:
		return Plan{}, false
	}
	p := verbPlan(asked.pending, name)
	return p.because("completes %q with %s", c.Before, name), true
}

func isServiceVerb(verb string) bool {
	return verb != "install" && verb != "remove" && verb != "update"
}

// verbPlan plans a verb on a name that is given.
func verbPlan(verb, name string) Plan {
	switch verb {
	case "install":
		return callPlan(9, Call("install_package", "name", strings.ToLower(name)))
	case "remove":
		if essential[strings.ToLower(name)] {
			return otherPlan(KindRefuse, "system", name)
		}
		return callPlan(9, Call("remove_package", "name", strings.ToLower(name)))
	case "update":
		return callPlan(9, Call("update_system"))
	}
	return callPlan(9, Call("manage_service", "action", verb, "name", name))
}

// fromBefore fills in what "it" is, or what "why?" is about, from the calls
// made before.
func (c Context) fromBefore(p Plan, u *utterance) (Plan, bool) {
	tool, input := c.Tool, c.Input
	if tool == "" {
		return Plan{}, false
	}
	if whyWords[squeezed(u)] {
		return whyPlan(tool, input)
	}
	r := shared().read(u)
	name := subjectOf(input)
	switch {
	case p.Kind == KindAsk && p.pending != "" && name != "" && (r.has["it"] || len(u.words) <= 3):
		return onSubject(p.pending, tool, name)
	case p.Kind != KindCall && r.anyName() != nil && len(u.words) <= 4 && len(r.acts) == 0 && name != "":
		return sameToolOn(tool, input, r), true
	case p.Kind == KindCall && p.Steps[0].Tool == "read_logs" && len(p.Steps[0].Input) == 0 && name != "" && r.has["it"]:
		return aboutSubject(r, name), true
	case p.Kind != KindCall && name != "" && r.has["it"] && r.hasAny("log", "status", "running", "version", "info"):
		return aboutSubject(r, name), true
	}
	return Plan{}, false
}

// onSubject applies a verb to what was spoken of: services are managed,
// packages installed and removed.
func onSubject(verb, tool, name string) (Plan, bool) {
	isService := tool == "check_service" || tool == "manage_service" || tool == "read_logs"
	if n := Known(name); n != nil {
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

// Known looks a package or service name up; nil when it is not listed.
func Known(s string) *Name {
	r := shared().read(newUtterance("package " + strings.TrimSuffix(s, ".service")))
	if len(r.names) == 0 {
		return nil
	}
	return r.names[0].name
}

func sameToolOn(tool string, input map[string]any, r *Reading) Plan {
	n := r.anyName()
	next := map[string]any{}
	for k, v := range input {
		next[k] = v
	}
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
		return callPlan(7, Call("package_info", "name", n.Package)).because("a bare name after a change: look, do not act")
	}
	return callPlan(8, Step{tool, next}).because("the same question about %s", value)
}

func changes(tool string) bool {
	switch tool {
	case "install_package", "remove_package", "update_system", "manage_service", "run_command":
		return true
	}
	return false
}

func aboutSubject(r *Reading, name string) Plan {
	switch {
	case r.has["log"]:
		return callPlan(8, Call("read_logs", "unit", name)).because("it is %s", name)
	case r.hasAny("version", "info"):
		return callPlan(8, Call("package_info", "name", name)).because("it is %s", name)
	}
	return callPlan(8, Call("check_service", "name", name)).because("it is %s", name)
}

// whyPlan looks for the reason behind the last answer.
func whyPlan(tool string, input map[string]any) (Plan, bool) {
	var s Step
	switch name := subjectOf(input); {
	case (tool == "check_service" || tool == "manage_service") && name != "":
		s = Call("read_logs", "unit", name, "since", "boot")
	case tool == "check_disk":
		s = Call("find_large", "path", "/")
	case tool == "check_memory":
		s = Call("check_processes", "sort", "mem")
	case tool == "check_network":
		s = Call("read_logs", "unit", "NetworkManager", "since", "boot")
	case tool == "check_boot", tool == "check_service", tool == "check_hardware":
		s = Call("read_logs", "since", "boot", "priority", "err")
	default:
		return Plan{}, false
	}
	return callPlan(8, s).because("asks for the reason after %s", tool), true
}

// subjectOf is the one program or service a call was about.
func subjectOf(input map[string]any) string {
	for _, key := range []string{"name", "unit"} {
		if s, _ := input[key].(string); s != "" && !strings.Contains(s, " ") {
			return s
		}
	}
	return ""
}
