package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/nidoit/blunux-ai/providers"
)

// Subset is a gate that plans calls of some tools only. It runs what it planned as the gate does, so it never permits
// more than the gate.
type Subset struct {
	gate  *Gate
	names []string
}

// Subset returns the gate for the named tools.
func (g *Gate) Subset(names []string) *Subset { return &Subset{g, slices.Clone(names)} }

// Allows reports whether a tool is one of the subset.
func (s *Subset) Allows(tool string) bool { return slices.Contains(s.names, tool) }

// Definitions returns the tools of the subset for a model.
func (s *Subset) Definitions() []providers.ToolDefinition {
	return slices.DeleteFunc(s.gate.Definitions(), func(d providers.ToolDefinition) bool { return !s.Allows(d.Name) })
}

// WorkingDir is [Gate.WorkingDir].
func (s *Subset) WorkingDir(dir string) string { return s.gate.WorkingDir(dir) }

// Prepare is [Gate.Prepare], but refuses calls of other tools, under any of their names.
func (s *Subset) Prepare(call Call, session, dir string) (JudgedPlan, *Outcome) {
	_, known := s.gate.findTool(call.Name)
	if !known {
		call = asOurs(call)
	}
	if !s.Allows(call.Name) {
		return JudgedPlan{Call: call}, newRefusal(RefusedUnknown, fmt.Sprintf("this agent may not use a tool %q", call.Name))
	}
	return s.gate.Prepare(call, session, dir)
}

// Run is [Gate.Run].
func (s *Subset) Run(ctx context.Context, j JudgedPlan, approver Approver, observe func(Event)) Outcome {
	return s.gate.Run(ctx, j, approver, observe)
}
