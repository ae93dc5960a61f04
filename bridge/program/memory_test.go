package program

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyWhatWasNeverChangedIsGivenBack(t *testing.T) {
	smaps := `00400000-00875000 r-xp 00000000 fe:01 123   /usr/bin/blunux-telegram-bridge
Size:               4564 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00875000-00cd6000 r--p 00475000 fe:01 123   /usr/bin/blunux-telegram-bridge
Anonymous:             8 kB
00cd6000-00d4d000 rw-p 008d6000 fe:01 123   /usr/bin/blunux-telegram-bridge
Anonymous:             0 kB
00d4d000-00d50000 r--p 008d6000 fe:01 123   /usr/lib/other
Anonymous:             0 kB
c000000000-c000400000 rw-p 00000000 00:00 0
Anonymous:          2000 kB
`
	require.Equal(t, []mapping{{0x400000, 0x875000}}, cleanMappings([]byte(smaps), "/usr/bin/blunux-telegram-bridge"))
	releaseMemory() // and the program continues
}
