// Command blunux-ai-cell is the helper that commands are started with. As the
// inside of the sandbox it locks itself in and becomes a command that may only
// read (tools/sandbox/cell); as the main process of a unit it starts a command
// that was confirmed and writes down how it ends (tools/unit/record). The
// daemon can do the same with itself; this is ten times smaller and so starts
// faster.
package main

import (
	"fmt"
	"os"

	_ "github.com/nidoit/blunux-ai/tools/sandbox/cell" // takes the start up in its init
	"github.com/nidoit/blunux-ai/tools/unit/record"
)

func main() {
	if os.Args[0] == record.Name {
		os.Exit(record.Main(os.Args[1:]))
	}
	fmt.Fprintln(os.Stderr, "blunux-ai-cell: started by blunux-ai, not by hand")
	os.Exit(2)
}
