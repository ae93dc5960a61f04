package intent

import (
	"cmp"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/nidoit/blunux-ai/internal/sorting"
)

// weightsFile holds the weights learned from phrases/*.tsv (see train_test.go): for each feature its weight for
// each class. It is read in place and not copied.
//
// Layout, little endian: "BLW2"; classes, features, entries (uint32 each); the scale of a weight (float32); one
// bias per class (float32); the hashes of the features, sorted (uint32 each); for each [weightsBlock] of them the
// number of the first entry (uint32); how many entries each feature has (one byte); then the entries: class, weight (int8).
//
//go:embed weights.bin
var weightsFile string

const (
	weightsMagic  = "BLW2"
	weightsHeader = 4 + 3*4 + 4
	weightsBlock  = 64
)

// weights is a view of the file.
type weights struct {
	classes, features int
	scale             float64
	// The parts of the file, see weightsFile.
	bias, hashes, starts, counts, list string
}

// openWeights reads the header. If the file is invalid, the result has no classes and no features, so the
// classifier is not used.
func openWeights(file string) weights {
	if len(file) < weightsHeader || file[:4] != weightsMagic {
		return weights{}
	}
	w := weights{classes: int(u32(file[4:])), features: int(u32(file[8:])), scale: float64(f32(file[16:]))}
	rest := file[weightsHeader:]
	sizes := []int{4 * w.classes, 4 * w.features, 4 * ((w.features + weightsBlock - 1) / weightsBlock), w.features, 2 * int(u32(file[12:]))}
	for i, part := range []*string{&w.bias, &w.hashes, &w.starts, &w.counts, &w.list} {
		if len(rest) < sizes[i] {
			return weights{}
		}
		*part, rest = rest[:sizes[i]], rest[sizes[i]:]
	}
	if rest != "" {
		return weights{}
	}
	return w
}

func u32(s string) uint32  { return binary.LittleEndian.Uint32([]byte(s[:4])) }
func f32(s string) float32 { return math.Float32frombits(u32(s)) }

// entries returns the weights of a feature as pairs of bytes: class, weight.
func (w weights) entries(hash uint32) string {
	i := sort.Search(w.features, func(i int) bool { return u32(w.hashes[4*i:]) >= hash })
	if i == w.features || u32(w.hashes[4*i:]) != hash {
		return ""
	}
	block := i / weightsBlock
	start := int(u32(w.starts[4*block:]))
	for _, n := range []byte(w.counts[block*weightsBlock : i]) {
		start += int(n)
	}
	return w.list[2*start : 2*(start+int(w.counts[i]))]
}

// steepness scales the mean evidence to odds. Training uses the same value.
const steepness = 3

type prediction struct {
	class *class
	p     float64
}

// evidence is one feature that supports a class.
type evidence struct {
	text   string
	weight float64
}

// class is one line of classes.tsv.
type class struct {
	name, tool string // tool is "" if the class does not choose one
	input      []slot
}

func loadClasses() []class {
	var out []class
	rows("classes.tsv", func(f []string) {
		out = append(out, class{f[0], strings.TrimPrefix(f[1], "-"), parseSlots(fieldAt(f, 2))})
	})
	return out
}

// classify returns the classes of a request, most likely first, given the plan of the recognisers.
func (r *Reading) classify(plan Plan) []prediction {
	w := r.lex.weights
	if w.classes != len(r.lex.classes) {
		return nil
	}
	var hashes []uint32
	r.features(plan, func(kind byte, text string) { hashes = append(hashes, featureHash(kind, text)) })
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	out := w.odds(hashes)
	list := make([]prediction, len(out))
	for k, p := range out {
		list[k] = prediction{class: &r.lex.classes[k], p: p}
	}
	sorting.Stably(list, func(a, b prediction) int { return -cmp.Compare(a.p, b.p) })
	return list
}

// odds returns the softmax of the summed weights, by class.
func (w weights) odds(hashes []uint32) []float64 {
	z := make([]float64, w.classes)
	for _, h := range hashes {
		e := w.entries(h)
		for i := 0; i+1 < len(e); i += 2 {
			z[e[i]] += float64(int8(e[i+1]))
		}
	}
	norm := steepness * w.scale / math.Sqrt(float64(len(hashes)+1))
	top := math.Inf(-1)
	for k := range z {
		z[k] = z[k]*norm + float64(f32(w.bias[4*k:]))
		top = max(top, z[k])
	}
	sum := 0.0
	for k := range z {
		z[k] = math.Exp(z[k] - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
	return z
}

// explain lists the features, at most limit, that support a class most.
func (r *Reading) explain(c *class, plan Plan, limit int) string {
	k := slices.IndexFunc(r.lex.classes, func(x class) bool { return x.name == c.name })
	best := map[string]float64{}
	r.features(plan, func(kind byte, text string) {
		e := r.lex.weights.entries(featureHash(kind, text))
		for i := 0; i+1 < len(e); i += 2 {
			if int(e[i]) == k && int8(e[i+1]) > 0 {
				best[strings.TrimSpace(text)] = float64(int8(e[i+1])) * r.lex.weights.scale
			}
		}
	})
	var signs []evidence
	for text, weight := range best {
		signs = append(signs, evidence{text, weight})
	}
	sorting.By(signs, func(a, b evidence) int { return cmp.Or(-cmp.Compare(a.weight, b.weight), cmp.Compare(a.text, b.text)) })
	out := each(signs[:min(limit, len(signs))], func(s evidence) string { return fmt.Sprintf("%q", s.text) })
	return strings.Join(out, " ")
}

// The kinds of features that the learned weights (weights.bin) refer to.
const (
	kindRun     = 'k' // one to three consecutive letters, Hangul and Han
	kindWord    = 'w' // a Latin word
	kindLetters = 'l' // four consecutive letters of a Latin word, including its boundaries
	kindPair    = 'b' // two consecutive Latin words
	kindMeaning = 'c' // a concept or a derived feature
	kindPlan    = 'p' // the plan of the recognisers
)

// features calls add with each feature of a request: its letters and words without program names (the name says
// nothing about the kind of request), its concepts, and the plan of the recognisers.
func (r *Reading) features(plan Plan, add func(kind byte, text string)) {
	r.spelling(add)
	var meanings []string
	for id, holds := range r.has {
		if holds && id != "filler" {
			add(kindMeaning, id)
			meanings = append(meanings, id)
		}
	}
	slices.Sort(meanings)
	for i, a := range meanings {
		for _, b := range meanings[i+1:] {
			add(kindMeaning, a+"+"+b)
		}
	}
	if len(plan.Steps) > 0 {
		add(kindPlan, plan.Steps[0].Tool)
		if plan.Score > 7 {
			add(kindPlan, plan.Steps[0].Tool+" surely")
		}
	} else {
		add(kindPlan, string(plan.Kind)+" "+plan.Topic)
	}
	add(kindMeaning, "@words:"+strconv.Itoa(min(len(r.u.words)/3, 6)))
}

// spelling adds the letter and word features.
func (r *Reading) spelling(add func(kind byte, text string)) {
	var run []rune
	flush := func() {
		for n := 1; n <= 3; n++ {
			for i := 0; i+n <= len(run); i++ {
				add(kindRun, string(run[i:i+n]))
			}
		}
		run = run[:0]
	}
	last := ""
	for _, w := range r.u.words {
		if r.isProgram(w) {
			flush()
			last = ""
			continue
		}
		if w.script != latin {
			run = append(run, []rune(w.text)...)
			last = ""
			continue
		}
		flush()
		t := foldWord(w.text)
		add(kindWord, t)
		if last != "" {
			add(kindPair, last+" "+t)
		}
		last = t
		edge := []rune(" " + t + " ")
		for i := 0; i+4 <= len(edge); i++ {
			add(kindLetters, string(edge[i:i+4]))
		}
	}
	flush()
}

func (r *Reading) isProgram(w word) bool {
	return slices.ContainsFunc(r.names, func(h hit) bool {
		return w.start >= h.start && w.start < h.end && !r.isAmbiguous(h)
	})
}

// featureHash is FNV-1a over the kind and the text.
func featureHash(kind byte, text string) uint32 {
	h := (uint32(2166136261) ^ uint32(kind)) * 16777619
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}
