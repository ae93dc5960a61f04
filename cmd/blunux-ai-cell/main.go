// Command blunux-ai-cell is the helper process that starts commands. Inside the sandbox it restricts itself and
// executes a command that may only read (tools/sandbox/cell). As the main process of a systemd unit it starts a
// confirmed command and records how it ends (tools/unit/record). The daemon can do both itself; this program is
// ten times smaller and therefore starts faster.
package main

import (
	"fmt"
	"os"

	_ "github.com/nidoit/blunux-ai/tools/sandbox/cell" // its init takes over the process
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

func main() {
	if os.Args[0] == record.Name {
		os.Exit(record.Main(os.Args[1:]))
	}
	fmt.Fprintln(os.Stderr, "blunux-ai-cell: started by blunux-ai, not by hand")
	os.Exit(2)
}
