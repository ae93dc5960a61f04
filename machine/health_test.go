package machine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBootsAndFailedUnitsAreReadFromTheJournal(t *testing.T) {
	boots, failures, lines := ParseHealth([]byte(`1764201600.250000 desk systemd[1]: Startup finished in 6.5s (firmware) + 2s (loader) + 1.1s (kernel) + 2.4s (initrd) + 5s (userspace) = 17.0s.
1764201601.000000 desk systemd[812]: Startup finished in 80ms.
1764205200.500000 desk systemd[1]: cups.service: Failed with result 'exit-code'.
-- Boot 0123456789abcdef0123456789abcdef --
1764288000.000000 desk systemd[1]: Startup finished in 1.2s (kernel) + 58.3s (userspace) = 59.5s.
1764288001.000000 desk systemd[812]: app-run\x2d1.scope: Failed with result 'oom-kill'.
no line of the journal
99999999999999999999 desk systemd[1]: x.service: Failed with result 'exit-code'.
`))
	require.Equal(t, 5, lines)
	require.Equal(t, []Boot{{time.UnixMicro(1764201600250000), 17}, {time.UnixMicro(1764288000000000), 59.5}}, boots)
	require.Equal(t, []UnitFailure{{time.UnixMicro(1764205200500000), "cups.service"}, {time.UnixMicro(1764288001000000), `app-run\x2d1.scope`}}, failures)
	require.Equal(t, "journalctl --no-pager -q -o short-unix --since=-30d -n 400 MESSAGE_ID=b07a249cd024414a82dd00cd181378ff MESSAGE_ID=d9b373ed55a64feb8242e02dbe79a49c", HealthProbe(30).String())
}
