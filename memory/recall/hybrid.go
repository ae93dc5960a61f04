package recall

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"
	"regexp"
	"slices"
	"sync"
	"time"

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

// answerKind is a kind of answer that a question can ask for and a note can contain.
type answerKind struct {
	question, answer *regexp.Regexp // matched against folded texts
	boost            float64        // less than the weight of one rare word
}

// answerKinds are the kinds that are recognizable by their format.
var answerKinds = sync.OnceValue(func() []answerKind {
	kind := func(boost float64, asked, answer string) answerKind {
		return answerKind{regexp.MustCompile(asked), regexp.MustCompile(answer), boost}
	}
	return []answerKind{
		kind(mostHinted, // address of a device or a house
			`주소|아이피|\baddress|\bips?\b|\burl\b|\bhostname|地址|网址|住址`,
			`[0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-f]{1,4}(:[0-9a-f]{0,4}){3,7}|[0-9a-f]{2}(:[0-9a-f]{2}){5}|://|[a-z0-9]@[a-z0-9]|\b[a-z0-9-]+\.(local|lan|home|com|net|org|kr|cn|io|dev|me|xyz)\b|`+
				`\pL(로|길|동|리|번길)\s?[0-9]|[0-9]\s?(호|동|번지|번길|층)|\b[0-9]+ (\pL+ ){1,3}(street|st|road|rd|avenue|ave|lane|drive|way|square)\b|(路|街|巷|弄|道|小区|栋|单元)\s?[0-9]|[0-9]\s?(号|弄|栋|室|单元)`),
		kind(mostHinted, // phone number, code or password
			`번호|전화|연락처|\bphone|\bnumber|\btelephone|号码|电话|密码|비번`,
			`[0-9]{3,}|[0-9][ -][0-9]`),
		kind(1.12, // a day or a time
			`언제|며칠|몇\s?(시|월|일|년)|요일|날짜|\bwhen\b|\bwhat (time|day|date|year|month)\b|\bdate\b|什么时候|何时|几点|几号|几月|哪天|哪年|星期几|周几|日期`,
			`[0-9]{4}-[0-9]{1,2}|[0-9]\s?(월|일|시|년|년도|월달|月|日|号|点|年|am|pm|a\.m|p\.m)|[0-9]:[0-9]{2}|\b[0-9]{1,2}/[0-9]{1,2}\b|\b[0-9]+(st|nd|rd|th)\b|[一二三四五六七八九十半]+[月日号点]|`+
				`\pL요일|매일|매주|매달|매월|매년|평일|주말|아침|저녁|새벽|정오|자정|오전|오후|周[一二三四五六日末天]|星期[一二三四五六日天]|每[天周月年]|早上|晚上|中午|凌晨|上午|下午|`+
				`\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(january|february|march|april|june|july|august|september|october|november|december)\b|\b(in|on|by|until|of) may\b|\bmay [0-9]|\b(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec) [0-9]|`+
				`\b(every|daily|weekly|monthly|nightly|yearly|noon|midnight|weekends?|weekdays?|morning|evening)\b`),
		kind(mostHinted, // an amount of money
			`얼마|가격|비용|요금|\bhow much\b|\bprice|\bcosts?\b|多少钱|价格|几块`,
			`[0-9]\s?(만|천|억|백)?\s?원|[0-9]\s?(만|천|억)\b|[0-9]\s?(元|块|万|千|円|엔|달러|유로|위안|usd|krw|eur|cny|rmb|dollars?|euros?|won|yuan|bucks)|[$€£¥₩]\s?[0-9]|무료|공짜|免费|\bfree\b`),
		kind(1.05, // how many, how large
			`몇|얼마|사이즈|치수|\bhow (many|much|often|long|big|old|tall|far)\b|\bsize\b|几|多少|多久|多大|多高|尺码`,
			`[0-9]|[一二三四五六七八九十]+[个次岁天周]`),
	}
})
