package recall

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nidoit/blunux-ai/memory"
)

// rank returns the best hits for the parts of a query.
func (x *Index) rank(ctx context.Context, tx *sql.Tx, q memory.Query, parts []part) ([]memory.Hit, error) {
	var hits []memory.Hit
	for _, s := range spans(q) {
		l, err := newLooking(ctx, tx, &x.known, s)
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
			if !q.Wants(n.Category) {
				continue
			}
			if score := l.score(n, parts) * x.favour(n); score > 0 {
				hits = append(hits, memory.Hit{Note: n, Score: min(score, 1)})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Created.Compare(a.Created), strings.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
	})
	return hits[:min(q.Limit, len(hits))], nil
}

// spans are where the notes of categories are.
func spans(q memory.Query) []span {
	var all []span
	if (markdown{}).Holds(q) {
		all = append(all, span{0, talks})
	}
	if q.Wants(memory.Conversation) {
		all = append(all, span{talks, math.MaxInt64})
	}
	return all
}

// load reads notes; each must be what was written.
func load(ctx context.Context, tx *sql.Tx, ids []int64) ([]memory.Note, error) {
	one, err := tx.PrepareContext(ctx, "SELECT line, key, text, category, heading, source, created, updated, hash FROM notes WHERE id = ?")
	if err != nil {
		return nil, err
	}
	defer one.Close()
	notes := make([]memory.Note, 0, len(ids))
	for _, id := range ids {
		var n memory.Note
		var created, updated, hash int64
		err := one.QueryRowContext(ctx, id).Scan(&n.Line, &n.Key, &n.Text, &n.Category, &n.Heading, &n.Source, &created, &updated, &hash)
		if err == sql.ErrNoRows {
			return nil, errDamaged
		}
		if err != nil {
			return nil, err
		}
		n.Created, n.Updated = timeOf(created), timeOf(updated)
		if hashOf(n) != hash {
			return nil, errDamaged
		}
		notes = append(notes, n)
	}
	return notes, nil
}

// aboutWeight is what a word counts for in the headings above a note, against
// one in it.
const aboutWeight = 0.45

// score says how much of what was asked for a note has, from 0 to 1: of each
// part the best answer, by how rare it is (the inverse document frequency of
// BM25, with its length norm).
func (l *looking) score(n memory.Note, parts []part) float64 {
	text, about := viewOf(n.Text), viewOf(aboutOf(n))
	got, asked := 0.0, 0.0
	for _, p := range parts {
		best := 0.0
		for _, a := range p.alts {
			g := max(text.grade(a, l.idf), aboutWeight*about.grade(a, l.idf))
			best = max(best, a.weight*g)
		}
		got += p.weight * best
		asked += p.weight * max(l.most(p), best)
	}
	if asked == 0 {
		return 0
	}
	return got / asked * lengthNorm(text.length)
}

// most is what a part's own words would bring.
func (l *looking) most(p part) float64 {
	return p.alts[0].weight * l.idfs[p.alts[0].exprs[0].match]
}

// lengthNorm is BM25's for a term that stands once: gentle (b = 0.2), because a
// note is one thing whatever its length.
func lengthNorm(length int) float64 {
	const usual, b, k = 40, 0.2, 1.2
	ratio := float64(min(length, 20*usual)) / usual
	return min((k+1)/(1+k*(1-b+b*ratio)), 1.1) / 1.1
}

// favour prefers what the person wanted kept to what happened to be written
// down, and, a little, the new to the old: an old answer that fits beats a new
// one that does not.
func (x *Index) favour(n memory.Note) float64 {
	f := 1.0
	switch n.Category {
	case memory.Daily:
		f = 0.9
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
