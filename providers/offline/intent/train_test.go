package intent

import (
	"encoding/binary"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var train = flag.Bool("train", false, "learn weights.bin anew from phrases/*.tsv")

// lesson is one phrase as training input.
type lesson struct {
	class    int
	features []int
	row      row
}

// classOf returns the class of a labelled row.
func classOf(r row) string {
	args := map[string]string{}
	for _, c := range strings.Split(r.args, ";") {
		k, v, _ := strings.Cut(strings.Replace(c, "~", "", 1), "=")
		for _, alt := range strings.Split(v, "|") {
			if alt != "-" && args[k] == "" {
				args[k] = alt
			}
		}
	}
	pick := func(key, fallback string, names map[string]string) string {
		if n, ok := names[args[key]]; ok {
			return n
		}
		return fallback
	}
	switch tool, _, _ := strings.Cut(r.tool, "|"); tool {
	case "check_disk":
		return "disk"
	case "find_large":
		return "large"
	case "check_memory":
		return "memory"
	case "check_processes":
		if args["name"] != "" && args["name"] != "?" {
			return "process"
		}
		return pick("sort", "slow", map[string]string{"mem": "processes-mem", "cpu": "processes-cpu"})
	case "read_logs":
		return "logs"
	case "check_network":
		return pick("scope", "connectivity", map[string]string{"wifi": "wifi", "ip": "ip", "ports": "ports"})
	case "list_packages":
		return pick("filter", "packages", map[string]string{"explicit": "packages-explicit", "foreign": "packages-foreign", "orphans": "packages-orphans"})
	case "search_packages":
		return "search"
	case "package_info":
		return "info"
	case "check_updates":
		return "updates"
	case "check_service":
		if args["name"] != "" {
			return "service-status"
		}
		return pick("failed", "services", map[string]string{"true": "services-failed"})
	case "system_info":
		return "system"
	case "check_hardware":
		return pick("scope", "hardware", map[string]string{"cpu": "hardware-cpu", "gpu": "hardware-gpu", "battery": "battery", "temperature": "temperature", "usb": "usb", "disk": "hardware-disk"})
	case "check_boot":
		return "boot"
	case "install_package":
		return "install"
	case "remove_package":
		return "remove"
	case "update_system":
		return "update"
	case "manage_service":
		return args["action"]
	case "run_command":
		return "run"
	default:
		return tool // none, refuse, remember, recall, schedule
	}
}

// learner is a softmax regression over sparse features.
type learner struct {
	classes int
	index   map[uint32]int
	hashes  []uint32
	w       []float64 // by feature, then by class
	bias    []float64
}

func newLearner() *learner {
	n := len(shared().classes)
	return &learner{classes: n, index: map[uint32]int{}, bias: make([]float64, n)}
}

func (l *learner) lesson(t testing.TB, r row, grow bool) lesson {
	class := slices.IndexFunc(shared().classes, func(c class) bool { return c.name == classOf(r) })
	require.GreaterOrEqual(t, class, 0, "no class for %v", r)
	in := shared().read(newUtterance(r.utterance))
	var hashes []uint32
	in.features(in.recognise(), func(kind byte, text string) { hashes = append(hashes, featureHash(kind, text)) })
	slices.Sort(hashes)
	out := lesson{class: class, row: r}
	for _, h := range slices.Compact(hashes) {
		i, ok := l.index[h]
		if !ok {
			if !grow {
				i = -1
			} else {
				i = len(l.hashes)
				l.index[h] = i
				l.hashes = append(l.hashes, h)
			}
		}
		out.features = append(out.features, i)
	}
	return out
}

func (l *learner) odds(features []int, z []float64) {
	copy(z, l.bias)
	norm := steepness / math.Sqrt(float64(len(features)+1))
	for _, f := range features {
		if f < 0 {
			continue
		}
		row := l.w[f*l.classes : (f+1)*l.classes]
		for k, w := range row {
			z[k] += w * norm
		}
	}
	top, sum := slices.Max(z), 0.0
	for k := range z {
		z[k] = math.Exp(z[k] - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
}

var (
	epochs    = 14
	firstRate = 0.5
	shrink    = 2e-4 // per step, of each touched weight
)

const (
	leastPart  = 1e-3
	weightBits = 127
)

func (l *learner) learn(lessons []lesson) {
	l.w, l.bias = make([]float64, len(l.hashes)*l.classes), make([]float64, l.classes)
	mean := make([]float64, len(l.w))
	z := make([]float64, l.classes)
	for e := range epochs {
		rate := firstRate / (1 + 0.25*float64(e))
		for j := range lessons {
			s := lessons[(j*7919+e*31)%len(lessons)]
			l.odds(s.features, z)
			norm := steepness / math.Sqrt(float64(len(s.features)+1))
			z[s.class]--
			for k, g := range z {
				if math.Abs(g) < leastPart {
					continue
				}
				l.bias[k] -= 0.02 * rate * g
				for _, f := range s.features {
					if f >= 0 {
						w := &l.w[f*l.classes+k]
						*w -= rate*g*norm + shrink**w
					}
				}
			}
		}
		if e >= epochs/2 {
			for i, w := range l.w {
				mean[i] += w / float64(epochs-epochs/2)
			}
		}
	}
	l.w = mean
}

// bytes returns the file that classifier.go reads: weights as multiples of the scale, without those below least.
func (l *learner) bytes(least float64) []byte {
	top := 0.0
	for _, w := range l.w {
		top = max(top, math.Abs(w))
	}
	scale := float64(float32(top / weightBits))
	order := make([]int, len(l.hashes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if l.hashes[a] < l.hashes[b] {
			return -1
		}
		return 1
	})
	var hashes, starts, counts, list []byte
	for _, i := range order {
		start := len(list) / 2
		for k := range l.classes {
			w := l.w[i*l.classes+k]
			if q := int(math.Round(w / scale)); q != 0 && math.Abs(w) >= least {
				list = append(list, byte(k), byte(int8(q)))
			}
		}
		if len(list)/2 == start {
			continue
		}
		if len(counts)%weightsBlock == 0 {
			starts = binary.LittleEndian.AppendUint32(starts, uint32(start))
		}
		hashes = binary.LittleEndian.AppendUint32(hashes, l.hashes[i])
		counts = append(counts, byte(len(list)/2-start)) // at most one entry per class
	}
	out := []byte(weightsMagic)
	for _, n := range []int{l.classes, len(counts), len(list) / 2} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(scale)))
	for _, b := range l.bias {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(b)))
	}
	return slices.Concat(out, hashes, starts, counts, list)
}

const leastWeight = 0.04

func phrases(t testing.TB) []row {
	t.Helper()
	files, err := filepath.Glob("phrases/*.tsv")
	require.NoError(t, err)
	var out []row
	for _, f := range files {
		out = append(out, readCorpus(t, filepath.Join("..", f))...)
	}
	return out
}

func learnFrom(t testing.TB, rows []row) *learner {
	l := newLearner()
	var lessons []lesson
	for _, r := range rows {
		lessons = append(lessons, l.lesson(t, r, true))
	}
	l.learn(lessons)
	return l
}

// TestWeightsAreThoseOfThePhrases trains again and compares, so that weights.bin is not forgotten after adding
// a phrase or a word.
func TestWeightsAreThoseOfThePhrases(t *testing.T) {
	got := learnFrom(t, phrases(t)).bytes(leastWeight)
	if *train {
		require.NoError(t, os.WriteFile("weights.bin", got, 0o644))
		t.Logf("%d bytes", len(got))
		return
	}
	require.True(t, string(got) == weightsFile, "the phrases or word lists have changed: run make phrases")
}
