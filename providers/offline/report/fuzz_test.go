package report

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorded reads an output of testdata/outputs.
func recorded(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "outputs", name))
	require.NoError(t, err)
	return string(b)
}

func FuzzParsers(f *testing.F) {
	for _, name := range []string{"df-full.txt", "df-btrfs.txt", "free-tight.txt", "ps-mem.txt", "wifi.txt", "addr.txt", "route.txt", "ss.txt", "qi-firefox.txt", "search-pdf.txt", "status-failed.txt", "failed-units.txt", "lspci.txt", "upower.txt", "sensors.txt", "lsusb.txt", "lsblk.txt", "boot-time.txt", "blame.txt", "du.txt", "find.txt", "journal-errors.txt"} {
		f.Add(recorded(f, name))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, fs := range realFileSystems(parseDF(s)) {
			if fs.percent < 0 || fs.percent > 100 || fs.mount == "" {
				t.Fatalf("odd file system %+v", fs)
			}
		}
		if st, ok := parseFree(s); ok && (st.total <= 0 || st.available > st.total) {
			t.Fatalf("odd memory %+v", st)
		}
		for _, ap := range parseWifi(s) {
			if ap.signal < 0 || ap.signal > 100 {
				t.Fatalf("odd signal %+v", ap)
			}
		}
		for _, h := range parseSensors(s) {
			if h.celsius < -40 || h.celsius > 150 {
				t.Fatalf("odd temperature %+v", h)
			}
		}
		parsePS(s)
		parseAddresses(s)
		defaultGateway(s)
		parseSockets(s)
		parseInfo(s)
		parseSearch(s)
		parseStatus(s)
		parseUnits(s)
		parseGPU(s)
		batteryBlock(s)
		parseUSB(s)
		parseBlocks(s)
		parseBlame(s, 5)
		parseDU(s)
		parseFound(s)
		groupLines(outputLines(s), 0)
	})
}
