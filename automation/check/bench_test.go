package check_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/automation/check"
	"github.com/nidoit/blunux-ai/i18n"
)

// fakeRunner is a runner without the checker, whose cost belongs to the daemon.
type fakeRunner map[string]fakeAnswer

type fakeAnswer struct {
	out check.Output
	err error
}

func key(argv []string) string { return strings.Join(argv, " ") }

func (a fakeRunner) Run(_ context.Context, argv ...string) (check.Output, error) {
	s := a[key(argv)]
	return s.out, s.err
}

func BenchmarkHealth(b *testing.B) {
	var asked [][]string
	health, _ := check.Lookup("health")
	p := check.Params{Now: now, Zone: seoul, Home: "/home/kim"}
	first, err := health.Run(b.Context(), recorder{unhealthyMachine(b), &asked}, p)
	require.NoError(b, err)
	answers := fakeRunner{}
	for _, argv := range asked {
		out, err := unhealthyMachine(b).Run(b.Context(), argv...)
		answers[key(argv)] = fakeAnswer{out, err}
	}
	p.Previous = first.Keep
	for b.Loop() {
		var m check.Memory
		r, err := health.Run(b.Context(), answers, p)
		if err != nil {
			b.Fatal(err)
		}
		check.Report(i18n.Korean, "health", m.Step(now, check.Policy{}, r), r, first.Figures, now)
	}
}
