//go:build !race

package safety

// mutants is how many ways each command is rewritten in.
const mutants = 200
