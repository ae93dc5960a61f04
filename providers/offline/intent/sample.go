package intent

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// samples are example requests, compared with a new one by the letter groups
// they share. They add evidence to the rules and catch phrasings that no rule
// foresees; they never choose a tool that changes anything.
type samples struct {
	list  []sample
	index map[uint32][]posting // letter group → samples with it
	idf   map[uint32]float32
}

type sample struct {
	tool  string
	input []slot
	text  string
	norm  float32
}

type posting struct {
	sample int32
	weight float32
}

// likeness is the most similar example of one tool.
type likeness struct {
	tool, text string
	similarity float64
	input      []slot
}

func loadSamples(l *lexicon) *samples {
	s := &samples{index: map[uint32][]posting{}, idf: map[uint32]float32{}}
	var grams [][]uint32
	rows("examples.tsv", func(f []string) {
		var input []slot
		for _, kv := range strings.Split(f[1], ";") {
			if k, v, ok := strings.Cut(kv, "="); ok {
				input = append(input, slot{k, v})
			}
		}
		for _, text := range strings.Split(f[2], " | ") {
			s.list = append(s.list, sample{tool: f[0], input: input, text: text})
			grams = append(grams, gramsOf(newUtterance(text)))
		}
	})
	for _, g := range grams {
		for _, id := range g {
			s.idf[id]++
		}
	}
	for id, n := range s.idf {
		s.idf[id] = float32(math.Log(1 + float64(len(grams))/float64(n)))
	}
	for i, g := range grams {
		for _, id := range g {
			w := s.idf[id]
			s.index[id] = append(s.index[id], posting{int32(i), w})
			s.list[i].norm += w * w
		}
		s.list[i].norm = float32(math.Sqrt(float64(s.list[i].norm)))
	}
	return s
}

// nearest returns the best example of each tool that shares anything, most
// similar first. Similarity is the cosine of letter groups weighed by rarity.
func (s *samples) nearest(r *Reading) []likeness {
	dots := make([]float32, len(s.list))
	var norm float32
	for _, id := range gramsOf(r.u) {
		w, known := s.idf[id]
		if !known {
			w = float32(math.Log(1 + float64(len(s.list))))
		}
		norm += w * w
		for _, p := range s.index[id] {
			dots[p.sample] += w * p.weight
		}
	}
	best := map[string]likeness{}
	for i, dot := range dots {
		if dot == 0 {
			continue
		}
		sm := &s.list[i]
		sim := float64(dot) / (math.Sqrt(float64(norm)) * float64(sm.norm))
		if old, ok := best[sm.tool]; !ok || sim > old.similarity {
			best[sm.tool] = likeness{sm.tool, sm.text, sim, sm.input}
		}
	}
	out := make([]likeness, 0, len(best))
	for _, n := range best {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b likeness) int {
		return cmp.Or(-cmp.Compare(a.similarity, b.similarity), cmp.Compare(a.tool, b.tool))
	})
	return out
}

// gramsOf returns the distinct letter groups of an utterance: three letters of
// Latin words with their edges, two syllables or characters of the others.
func gramsOf(u *utterance) []uint32 {
	var out []uint32
	var run []rune
	flush := func() {
		for i := 0; i+1 < len(run); i++ {
			out = append(out, hashRunes(run[i:i+2]))
		}
		if len(run) == 1 {
			out = append(out, hashRunes(run))
		}
		run = run[:0]
	}
	for _, w := range u.words {
		if w.script != latin {
			run = append(run, []rune(w.text)...)
			continue
		}
		flush()
		if t := plain(w.text); !functionWords[t] {
			edge := []rune(" " + t + " ")
			for i := 0; i+3 <= len(edge); i++ {
				out = append(out, hashRunes(edge[i:i+3]))
			}
		}
	}
	flush()
	slices.Sort(out)
	return slices.Compact(out)
}

// hashRunes is FNV-1a over code points.
func hashRunes(s []rune) uint32 {
	h := uint32(2166136261)
	for _, r := range s {
		h = (h ^ uint32(r)) * 16777619
	}
	return h
}
