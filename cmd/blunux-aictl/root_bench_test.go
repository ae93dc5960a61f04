package main

import (
	"testing"

	"github.com/nidoit/blunux-ai/i18n"
)

// What every start of the program pays before it does anything.
func BenchmarkCommands(b *testing.B) {
	for b.Loop() {
		treeIn(i18n.Korean)
	}
}
