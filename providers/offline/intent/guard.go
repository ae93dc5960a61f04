package intent

import (
	"slices"
	"strings"
)

// grant is the reason why a plan may change something. The zero value requires an order in the words of the request.
type grant uint8

const (
	grantWords      grant = iota // the request must contain act and object
	grantAccepted                // the user accepted an offered step
	grantLiteral                 // the command was given literally
	grantUserPhrase              // a phrase that the user defined
	grantAnswered                // the user gave the name that the helper asked for
)

// guard is the only place that permits a change. A change requires act and object in the user's own words, both not
// negated, and about this computer. Every other plan becomes a question with read-only steps to choose from.
func (l *Lexicon) guard(c Context, p Plan, u *utterance) Plan {
	if p.Kind != KindCall || p.grant != grantWords || !p.anyChange() {
		return p
	}
	r := l.read(u)
	for _, s := range p.Steps {
		if why := r.objection(c, s); why != "" {
			return r.unsurePlan(p).because("no %s: %s", s.Tool, why)
		}
	}
	p.FollowUps = slices.DeleteFunc(slices.Clone(p.FollowUps), func(s Step) bool { return r.objection(c, s) != "" })
	return p
}

// withGrant sets why a plan may change something.
func (p Plan) withGrant(g grant) Plan {
	p.grant = g
	return p
}

func (p Plan) anyChange() bool {
	return slices.ContainsFunc(slices.Concat(p.Steps, p.FollowUps), func(s Step) bool { return !s.IsReadOnly() })
}

// objection returns the objection to a changing step, or "".
func (r *Reading) objection(c Context, s Step) string {
	switch {
	case s.IsReadOnly():
		return ""
	case s.Tool == "run_command":
		return "the command was not given literally"
	case s.Tool == "remove_package" && r.isAboutStartList():
		return "it is about what starts by itself"
	case r.RequestsUndo() && !r.has["autostart"]:
		return "it asks to undo something"
	case r.isAboutOtherDevice(s):
		return "it is about another device"
	case !r.ordersClass(s) && !r.partOrdersClass(s):
		return "no word requests it"
	case !r.namesObject(c, s):
		return "its object is not named"
	case r.isGuessed(s):
		return "act and object are both guessed from misspellings"
	}
	return ""
}

// IsReadOnly reports whether a step changes nothing: a read-only tool, or a command of the few programs that
// only print.
func (s Step) IsReadOnly() bool {
	if s.Tool == "run_command" {
		command, _ := s.Input["command"].(string)
		return onlyPrints(command)
	}
	return !changes(s.Tool)
}

var printingCommand = pattern(`^(?:cat|ls|df|du|stat|uname|uptime|free|lsblk|lsusb|lscpu|findmnt|hostname|hostnamectl|paccache -d\w*|` +
	`blunux-ai aur check|systemctl (?:--failed|status|list-units|is-active|is-enabled|show)|dkms status|pacman -Q\w*|id|wpctl (?:status|get-volume)|pactl get-\w+-\w+|brightnessctl -m)(?: [\w./~:%=,@+'-]*)*$`)

// onlyPrints reports whether a command only prints: one simple command of a program that cannot write, without
// shell operators.
func onlyPrints(command string) bool {
	return command == "hostname" || printingCommand().MatchString(command) && !strings.HasPrefix(command, "hostname ")
}

// classVerbs are the verbs that request each class of change.
var classVerbs = map[string][]string{
	"install": {"install"}, "remove": {"remove"}, "update": {"update", "install"},
	"start": {"start"}, "stop": {"stop"}, "restart": {"restart", "start"}, "reload": {"reload"},
	"enable": {"enable", "start"}, "disable": {"disable", "stop"},
}

// ordersClass reports whether a verb that is not negated requests the change of a step. A prohibition requests
// that a service not start at boot.
func (r *Reading) ordersClass(s Step) bool {
	class := changeClass(s)
	if class == "disable" || class == "enable" {
		if p, ok := r.decideNoAutostart(); ok {
			return class == "disable" && sameStep(p.Steps[0], s) || r.ordersVerb(class)
		}
		if p, ok := r.decideAutostart(); ok && class == "enable" && sameStep(p.Steps[0], s) {
			return true
		}
	}
	return r.ordersVerb(class)
}

// partOrdersClass reports whether one of several requests asks for the change: "restart sshd, then show its log" is
// not a question although it also asks for a log.
func (r *Reading) partOrdersClass(s Step) bool {
	list := splitRequests(r.u.raw)
	if len(list) < 2 || r.isConditional(act{start: len(r.u.flat), end: len(r.u.flat), tail: len(r.u.flat)}) || reportedSpeech().MatchString(r.u.raw) {
		return false
	}
	return slices.ContainsFunc(list, func(part string) bool { return r.lex.read(newUtterance(part)).ordersClass(s) })
}

func (r *Reading) ordersVerb(class string) bool {
	return slices.ContainsFunc(r.acts, func(a act) bool {
		return a.form == formDo && slices.Contains(classVerbs[class], a.verb)
	})
}

// namesObject reports whether the request names what a step changes. An update refers to the whole system if
// nothing else is named.
func (r *Reading) namesObject(c Context, s Step) bool {
	if s.Tool == "update_system" {
		return !r.hasAny("@path")
	}
	names, _ := s.Input["name"].(string)
	for _, name := range strings.Fields(names) {
		if !r.namesThing(name) && !(r.refersBack(c) && subjectOf(c.Input) != "" && r.sameThing(name, subjectOf(c.Input))) {
			return false
		}
	}
	return names != ""
}

// refersBack reports whether a request refers to the earlier subject of the conversation.
func (r *Reading) refersBack(c Context) bool { return r.has["it"] || c.IsRecent && len(r.u.words) <= 3 }

func (r *Reading) sameThing(name, subject string) bool {
	if strings.EqualFold(name, subject) {
		return true
	}
	n, m := r.lex.lookUpName(name), r.lex.lookUpName(subject)
	return n != nil && n == m
}

// namesThing reports whether the request mentions a package or unit by its name or an alias.
func (r *Reading) namesThing(name string) bool {
	for _, h := range slices.Concat(r.names, r.excludedNames) {
		if h.name.Package == name || h.name.Service == name {
			return true
		}
	}
	for _, w := range r.u.words {
		if strings.EqualFold(strings.TrimSuffix(w.raw, ".service"), name) || strings.EqualFold(w.raw, name) {
			return true
		}
	}
	return name == "NetworkManager" && r.has["internet"]
}

func (l *Lexicon) lookUpName(name string) *Name {
	if e := l.index[layerName][strings.ToLower(strings.TrimSuffix(name, ".service"))]; e != nil {
		return e.senses[0].name
	}
	return nil
}

// isGuessed reports whether both the verb and the name of a step come only from corrected misspellings.
func (r *Reading) isGuessed(s Step) bool {
	if !r.typo {
		return false
	}
	fixed := func(start, end int) bool {
		return slices.ContainsFunc(r.u.words, func(w word) bool { return w.corrected && w.start < end && w.end > start })
	}
	typedAct := slices.ContainsFunc(r.acts, func(a act) bool {
		return a.form == formDo && slices.Contains(classVerbs[changeClass(s)], a.verb) && !fixed(a.start, a.end)
	})
	if typedAct || s.Tool == "update_system" {
		return false
	}
	return slices.ContainsFunc(r.names, func(h hit) bool { return fixed(h.start, h.end) })
}

// RequestsUndo reports whether a request asks to undo something.
func (r *Reading) RequestsUndo() bool {
	return r.mentions("undo") || r.wantsOldState() || r.mentions("undo-weak") && r.has["@do"]
}

// mentions reports whether a word of a list occurs in the request: Latin words as whole words, others anywhere.
func (r *Reading) mentions(list string) bool { return r.mentionedWord(list) != "" }

// mentionedWord returns the first word of a list that occurs in the request, or "".
func (r *Reading) mentionedWord(list string) string {
	return findWord(list, r.u.spacedText(), r.u.flatText())
}

// findWord returns the first word of a list that occurs in a request. spaced holds its words separated by blanks,
// flat the same without blanks.
func findWord(list, spaced, flat string) string {
	for _, w := range wordList(list) {
		english := isLatin(w) && detectLang(w) == "en"
		if english && strings.Contains(spaced, " "+foldWord(w)+" ") || !english && strings.Contains(flat, w) {
			return w
		}
	}
	return ""
}

// spacedText joins the words as typed, with single blanks between and around them and without possessive endings.
func (u *utterance) spacedText() string {
	plain := func(w word) string { return foldWord(withoutPossessive(strings.ToLower(w.raw))) }
	return " " + strings.Join(each(u.words, plain), " ") + " "
}

func withoutPossessive(w string) string {
	return strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
}

// foreignComputer matches another person's computer.
var foreignComputer = pattern(` (?:friend|mom|mum|mother|dad|father|brother|sister|wife|husband|son|daughter|kid|child|boss|colleague|neighbou?r|roommate|partner|grandma|grandpa)s? (?:laptop|computer|pc|desktop|machine|mac|notebook) ` +
	`| (?:엄마|어머니|아빠|아버지|부모님|할머니|할아버지|형|누나|언니|오빠|동생|남편|아내|와이프|여자친구|남자친구|친구|아들|딸|아이|동료|부장님|사장님)(?:의|네|들)? ?(?:컴퓨터|컴|노트북|피시|pc|맥북|데스크톱)` +
	`|(?:妈妈|爸爸|父母|爷爷|奶奶|哥哥|姐姐|弟弟|妹妹|老公|老婆|朋友|儿子|女儿|同事|老板)的? ?(?:电脑|笔记本|台式机)`)

// otherDevice returns the device other than this computer that a request is about, or "". The purpose of a
// program on this computer does not count: "install kdeconnect for my phone".
func (r *Reading) otherDevice() string {
	device := r.mentionedWord("other-devices")
	if device == "" {
		device = strings.TrimSpace(foreignComputer().FindString(r.u.spacedText()))
	}
	if device == "" {
		return ""
	}
	spaced, flat := r.u.spacedText(), r.u.flatText()
	otherTopic := slices.ContainsFunc(r.topics, func(h hit) bool {
		return !strings.Contains(strings.ReplaceAll(device, " ", ""), string(r.u.flat[h.start:h.end]))
	})
	if r.hasAny("service", "app", "package") || otherTopic || containsAny(spaced, " driver ", " drivers ", " cups ", " spooler ") || containsAny(flat, "드라이버", "驱动") {
		if !containsAny(spaced, " on my "+device+" ", " on the "+device+" ", " from my "+device+" ") {
			return ""
		}
	}
	return device
}

// isAboutOtherDevice reports whether a change is requested on another device.
func (r *Reading) isAboutOtherDevice(s Step) bool {
	device := r.otherDevice()
	if device == "" {
		return false
	}
	spaced, flat := r.u.spacedText(), r.u.flatText()
	named := slices.ContainsFunc(r.names, func(h hit) bool {
		return !strings.EqualFold(string(r.u.flat[h.start:h.end]), strings.ReplaceAll(device, " ", "")) && !r.isAmbiguous(h)
	}) || len(r.names) == 0 && len(strings.Fields(stringOf(s.Input["name"]))) > 0 && !strings.EqualFold(stringOf(s.Input["name"]), device) && s.Tool != "update_system"
	if !named {
		return true
	}
	return containsAny(spaced, " on my "+device+" ", " on the "+device+" ", " from my "+device+" ", " from the "+device+" ", " my "+device+"s ", " of my "+device+" ") ||
		containsAny(flat, device+"에서", device+"에", device+"의", device+"上", device+"的")
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

// unsurePlan asks back for a request that is only partly understood. The plan has the understood words and the
// nearest read-only steps, never a change.
func (r *Reading) unsurePlan(p Plan) Plan {
	q := otherPlan(KindNone, "unsure", "")
	if device := r.otherDevice(); device != "" {
		q.Topic, q.Subject = "device", device
	}
	if r.RequestsUndo() {
		return r.undoPlan()
	}
	q.NearestSteps = r.nearestSteps(p)
	q.UnderstoodWords, q.UnknownWords = r.splitUnderstood()
	q.Reasons = p.Reasons
	return q
}

// isAboutLocalSide reports whether a request about a device concerns this computer's side of it: its connection,
// driver or queue.
func (r *Reading) isAboutLocalSide(device string) bool {
	spaced := strings.ReplaceAll(r.u.spacedText(), " "+device+" ", " ")
	if detectLang(device) != "en" {
		spaced = " " // Latin letters in the device's name do not count: "USB 메모리"
	}
	flat := strings.ReplaceAll(r.u.flatText(), strings.ReplaceAll(device, " ", ""), "")
	return findWord("beside-devices", spaced, flat) != ""
}

// flatText joins the words as typed, without blanks.
func (u *utterance) flatText() string {
	return strings.Join(each(u.words, func(w word) string { return strings.ToLower(w.raw) }), "")
}

// decideDevice answers requests about another device, with neither an order nor a check on this computer.
func (r *Reading) decideDevice() (Plan, bool) {
	device := r.otherDevice()
	if device == "" || r.hasAny("remember", "recall", "write", "explain", "@forget") || r.has["howto"] && !r.mentions("of-devices") || r.isAboutLocalSide(device) {
		return Plan{}, false
	}
	if !r.has["@do"] && !r.has["shutdown"] && !r.mentions("of-devices") {
		return Plan{}, false
	}
	for _, h := range r.names {
		if !strings.Contains(string(r.u.flat[h.start:h.end]), strings.ReplaceAll(device, " ", "")) && !r.isAmbiguous(h) {
			return Plan{}, false // named things are judged step by step
		}
	}
	return declinePlan("device", device).because("it is about another device: %s", device), true
}
