package desktop

import (
	"strings"
	"unicode/utf8"

	"github.com/nidoit/blunux-ai/diagnose"
	"github.com/nidoit/blunux-ai/i18n"
)

// Report is an outcome in one language. Programs and models read it as JSON.
type Report struct {
	Verb   string `json:"verb"`
	Act    string `json:"act"`
	Object string `json:"object,omitempty"`
	Amount string `json:"amount,omitempty"`
	// Says is what is so now, or why there is no plan.
	Says string   `json:"says"`
	Rows []string `json:"rows,omitempty"`
	// Plan is what is to be done, as the tool plan takes it, with the question to ask.
	Plan *diagnose.Plan `json:"plan,omitempty"`
}

// Tell returns an outcome in words.
func (w Wish) Tell(out Outcome, lang i18n.Lang) Report {
	r := Report{Verb: w.Verb, Act: w.Act, Object: w.Object, Amount: w.Amount, Rows: out.Rows}
	var texts []string
	for _, text := range out.Says {
		texts = append(texts, text.In(lang))
	}
	r.Says = strings.Join(texts, "\n")
	if out.Plan == nil {
		return r
	}
	r.Plan = out.Plan.In(lang)
	if r.Plan.Ask == "" && len(r.Plan.Steps) == 1 {
		r.Plan.Ask = ask(r.Plan.Steps[0].Step.Description, r.Plan.Steps[0].ByHand(), lang)
	}
	return r
}

// Text returns what is so now, with its rows.
func (r Report) Text() string {
	text := r.Says
	for _, row := range r.Rows {
		text += "\n- " + row
	}
	return text
}

// ask returns the question whether to do something: what is to be done as a sentence, and its literal command.
func ask(about, command string, lang i18n.Lang) string {
	if stem, isVerb := strings.CutSuffix(about, i18n.DeskVerbEnd.In(lang)); isVerb && lang == i18n.Korean {
		about = koreanQuestion(stem)
	}
	if lang.Base() == i18n.Chinese && about != "" && about[len(about)-1] < utf8.RuneSelf {
		about += " "
	}
	return i18n.DeskAsk(about, command).In(lang)
}

// Hangul syllables are arranged by their final consonant: U+AC00 has none, U+AC08 has the eighth, ㄹ.
const (
	firstSyllable, lastSyllable = 0xAC00, 0xD7A3
	finals, finalL              = 28, 8
)

// koreanQuestion returns the question -(으)ㄹ까요 of a regular verb: 바꾸 → 바꿀까요, 열 → 열까요, 닫 → 닫을까요.
func koreanQuestion(stem string) string {
	syllables := []rune(stem)
	last := len(syllables) - 1
	if last < 0 || syllables[last] < firstSyllable || syllables[last] > lastSyllable {
		return stem
	}
	switch final := (syllables[last] - firstSyllable) % finals; final {
	case 0:
		syllables[last] += finalL
	case finalL:
	default:
		return i18n.DeskAskConsonant(stem).In(i18n.Korean)
	}
	return i18n.DeskAskVowel(string(syllables)).In(i18n.Korean)
}
