package recall

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/nidoit/blunux-ai/memory"
)

var errVectors = errors.New("the embeddings server answered with too few vectors")

// queryVector requests the vector of a query. wait blocks for it and can be called once; it returns nil if there is
// none in time. stop cancels the request.
func (x *Index) queryVector(ctx context.Context, words string) (wait func() []byte, stop func()) {
	if x.o.Embedder == nil {
		return func() []byte { return nil }, func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, embedTimeout)
	made := make(chan []byte, 1)
	go func() {
		vectors, err := x.o.Embedder.Embed(ctx, []string{clip(words, maxEmbed)})
		if err == nil && len(vectors) != 1 {
			err = errVectors
		}
		if err != nil {
			x.warn(Warning{"no-vectors", "", err})
			made <- nil
			return
		}
		made <- packVector(vectors[0])
	}()
	return func() []byte {
		select {
		case v := <-made:
			return v
		case <-ctx.Done():
			return nil
		}
	}, cancel
}

// neighbour is a note with its similarity to the query.
type neighbour struct {
	id         int64
	similarity float64
}

// maxNear bounds the notes that are found by their vectors.
const maxNear = 50

// nearest returns the notes with the most similar vectors.
func (x *Index) nearest(ctx context.Context, tx *sql.Tx, vector []byte) ([]neighbour, error) {
	rows, err := tx.QueryContext(ctx, "SELECT note, vector FROM vectors WHERE model = ?", x.o.Embedder.Model())
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []neighbour
	for rows.Next() {
		var n neighbour
		var raw sql.RawBytes
		if err := rows.Scan(&n.id, &raw); err != nil {
			return nil, err
		}
		if n.similarity = cosine(vector, raw); n.similarity > 0 {
			all = append(all, n)
		}
		if len(all) >= 4*maxNear {
			all = nearestOf(all)
		}
	}
	return nearestOf(all), rows.Err()
}

func nearestOf(all []neighbour) []neighbour {
	slices.SortFunc(all, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id))
	})
	return all[:min(len(all), maxNear)]
}

// fuse merges the hits by words with the hits by vectors, by reciprocal rank fusion (Cormack, Clarke and Büttcher
// 2009, k = 60). A hit's score is the better of its two, limited by that of the hit before it.
func (x *Index) fuse(ctx context.Context, tx *sql.Tx, q memory.Query, hits []memory.Hit, vector []byte) ([]memory.Hit, error) {
	if len(vector) == 0 || !(markdown{}).Holds(q) {
		return hits, nil
	}
	closest, err := x.nearest(ctx, tx, vector)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(closest))
	for i, n := range closest {
		ids[i] = n.id
	}
	notes, err := load(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	const k = 60
	rank := map[memory.Note]float64{}
	best := map[memory.Note]float64{}
	var order []memory.Note
	add := func(n memory.Note, at int, score float64) {
		if _, ok := rank[n]; !ok {
			order = append(order, n)
		}
		rank[n] += 1 / float64(k+at+1)
		best[n] = max(best[n], score)
	}
	for i, h := range hits {
		add(h.Note, i, h.Score)
	}
	for i, n := range closest {
		at := slices.IndexFunc(notes, func(c candidate) bool { return c.id == n.id })
		if at >= 0 && q.Includes(notes[at].Category) {
			add(notes[at].Note, i, n.similarity)
		}
	}
	slices.SortStableFunc(order, func(a, b memory.Note) int { return cmp.Compare(rank[b], rank[a]) })
	fused := make([]memory.Hit, 0, len(order))
	most := 1.0
	for _, n := range order {
		most = min(most, best[n])
		fused = append(fused, memory.Hit{Note: n, Score: most})
	}
	return fused, nil
}
