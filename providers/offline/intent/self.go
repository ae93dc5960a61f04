package intent

import "strings"

var (
	// salutation matches the beginning of a request that greets, or says that a statement or a question follows.
	salutation = pattern(`(?i)^\s*(?:(?:(?:hi|hello|hey|ok|okay|so|by the way|btw|and|well|please|can you` +
		`|could you|you can|just so you know|fyi|(?:do )?you know|do you (?:still )?remember|tell me|say)\b` +
		`|안녕(?:하세요)?|저기|너[는도]?\s|넌\s|참고로|혹시|그럼|근데|그런데|你好|您好|嗨|请问|请|你?还?(?:知道` +
		`|记得)|告诉我)[\s,，.!！~]*)*`)
	// afterOwn matches the courtesies and marks at the end of such a request.
	afterOwn = pattern(`(?i)[\s,.，。!！]*(?:반가워\S*|반갑\S*|만나서 \S+|잘\s*부탁\S*(?: \S+)?|nice to meet you` +
		`|很高兴\S*|幸会)?[\s.!?~。！？…ㅎㅋ^]*$`)
	// noFact matches what is no fact about a person: questions, denials, secrets, things that are only pointed at.
	noFact = pattern(`(?i)뭐|뭔|못\s?|무엇|누구|어디|몇|언제|왜|어떻게|비밀|비번|암호|아니|이거|이게|그거` +
		`|너[를랑 ]|널|\b(?:not?|never|secret|what|who|why|how|where|if|when|password|pin|it|this|that|these` +
		`|those|them|you|fear|hope|\w+day)\b|[什啥谁哪几吗不没怎你这那它]|多少|密码`)
	// properName matches the words that a statement marked with "!" in wishnames.tsv calls somebody or something.
	properName = pattern(`(?i)^.*?(?:\bname(?:'s)?|\b(?:called|named|by|me|at|for))(?: is)? (.+?)(?:,? and (?:i` +
		`|i'm|my) .*)?$`)
)

// ownText returns the request without its salutation and its end.
func (r *Reading) ownText() string {
	if r.u.data != "" {
		return ""
	}
	return afterOwn().ReplaceAllString(salutation().ReplaceAllString(r.u.raw, ""), "")
}

// OwnFact returns the fact about themselves that the person asks for: "name", "home", "age", or "".
func (r *Reading) OwnFact() string { return wishName("own-asked", r.ownText()) }

// AnswersOwnFact reports whether a note states a fact about the person, in any language.
func AnswersOwnFact(fact, note string) bool { return wishName("own-"+fact, note) != "" }

// RecallOwnFact returns the search for a fact about the person. Its words depend on the language of the question.
func RecallOwnFact(fact, question string) Step {
	return Call("recall", "query", wishName("query-"+fact, question), "limit", mostNotes)
}

// decideSelf recognises what people say about themselves ("my name is Ann"), which is noted, and questions for it. The
// memory refuses secrets, as in every note.
func (r *Reading) decideSelf() (Plan, bool) {
	text := r.ownText()
	said := wishName("own-said", text)
	step := Call("remember", "text", text)
	switch asked := r.OwnFact(); {
	case asked != "":
		step = RecallOwnFact(asked, r.u.raw)
	case said == "" || r.u.question || noFact().MatchString(text) || complains().MatchString(text) || r.has["remember"],
		said == "life" && len(r.names)+len(r.topics)+len(r.acts) > 0, // "I like vlc"
		strings.HasSuffix(said, "!") && !r.isProper(properName().FindStringSubmatch(text)):
		return Plan{}, false
	}
	return callPlan(sureScore, step).because("about the person"), true
}

// isProper reports whether words may be a name: each is written with a capital letter, or is no ordinary word ("my name
// is wrong", "call me later").
func (r *Reading) isProper(m []string) bool {
	if m == nil {
		return false
	}
	for _, word := range strings.Fields(m[1]) {
		low := foldWord(strings.ToLower(word))
		plain := r.lex.commonWords[low] || wordsOf("function")[low] || r.lex.vocab[low] || strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ing")
		if plain && (word[0] < 'A' || word[0] > 'Z') {
			return false
		}
	}
	return true
}
