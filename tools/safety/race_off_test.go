//go:build !race

package safety

// mutants is the number of rewrites of each command.
const mutants = 200
