package recall

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
)

// Bounds of the work for one query. They limit it to a few milliseconds even if every word is in thousands of notes.
const (
	maxExprs      = 96
	maxRows       = 900 // ids read in all
	maxCandidates = 52  // notes to score
	maxCommon     = 3   // too frequent expressions remembered for a part
	maxTogether   = 200 // notes to read that contain all frequent words
)

type candidateSearch struct {
	tx           *sql.Tx
	span         span
	total        int
	freqs        *frequencies
	idfs         map[string]float64 // by expression
	dfs          map[string]int
	rareIDs      map[string][]int64 // note ids of rare expressions
	find         *sql.Stmt
	headingViews map[string]*view // views of headings
}

func newCandidateSearch(ctx context.Context, tx *sql.Tx, freq *frequencies, s span) (*candidateSearch, error) {
	l := &candidateSearch{tx: tx, span: s, freqs: freq, idfs: map[string]float64{}, dfs: map[string]int{}, rareIDs: map[string][]int64{}, headingViews: map[string]*view{}}
	err := tx.QueryRowContext(ctx, `SELECT coalesce((SELECT max(id) FROM notes WHERE id < ?2) - (SELECT min(id) FROM notes WHERE id >= ?1) + 1, 0)`, s.from, s.to).Scan(&l.total)
	if err != nil {
		return nil, err
	}
	// Latest first: for a frequent word, only the latest notes are read.
	l.find, err = tx.PrepareContext(ctx, "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?")
	return l, err
}

func (l *candidateSearch) close() {
	if l.find != nil {
		l.find.Close()
	}
}

// weigh determines how specific each expression is.
func (l *candidateSearch) weigh(ctx context.Context, parts []part) error {
	for _, p := range parts {
		left := max(maxExprs/len(parts), 6)
		for _, a := range p.alts {
			for _, e := range a.exprs {
				if _, ok := l.dfs[e.match]; ok || left == 0 || l.isSkipped(p, a, e) {
					continue
				}
				left--
				df, err := l.frequency(ctx, e.match)
				if err != nil {
					return err
				}
				l.dfs[e.match], l.idfs[e.match] = df, idf(df, l.total)
			}
		}
	}
	return nil
}

// isSkipped reports whether an expression is not looked up. Prefixes, relatives and things of a kind are the most
// expensive, and are needed only if the word itself is rare.
func (l *candidateSearch) isSkipped(p part, a alt, e expr) bool {
	whole := l.dfs[p.alts[0].exprs[0].match]
	switch {
	case a.ofKind:
		return whole > maxFew/4 || slices.ContainsFunc(p.alts, func(o alt) bool { return o.other && !o.ofKind && l.dfs[o.exprs[0].match] > maxFew/2 })
	case a.kin:
		return whole > maxFew || p.weight <= weightVerb && whole > 0
	case !strings.HasSuffix(e.match, "*"):
		return false
	}
	return a.kind == kindWord && (whole > maxFew || p.weight <= weightVerb && whole > 0) || a.kind == kindGrams && whole > 0
}

// frequency estimates the number of notes that match an expression. It keeps their ids if they are few.
func (l *candidateSearch) frequency(ctx context.Context, match string) (int, error) {
	if df, ok := l.freqs.known(l.span, match); ok {
		return df, nil
	}
	var ids []int64
	if err := l.read(ctx, match, maxFew+1, func(id int64) { ids = append(ids, id) }); err != nil {
		return 0, err
	}
	if len(ids) <= maxFew {
		l.rareIDs[match] = ids
		return len(ids), nil
	}
	// Extrapolate from the latest notes.
	df := int(float64(maxFew) / float64(ids[0]-ids[maxFew]) * float64(l.total))
	df = max(min(df, l.total), maxFew)
	l.freqs.remember(l.span, match, df)
	return df, nil
}

func (l *candidateSearch) idf(e expr) float64 { return l.idfs[e.match] }

// selectedExpr is an expression to read for a part.
type selectedExpr struct {
	part  int
	match string
	df    int
	worth float64
	adds  bool // adds to the other expressions of its alt instead of competing with them
}

// choose returns the most specific expressions within the bound, grouped by part. common holds, by part, those of
// the others that match too many notes.
func (l *candidateSearch) choose(parts []part) (read []selectedExpr, common [][]string) {
	var all []selectedExpr
	seen := map[selectedExpr]bool{}
	for i, p := range parts {
		for _, a := range p.alts {
			for _, e := range a.exprs {
				key := selectedExpr{part: i, match: e.match}
				if df := l.dfs[e.match]; df > 0 && !seen[key] {
					seen[key] = true
					all = append(all, selectedExpr{i, e.match, df, p.weight * a.weight * e.share * l.idfs[e.match], a.kind == kindGrams})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b selectedExpr) int {
		return cmp.Or(cmp.Compare(a.df, b.df), cmp.Compare(b.worth, a.worth))
	})
	common = make([][]string, len(parts))
	left := maxRows
	for _, c := range all {
		if c.df > left {
			if len(common[c.part]) < maxCommon {
				common[c.part] = append(common[c.part], c.match)
			}
			continue
		}
		left -= c.df
		read = append(read, c)
	}
	slices.SortStableFunc(read, func(a, b selectedExpr) int { return cmp.Compare(a.part, b.part) })
	return read, common
}

// candidates returns the ids of at most maxCandidates notes that are likely to answer best.
func (l *candidateSearch) candidates(ctx context.Context, parts []part) ([]int64, error) {
	if err := l.weigh(ctx, parts); err != nil {
		return nil, err
	}
	read, common := l.choose(parts)
	worth := map[int64]float64{}
	for i := range parts {
		ofPart := map[int64]float64{}
		for _, c := range read {
			if c.part != i {
				continue
			}
			if err := l.add(ctx, ofPart, c); err != nil {
				return nil, err
			}
		}
		for id, w := range ofPart {
			worth[id] += w
		}
	}
	if err := l.addCommon(ctx, worth, read, common); err != nil {
		return nil, err
	}
	return best(worth, maxCandidates), nil
}

func (l *candidateSearch) add(ctx context.Context, worth map[int64]float64, c selectedExpr) error {
	return l.ids(ctx, c.match, c.df, func(id int64) {
		if c.adds {
			worth[id] += c.worth
		} else {
			worth[id] = max(worth[id], c.worth)
		}
	})
}

// ids calls f with the notes that match an expression, the latest first.
func (l *candidateSearch) ids(ctx context.Context, match string, limit int, f func(int64)) error {
	if few, ok := l.rareIDs[match]; ok {
		for _, id := range few {
			f(id)
		}
		return nil
	}
	return l.read(ctx, match, limit, f)
}

func (l *candidateSearch) read(ctx context.Context, match string, limit int, f func(int64)) error {
	rows, err := l.find.QueryContext(ctx, match, l.span.from, l.span.to, limit)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return err
		}
		f(id)
	}
	return rows.Err()
}

// addCommon adds notes that contain several of the too frequent words. More words count more. For a single word,
// it adds the latest notes.
func (l *candidateSearch) addCommon(ctx context.Context, worth map[int64]float64, read []selectedExpr, common [][]string) error {
	var any []string
	for _, of := range common {
		if len(of) > 0 {
			any = append(any, "("+strings.Join(of, " OR ")+")")
		}
	}
	for n := len(any); n > 0; n-- {
		before := len(worth)
		err := l.ids(ctx, strings.Join(any[:n], " AND "), maxTogether, func(id int64) { worth[id] += float64(n) / 2 })
		if err != nil || len(worth)-before >= maxCandidates/2 || len(read) > 0 && n <= 2 && len(worth) > maxCandidates {
			return err
		}
	}
	return nil
}

// best returns the n ids with the highest worth, the latest first among equals.
func best(worth map[int64]float64, n int) []int64 {
	ids := make([]int64, 0, len(worth))
	for id := range worth {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(b, a))
	})
	return ids[:min(n, len(ids))]
}
