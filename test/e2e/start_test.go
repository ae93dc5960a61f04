package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// initLine matches a line of GODEBUG=inittrace=1: a package and what its start allocated.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* clock, (\d+) bytes, (\d+) allocs$`)

// TestTheProgramsStartWithoutTheirTables holds what packages of this module do before main. Tables and expressions
// that a short command does not need are made when they are first used.
func TestTheProgramsStartWithoutTheirTables(t *testing.T) {
	t.Parallel()
	for program, most := range map[string]int{"blunux-ai": 400 << 10, "blunux-aictl": 40 << 10, "blunux-ai-extra": 120 << 10} {
		argument := "--version"
		if program == "blunux-ai-extra" { // it has no version, and with an option it is makepkg's
			argument = "unknown"
		}
		cmd := exec.Command(filepath.Join(binaries, program), argument)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, _ := cmd.CombinedOutput() // what is unknown fails
		total := 0
		for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
			bytes, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			if strings.HasPrefix(m[1], ours) {
				total += bytes
				require.Less(t, bytes, 100<<10, "%s: package %s allocates at the start", program, m[1])
			}
		}
		require.NotZero(t, total, program)
		require.Less(t, total, most, "%s: bytes allocated by our packages at the start", program)
	}
}

// ours is the module's path.
const ours = "github.com/nidoit/blunux-ai/"
