package rules

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestARequestToSnoozeIsUnderstood(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"snooze 1d": 24 * time.Hour, "Snooze": 24 * time.Hour, "하루 조용히": 24 * time.Hour, "2시간 동안 조용히 해줘": 2 * time.Hour, "静音 1天": 24 * time.Hour,
		"스누즈 3시간": 3 * time.Hour,
	} {
		got, ok := parseSnooze(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"조용히 디스크 확인해줘", "how do I snooze?", "snooze the disk warning and reboot", "1d", "오늘은 조용히 지내고 싶어"} {
		_, ok := parseSnooze(text)
		require.False(t, ok, text)
	}
}
