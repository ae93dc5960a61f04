//go:build race

package recall_test

// checks is how often a promise is tried: the race detector makes that ten times
// slower, and without it (see the Makefile) it is tried as often as usual.
const checks = "25"
