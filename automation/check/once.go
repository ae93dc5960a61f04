package check

import (
	"context"
	"strings"
)

// once is a [Runner] that caches results, for commands that several checks of one look share.
type once struct {
	runner Runner
	had    map[string]answer
}

type answer struct {
	out Output
	err error
}

// Run returns the cached result if there is one.
func (o *once) Run(ctx context.Context, argv ...string) (Output, error) {
	key := strings.Join(argv, "\x00")
	if a, ok := o.had[key]; ok {
		return a.out, a.err
	}
	out, err := o.runner.Run(ctx, argv...)
	if o.had == nil {
		o.had = map[string]answer{}
	}
	o.had[key] = answer{out, err}
	return out, err
}
