package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFileUsers(t *testing.T) {
	stderr := "Cannot stat file /proc/1/fd/0: Permission denied\n                     USER        PID ACCESS COMMAND\n" +
		"/dev/snd/controlC0:  kim       F.... wireplumber\n                     kim       F.... plasmashell\n/dev/snd/pcmC0D0p:   kim       F...m jackd\n"
	require.Equal(t, []FileUser{
		{"/dev/snd/controlC0", "kim", "1322", "wireplumber"}, {"/dev/snd/controlC0", "kim", "1400", "plasmashell"}, {"/dev/snd/pcmC0D0p", "kim", "2345", "jackd"},
	}, FileUsers("  1322  1400  2345", stderr))
	require.Empty(t, FileUsers("1322", stderr))
	require.Empty(t, FileUsers("", ""))
}
