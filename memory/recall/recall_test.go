package recall_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/nidoit/blunux-ai/memory/recall"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", checks); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func write(t testing.TB, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// open opens an index that is closed when the test ends.
func open(t testing.TB, o recall.Options) *recall.Index {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "cache", "recall.db"), o)
}

func openAt(t testing.TB, file string, o recall.Options) *recall.Index {
	t.Helper()
	x, err := recall.Open(file, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	return x
}

func day(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation(time.DateOnly, s, time.Local)
	require.NoError(t, err)
	return at
}

func on(at time.Time) func() time.Time { return func() time.Time { return at } }
