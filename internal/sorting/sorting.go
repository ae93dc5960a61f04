// Package sorting sorts lists with little code: one implementation for all types of elements. slices.SortFunc is
// compiled for each type again, which costs a program about 10 KB a type. It is two to three times as fast.
package sorting

import "sort"

// By sorts a list. compare returns a negative number if a comes first, and a positive one if b does. Equal elements
// are in any order.
func By[T any](list []T, compare func(a, b T) int) { sort.Sort(sorter[T]{list, compare}) }

// Stably is [By], but keeps the order of equal elements.
func Stably[T any](list []T, compare func(a, b T) int) { sort.Stable(sorter[T]{list, compare}) }

// sorter implements [sort.Interface].
type sorter[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (s sorter[T]) Len() int           { return len(s.list) }
func (s sorter[T]) Less(i, j int) bool { return s.compare(s.list[i], s.list[j]) < 0 }
func (s sorter[T]) Swap(i, j int)      { s.list[i], s.list[j] = s.list[j], s.list[i] }
