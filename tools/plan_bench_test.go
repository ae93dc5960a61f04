package tools_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/agent/plan"
	"github.com/nidoit/blunux-ai/tools"
	"github.com/nidoit/blunux-ai/tools/commandlog"
	"github.com/nidoit/blunux-ai/tools/executor"
	"github.com/nidoit/blunux-ai/tools/receipt"
	"github.com/nidoit/blunux-ai/tools/safety"
	"github.com/nidoit/blunux-ai/tools/sandbox"
	"github.com/nidoit/blunux-ai/tools/steps"
)

// BenchmarkTenLooks compares a plan of ten looks, which run side by side, with ten calls one after the other.
func BenchmarkTenLooks(b *testing.B) {
	all, err := tools.All()
	require.NoError(b, err)
	dir := b.TempDir()
	g := tools.New(tools.Options{
		Tools: all, Checker: safety.New(safety.Options{Home: dir}), Home: dir, Receipts: receipt.New(b.TempDir(), time.Now),
		Executor: executor.New(executor.Options{Sandbox: sandbox.New(sandbox.Options{Dir: filepath.Join(dir, "sandbox")})}),
		Records:  steps.Records{Recorder: commandlog.New(filepath.Join(b.TempDir(), "commands.log"), time.Now)},
	})
	call := func(name string, input any) {
		j, refused := g.Prepare(newCall(b, name, input), "s", dir)
		require.Nil(b, refused)
		require.False(b, g.Run(b.Context(), j, nil, nil).IsError)
	}
	var looks []fields
	for range 10 {
		looks = append(looks, fields{"verb": "run", "args": fields{"command": "df -h"}})
	}
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			call("plan", planOf(looks...))
		}
	})
	b.Run("calls", func(b *testing.B) {
		for b.Loop() {
			for range looks {
				call("run_command", fields{"command": "df -h"})
			}
		}
	})
}

// BenchmarkJournaledStep is what storing a step before and after it runs costs, with up to a thousand receipts.
func BenchmarkJournaledStep(b *testing.B) {
	for _, n := range []int{0, 1000} {
		b.Run(fmt.Sprint(n, "-receipts"), func(b *testing.B) {
			store := receipt.New(b.TempDir(), time.Now)
			var id string
			for i := range n + 1 {
				var err error
				id, err = store.Begin(receipt.Receipt{Steps: []receipt.Step{{Command: fmt.Sprint("touch ", i)}}})
				require.NoError(b, err)
			}
			for b.Loop() {
				for _, s := range []plan.State{plan.StepRunning, plan.StepDone} {
					require.NoError(b, store.Update(id, 0, receipt.Step{Command: "touch x", State: s}))
				}
			}
		})
	}
}
