package wire

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
)

// residentFile returns how much of files is resident in this process, in kB.
func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	kb, err := strconv.Atoi(string(regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)[1]))
	require.NoError(t, err)
	return kb
}

func TestAtRestTheProgramsOwnPagesAreGivenBack(t *testing.T) {
	before := residentFile(t)
	releaseMemory(zerolog.Nop())
	require.Less(t, residentFile(t), before*9/10)
	require.NotEmpty(t, os.Environ(), "the program goes on")
}

func TestAMappingWithPagesOfItsOwnIsKept(t *testing.T) {
	smaps := []byte("00400000-00401000 r--p 00000000 08:01 1 /usr/bin/x y\nAnonymous:             0 kB\n" +
		"00401000-00403000 r-xp 00001000 08:01 1 /usr/bin/x y\nAnonymous:             0 kB\n" +
		"00403000-00404000 r--p 00003000 08:01 1 /usr/bin/x y\nAnonymous:             4 kB\n" + // relocated
		"00404000-00405000 rw-p 00004000 08:01 1 /usr/bin/x y\nAnonymous:             0 kB\n" +
		"00500000-00501000 r--p 00000000 08:01 2 /usr/lib/other\nAnonymous:             0 kB\n" +
		"00600000-00601000 r--p 00000000 00:00 0 \nAnonymous:             0 kB\n")
	kept := cleanMappings(smaps, "/usr/bin/x y")
	require.Len(t, kept, 2)
	require.Len(t, kept[0], 0x1000)
	require.Len(t, kept[1], 0x2000)
}
