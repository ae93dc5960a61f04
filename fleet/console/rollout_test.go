package console

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/fleet"
)

func TestARollOutBeginsWithOneMachine(t *testing.T) {
	for n, want := range map[int][]int{0: {}, 1: {1}, 2: {1, 1}, 5: {1, 1, 3}, 20: {1, 2, 17}, 500: {1, 50, 449}} {
		require.Equal(t, want, Stages(n), n)
	}
}

func TestPlansAreFoldedByTheirCommands(t *testing.T) {
	at := func(name, command string) Waiting {
		return Waiting{fleet.Machine{Site: "lab", Name: name}, fleet.Waiting{Command: command, Digest: name}}
	}
	folds := FoldWaits([]Waiting{at("a", "pacman -Syu"), at("b", "pacman -S x"), at("c", "pacman -Syu")})
	require.Len(t, folds, 2)
	require.Equal(
		t,
		[]Waiting{at("a", "pacman -Syu"), at("c", "pacman -Syu")},
		folds[0].Waits,
		"each with its own digest",
	)
}
