// Command blunux-ai-index is the helper program that searches notes and conversations. The daemon and `blunux-ai memory`
// start it with the first search and end it after a minute without one, so that they do not link SQLite. It talks to them
// over standard input and output (memory/recall/protocol). It has no network and no keys.
package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/nidoit/blunux-ai/memory/recall/server"
)

func main() {
	restrict()
	if err := server.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// restrict gives up rights that the program does not need. Kernels that do not know one of them leave it out.
func restrict() {
	// Other processes of the user cannot read its memory, which holds notes, and no core file does.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	_ = unix.Prctl(unix.PR_SET_MDWE, unix.PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) // no new code
}
