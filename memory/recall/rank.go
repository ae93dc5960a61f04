package recall

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
)

// rank returns the hits for the parts of a query, the best first.
func (x *Index) rank(ctx context.Context, tx *sql.Tx, q memory.Query, parts []part) ([]memory.Hit, error) {
	var hits []memory.Hit
	hint := hintOf(q.Words)
	for _, s := range spans(q) {
		l, err := newCandidateSearch(ctx, tx, &x.freqs, s)
		if l != nil {
			defer l.close()
		}
		if err != nil {
			return nil, err
		}
		ids, err := l.candidates(ctx, parts)
		if err != nil {
			return nil, err
		}
		notes, err := load(ctx, tx, ids)
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			if !q.Includes(n.Category) {
				continue
			}
			if score := l.score(n, parts, hint) * x.preference(n.Note) * hint.weight(n.Text); score > 0 {
				hits = append(hits, memory.Hit{Note: n.Note, Score: min(score, 1)})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Created.Compare(a.Created), strings.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
	})
	return hits, nil
}

// spans returns the id ranges of the query's categories.
func spans(q memory.Query) []span {
	var all []span
	if (markdown{}).Holds(q) {
		all = append(all, span{0, firstConversationID})
	}
	if q.Includes(memory.Conversation) {
		all = append(all, span{firstConversationID, math.MaxInt64})
	}
	return all
}

// candidate is a note with its terms.
type candidate struct {
	memory.Note
	id    int64
	terms string
}

// load reads notes and verifies their hashes.
func load(ctx context.Context, tx *sql.Tx, ids []int64) ([]candidate, error) {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = strconv.FormatInt(id, 10)
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, line, key, text, category, heading, source, created, updated, hash, terms FROM notes WHERE id IN ("+strings.Join(list, ",")+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	notes := make([]candidate, 0, len(ids))
	for rows.Next() {
		var n candidate
		var created, updated, hash int64
		if err := rows.Scan(&n.id, &n.Line, &n.Key, &n.Text, &n.Category, &n.Heading, &n.Source, &created, &updated, &hash, &n.terms); err != nil {
			return nil, err
		}
		n.Created, n.Updated = timeOf(created), timeOf(updated)
		if hashOf(n.Note) != hash {
			return nil, errDamaged
		}
		notes = append(notes, n)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(notes) != len(ids) {
		return nil, errDamaged
	}
	return notes, nil
}

// contextWeight is the weight of a word in the headings above a note, relative to one in its text.
const contextWeight = 0.45

// score returns how well a note matches the query, from 0 to 1: for each part the best alternative, weighted by
// its rarity (BM25's inverse document frequency and length norm).
func (l *candidateSearch) score(n candidate, parts []part, h hint) float64 {
	text, about := viewOf(n.Text, n.terms), l.headingView(n)
	got, asked, hinted := 0.0, 0.0, 0.0
	for _, p := range parts {
		best, most, strange := 0.0, l.maxValue(p), l.isUnknown(p)
		for i := range p.alts {
			a := &p.alts[i]
			g := max(text.grade(a, l.idf), contextWeight*about.grade(a, l.idf))
			weight := a.weight
			switch {
			case a.ofKind:
				g = min(g, most)
			case strange && (a.other || a.kind == kindTerm && a.weight >= weightSound):
				weight = max(weight, weightInstead)
			}
			best = max(best, weight*g)
		}
		got += p.weight * best
		asked += p.weight * max(most, best)
		if h.asks(p) {
			hinted += p.weight * max(weightAnswer*most-best, 0)
		}
	}
	if got == 0 {
		return 0
	}
	if hinted > 0 && h.boost(n.Text) > 1 {
		got += hinted
	}
	return got / asked * lengthNorm(text.length)
}

// weightInstead is the weight of a synonym or a word that sounds the same, if no note contains the word itself.
const weightInstead = 0.9

// isUnknown reports whether no note contains the part's word.
func (l *candidateSearch) isUnknown(p part) bool { return l.dfs[p.alts[0].exprs[0].match] == 0 }

// weightAnswer is the weight of an answer of the expected kind (a number) in a note that lacks the word for it.
const weightAnswer = 0.6

// headingView returns the view of a note's headings, which many notes share.
func (l *candidateSearch) headingView(n candidate) *view {
	text := contextOf(n.Note)
	v, ok := l.headingViews[text]
	if !ok {
		v = viewOf(text, rowOf(text).terms)
		l.headingViews[text] = v
	}
	return v
}

// maxValue is the highest value of a part's own word.
func (l *candidateSearch) maxValue(p part) float64 {
	return p.alts[0].weight * l.idfs[p.alts[0].exprs[0].match]
}

// lengthNorm is BM25's length norm for a term that occurs once. b is low (0.2), because a note is about one thing
// of any length.
func lengthNorm(length int) float64 {
	const usual, b, k = 40, 0.2, 1.2
	ratio := float64(min(length, 20*usual)) / usual
	return min((k+1)/(1+k*(1-b+b*ratio)), 1.1) / 1.1
}

// preference prefers notes that the person asked to keep over automatic ones, and, slightly, new notes over old ones.
// A matching old note still ranks above a new one that does not match.
func (x *Index) preference(n memory.Note) float64 {
	f := 1.0
	switch n.Category {
	case memory.Daily:
		f = 0.9
		if isLookUp(n.Text) {
			f *= 0.3
		}
	case memory.Conversation:
		f = 0.85
	}
	age := x.o.Now().Sub(n.Created)
	if age < 0 || n.Created.IsZero() {
		age = 0
	}
	const month = 30 * 24 * time.Hour
	return f * (0.94 + 0.06*math.Exp(-float64(age)/float64(3*month)))
}

// hint is what a question's form reveals about its answer.
type hint struct {
	script class // people ask in the language of their notes
	kinds  []*answerKind
}

// sameScript is the factor for a note in the question's language.
const sameScript = 1.2

// mostHinted is the largest boost of an answer kind.
const mostHinted = 1.15

func hintOf(words string) hint {
	words = fold(clip(words, maxQuery))
	h := hint{script: scriptOf(words)}
	for i, k := range answerKinds() {
		if k.question.MatchString(words) {
			h.kinds = append(h.kinds, &answerKinds()[i])
		}
	}
	return h
}

// weight returns how well a note matches the hint, from 0 to 1.
func (h hint) weight(text string) float64 {
	f := 1.0
	text = clip(text, 1<<10)
	if scriptOf(text) == h.script {
		f *= sameScript
	}
	return f * h.boost(text) / (sameScript * mostHinted)
}

// asks reports whether a part names the kind of answer (number, 주소).
func (h hint) asks(p part) bool {
	return slices.ContainsFunc(h.kinds, func(k *answerKind) bool { return k.question.MatchString(p.alts[0].text) })
}

// boost returns the largest boost of the expected kinds of answer that a text contains.
func (h hint) boost(text string) float64 {
	best := 1.0
	for _, k := range h.kinds {
		if k.boost > best && matchesAnswer(k.answer, text) {
			best = k.boost
		}
	}
	return best
}

func matchesAnswer(answer *regexp.Regexp, text string) bool { return answer.MatchString(fold(text)) }

// scriptOf returns the script of a text's language. One Hangul or Chinese letter among Latin names decides.
func scriptOf(text string) class {
	var count [symbol + 1]int
	for _, r := range text {
		count[classOf(r)]++
	}
	switch {
	case count[hangul] > 0:
		return hangul
	case count[han] > 0:
		return han
	}
	return latin
}
