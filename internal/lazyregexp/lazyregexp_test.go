package lazyregexp

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheFirstUseCompiles(t *testing.T) {
	r := &Regexp{expr: `(a+)(b?)`}
	require.Nil(t, r.re)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { require.True(t, r.MatchString("xaab")) })
	}
	wg.Wait()
	require.Equal(t, []string{"aab", "aa", "b"}, r.FindStringSubmatch("xaab"))
}

func TestTestsFindInvalidExpressions(t *testing.T) {
	require.Panics(t, func() { New("(") })
}
