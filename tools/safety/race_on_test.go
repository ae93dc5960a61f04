//go:build race

package safety

// mutants is the number of rewrites of each command. The race detector makes them ten times slower; the
// Makefile also runs the tests without it, with the usual number.
const mutants = 20
