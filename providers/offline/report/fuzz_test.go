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
	f.Add("top - 09:00:03 up 1 day,  1:02,  1 user,  load average: 1.20, 1.10, 1.01\n%Cpu(s): 13.0 us,  1.1 sy,  0.0 ni, 85.8 id,  0.1 wa\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   5121 blu       20   0 1134512 822344 102340 R  99.5   5.1 612:51.02 viewer\n")
	f.Add("Thu 2026-11-19 21:14:03 KST    1203 1000 1000 SIGSEGV present  /usr/bin/gnome-shell          41.2M\n#1  0x00007f3c2b1c2d10 meta_x (libmutter-17.so.0 + 0x8d10)\n")
	f.Add("graphical.target @14.501s\n└─docker.service @12.391s +2.108s\n==> finished dry run: 5 candidates (disk space saved: 15.32 GiB)\nArchived and active journals take up 3.9G in the file system.\n")
	f.Add("POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_CAPACITY=18\nPOWER_SUPPLY_ENERGY_FULL=5\nPOWER_SUPPLY_ENERGY_FULL_DESIGN=0\n/sys/class/thermal/thermal_zone0/temp:27800\n")
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
		zombies(s)
		cpuHours(s, 1)
		if snap, ok := parseTop(s); ok && (snap.busy < 0 || snap.busy > 100 || len(snap.busiest()) > len(snap.tasks)) {
			t.Fatalf("odd picture %+v", snap)
		}
		for _, b := range append(parseUPower(s), parseSupplies(s)...) {
			if b.health < 0 || b.health > 150 {
				t.Fatalf("odd battery %+v", b)
			}
		}
		for _, h := range parseZones(s) {
			if h.celsius <= 0 || h.celsius > 150 {
				t.Fatalf("odd zone %+v", h)
			}
		}
		for _, l := range parseChain(s) {
			if l.took < 0 {
				t.Fatalf("odd link %+v", l)
			}
		}
		parseFans(s)
		parseUpdates(s)
		parseCrashes(s)
		crashSite(s)
		sizeIn(paccacheSaved(), s)
		sizeIn(journalTakes(), s)
		timestampOf(s)
		parseAddresses(s)
		defaultGateway(s)
		parseSockets(s)
		parseInfo(s)
		parseSearch(s)
		parseStatus(s)
		parseUnits(s)
		parseGPU(s)
		parseUSB(s)
		parseBlocks(s)
		parseBlame(s, 5)
		parseDU(s)
		parseFindOutput(s)
		groupLines(outputLines(s), 0)
	})
}
