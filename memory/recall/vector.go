package recall

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// Embedder makes vectors of texts that are near each other where the texts mean
// the same.
type Embedder interface {
	// Embed returns a vector for each text, all of one length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names what makes them: vectors of two models cannot be compared.
	Model() string
}

const (
	batch      = 32              // texts that are sent at a time
	maxBatches = 200             // of one Sync; the next one goes on
	maxEmbed   = 4 << 10         // of a note, in bytes
	thinking   = 2 * time.Second // that a query's vector may take
)

// embed makes the vectors that notes lack, also those of another model, once
// whoever else makes some has ended.
// Conversations have none: they are many. A server that fails is told and tried
// again by the next Sync; the words answer meanwhile.
func (x *Index) embed(ctx context.Context) error {
	if x.o.Embedder == nil {
		return nil
	}
	select {
	case x.embedding <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-x.embedding }()
	return x.use(ctx, func(h *handle) error {
		model := x.o.Embedder.Model()
		err := h.writing(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM vectors WHERE model <> ?", model)
			return err
		})
		for n := 0; err == nil && n < maxBatches; n++ {
			var some []bare
			if some, err = withoutVector(ctx, h.db); err != nil || len(some) == 0 {
				return err
			}
			vectors, failed := x.o.Embedder.Embed(ctx, textsOf(some))
			if failed == nil && len(vectors) != len(some) {
				failed = errVectors
			}
			if failed != nil && errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			if failed != nil {
				x.warn(Warning{"no-vectors", "", failed})
				return ctx.Err()
			}
			err = h.writing(ctx, func(tx *sql.Tx) error { return keepVectors(ctx, tx, model, some, vectors) })
		}
		return err
	})
}

// bare is a note without a vector.
type bare struct {
	id, hash int64
	text     string
}

func withoutVector(ctx context.Context, q querier) ([]bare, error) {
	rows, err := q.QueryContext(ctx, `SELECT n.id, n.hash, n.heading || char(10) || n.text FROM notes n
		WHERE n.id < ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.note = n.id) ORDER BY n.id LIMIT ?`, talks, batch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var some []bare
	for rows.Next() {
		var b bare
		if err := rows.Scan(&b.id, &b.hash, &b.text); err != nil {
			return nil, err
		}
		some = append(some, b)
	}
	return some, rows.Err()
}

func textsOf(some []bare) []string {
	texts := make([]string, len(some))
	for i, b := range some {
		texts[i] = clipped(b.text, maxEmbed)
	}
	return texts
}

// keepVectors writes the vectors of notes that are still what they were.
func keepVectors(ctx context.Context, tx *sql.Tx, model string, some []bare, vectors [][]float32) error {
	for i, b := range some {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vectors (note, model, vector)
			SELECT id, ?, ? FROM notes WHERE id = ? AND hash = ?`, model, packed(vectors[i]), b.id, b.hash)
		if err != nil {
			return err
		}
	}
	return nil
}

// packed writes a vector of length 1 as it is stored: 4 bytes a number.
func packed(v []float32) []byte {
	norm := 0.0
	for _, f := range v {
		norm += float64(f) * float64(f)
	}
	norm = math.Sqrt(norm)
	data := make([]byte, 0, 4*len(v))
	for _, f := range v {
		if norm > 0 {
			f = float32(float64(f) / norm)
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	return data
}

// cosine compares two packed vectors; 0 where they are of different lengths.
func cosine(a, b []byte) float64 {
	if len(a) != len(b) {
		return 0
	}
	sum := float32(0)
	for i := 0; i+4 <= len(a); i += 4 {
		sum += math.Float32frombits(binary.LittleEndian.Uint32(a[i:])) * math.Float32frombits(binary.LittleEndian.Uint32(b[i:]))
	}
	if s := float64(sum); s > 0 {
		return min(s, 1)
	}
	return 0 // not a number, too
}
