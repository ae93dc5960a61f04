//go:build !race

package recall_test

const checks = "100"
