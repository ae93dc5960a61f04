package e2e

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/ipc"
)

// soakPlot answers immediately, runs read-only commands, and runs commands that need approval.
const soakPlot = `
[[step]]
user_match = '^Summarise this conversation'
text = "they talked about numbers"
forever = true

[[step]]
user_match = '^say (\w+)$'
text = "heard {{user.1}}"
forever = true

[[step]]
user_match = '^look (\w+)$'
[[step.tool]]
name = "check_memory"
[[step]]
text = "looked {{user.1}}"

[[step]]
user_match = '^run (\w+)$'
[[step.tool]]
name = "run_command"
input = { command = "touch ran-{{user.1}}" }
[[step]]
text = "ran {{user.1}}"
`

const (
	soakPeers = 16
	soakRound = 2000 // messages between two samples
)

// sample is a sample, taken without tasks and connections.
type sample struct {
	messages int
	ipc.Process
}

// soaking reports that make soak runs the tests.
func soaking() bool { return os.Getenv("BLUNUX_AI_SOAK") != "" }

// TestSoak uses one daemon for the time in BLUNUX_AI_SOAK (make soak), or for BLUNUX_AI_SOAK_MESSAGES: both
// kinds of peers, new and growing conversations, tools, approvals and denials, peers that leave before their
// answer, polls, resets. Memory must not grow, and the numbers of goroutines and files must return to their
// initial values.
func TestSoak(t *testing.T) {
	limit, err := time.ParseDuration(os.Getenv("BLUNUX_AI_SOAK"))
	if err != nil {
		t.Skip("make soak runs it")
	}
	most, err := strconv.Atoi(os.Getenv("BLUNUX_AI_SOAK_MESSAGES"))
	if err != nil || most == 0 {
		most = math.MaxInt
	}
	d := newMachine(t, soakPlot)
	d.start()
	samples := d.soak(limit, most)
	require.GreaterOrEqual(t, len(samples), 8, "too short to say anything")

	second := samples[len(samples)/2:]
	first, last := second[0], second[len(second)-1]
	for what, of := range map[string]func(sample) int64{
		"RSS": func(s sample) int64 { return s.RSS }, "heap": func(s sample) int64 { return s.Heap },
	} {
		slope, noise, mean := trend(second, of)
		grown := slope * float64(last.messages-first.messages)
		t.Logf("%s over the last %d messages: %+.0f KiB by the fit, noise %.0f KiB, mean %.0f KiB",
			what, last.messages-first.messages, grown/1024, noise/1024, mean/1024)
		require.Less(t, grown, max(2*noise, mean/10), "bytes that %s grew by", what)
	}
	for _, s := range second {
		require.LessOrEqual(t, s.Goroutines, first.Goroutines, "goroutines after %d messages", s.messages)
		require.LessOrEqual(t, s.OpenFiles, first.OpenFiles, "open files after %d messages", s.messages)
	}
}

// soak sends messages until the time or the number is reached, and returns the samples.
func (d *machine) soak(limit time.Duration, most int) []sample {
	var samples []sample
	began, total, owed := time.Now(), 0, 0
	for round := 0; time.Since(began) < limit && total < most; round++ {
		peers, start := make([]*soaker, soakPeers), time.Now()
		var talking sync.WaitGroup
		for i := range peers {
			peers[i] = &soaker{sock: d.sock(), n: i, round: round, rand: rand.New(rand.NewPCG(uint64(round), uint64(i)))}
			talking.Go(peers[i].talk)
		}
		talking.Wait()
		rate := soakRound / time.Since(start).Seconds()
		var gone []string
		for _, p := range peers {
			require.NoError(d.t, p.err, "peer %d in round %d", p.n, round)
			gone = append(gone, p.abandoned...)
		}
		total += soakRound
		d.awaitIdle()
		d.requirePolled(gone)
		owed += len(gone)
		s := sample{total, d.idleResources()}
		samples = append(samples, s)
		d.t.Logf("%7d messages, %4.0f/s: RSS %.1f MiB, heap %.1f MiB, %d goroutines, %d files; %d polled", total,
			rate, float64(s.RSS)/(1<<20), float64(s.Heap)/(1<<20), s.Goroutines, s.OpenFiles, owed)
	}
	return samples
}

// awaitIdle waits until there are no tasks and no connections.
func (d *machine) awaitIdle() {
	d.t.Helper()
	waitUntil(d.t, "quiet", func() bool {
		status := d.status()
		return status.Running+status.Waiting == 0 && status.Clients <= 1 && len(status.Idle.Activities) == 0
	})
}

// idleResources returns the resources of a daemon with no connection but ours: the minimum of several samples, because
// the previous connection may not be closed yet.
func (d *machine) idleResources() ipc.Process {
	d.t.Helper()
	least := d.figures()
	for range 4 {
		now := d.figures()
		least.RSS, least.Heap = min(least.RSS, now.RSS), min(least.Heap, now.Heap)
		least.Goroutines, least.OpenFiles = min(least.Goroutines, now.Goroutines), min(least.OpenFiles, now.OpenFiles)
	}
	return least
}

// requirePolled requires that exactly these answers come by poll, each once.
func (d *machine) requirePolled(words []string) {
	d.t.Helper()
	got := map[string]int{}
	for _, n := range d.pollAll() {
		got[strings.TrimPrefix(n.Body, "heard ")]++
	}
	for _, w := range words {
		require.Equal(d.t, 1, got[w], w)
	}
	require.Len(d.t, got, len(words))
}

// trend returns the slope of a figure over messages by least squares, the standard deviation of the residuals,
// and the mean.
func trend(samples []sample, of func(sample) int64) (slope, noise, mean float64) {
	n, x, y, xx, xy := float64(len(samples)), 0.0, 0.0, 0.0, 0.0
	for _, s := range samples {
		m, v := float64(s.messages), float64(of(s))
		x, y, xx, xy = x+m, y+v, xx+m*m, xy+m*v
	}
	slope = (n*xy - x*y) / (n*xx - x*x)
	base := (y - slope*x) / n
	for _, s := range samples {
		left := float64(of(s)) - base - slope*float64(s.messages)
		noise += left * left
	}
	return slope, math.Sqrt(noise / n), y / n
}
