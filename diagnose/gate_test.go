package diagnose

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/nidoit/blunux-ai/machine"
	"github.com/nidoit/blunux-ai/tools/safety"
)

// TestGateAllowsWhatScenariosAskFor: looks and checks run without approval, repairs after one. What a scenario marks as unseen may need one.
func TestGateAllowsWhatScenariosAskFor(t *testing.T) {
	gate := safety.New(safety.Options{Home: "/home/kim", User: "kim", Dir: "/home/kim", EvalSymlinks: filepath.EvalSymlinks, Glob: filepath.Glob})
	for _, s := range scenarios(t) {
		found, f := s.conclude(t, "")
		for _, look := range f.Looked() {
			if look == machine.InputEnvironmentProbe(s.one("object")).String() {
				continue // no command: tools/environment.go
			}
			v := gate.Judge(look)
			require.Equal(t, safety.Safe, v.Class, "%s: %s: %v", s.name, look, v.Reasons)
		}
		for _, one := range found {
			if one.Repair == nil {
				continue
			}
			for _, step := range one.Repair.Steps {
				if command := step.Args["command"]; command != "" {
					v := gate.Judge(command)
					require.Equal(t, safety.Confirm, v.Class, "%s: %s: %v", s.name, command, v.Reasons)
				}
				if step.Undo != "" {
					v := gate.Judge(step.Undo)
					require.Equal(t, safety.Confirm, v.Class, "%s: undo %s: %v", s.name, step.Undo, v.Reasons)
				}
				if step.Check != "" {
					v := gate.Judge(step.Check)
					require.Equal(t, safety.Safe, v.Class, "%s: check %s: %v", s.name, step.Check, v.Reasons)
				}
			}
		}
	}
}
