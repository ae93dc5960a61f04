package intent

import (
	"regexp"
	"strings"
)

var (
	namedSearchFor    = pattern(`(?i)^\s*(?:please\s+|can you\s+|could you\s+)?(?:search|look)\s+(?:the\s+(?:repos|repositories|packages)\s+)?for\s+(?:an?\s+|the\s+)?(?:package\s+(?:called\s+|named\s+)?)?([a-z0-9][a-z0-9@._+-]*)(?:\s+(?:package|please))?\s*[.!]*\s*$`)
	namedKoreanSearch = pattern(`(?i)^\s*([a-z0-9][a-z0-9@._+-]*)\s*(?:패키지|프로그램)?(?:을|를)?\s*(?:좀\s*)?검색\s*(?:좀\s*)?(?:해\s*(?:줘|주세요|봐|줄래|라)?)?\s*[.!]*\s*$`)
	namedViewer       = pattern(`(?i)^\s*(?:please\s+)?(?:search|look)\s+for\s+(?:an?\s+)?((?:[a-z0-9-]+\s+){1,2}(?:viewer|editor|player|manager|browser|monitor|client|emulator|launcher|recorder|reader|converter|downloader|tool|app|program))\s*[.!]*\s*$`)
)

// decideSearch recognises a request to search for one word or kind of program that has no other meaning on this
// machine: "search for hello", but not "search for errors".
func (r *Reading) decideSearch() (Plan, bool) {
	word := ""
	for _, re := range []*regexp.Regexp{namedSearchFor(), namedKoreanSearch()} {
		if m := re.FindStringSubmatch(r.u.raw); m != nil {
			word = strings.ToLower(m[1])
		}
	}
	switch {
	case word != "" && !wordsOf("search-stops")[word] && r.hasNoOtherMeaning(word):
		return callPlan(8, Call("search_packages", "query", word)).because("asks to search for the word %q", word), true
	case word == "" && len(r.names) == 0 && len(r.topics) == 0:
		if m := namedViewer().FindStringSubmatch(r.u.raw); m != nil {
			query := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(m[1]), " app"), " program")
			return callPlan(8, Call("search_packages", "query", query)).because("asks to search for a kind of program"), true
		}
	}
	return Plan{}, false
}

// hasNoOtherMeaning reports whether a word is neither a program listed under another name nor a concept.
// Greetings count as plain words here.
func (r *Reading) hasNoOtherMeaning(word string) bool {
	for _, w := range r.u.words {
		if !strings.EqualFold(w.raw, word) || w.corrected {
			continue
		}
		for _, hits := range [][]hit{r.concepts, r.names, r.topics} {
			for _, h := range hits {
				if h.start < w.end && h.end > w.start && h.id != "greeting" && h.id != "thanks" && h.id != "help" {
					return false
				}
			}
		}
	}
	return true
}

// decideInstalled recognises "is X installed?" for one unlisted program.
func (r *Reading) decideInstalled() (Plan, bool) {
	asked := r.has["installed"] || r.has["@install:state"] || r.has["@install:may"] && r.u.question
	if !asked || r.has["@do"] || r.has["@name"] || r.has["howto"] {
		return Plan{}, false
	}
	name := strings.ToLower(r.unknownName())
	if name == "" || looksLikeFile(name) || !r.isRestAsking(name) {
		return Plan{}, false
	}
	return callPlan(8, Call("package_info", "name", name)).because("asks whether the unlisted %q is installed", name), true
}

// isRestAsking reports whether every word except the name is understood or part of the question's phrasing.
func (r *Reading) isRestAsking(name string) bool {
	for i, w := range r.u.words {
		if w.script != latin {
			continue
		}
		if strings.EqualFold(w.raw, name) {
			if i > 0 && wordsOf("noun-markers")[foldWord(r.u.words[i-1].text)] {
				return false // "the thing" is not a name
			}
			continue
		}
		if t := foldWord(w.text); !r.isCovered(w.start, w.end) && !wordsOf("function")[t] && !wordsOf("search-stops")[t] {
			return false
		}
	}
	return !r.hasAny("@topic", "update", "orphan", "foreign", "error", "crash", "log", "who", "disk", "gpu", "memory", "cpu", "wifi", "usb", "hardware", "battery", "kernel", "service")
}
