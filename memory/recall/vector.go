package recall

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// Embedder makes vectors of texts. Texts with similar meaning have similar vectors.
type Embedder interface {
	// Embed returns a vector for each text, all of one length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model. Vectors of two models cannot be compared.
	Model() string
}

const (
	batch        = 32              // texts of one request
	maxBatches   = 200             // of one Sync; the next one continues
	maxEmbed     = 4 << 10         // bytes of a note
	embedTimeout = 2 * time.Second // time limit for a query's vector
)

// embed makes missing vectors and replaces those of another model, after a running embed has ended. Conversations
// are too many and get none. If the server fails, embed warns, and the next Sync tries again. Meanwhile the
// search uses words only.
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
		err := h.write(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM vectors WHERE model <> ?", model)
			return err
		})
		for n := 0; err == nil && n < maxBatches; n++ {
			var some []unembedded
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
			err = h.write(ctx, func(tx *sql.Tx) error { return keepVectors(ctx, tx, model, some, vectors) })
		}
		return err
	})
}

// unembedded is a note without a vector.
type unembedded struct {
	id, hash int64
	text     string
}

func withoutVector(ctx context.Context, q querier) ([]unembedded, error) {
	rows, err := q.QueryContext(ctx, `SELECT n.id, n.hash, n.heading || char(10) || n.text FROM notes n
		WHERE n.id < ? AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.note = n.id) ORDER BY n.id LIMIT ?`, firstConversationID, batch)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var some []unembedded
	for rows.Next() {
		var b unembedded
		if err := rows.Scan(&b.id, &b.hash, &b.text); err != nil {
			return nil, err
		}
		some = append(some, b)
	}
	return some, rows.Err()
}

func textsOf(some []unembedded) []string {
	texts := make([]string, len(some))
	for i, b := range some {
		texts[i] = clip(b.text, maxEmbed)
	}
	return texts
}

// keepVectors stores the vectors of notes that have not changed meanwhile.
func keepVectors(ctx context.Context, tx *sql.Tx, model string, some []unembedded, vectors [][]float32) error {
	for i, b := range some {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vectors (note, model, vector)
			SELECT id, ?, ? FROM notes WHERE id = ? AND hash = ?`, model, packVector(vectors[i]), b.id, b.hash)
		if err != nil {
			return err
		}
	}
	return nil
}

// packVector normalizes a vector and encodes it with 4 bytes a number.
func packVector(v []float32) []byte {
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

// cosine compares two packed vectors. It is 0 if their lengths differ.
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
	return 0 // also for NaN
}
