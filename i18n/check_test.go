package i18n_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/i18n"
)

func TestFiguresOfChecks(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1.25: "1.3", -0.5: "-0.5", -12.34: "-12.3", 1234.96: "1,235", 99999.9: "99,999.9", math.Inf(1): "?"} {
		require.Equal(t, want, i18n.CheckNumber(v))
	}
	require.Equal(t, "?", i18n.CheckNumber(math.NaN()))
	for v, want := range map[float64]string{0: "0%", 61.5: "62%", 99.9: "99%", 100: "100%", 104: "104%"} {
		require.Equal(t, want, i18n.CheckPercent(v))
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1,023 B", 1536: "1.5 KiB", 31 << 30: "31 GiB", 1 << 62: "4,096 PiB"} {
		require.Equal(t, want, i18n.CheckSize(n))
	}
}

func TestSpansAndMomentsOfChecks(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "1 minute", 90 * time.Second: "1 minute", time.Hour: "1 hour", 6 * time.Hour: "6 hours", 36 * time.Hour: "36 hours",
		24 * time.Hour: "1 day", 49 * time.Hour: "2 days",
	} {
		require.Equal(t, want, i18n.CheckSpan(i18n.English, d))
	}
	now := time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("KST", 9*3600))
	require.Equal(t, "오늘 0:05", i18n.CheckMoment(i18n.Korean, now.Add(-25*time.Minute), now))
	require.Equal(t, "어제 23:45", i18n.CheckMoment(i18n.Korean, now.Add(-45*time.Minute), now))
	require.Equal(t, "2월 27일 0:30", i18n.CheckMoment(i18n.Korean, now.Add(-48*time.Hour), now))
	require.Equal(t, "0:30 on Feb 27", i18n.CheckMoment(i18n.English, now.Add(-48*time.Hour), now))
	require.Equal(t, "2026 年 3 月 1 日", i18n.CheckDate(i18n.Chinese, now))
}
