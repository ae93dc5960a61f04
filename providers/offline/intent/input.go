package intent

import (
	"slices"
	"strings"
)

// stepOf returns the step of a class, with its input filled in from the request.
func (r *Reading) stepOf(c *class) Step {
	s := Call(c.tool)
	for _, kv := range c.input {
		s.set(kv.key, r.value(kv.value))
	}
	return s
}

// set adds a value to the input unless it is empty.
func (s Step) set(key string, v any) {
	if v != nil && v != "" && v != 0 && v != false {
		s.Input[key] = v
	}
}

// value resolves one value of classes.tsv: a word, or a "$" slot filled from the request.
func (r *Reading) value(v string) any {
	switch v {
	case "$path":
		return findPath(r.u)
	case "$since":
		return findSince(r.u)
	case "$priority":
		return findPriority(r)
	case "$lines":
		return findLines(r.u)
	case "$logunit":
		return r.logUnit()
	case "$grep":
		return r.logWord()
	case "$service":
		unit, _ := r.serviceAsked()
		return unit
	case "$userflag":
		_, user := r.serviceAsked()
		return user
	case "$userscope":
		return r.has["userscope"]
	case "$app":
		return r.processAsked()
	case "$package":
		return r.packageAsked()
	case "$query":
		return r.searchQuery()
	case "true":
		return true
	}
	return v
}

// serviceAsked returns the unit that a question is about, by name or by what it does, and whether it is a user unit.
func (r *Reading) serviceAsked() (unit string, user bool) {
	switch unit, user = r.serviceName(r.namesIn(0, len(r.u.flat))); {
	case unit != "":
		return unit, user
	case r.has["sound"]:
		return "pipewire", true
	case r.has["printer"]:
		return "cups", false
	}
	return r.unlistedName(), r.has["userscope"]
}

// processAsked returns the name of the process that a question is about, "" for none.
func (r *Reading) processAsked() string {
	switch n := r.anyName(); {
	case n != nil:
		return processName(n)
	case r.has["inputmethod"]:
		return "fcitx5"
	}
	return ""
}

// packageAsked returns the package that a question is about, "" for none.
func (r *Reading) packageAsked() string {
	if n := r.anyName(); n != nil {
		return n.Package
	}
	return strings.ToLower(r.unlistedName())
}

// unlistedName returns the only word of a request that no list knows, "" if it follows an article: "the foozle" is no
// name.
func (r *Reading) unlistedName() string {
	name := r.unknownName()
	for i, w := range r.u.words {
		if i > 0 && w.raw == name && wordsOf("noun-markers")[foldWord(r.u.words[i-1].text)] {
			return ""
		}
	}
	return name
}

// processNames are the names of processes that differ from their package's.
var processNames = map[string]string{
	"google-chrome": "chrome", "visual-studio-code-bin": "code", "obs-studio": "obs", "libreoffice-fresh": "soffice",
	"jdk-openjdk": "java", "nodejs": "node", "neovim": "nvim", "apache": "httpd",
}

// processName returns the name of a program's processes. pgrep matches parts of names, so package suffixes are removed.
func processName(n *Name) string {
	if name, ok := processNames[n.Package]; ok {
		return name
	}
	for _, suffix := range []string{"-desktop", "-bin", "-launcher", "-electron", "-git", "-appimage"} {
		if short, ok := strings.CutSuffix(n.Package, suffix); ok {
			return short
		}
	}
	return n.Package
}

// logUnit returns the unit whose log is requested: a service, or an unknown word together with "log".
func (r *Reading) logUnit() string {
	names := r.namesIn(0, len(r.u.flat))
	unit, _ := r.serviceName(names)
	if word := r.unknownName(); unit == "" && len(names) == 0 && r.has["log"] && !strings.ContainsAny(word, "/~") {
		return word
	}
	return unit
}

var logSearchPattern = pattern(`(?i)["'“「]([\w .:/-]{2,40})["'”」]|\b(?:mention(?:s|ing)?|contain(?:s|ing)?|with the word|matching|grep(?: the \w+(?: log)?)? for|that says?)\s+([\w.:/-]{3,40})|([a-z][\w.-]{2,30})\s*(?:이|가|라는 말|라는 단어|라고|을|를)?\s*(?:들어간|들어있는|포함된|포함한|언급된|나오는|적힌|찍힌)|([a-z][\w.-]{2,30})\s*(?:있나|있는지|검색|찾아)|(?:有没有|有無|包含|含有|提到)\s*([a-z][\w.-]{2,30})`)

// wordForLog returns the word to search the log for: in quotation marks, or after a word such as "mentioning".
func (r *Reading) wordForLog() string {
	if !r.has["log"] {
		return ""
	}
	for _, m := range logSearchPattern().FindAllStringSubmatch(r.u.raw, -1) {
		word := strings.TrimSpace(strings.Join(m[1:], ""))
		low := strings.ToLower(word)
		if LookUpName(word) == nil && !r.lex.commonWords[low] && !slices.Contains([]string{"error", "errors", "log"}, low) {
			return word
		}
	}
	return ""
}

// logWord returns the word to search the log for if a program has no unit.
func (r *Reading) logWord() string {
	word, n := r.wordForLog(), r.anyName()
	switch {
	case word != "":
		return word
	case n != nil && n.Service != "":
		return ""
	case n != nil:
		return processName(n)
	case r.has["usb"]:
		return "usb"
	case r.has["wifi"]:
		return "wlan|wifi|iwlwifi|ath|deauth"
	case r.has["gpu"]:
		return "drm|nvidia|amdgpu|i915"
	}
	return ""
}

// searchQuery returns the query for the repositories: a kind of program in English, a name, or the remaining content
// words.
func (r *Reading) searchQuery() string {
	best := ""
	for _, h := range r.topics {
		if len(h.id) > len(best) {
			best = h.id
		}
	}
	if r.u.lang == "en" || best == "" {
		if rest := r.contentWords(); rest != "" {
			return rest
		}
	}
	switch n := r.typedName(); {
	case best != "":
		return strings.TrimSpace(r.latinExtra(best) + " " + best)
	case n != nil:
		return n.Package
	}
	return r.unknownWords()
}

var koreanRequestEnding = pattern(`(?:하는|되는|쓰는|해주는|돌려주는|그려주는|용|할|하기|관련|같은|좋은|쓸만한|무료)$`)

// unknownWords returns the words that describe the kind of program if no list knows them. The repositories use
// English descriptions, but a name may still match, and the answer states the query.
func (r *Reading) unknownWords() string {
	var out []string
	for _, w := range r.u.words {
		t := koreanRequestEnding().ReplaceAllString(stripParticle(w.text), "")
		if w.script == latin || r.isCovered(w.start, w.end) || len([]rune(t)) < 2 || len(out) >= 3 {
			continue
		}
		out = append(out, t)
	}
	return strings.Join(out, " ")
}

// contentWords returns the Latin words that are not part of the question's phrasing.
func (r *Reading) contentWords() string {
	var out []string
	for _, w := range r.u.words {
		if t := foldWord(strings.ToLower(w.raw)); w.script == latin && !wordsOf("search-stops")[t] {
			out = append(out, strings.ToLower(w.raw))
		}
	}
	if n := r.typedName(); n != nil && len(out) <= 2 {
		return n.Package
	}
	return strings.Join(out, " ")
}

// typedName returns the first program named in words as typed. A word that was corrected to a name must not
// replace the query, nor must a word of the phrasing ("a package named …").
func (r *Reading) typedName() *Name {
	names := r.namesIn(0, len(r.u.flat))
	for _, h := range r.names {
		if !slices.Contains(names, h.name) {
			continue
		}
		first, last := r.u.wordAt[h.start], r.u.wordAt[h.end-1]
		typed := !slices.ContainsFunc(r.u.words[first:last+1], func(w word) bool { return w.corrected })
		if typed && !(first == last && wordsOf("search-stops")[foldWord(r.u.words[first].text)]) {
			return h.name
		}
	}
	return nil
}

// latinExtra returns a Latin word next to a Korean kind of program ("markdown 에디터") that the kind itself does
// not contain.
func (r *Reading) latinExtra(topic string) string {
	for _, w := range r.u.words {
		t := strings.ToLower(w.raw)
		if w.script == latin && !wordsOf("search-stops")[t] && !strings.Contains(topic, t) && !r.has["@do"] {
			return t
		}
	}
	return ""
}

// noteText returns the text to remember without the request's phrasing.
func noteText(raw string) string {
	s := strings.TrimSpace(raw)
	for again := true; again; {
		again = false
		for _, lead := range wordList("note-openers") {
			if len(s) >= len(lead) && strings.EqualFold(s[:len(lead)], lead) {
				s, again = strings.TrimSpace(s[len(lead):]), true
				break
			}
		}
	}
	for _, tail := range wordList("note-closers") {
		if cut, ok := strings.CutSuffix(strings.TrimRight(s, ".!~ "), tail); ok {
			s = stripQuoteEnding(strings.TrimSpace(cut))
			break
		}
	}
	s = strings.Trim(s, " ,.!~:")
	if len([]rune(s)) < 3 {
		return ""
	}
	return s
}

// recallQuery returns the subject of a recall request without its phrasing.
func (r *Reading) recallQuery() string {
	var out []string
	for _, w := range r.u.words {
		switch {
		case w.script == latin && !wordsOf("recall-stops")[foldWord(w.text)]:
			out = append(out, w.raw)
		case w.script != latin && !r.isOnlyRecall(w) && !wordsOf("question-stops")[w.raw]:
			out = append(out, r.stripParticleOf(w))
		}
	}
	if len(out) == 0 {
		return stripQuestion(strings.Trim(r.u.raw, " ?？!。."))
	}
	return stripQuestion(strings.Join(out, " "))
}

// stripQuestion removes the question words from a Chinese question, which has no blanks between words.
func stripQuestion(query string) string {
	rest := query
	for _, piece := range wordList("question-pieces") {
		rest = strings.ReplaceAll(rest, piece, " ")
	}
	rest = strings.Join(strings.Fields(rest), " ")
	if len([]rune(rest)) < 2 {
		return query
	}
	return rest
}

// isOnlyRecall reports whether a word is part of the question's phrasing.
func (r *Reading) isOnlyRecall(w word) bool {
	for _, h := range r.concepts {
		if (h.id == "recall" || h.id == "look" || h.id == "amount" || h.id == "help") && h.start < w.end && h.end > w.start {
			return !strings.HasPrefix(string(r.u.flat[h.start:h.end]), "내가좋아하는")
		}
	}
	return w.attached && w.end-w.start <= 2
}

// stripParticleOf strips a particle unless the whole word is known (와이파이 does not end in the particle 이).
func (r *Reading) stripParticleOf(w word) string {
	if slices.ContainsFunc(r.concepts, func(h hit) bool { return h.start == w.start && h.end == w.end }) {
		return w.raw
	}
	return stripParticle(w.raw)
}

func stripParticle(s string) string {
	for _, p := range wordList("particles") {
		if cut, ok := strings.CutSuffix(s, p); ok && len([]rune(cut)) >= 2 {
			return cut
		}
	}
	return s
}
