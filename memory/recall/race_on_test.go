//go:build race

package recall_test

// checks is the number of iterations of property tests. It is reduced with the race detector, which is ten times
// slower; without it (see the Makefile) they run as often as usual.
const checks = "25"
