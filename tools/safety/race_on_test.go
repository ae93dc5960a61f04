//go:build race

package safety

// mutants is how many ways each command is rewritten in: the race detector makes
// that ten times slower, and without it (see the Makefile) there are as many as
// usual.
const mutants = 20
