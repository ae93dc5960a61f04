package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDropsOfOneEventAreCountedOnce(t *testing.T) {
	d := LinkDrops(`Nov 22 08:40:02 b kernel: wlan0: disassociated from 64:e5:99:12:34:56 (Reason: 8=DISASSOC_STA_HAS_LEFT)
Nov 22 08:40:02 b wpa_supplicant[1]: wlan0: CTRL-EVENT-DISCONNECTED bssid=64:e5:99:12:34:56 reason=8
Nov 22 09:10:00 b wpa_supplicant[1]: wlan0: CTRL-EVENT-DISCONNECTED bssid=64:e5:99:12:34:56 reason=3 locally_generated=1
`)
	require.Equal(t, []string{"Nov 22 08:40"}, d.Times, "leaving by itself is no drop")
	reason, count := d.MostFrequent()
	require.Equal(t, []int{8, 1}, []int{reason, count})
	reason, _ = LinkDrops("Nov 22 08:40:02 b kernel: wlan0: Connection to AP 64:e5:99:12:34:56 lost\n").MostFrequent()
	require.Equal(t, LostLink, reason)
}

func TestPingWithoutRightsTestsNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		stdout, stderr  string
		exit            int
		answers, tested bool
	}{
		"an answer":   {"64 bytes from 1.1.1.1: icmp_seq=1 ttl=57 time=7.42 ms\n", "", 0, true, true},
		"none":        {"1 packets transmitted, 0 received, 100% packet loss, time 0ms\n", "", 1, false, true},
		"unreachable": {"", "ping: connect: Network is unreachable\n", 2, false, true},
		"no rights":   {"", "ping: socket: Operation not permitted\n", 2, false, false},
		"killed":      {"", "", 137, false, false},
	} {
		answers, tested := PingAnswers(tt.stdout, tt.stderr, tt.exit)
		require.Equal(t, [2]bool{tt.answers, tt.tested}, [2]bool{answers, tested}, name)
	}
}
