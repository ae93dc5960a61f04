package sorting

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestListsAreSortedAsTheLibraryDoes(t *testing.T) {
	type element struct{ key, place int }
	byKey := func(a, b element) int { return cmp.Compare(a.key, b.key) }
	byBoth := func(a, b element) int { return cmp.Or(byKey(a, b), cmp.Compare(a.place, b.place)) }
	rapid.Check(t, func(t *rapid.T) {
		var list []element
		for i, key := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 200).Draw(t, "keys") {
			list = append(list, element{key, i})
		}
		want, stable := slices.SortedFunc(slices.Values(list), byBoth), slices.Clone(list)
		Stably(stable, byKey)
		require.Equal(t, want, stable)
		By(list, byBoth)
		require.Equal(t, want, list)
	})
}
