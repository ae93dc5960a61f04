package check

import (
	"context"
	"strings"
)

// cachedRunner is a [Runner] that caches results, for commands that several checks of one look share.
type cachedRunner struct {
	runner Runner
	cache  map[string]answer
}

type answer struct {
	out Output
	err error
}

// Run returns the cached result if there is one.
func (o *cachedRunner) Run(ctx context.Context, argv ...string) (Output, error) {
	key := strings.Join(argv, "\x00")
	if a, ok := o.cache[key]; ok {
		return a.out, a.err
	}
	out, err := o.runner.Run(ctx, argv...)
	if o.cache == nil {
		o.cache = map[string]answer{}
	}
	o.cache[key] = answer{out, err}
	return out, err
}
