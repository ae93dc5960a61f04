package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkSandbox starts a program that does nothing, alternately without and with a cell. It reports the
// medians and the cost of the cell (goal: 4 ms).
func BenchmarkSandbox(b *testing.B) {
	s := New(Options{Dir: filepath.Join(b.TempDir(), "sandbox"), Helper: helper})
	for name, needs := range cells() {
		b.Run(name, func(b *testing.B) {
			require.NoError(b, s.CanConfine(needs))
			var plain, confined []time.Duration
			for b.Loop() {
				plain = append(plain, timed(func() { require.NoError(b, exec.Command("/bin/true").Run()) }))
				confined = append(confined, timed(func() { enterTrue(b, s, needs) }))
			}
			p, c := median(plain), median(confined)
			b.ReportMetric(float64(p.Microseconds()), "plain-µs")
			b.ReportMetric(float64(c.Microseconds()), "confined-µs")
			b.ReportMetric(float64((c-p).Microseconds())/1000, "added-ms")
		})
	}
}

func enterTrue(b *testing.B, s *Sandbox, n Needs) {
	st, err := s.Enter(n, "/bin/true", []string{"true"}, os.Environ())
	require.NoError(b, err)
	defer st.Close()
	cmd := exec.Command(st.Path)
	cmd.Args, cmd.Env, cmd.SysProcAttr, cmd.ExtraFiles = st.Args, st.Env, st.Attr, []*os.File{st.Child}
	require.NoError(b, cmd.Start())
	require.NoError(b, st.WaitEntered())
	require.NoError(b, cmd.Wait())
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
