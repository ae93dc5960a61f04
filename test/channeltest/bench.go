package channeltest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/bridge/state"
)

// idleTime is how long a bridge is idle before its memory is measured: longer than it takes to
// detect that it is idle.
const idleTime = 25 * time.Second

// Bench measures a messenger's real bridge program with the real daemon and a model that takes no
// time. It reports the time from start to online, the time of a question through the bridge and
// through the local client in the same run, and the memory of the idle bridge.
func Bench(b *testing.B, world func(t testing.TB) World) {
	programs, err := Programs()
	require.NoError(b, err)
	s := newStage(b, testWorld{world(b), programs}, options{idle: true, config: "max_messages_per_minute = 100000\n"})
	s.startDaemon()
	begun := time.Now()
	s.startBridge()
	for now := (state.State{}); now.Phase != state.Online; now, _ = state.Read(filepath.Join(s.dir, "ai", s.w.Channel())) {
		<-time.After(time.Millisecond)
	}
	ready := time.Since(begun)
	s.say("warm")
	s.awaitMessage("heard <warm>")
	var here, there time.Duration
	n := max(b.N, 10)
	b.ResetTimer()
	for i := range n {
		begun = time.Now()
		s.aictl("ask", "-s", "bench", fmt.Sprintf("at the machine %d", i))
		here += time.Since(begun)
		<-time.After(time.Second) // longer than the minimum time between two messages to one chat
		begun = time.Now()
		s.say(fmt.Sprintf("afar %d", i))
		s.awaitMessage(fmt.Sprintf("heard <afar %d>", i))
		there += time.Since(begun)
	}
	b.StopTimer()
	<-time.After(idleTime)
	b.ReportMetric(0, "ns/op") // it would include the pauses
	b.ReportMetric(float64(ready.Microseconds())/1000, "ms/ready")
	b.ReportMetric(float64(here.Microseconds())/1000/float64(n), "ms/client")
	b.ReportMetric(float64(there.Microseconds())/1000/float64(n), "ms/bridge")
	b.ReportMetric(float64(pss(b, s.bridge.cmd.Process.Pid))/1024, "MiB-PSS/idle")
}

// pss returns a process's proportional set size in KiB (proc_pid_smaps(5)).
func pss(t testing.TB, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			require.NoError(t, err)
			return kib
		}
	}
	require.Fail(t, "the kernel tells no PSS")
	return 0
}
