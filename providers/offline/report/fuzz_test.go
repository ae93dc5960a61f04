package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nidoit/blunux-ai/machine"

	"github.com/stretchr/testify/require"
)

// recorded reads an output of machine/testdata.
func recorded(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "machine", "testdata", name))
	require.NoError(t, err)
	return string(b)
}

func FuzzAnswers(f *testing.F) {
	for _, name := range []string{"df-full.txt", "df-btrfs.txt", "free-tight.txt", "ps-mem.txt", "wifi.txt", "addr.txt", "route.txt", "ss.txt", "qi-firefox.txt", "search-pdf.txt", "status-failed.txt", "failed-units.txt", "lspci.txt", "upower.txt", "sensors.txt", "lsusb.txt", "lsblk.txt", "boot-time.txt", "blame.txt", "du.txt", "find.txt", "journal-errors.txt"} {
		f.Add(recorded(f, name))
	}
	f.Add("top - 09:00:03 up 1 day,  1:02,  1 user,  load average: 1.20, 1.10, 1.01\n%Cpu(s): 13.0 us,  1.1 sy,  0.0 ni, 85.8 id,  0.1 wa\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   5121 blu       20   0 1134512 822344 102340 R  99.5   5.1 612:51.02 viewer\n")
	f.Add("Thu 2026-11-19 21:14:03 KST    1203 1000 1000 SIGSEGV present  /usr/bin/gnome-shell          41.2M\n#1  0x00007f3c2b1c2d10 meta_x (libmutter-17.so.0 + 0x8d10)\n")
	f.Add("graphical.target @14.501s\n└─docker.service @12.391s +2.108s\n==> finished dry run: 5 candidates (disk space saved: 15.32 GiB)\nArchived and active journals take up 3.9G in the file system.\n")
	f.Add("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=18\nPOWER_SUPPLY_ENERGY_FULL=5\nPOWER_SUPPLY_ENERGY_FULL_DESIGN=0\n/sys/class/thermal/thermal_zone0/temp:27800\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, fs := range realFileSystems(read(machine.ParseDF, s)) {
			if fs.Percent < 0 || fs.Percent > 100 || fs.Target == "" {
				t.Fatalf("odd file system %+v", fs)
			}
		}
		cpuHours(read(machine.ParsePS, s), 1)
		machine.LogTime(s)
		groupLines(machine.Lines(s), 0)
	})
}
