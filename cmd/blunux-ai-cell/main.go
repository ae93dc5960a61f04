// Command blunux-ai-cell is the inside of the sandbox on its own: the daemon
// starts it with a command that may only read, and it locks itself in and
// becomes that command (tools/sandbox/cell). The daemon can do the same with
// itself; this is ten times smaller and so starts faster.
package main

import (
	"fmt"
	"os"

	_ "github.com/nidoit/blunux-ai/tools/sandbox/cell" // takes the start up in its init
)

func main() {
	fmt.Fprintln(os.Stderr, "blunux-ai-cell: started by blunux-ai, not by hand")
	os.Exit(2)
}
