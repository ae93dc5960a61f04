package check

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

var healthChecks = []string{"disk", "memory", "failed_units", "journal_errors", "updates", "security_updates", "reboot", "temperature", "smart", "pacnew"}

// health checks the whole machine and combines the findings and figures of several checks.
func health(l *look) {
	var before map[string]json.RawMessage
	_ = json.Unmarshal(l.p.Previous, &before) // if empty or invalid, every check starts over
	kept := map[string]json.RawMessage{}
	runner := &cachedRunner{runner: l.runner}
	for _, r := range simpleChecks() {
		if !slices.Contains(healthChecks, r.name) || l.ctx.Err() != nil {
			continue
		}
		p := Params{Now: l.p.Now, Zone: l.p.Zone, Home: l.p.Home, Previous: before[r.name]}
		res := Check{&r}.run(l.ctx, runner, p)
		l.res.Findings = append(l.res.Findings, res.Findings...)
		l.res.Figures = append(l.res.Figures, res.Figures...)
		l.res.Near = append(l.res.Near, res.Near...)
		l.res.Unknown = append(l.res.Unknown, res.Unknown...)
		if res.Keep != nil {
			kept[r.name] = res.Keep
		}
	}
	if len(kept) > 0 {
		if keep, err := json.Marshal(kept); err == nil {
			l.res.Keep = keep
		}
	}
}

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
