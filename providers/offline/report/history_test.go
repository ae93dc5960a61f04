package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestATimeAgoIsWhenItSays(t *testing.T) {
	now := time.Date(2026, 11, 23, 15, 30, 0, 0, time.UTC)
	midnight := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for since, want := range map[string]string{
		"3 days ago": "2026-11-20 00:00", "2 hours ago": "2026-11-23 13:30", "45 minutes ago": "2026-11-23 14:45",
		"2 weeks ago": "2026-11-09 00:00", "1 month ago": "2026-10-23 00:00", "09:00": "2026-11-23 09:00",
	} {
		at, ok := timeAgo(now, midnight, since)
		require.True(t, ok, since)
		require.Equal(t, want, at.Format("2006-01-02 15:04"), since)
	}
	for _, since := range []string{"", "yesterday", "boot", "99999999999999999999 days ago"} {
		_, ok := timeAgo(now, midnight, since)
		require.False(t, ok, since)
	}
}
