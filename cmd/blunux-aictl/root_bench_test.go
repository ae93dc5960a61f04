package main

import (
	"testing"

	"github.com/nidoit/blunux-ai/i18n"
)

// BenchmarkCommands measures the work of every start before the command runs.
func BenchmarkCommands(b *testing.B) {
	for b.Loop() {
		treeIn(i18n.Korean)
	}
}
