// Command put is the program that replaces files, for the tests that kill it.
package main

import (
	"os"

	"github.com/nidoit/blunux-ai/tools/file"
)

func main() { os.Exit(file.Main(os.Args[2:])) }
