package diagnose

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestALookMayTakeLongerOnABusyMachine(t *testing.T) {
	for load, want := range map[float64]time.Duration{0: 3 * time.Second, 1: 3 * time.Second, 2.5: 7500 * time.Millisecond, 40: 15 * time.Second} {
		require.Equal(t, want, patience(3*time.Second, load), "load %v", load)
	}
	require.GreaterOrEqual(t, load(), 0.0)
}
