package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheBoundOfAConditionIsItsPercentage(t *testing.T) {
	for text, want := range map[string]int{
		"my 500 gb disk is 90% full": 90, "disk is over 80 percent": 80, "디스크가 95퍼센트 넘으면": 95, "磁盘超过百分之85": 85,
		"the disk is 90 full": 90, "disk has less than 10% left": 90, "disk is over 500 gb": 0, "disk is over 1000": 0,
	} {
		_, over, ok := conditionOf(text)
		require.True(t, ok, text)
		require.Equal(t, want, over, text)
	}
}
