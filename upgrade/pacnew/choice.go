package pacnew

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Choice is what a person decided about a file.
type Choice struct {
	// Whole is the side of the whole file, "" if the conflicts decide.
	Whole Side
	// Sides are the sides of conflicts by their numbers, from 1.
	Sides map[int]Side
}

// IsZero reports whether nothing was decided.
func (c Choice) IsZero() bool { return c.Whole == "" && len(c.Sides) == 0 }

// choiceWords matches a number or a side, as people say them.
var choiceWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\d{1,3})|\b(new(?:er)?|theirs)\b|\b(mine|my|old|ours|keep)\b`)
})

// maxChoice bounds the text of a choice, in bytes, maxConflicts the conflicts that a person decides.
const (
	maxChoice    = 500
	maxConflicts = 40
)

// ParseChoice reads "mine", "new", "1=mine 2=new", "1 mine, 2 and 3 new" and the like. A side counts for the numbers before it, or
// for the whole file without any.
func ParseChoice(text string) (c Choice, err error) {
	bad := errors.New("a choice is mine, new, or 1=mine 2=new")
	if text == "" {
		return c, nil
	}
	if len(text) > maxChoice {
		return c, bad
	}
	var numbers []int
	for _, m := range choiceWords().FindAllStringSubmatch(text, -1) {
		side := Mine
		switch {
		case m[1] != "":
			n, err := strconv.Atoi(m[1])
			if err != nil || n < 1 || n > maxConflicts {
				return Choice{}, bad
			}
			numbers = append(numbers, n)
			continue
		case m[2] != "":
			side = New
		}
		if len(numbers) == 0 {
			if c.Whole != "" && c.Whole != side || len(c.Sides) > 0 {
				return Choice{}, bad
			}
			c.Whole = side
			continue
		}
		for _, n := range numbers {
			if c.Sides == nil {
				c.Sides = map[int]Side{}
			}
			if was := c.Sides[n]; was != "" && was != side {
				return Choice{}, bad
			}
			c.Sides[n] = side
		}
		numbers = nil
	}
	if c.IsZero() || len(numbers) > 0 || c.Whole != "" && len(c.Sides) > 0 || strings.ContainsAny(text, "\n\x00") {
		return Choice{}, bad
	}
	return c, nil
}
